import type { DemoTime } from '../../local-discord/src/index.ts';
import type { BotPlan, Supplement } from './protocol.ts';

/** The simulated parts that surround the bot: Discord, the catalog, or both. */
export interface Surroundings {
  /** The time that the bot begins with; null where it goes by the machine's. */
  time(): DemoTime | null;
  /** Starts what the bot's settings lack, once, and resolves with what completes them. Called when the bot holds its state. */
  complete(): Promise<Supplement>;
  /** The address of local Discord's page; null where the real Discord is used. */
  page(): string | null;
  /** Called when the bot's process is in another state. */
  onBot(): void;
  onPlan(plan: BotPlan): void;
  /** @param stopBot stops the bot, before the servers that it talks to */
  stop(stopBot: () => Promise<void>): Promise<void>;
}

/** The simulated store: it has the same contents for everyone. */
export const STORE = { seed: 'dealbell', offers: 300, pace: 'demo' } as const;
export const CATALOG_KEY = 'demo';
/** The simulated catalog may be asked as often as a bot likes. */
export const UNLIMITED = { rate: 50, burst: 100, quota: 1_000_000 } as const;

/** Looks for what is due often: nobody minds, and something is posted soon. */
const POLLING = { POLL_CRON: '*/2 * * * * *', POLL_MIN_SECONDS: '2' } as const;

export type Limits = Record<keyof typeof UNLIMITED, number>;

const INTERFACES = ['PORTAL', 'V2'] as const;

/** The variables that tell the bot of a catalog's limits. */
export function limitVariables(limits: Limits, interfaces: readonly string[] = INTERFACES): Record<string, string> {
  return Object.fromEntries(
    interfaces.flatMap((name) =>
      Object.entries(limits).map(([limit, value]) => [`CATALOG_${name}_${limit.toUpperCase()}`, String(value)]),
    ),
  );
}

/** The variables of the simulated catalog, by the interfaces that are simulated. */
export function catalogVariables(
  url: string,
  simulated: readonly (typeof INTERFACES)[number][],
): Pick<Supplement, 'defaults' | 'settings'> {
  const limits = limitVariables(UNLIMITED, simulated);
  const settings = simulated.flatMap((name) => [
    [`CATALOG_${name}_URL`, url],
    [`CATALOG_${name}_KEY`, CATALOG_KEY],
  ]);
  return {
    defaults: simulated.length === INTERFACES.length ? { ...limits, ...POLLING } : limits,
    settings: Object.fromEntries(settings),
  };
}

/** The variables of a local Discord. It is served at HOST and PORT, so the bot's own health checks are at any free port. */
export function discordVariables({ token, api }: { token: string; api: string }): Supplement['settings'] {
  return { DISCORD_TOKEN: token, DISCORD_API: api, DISCORD_RATE: '50', HOST: '127.0.0.1', PORT: '0' };
}
