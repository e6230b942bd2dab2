import { z } from 'zod';
import { fields, type Kind } from './table/kind.ts';
import { Records } from './table/records.ts';
import type { Changes, State } from './table/state.ts';

/** @see https://discord.com/developers/docs/reference#snowflakes */
const SNOWFLAKE = /^\d{1,20}$/;

interface NewestMessage {
  /** In a forum: the id of a thread, which is also the id of its first message. */
  messageId: string;
}

/**
 * Each subscribed channel's newest message up to which the ledger is complete: all of the bot's posts that the ledger
 * lacks come after it. Message ids are ordered by Discord's clock, so no clock of ours matters.
 */
export interface NewestMessageStore {
  of(channelId: string): string | null;
  /** Notes that, with this commit, the ledger is complete up to this message. An older message changes nothing. */
  note(changes: Changes, channelId: string, messageId: string): void;
  forget(changes: Changes, channelId: string): void;
}

const NEWEST_MESSAGE: Kind<NewestMessage> = {
  name: 'newest-message',
  read: fields<NewestMessage>({ messageId: z.string().regex(SNOWFLAKE) }),
};

export async function openNewestMessages(state: State): Promise<NewestMessageStore> {
  const newest = await Records.load(state, NEWEST_MESSAGE);
  return {
    of: (channelId) => newest.get(channelId)?.messageId ?? null,
    note(changes, channelId, messageId) {
      if (!SNOWFLAKE.test(messageId)) return;
      const known = (changes.get(NEWEST_MESSAGE, channelId) ?? newest.get(channelId))?.messageId;
      if (known !== undefined && BigInt(messageId) <= BigInt(known)) return;
      newest.set(changes, channelId, { messageId });
    },
    forget: (changes, channelId) => newest.delete(changes, channelId),
  };
}
