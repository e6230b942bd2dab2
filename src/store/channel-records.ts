// The work in channels besides posting, and up to which message the ledger is complete.

import { z } from 'zod';
import type { Announcement, EntityKey } from '../deals/announcement.ts';
import { DAY_MS } from '../shared/time.ts';
import { Records } from './table/records.ts';
import { type Changes, fields, type Kind, OBJECT, type State } from './table/state.ts';

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
  queuedAtMs: number;
}

const EDIT: Kind<Edit> = {
  name: 'edit',
  read: fields<Edit>({
    thing: z.string(),
    deliveryId: z.string(),
    channelId: z.string(),
    messageId: z.string(),
    item: OBJECT,
    queuedAtMs: z.number(),
  }),
};

/** Pending edits; of two for the same post only the later one is made. */
export const openEdits = (state: State) =>
  openChannelJobs(state, EDIT, ({ thing, deliveryId }) => `${thing}/${deliveryId}`);

/** A post in an announcement channel that has to be published to the servers that follow the channel. */
export interface Publication {
  channelId: string;
  messageId: string;
  queuedAtMs: number;
}

const PUBLICATION: Kind<Publication> = {
  name: 'publication',
  read: fields<Publication>({ channelId: z.string(), messageId: z.string(), queuedAtMs: z.number() }),
};

export const openPublications = (state: State) => openChannelJobs(state, PUBLICATION, ({ messageId }) => messageId);

/** A message of the bot that is to be deleted, because another one tells the same. */
export interface Removal {
  guildId: string;
  /** The subscribed channel. */
  channelId: string;
  /** Where the message is: that channel, or in a forum its thread. */
  messageChannelId: string;
  messageId: string;
  queuedAtMs: number;
}

const REMOVAL: Kind<Removal> = {
  name: 'removal',
  read: fields<Removal>({
    guildId: z.string(),
    channelId: z.string(),
    messageChannelId: z.string(),
    messageId: z.string(),
    queuedAtMs: z.number(),
  }),
};

export const openRemovals = (state: State) => openChannelJobs(state, REMOVAL, ({ messageId }) => messageId);

/** A message that is, or is to be, pinned in its channel, or unpinned. */
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

const PIN: Kind<Pin> = {
  name: 'pin',
  read: fields<Pin>({
    channelId: z.string(),
    messageId: z.string(),
    thing: z.string(),
    is: z.enum(['wanted', 'pinned', 'refused', 'unwanted']),
    queuedAtMs: z.number(),
  }),
};

/** The pins, until they are taken away. All are in memory. */
export async function openPins(state: State) {
  const pins = await Records.load(state, PIN);
  const byChannel = pins.groupedBy(({ channelId }) => channelId);
  return {
    all: (): readonly Pin[] => [...pins.values()],
    channels: () => [...byChannel.keys()],
    of: (messageId: string) => pins.get(messageId),
    /** Those that wait for their turn, oldest first. */
    pending: (channelId: string): readonly Pin[] =>
      [...(byChannel.get(channelId)?.values() ?? [])]
        .filter(({ is }) => is === 'wanted' || is === 'unwanted')
        .sort((a, b) => a.queuedAtMs - b.queuedAtMs),
    save: (changes: Changes, pin: Pin) => pins.set(changes, pin.messageId, pin),
    forget: (changes: Changes, messageId: string) => pins.delete(changes, messageId),
  };
}

/** A post that was left unpublished for good. */
export interface Unpublished {
  /** `over`: its deal was. `too-late`: it could not be published for a day. `refused`: Discord refuses it. */
  because: 'over' | 'too-late' | 'refused';
  queuedAtMs: number;
  atMs: number;
}

/** How long it is told why a post was not published. */
const UNPUBLISHED_KEPT_MS = 45 * DAY_MS;

const UNPUBLISHED: Kind<Unpublished> = {
  name: 'unpublished',
  read: fields<Unpublished>({
    because: z.enum(['over', 'too-late', 'refused']),
    queuedAtMs: z.number(),
    atMs: z.number(),
  }),
  kept: { ms: UNPUBLISHED_KEPT_MS, since: ({ atMs }) => atMs },
};

/** Posts that were left unpublished. They are read when somebody asks. */
export function openUnpublished(state: State) {
  return {
    note: (changes: Changes, { messageId, queuedAtMs }: Publication, about: Omit<Unpublished, 'queuedAtMs'>) =>
      changes.set(UNPUBLISHED, messageId, { queuedAtMs, ...about }),
    /** That of the first of these messages that was left unpublished; null where none was. */
    async among(messageIds: readonly string[]): Promise<Unpublished | null> {
      const [first] = (await state.among(UNPUBLISHED, messageIds)).values();
      return first ?? null;
    },
  };
}

/**
 * Jobs that wait for their turn in a channel. All are in memory.
 * @param keyOf the key of a job: of two with the same key only the later one is done
 */
async function openChannelJobs<T extends { channelId: string; queuedAtMs: number }>(
  state: State,
  kind: Kind<T>,
  keyOf: (job: T) => string,
) {
  const jobs = await Records.load(state, kind);
  const byChannel = jobs.groupedBy(({ channelId }) => channelId);
  return {
    channels: () => [...byChannel.keys()],
    /** Oldest first. */
    pending: (channelId: string): readonly T[] =>
      [...(byChannel.get(channelId)?.values() ?? [])].sort((a, b) => a.queuedAtMs - b.queuedAtMs),
    size: () => jobs.size,
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

interface NewestMessage {
  /** In a forum: the id of a thread, which is also the id of its first message. */
  messageId: string;
}

const NEWEST_MESSAGE: Kind<NewestMessage> = {
  name: 'newest-message',
  read: fields<NewestMessage>({ messageId: z.string().regex(SNOWFLAKE) }),
};

/**
 * Each subscribed channel's newest message up to which the ledger is complete: all of the bot's posts that the ledger
 * lacks come after it. Message ids are ordered by Discord's clock, so no clock of ours matters.
 */
export async function openNewestMessages(state: State) {
  const newest = await Records.load(state, NEWEST_MESSAGE);
  return {
    of: (channelId: string): string | null => newest.get(channelId)?.messageId ?? null,
    /** Notes that, with this commit, the ledger is complete up to this message. An older message changes nothing. */
    note(changes: Changes, channelId: string, messageId: string): void {
      if (!SNOWFLAKE.test(messageId)) return;
      const known = (changes.get(NEWEST_MESSAGE, channelId) ?? newest.get(channelId))?.messageId;
      if (known !== undefined && BigInt(messageId) <= BigInt(known)) return;
      newest.set(changes, channelId, { messageId });
    },
    forget: (changes: Changes, channelId: string) => newest.delete(changes, channelId),
  };
}

export const CHANNEL_KINDS = [EDIT, PUBLICATION, REMOVAL, PIN, UNPUBLISHED, NEWEST_MESSAGE];
