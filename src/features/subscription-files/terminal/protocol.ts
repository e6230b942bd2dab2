// The messages between the operator's command and the running bot.
import { z } from 'zod';

/** The bot's job. */
export const JOB = 'subscriptions';

/** A file that is to be applied, and the plan that the operator has seen. */
export const FILE = z.object({ format: z.enum(['yaml', 'json']), text: z.string(), digest: z.string() });
export type FileToApply = z.output<typeof FILE>;

export const REPLY = z.discriminatedUnion('result', [
  z.object({ result: z.literal('applied') }),
  /** The subscriptions were changed after the plan was made: nothing is applied. */
  z.object({ result: z.literal('outdated') }),
  /** The bot can't apply it now, or not this file, in sentences. */
  z.object({ result: z.literal('refused'), problems: z.array(z.string()) }),
]);
export type ApplyReply = z.output<typeof REPLY>;
