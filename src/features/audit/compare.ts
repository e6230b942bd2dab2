import type { Owed } from '../../announcements/explain/owed.ts';
import type { FoundPosts, OwnMessage } from '../../discord/find-posted.ts';
import type { MessagePlace } from '../../discord/outcome.ts';
import type { PostedDelivery } from '../../store/deliveries.ts';
import type { Post } from '../../store/posts.ts';

/** How what is owed and the channels compare, in announcements. */
export interface AuditFigures {
  /** Posted in the audited time according to the ledger, or owed according to what is known of offers and subscriptions. */
  owed: number;
  /** The owed announcements whose message stands in the channel. */
  there: number;
  /** Messages that tell again what another one tells. */
  twice: number;
  /** Owed and not there: somebody has deleted the message, or it never arrived. */
  missing: number;
  /** Posts that show what is no longer so and that no pending edit corrects, or that the ledger doesn't know. */
  untrue: number;
}

/** Something that the audit has found. */
export interface Finding {
  /**
   * `missing`: its message is gone. `unposted`: owed, and there is no record of it. `twice`: a further message of a
   * delivery. `copy`: a message that tells the same as another one, without a delivery's id. `untrue`: an outdated post.
   * `unrecorded`: a post that the ledger doesn't know.
   */
  what: 'missing' | 'unposted' | 'twice' | 'copy' | 'untrue' | 'unrecorded';
  guildId: string;
  channelId: string;
  /** null for a copy without an id. */
  deliveryId: string | null;
  /** The message that is gone, outdated or too many; null where there never was one. */
  place: MessagePlace | null;
  /** What it is about, as far as that is known; foreign text. */
  title: string | null;
  /** The post of its delivery, or of its message; null where none is recorded. */
  post: Post | null;
  /** The announcement that is owed, where offers and subscriptions tell it; null for none. */
  owed: Owed | null;
}

export const NO_FIGURES: AuditFigures = { owed: 0, there: 0, twice: 0, missing: 0, untrue: 0 };

export function sum(all: readonly AuditFigures[]): AuditFigures {
  return all.reduce(
    (one, other) => ({
      owed: one.owed + other.owed,
      there: one.there + other.there,
      twice: one.twice + other.twice,
      missing: one.missing + other.missing,
      untrue: one.untrue + other.untrue,
    }),
    NO_FIGURES,
  );
}

type Compared = Pick<Finding, 'what' | 'deliveryId' | 'place'>;

/**
 * Compares what the ledger says was posted in a channel with what stands there.
 * @param untilId the first message id that is too young to be missed
 */
export function compareWithLedger(
  posted: readonly PostedDelivery[],
  untilId: bigint,
  found: FoundPosts,
): { owed: number; there: number; findings: Compared[] } {
  const { messages } = found;
  const standing = new Set(messages.map(({ messageId }) => messageId));
  const shownIds = new Set(messages.flatMap(({ ids, isAnswer }) => (isAnswer ? [] : ids)));
  // Where only a part was read, what is older than it may well be there.
  const oldest = messages.map(({ messageId }) => BigInt(messageId)).reduce(least, null);
  const isRead = (messageId: string) => !found.isCutOff || (oldest !== null && BigInt(messageId) >= oldest);
  const owed = posted.filter(({ messageId }) => BigInt(messageId) < untilId && isRead(messageId));
  // Another message of it may stand.
  const missing = owed.filter(({ id, messageId }) => !standing.has(messageId) && !shownIds.has(id));
  return {
    owed: owed.length,
    there: owed.length - missing.length,
    findings: [
      ...missing.map(({ id, messageId, messageChannelId }) => ({
        what: 'missing' as const,
        deliveryId: id,
        place: { channelId: messageChannelId, messageId },
      })),
      ...repeated(posted, messages),
      ...copies(posted, messages),
    ],
  };
}

/** The messages of deliveries that have another one: all but the ledger's, or the oldest where it has none of them. */
function repeated(posted: readonly PostedDelivery[], messages: readonly OwnMessage[]): Compared[] {
  const recorded = new Set(posted.map(({ messageId }) => messageId));
  const byDelivery = new Map<string, OwnMessage[]>();
  for (const message of messages.filter(({ isAnswer }) => !isAnswer)) {
    for (const id of message.ids) byDelivery.set(id, [...(byDelivery.get(id) ?? []), message]);
  }
  const found = [...byDelivery].flatMap(([deliveryId, all]): Compared[] => {
    const inOrder = all.toSorted((one, other) => (BigInt(one.messageId) < BigInt(other.messageId) ? -1 : 1));
    const kept = inOrder.find(({ messageId }) => recorded.has(messageId)) ?? inOrder[0];
    return inOrder
      .filter((message) => message !== kept)
      .map(({ channelId, messageId }) => ({ what: 'twice', deliveryId, place: { channelId, messageId } }));
  });
  return [...new Map(found.map((one) => [one.place?.messageId, one])).values()];
}

/** The heading of a post, which links to what it is about. */
const HEADING = /^#{1,3} .*\[.+\]\(.+\)/m;

/** The messages without an id that have the heading of a post and are none themselves: the same card, without its buttons. */
function copies(posted: readonly PostedDelivery[], messages: readonly OwnMessage[]): Compared[] {
  const recorded = new Set(posted.map(({ messageId }) => messageId));
  const headings = new Set(messages.flatMap((message) => (message.ids.length > 0 ? (headingOf(message) ?? []) : [])));
  return messages
    .filter(({ ids, isAnswer, messageId }) => ids.length === 0 && !isAnswer && !recorded.has(messageId))
    .filter((message) => headings.has(headingOf(message) ?? ''))
    .map(({ channelId, messageId }) => ({ what: 'copy', deliveryId: null, place: { channelId, messageId } }));
}

function headingOf({ texts }: Pick<OwnMessage, 'texts'>): string | null {
  return HEADING.exec(texts.join('\n'))?.[0] ?? null;
}

/** What a message's heading names; foreign text, null where it has none. */
export function titleIn(message: Pick<OwnMessage, 'texts'>): string | null {
  return /\[(.+)\]\(/.exec(headingOf(message) ?? '')?.[1]?.replace(/\\(?=[^\w\s])/g, '') ?? null;
}

function least(one: bigint | null, other: bigint): bigint {
  return one === null || other < one ? other : one;
}
