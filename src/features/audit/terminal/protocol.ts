// The messages between the operator's command and the running bot.
import { z } from 'zod';

/** What an audit has found, as the operator reads it. */
const FINDING_KEY = z.object({
  what: z.enum(['missing', 'unposted', 'twice', 'copy', 'untrue', 'unrecorded']),
  channelId: z.string(),
  deliveryId: z.string().nullable(),
  messageId: z.string().nullable(),
});
const REPORTED_FINDING = FINDING_KEY.extend({
  /** Names, as far as the bot knows them; foreign text. */
  server: z.string(),
  channel: z.string(),
  deal: z.string().nullable(),
  link: z.string().nullable(),
});
export type ReportedFinding = z.output<typeof REPORTED_FINDING>;

/** An audit of all channels, or the repair of these findings. */
export const AUDIT_REQUEST = z.object({
  repair: z.object({ findings: z.array(FINDING_KEY), withDeleted: z.boolean() }).nullable(),
});
export type AuditRequest = z.output<typeof AUDIT_REQUEST>;

export const READING = z.object({
  result: z.literal('reading'),
  channel: z.string(),
  number: z.number(),
  of: z.number(),
});
/** The channel that is about to be read. */
export type ReadingProgress = Omit<z.output<typeof READING>, 'result'>;

export const AUDIT_REPLY = z.discriminatedUnion('result', [
  z.object({
    result: z.literal('audited'),
    channels: z.number(),
    /** The channels that could not be read, by name. */
    unread: z.array(z.string()),
    findings: z.array(REPORTED_FINDING),
  }),
  z.object({
    result: z.literal('repaired'),
    steps: z.array(FINDING_KEY.extend({ step: z.enum(['post', 'edit', 'delete', 'record']) })),
    left: z.array(FINDING_KEY.extend({ because: z.enum(['deleted', 'over', 'unwanted', 'unknown', 'changed']) })),
    /** Whether the owner has paused all posting: what is queued waits. */
    isPaused: z.boolean(),
  }),
  z.object({ result: z.literal('refused'), problems: z.array(z.string()) }),
]);
export type AuditReply = z.output<typeof AUDIT_REPLY>;
