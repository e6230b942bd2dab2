// The work in channels besides posting, and up to which message the ledger is complete.

import { z } from 'zod';
import type { Announcement, EntityKey } from '../deals/announcement.ts';
import { DAY_MS } from '../shared/time.ts';
import type { DeliveryMatch } from './delivery.ts';
import { inMemory } from './table/records.ts';
import { type Changes, type Kind, kind, LIST, OBJECT, type RecordOf, type State } from './table/state.ts';

/** A pending edit that updates a post to the current state of its entity. */
export interface Edit {
  thing: EntityKey;
  deliveryId: string;
  /** The subscribed channel. */
  channelId: string;
  messageId: string;
  isPublished: boolean;
  item: Announcement['item'];
  /** When the message was posted; absent in a record of an earlier version. */
  postedAtMs?: number;
  /** Set where little changes: where that happens often, it can wait. */
  isMinor?: true;
  queuedAtMs: number;
}

const EDIT = kind<Edit>('edit', {
  thing: z.string(),
  deliveryId: z.string(),
  channelId: z.string(),
  messageId: z.string(),
  item: OBJECT,
  queuedAtMs: z.number(),
});

/** Pending edits; of two for the same post only the later one is made. */
export const openEdits = (state: State) => openChannelJobs(state, EDIT, postKey);

const PUBLICATION = kind('publication', { channelId: z.string(), messageId: z.string(), queuedAtMs: z.number() });

/** A post in an announcement channel that has to be published to the servers that follow the channel. */
export type Publication = RecordOf<typeof PUBLICATION>;

export const openPublications = (state: State) => openChannelJobs(state, PUBLICATION, ({ messageId }) => messageId);

const REMOVAL = kind('removal', {
  guildId: z.string(),
  /** The subscribed channel. */
  channelId: z.string(),
  /** Where the message is: that channel, or in a forum its thread. */
  messageChannelId: z.string(),
  messageId: z.string(),
  queuedAtMs: z.number(),
});

/** A message of the bot that is to be deleted, because another one shows the same. */
export type Removal = RecordOf<typeof REMOVAL>;

export const openRemovals = (state: State) => openChannelJobs(state, REMOVAL, ({ messageId }) => messageId);

/** A reply to a post, which mentions roles that were decided after the post was made. */
export interface Reply {
  thing: EntityKey;
  /** The post's. */
  deliveryId: string;
  guildId: string;
  /** The subscribed channel. */
  channelId: string;
  /** The location of the post. */
  messageChannelId: string;
  messageId: string;
  /** The subscriptions and their roles. */
  matches: DeliveryMatch[];
  /** Not to be made before this moment: epoch milliseconds. */
  dueAtMs: number;
  /** Set before its first try: from then on it may stand there. */
  wasTried?: true;
  queuedAtMs: number;
}

const REPLY = kind<Reply>('reply', {
  thing: z.string(),
  deliveryId: z.string(),
  guildId: z.string(),
  channelId: z.string(),
  messageChannelId: z.string(),
  messageId: z.string(),
  matches: LIST,
  dueAtMs: z.number(),
  queuedAtMs: z.number(),
});

/** The replies that are to be made, one to a post at most. */
export const openReplies = (state: State) => openChannelJobs(state, REPLY, postKey);

/** Names an edit or a reply by its post. */
export function postKey({ thing, deliveryId }: Pick<Edit, 'thing' | 'deliveryId'>): string {
  return `${thing}/${deliveryId}`;
}

/** A message whose pin the bot has set, or has to set or take away. */
export interface Pin {
  channelId: string;
  messageId: string;
  /** Its content. */
  thing: EntityKey;
  /**
   * `wanted` and `unwanted` are work to do. `refused`: Discord doesn't pin it, because the channel has the most pins that it can
   * have, or the message is gone.
   */
  is: 'wanted' | 'pinned' | 'refused' | 'unwanted';
  queuedAtMs: number;
}

const PIN = kind<Pin>('pin', {
  channelId: z.string(),
  messageId: z.string(),
  thing: z.string(),
  is: z.enum(['wanted', 'pinned', 'refused', 'unwanted']),
  queuedAtMs: z.number(),
});

/** The pins, until they are taken away. */
export const openPins = (state: State) =>
  openChannelJobs(
    state,
    PIN,
    ({ messageId }) => messageId,
    ({ is }) => is === 'wanted' || is === 'unwanted',
  );

/** Posts that were left unpublished for good, by their messages' ids. */
export const UNPUBLISHED = kind(
  'unpublished',
  {
    /** `over`: its deal was. `too-late`: it could not be published for a day. `refused`: Discord refuses it. */
    because: z.enum(['over', 'too-late', 'refused']),
    queuedAtMs: z.number(),
    atMs: z.number(),
  },
  { kept: { ms: 45 * DAY_MS, since: ({ atMs }) => atMs } },
);

export type Unpublished = RecordOf<typeof UNPUBLISHED>;

/**
 * Jobs that wait for their turn in a channel. All are in memory.
 * @param keyOf the key of a job: of two with the same key only the later one is done
 * @param isWaiting which of them wait; the others are done, and kept
 */
async function openChannelJobs<T extends { channelId: string; queuedAtMs: number }>(
  state: State,
  ofJobs: Kind<T>,
  keyOf: (job: T) => string,
  isWaiting: (job: T) => boolean = () => true,
) {
  const jobs = await inMemory(state, ofJobs);
  const byChannel = jobs.groupedBy(({ channelId }) => channelId);
  return {
    all: jobs.all,
    get: jobs.get,
    size: jobs.size,
    channels: () => [...byChannel.keys()],
    /** Those that wait, oldest first. */
    pending: (channelId: string): readonly T[] =>
      [...(byChannel.get(channelId)?.values() ?? [])].filter(isWaiting).sort((a, b) => a.queuedAtMs - b.queuedAtMs),
    /** A job replaces an earlier one with the same key. */
    add(changes: Changes, added: readonly T[]): void {
      for (const job of added) jobs.set(changes, keyOf(job), job);
    },
    /** Removes the job, unless another has replaced it meanwhile. */
    end(changes: Changes, job: T): void {
      if (jobs.get(keyOf(job)) === job) jobs.delete(changes, keyOf(job));
    },
  };
}

/** @see https://discord.com/developers/docs/reference#snowflakes */
const SNOWFLAKE = /^\d{1,20}$/;

/** In a forum: the id of a thread, which is also the id of its first message. */
const NEWEST_MESSAGE = kind('newest-message', { messageId: z.string().regex(SNOWFLAKE) });

/**
 * Each subscribed channel's newest message up to which the ledger is complete: all of the bot's posts that the ledger
 * lacks come after it. Message ids are ordered by Discord's clock, so no clock of ours matters.
 */
export async function openNewestMessages(state: State) {
  const newest = await inMemory(state, NEWEST_MESSAGE);
  return {
    of: (channelId: string): string | null => newest.get(channelId)?.messageId ?? null,
    /** Notes that, with this commit, the ledger is complete up to this message. An older message changes nothing. */
    note(changes: Changes, channelId: string, messageId: string): void {
      if (!SNOWFLAKE.test(messageId)) return;
      const known = (changes.get(NEWEST_MESSAGE, channelId) ?? newest.get(channelId))?.messageId;
      if (known !== undefined && BigInt(messageId) <= BigInt(known)) return;
      newest.set(changes, channelId, { messageId });
    },
    forget: newest.delete,
  };
}

export const CHANNEL_KINDS = [EDIT, PUBLICATION, REMOVAL, REPLY, PIN, UNPUBLISHED, NEWEST_MESSAGE];
