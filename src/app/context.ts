import type { Subscription } from '../deals/subscription.ts';
import type { ChartRenderer } from '../discord/charts/chart-renderer.ts';
import type { ConnectionProblems } from '../discord/connection-problems.ts';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { Config } from './config.ts';
import type { Schedule } from './cron.ts';
import type { HealthSource } from './health.ts';
import type { Metrics } from './metrics.ts';

/** The parts that a program or a test provides: time, cron, where to log, and the folder of the built page. */
export interface AppParts {
  clock: Clock;
  schedule: Schedule;
  log: Log;
  /** Dealbell's own version. */
  version: string;
  /** The folder of local Discord's built page. */
  pageDirectory: string;
  /** The maker of pictures; absent for the usual one. */
  charts?: ChartRenderer;
  /** Whether to wait for as long as another process holds the state. Needs a Discord that others reach, too. */
  isStandby?: boolean;
  /**
   * Where another process serves what the settings name no address for. Called once the state is open, because another
   * process may hold it. Absent: this process serves it.
   */
  outside?: () => Promise<OutsideSides>;
}

/** The services of another process on this machine, and the subscriptions that the bot begins with. */
export interface OutsideSides {
  discord: { token: string; api: string };
  catalog: { url: string; key: string };
  /** The subscriptions of a new state. */
  firstSubscriptions: readonly Subscription[];
}

/** The app passes this to each of its sides, the bot among them. */
export interface AppContext extends AppParts {
  config: Config;
  metrics: Metrics;
  healthSource: HealthSource;
  problems: ConnectionProblems;
  /** Aborts when the app stops or fails. */
  signal: AbortSignal;
  /** Registers how a part that has started is stopped; the last one registered stops first. */
  onStop: (stop: () => unknown) => void;
  /** Stops all requests, because the bot can't continue. */
  fail: (error: Error) => void;
}
