import type { BotSettings, StartedBot } from './protocol.ts';

/** The facts that the banner shows. */
export interface BannerFacts {
  bot: StartedBot;
  missing: BotSettings['missing'];
  /** The address of local Discord's page; null where the real Discord is used. */
  page: string | null;
  /** The port that was meant, where something else listens there; null where it is the page's. */
  takenPort: number | null;
  /** Whether other machines can reach that. */
  isOpenToEveryone: boolean;
}

/** The last lines of a start: the bot's own banner, with what is simulated in place of what is not connected. */
export function banner({ bot, missing, page, takenPort, isOpenToEveryone }: BannerFacts): string {
  const rows = [
    page === null ? ['Health', bot.health] : ['Open', openRow(page, takenPort)],
    ['Discord', page === null ? bot.discord : 'simulated, on this machine (DISCORD_TOKEN connects the real one)'],
    ['Catalog', catalogRow(bot, missing)],
    ['State', bot.state],
    ...(page === null ? [] : [['Stop', 'Ctrl-C stops everything; the next start goes on from there']]),
    ...(isOpenToEveryone ? [['Careful', 'anyone who can reach this address can act as anyone in local Discord']] : []),
  ];
  const lines = rows.map(([title = '', text]) => `  ${title.padEnd(8)} ${text}`);
  return [`Dealbell is running (${bot.version}).`, ...lines].join('\n');
}

function openRow(page: string, takenPort: number | null): string {
  return takenPort === null ? page : `${page} (something else listens at port ${takenPort}; PORT sets another one)`;
}

function catalogRow({ catalog }: StartedBot, missing: BannerFacts['missing']): string {
  const [hasPortal, hasV2] = [!missing.includes('CATALOG_PORTAL_URL'), !missing.includes('CATALOG_V2_URL')];
  if (!hasPortal && !hasV2) return 'simulated (CATALOG_PORTAL_URL and CATALOG_V2_URL connect a real one)';
  return `portal ${hasPortal ? catalog.portal : 'simulated'}, v2 ${hasV2 ? catalog.v2 : 'simulated'}`;
}
