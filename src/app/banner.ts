import { placeOf } from '../store/table/state-place.ts';

/** The facts that the banner shows of a bot that has started. */
export interface BannerFacts {
  version: string;
  address: string;
  stateUrl: string;
  /** false while Discord keeps the bot waiting. */
  isDiscordReached: boolean;
  /** The address of each interface. */
  catalog: { portal: string; v2: string };
}

/** The last lines of a start: what the bot is connected to, and where its state is. */
export function banner({ version, address, stateUrl, isDiscordReached, catalog }: BannerFacts): string {
  const rows = [
    ['Health', address],
    ['Discord', discordRow(isDiscordReached)],
    ['Catalog', `portal ${hostOf(catalog.portal)}, v2 ${hostOf(catalog.v2)}`],
    ['State', placeOf(stateUrl)],
  ];
  const lines = rows.map(([title = '', text]) => `  ${title.padEnd(8)} ${text}`);
  return [`Dealbell is running (${version}).`, ...lines].join('\n');
}

/** What the banner says of Discord. */
export function discordRow(isReached: boolean): string {
  return isReached ? 'real, connected' : 'real, not connected yet (the log says why; the bot keeps trying)';
}

/** The host only: the remaining address may contain a key. */
export const hostOf = (url: string) => new URL(url).host;
