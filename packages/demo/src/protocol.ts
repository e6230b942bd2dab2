import type { DemoPlan } from '../../local-discord/src/index.ts';

// The messages between the demo and the bot's driven entry. src/app/driven/messages.ts declares them once more for the bot, because
// neither may import the other; the tests that start both hold them together.

/** The bot's time as a linear function of the machine's: `botMs` at `realMs`, then `speed` times as fast; 0: paused. */
interface BotTime {
  realMs: number;
  botMs: number;
  speed: number;
}

export type FromBot =
  /** Its settings are valid. It waits for `begin`. */
  | { type: 'settings'; settings: BotSettings }
  /** It holds the state's lease. It waits for `complete`. */
  | { type: 'holds-state' }
  | { type: 'started'; started: StartedBot }
  | { type: 'plan'; plan: BotPlan };

export type ToBot =
  /** null: by the machine's clock. */
  | { type: 'begin'; time: BotTime | null }
  | ({ type: 'complete' } & Supplement)
  | { type: 'time'; time: BotTime }
  | { type: 'stop' };

/** The connections that the settings can name. */
export type Connection = 'DISCORD_TOKEN' | 'CATALOG_PORTAL_URL' | 'CATALOG_V2_URL';

/** The settings that the bot has read, and the connections that are missing in them. */
export interface BotSettings {
  missing: Connection[];
  /** The state's own name, for files that belong to it. */
  name: string;
  isStandby: boolean;
  host: string;
  port: number;
  /** Whether somebody has set it. */
  isPortSet: boolean;
  /** The folder of the bot's state. */
  folder: string;
  feeds: string[];
  logLevel: string;
}

/** The prices that a product had before the demo began. */
export interface FirstPrices {
  title: string;
  condition: string | null;
  runs: { fromMs: number; untilMs: number; price: { minimum: number; maximum: number } }[];
}

/** What completes the bot's settings; both hold variables by their names. */
export interface Supplement {
  /** Used for variables that the environment does not set. */
  defaults: Readonly<Record<string, string>>;
  /** Used in place of the environment's values. */
  settings: Readonly<Record<string, string>>;
  /** The file of a new state's subscriptions, and who has made them; null for none. */
  firstSubscriptions: { text: string; createdBy: string } | null;
  /** Prices from before its first poll, which a new state begins with. */
  firstPrices: FirstPrices[];
}

/** A bot that has started: the address of its health checks, and what its banner names. */
export interface StartedBot {
  version: string;
  health: string;
  state: string;
  discord: string;
  catalog: { portal: string; v2: string };
}

/** The bot's plan, and what people have set up. */
export interface BotPlan extends Pick<DemoPlan, 'polls'> {
  interfaces: { name: 'portal' | 'v2'; limit: number; spent: number; resetsAtMs: number }[];
  /** The subscriptions of servers, each as it stands in a file. */
  subscriptions: Readonly<Record<string, unknown>>[];
  /** Whether the application's owner has paused all posting. */
  isPaused: boolean;
}
