// The messages between the operator's command and the running bot.
import { z } from 'zod';

/** The bot's job. */
export const JOB = 'subscriptions';

/** The first line of the request: the plan that the operator has seen, and how many servers follow, a line each. */
export const APPLIED = z.object({ digest: z.string(), servers: z.number() });
/** A server as it stands in the file, at its place in the file's list. */
export const APPLIED_SERVER = z.object({ at: z.int().nonnegative(), written: z.unknown() });

/** How many of the servers the bot has checked. */
export const CHECKED = z.object({ result: z.literal('checked'), servers: z.number() });

export const REPLY = z.discriminatedUnion('result', [
  z.object({ result: z.literal('applied') }),
  /** The subscriptions were changed after the plan was made: nothing is applied. */
  z.object({ result: z.literal('outdated') }),
  /** The bot can't apply it now, or not this file, in sentences. */
  z.object({ result: z.literal('refused'), problems: z.array(z.string()) }),
]);
export type ApplyReply = z.output<typeof REPLY>;
