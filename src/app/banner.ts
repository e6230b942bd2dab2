import { placeOf } from '../store/table/state-place.ts';

/** The facts that the banner shows of a started program. */
export interface BannerFacts {
  version: string;
  address: string;
  stateUrl: string;
  /** null: local Discord. `reached` is false while Discord keeps the bot waiting. */
  discord: { reached: boolean } | null;
  /** The address of each interface; null: the embedded catalog. */
  catalog: { portal: string | null; v2: string | null };
  /** Whether local Discord is reachable from other machines. */
  isOpenToEveryone: boolean;
}

/** The last lines of a start: the running parts, which of them are real, and where the state is. */
export function banner(facts: BannerFacts): string {
  const { version, address, stateUrl, discord, catalog, isOpenToEveryone } = facts;
  const rows = [
    [discord ? 'Health' : 'Open', address],
    ['Discord', discord === null ? SIMULATED_DISCORD : REAL_DISCORD[discord.reached ? 'reached' : 'awaited']],
    ['Catalog', catalogOf(catalog)],
    ['State', placeOf(stateUrl)],
    ...(isOpenToEveryone ? [['Careful', 'anyone who can reach this address can act as anyone in local Discord']] : []),
  ];
  const lines = rows.map(([title = '', text]) => `  ${title.padEnd(8)} ${text}`);
  return [`Dealbell is running (${version}).`, ...lines].join('\n');
}

const SIMULATED_DISCORD = 'simulated, on this machine (DISCORD_TOKEN connects the real one)';
const REAL_DISCORD = {
  reached: 'real, connected',
  awaited: 'real, not connected yet (the log says why; the bot keeps trying)',
};

function catalogOf({ portal, v2 }: BannerFacts['catalog']): string {
  if (portal === null && v2 === null) return 'simulated (CATALOG_PORTAL_URL and CATALOG_V2_URL connect a real one)';
  const side = (name: string, url: string | null) => `${name} ${url === null ? 'simulated' : hostOf(url)}`;
  return [side('portal', portal), side('v2', v2)].join(', ');
}

/** The host only: the remaining address may contain a key. */
const hostOf = (url: string) => new URL(url).host;
