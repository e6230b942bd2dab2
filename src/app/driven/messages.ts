import type { LOG_LEVELS } from '../../shared/log.ts';
import type { Connection } from '../config.ts';
import type { FirstPrices } from '../context.ts';
import type { FirstSubscriptions } from '../feature.ts';

/** The bot's time as a linear function of the machine's: `botMs` at `realMs`, then `speed` times as fast; 0: paused. */
export interface TimeSetting {
  realMs: number;
  botMs: number;
  speed: number;
}

/** The messages that a driven bot sends to the program that has forked it, in this order; `plan` comes again and again. */
export type FromBot =
  /** Its settings are valid. It waits for `begin`. */
  | { type: 'settings'; settings: DrivenSettings }
  /** It holds the state's lease. It waits for `complete`. */
  | { type: 'holds-state' }
  | { type: 'started'; started: Started }
  | { type: 'plan'; plan: ShownPlan };

/** The messages that a driven bot understands. It stops as well when the channel closes. */
export type ToBot =
  /** null: by the machine's clock, and polls by cron. */
  | { type: 'begin'; time: TimeSetting | null }
  | ({ type: 'complete' } & Supplement)
  | { type: 'time'; time: TimeSetting }
  | { type: 'stop' };

/** What the driving program needs to know of the settings. */
export interface DrivenSettings {
  missing: Connection[];
  /** The state's own name, for files that belong to it. */
  name: string;
  isStandby: boolean;
  host: string;
  port: number;
  /** Whether somebody has set it. */
  isPortSet: boolean;
  /** The folder of the state's file, or of what lies beside a database. */
  folder: string;
  feeds: string[];
  logLevel: (typeof LOG_LEVELS)[number];
}

/** What completes the settings; both hold variables by their names. */
export interface Supplement {
  /** Used for variables that the environment does not set. */
  defaults: Readonly<Record<string, string>>;
  /** Used in place of the environment's values. */
  settings: Readonly<Record<string, string>>;
  firstSubscriptions: FirstSubscriptions | null;
  firstPrices: readonly FirstPrices[];
}

/** A running bot. */
export interface Started {
  version: string;
  /** The address of its health checks. */
  health: string;
  /** Where its state is, and what it is connected to, as its banner names them. */
  state: string;
  discord: string;
  catalog: { portal: string; v2: string };
}

/** The requests of the catalog's day, the next polls, and what people have set up. */
export interface ShownPlan {
  interfaces: { name: 'portal' | 'v2'; limit: number; spent: number; resetsAtMs: number }[];
  /** Epoch milliseconds of the bot's time; null where none is planned today. */
  polls: { resource: string; nextMs: number | null; everyMs: number }[];
  /** The subscriptions of servers, each in the form in which the first ones are written. */
  subscriptions: Readonly<Record<string, unknown>>[];
  /** Whether the application's owner has paused all posting. */
  isPaused: boolean;
}
