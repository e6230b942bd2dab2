import type { DemoPlace, DemoPlan, DemoTime } from '../../packages/local-discord/src/index.ts';

/** Where the bot of the demo finds the other two programs, and the channels that its first subscriptions are for. */
export interface Surroundings {
  discord: { token: string; api: string };
  catalog: { url: string; key: string };
  guildId: string;
  /** Who has made the first subscriptions. */
  personId: string;
  /** The role that one of them pings. */
  roleId: string;
  channelIds: Readonly<Record<DemoPlace, string>>;
}

/** The messages that the demo sends to its bot's process. */
export type ToBot =
  /** The answer to `holds-state`. */
  { type: 'surroundings'; surroundings: Surroundings } | { type: 'time'; setting: DemoTime } | { type: 'stop' };

/** The messages that the bot's process sends to the demo. */
export type FromBot =
  /** It holds the state's lease and asks for its surroundings. */
  | { type: 'holds-state' }
  /** It has started; `health` is the address of its health checks. */
  | { type: 'started'; health: string }
  | { type: 'plan'; plan: BotPlanMessage }
  /** It can't go on, and ends with this exit status. */
  | { type: 'failed'; message: string; exitStatus: number };

export type BotPlanMessage = Omit<DemoPlan, 'isReal'>;

/** The environment variable that carries the time setting as JSON: the bot's clock is right from its first moment on. */
export const TIME_VARIABLE = 'DEALBELL_DEMO_TIME';
