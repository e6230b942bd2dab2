import type { PriceRun } from '../deals/price-runs.ts';
import type { ConnectionProblems } from '../discord/connection-problems.ts';
import type { PictureRenderer } from '../discord/pictures/renderer.ts';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { Reachability } from '../shared/reachability.ts';
import type { CompleteConfig, Config } from './config.ts';
import type { Schedule } from './cron.ts';
import type { Core, Feature, FirstSubscriptions } from './feature.ts';
import type { HealthSource } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { OperatorJobs } from './operator-socket.ts';

/** The parts that a program or a test provides: time, cron and where to log. */
export interface AppParts {
  clock: Clock;
  schedule: Schedule;
  log: Log;
  /** The bot's features. */
  features: readonly Feature[];
  /** Dealbell's own version. */
  version: string;
  /** The maker of pictures; absent for the usual one. */
  pictures?: PictureRenderer;
  /** The clock of what the network is asked, which takes as long as it takes; absent for the machine's. */
  networkClock?: Clock;
  /** Whether to wait for as long as another process holds the state. */
  isStandby?: boolean;
  /**
   * Provides the settings that were left open when the app was made. Called once the state is open, because another
   * process may hold it. Absent: the settings are complete.
   */
  complete?: () => Promise<Completion>;
}

/** The complete settings, and what the bot begins with. */
export interface Completion {
  config: Config;
  /** null: a new state begins without subscriptions. */
  firstSubscriptions: FirstSubscriptions | null;
  /** Prices from before its first poll, which a new state begins with; empty for none. */
  firstPrices: readonly FirstPrices[];
}

/** The prices that a product had before anybody looked. */
export interface FirstPrices {
  /** As offers of it have them. */
  title: string;
  condition: string | null;
  runs: readonly PriceRun[];
}

/** What the app gives to each of its parts: the bot, the health checks, the metrics. */
export interface AppContext extends AppParts {
  config: Config;
  metrics: Metrics;
  healthSource: HealthSource;
  /** The core of the running bot, for features; null while it is starting or stopping. */
  core: () => Core | null;
  problems: ConnectionProblems;
  reachability: Reachability;
  /** What the running bot does for the operator; null while it is starting. */
  operatorJobs: () => OperatorJobs | null;
  /** Whether the bot doesn't answer yet. */
  isStarting: () => boolean;
  /** Aborts when the app stops or fails. */
  signal: AbortSignal;
  /** Registers how a part that has started is stopped; the last one registered stops first. */
  onStop: (stop: () => unknown) => void;
  /** Stops all requests, because the bot can't continue. */
  fail: (error: Error) => void;
}

/** The context of a bot whose connections are known. */
export interface CompleteContext extends AppContext {
  config: CompleteConfig;
}
