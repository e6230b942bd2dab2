import type { Backend } from '../../shared/storage/backend.ts';
import { rowReader } from './rows.ts';

/** @see https://discord.com/developers/docs/reference#snowflakes */
const SNOWFLAKE = /^\d{1,20}$/;

interface NewestMessage {
  version: 1;
  /** In a forum: the id of a thread, which is also the id of its first message. */
  messageId: string;
}

/**
 * Each subscribed channel's newest message up to which the ledger is complete: all of the bot's posts that the ledger
 * lacks come after it. Message ids are ordered by Discord's clock, so no clock of ours matters.
 */
export interface NewestMessageStore {
  of(channelId: string): string | null;
  /** Called when the ledger is complete up to this message. An older message changes nothing. */
  note(channelId: string, messageId: string): Promise<void>;
  forget(channelId: string): Promise<void>;
}

export async function openNewestMessages(backend: Backend): Promise<NewestMessageStore> {
  const read = rowReader<NewestMessage>([1], { messageId: 'string' });
  const table = backend.table<NewestMessage>('newest_messages', {
    read: (row) => {
      const record = read(row);
      return record && SNOWFLAKE.test(record.messageId) ? record : undefined;
    },
  });
  const newest = new Map<string, string>();
  for await (const [channelId, { messageId }] of table.entries()) newest.set(channelId, messageId);
  return {
    of: (channelId) => newest.get(channelId) ?? null,
    async note(channelId, messageId) {
      if (!SNOWFLAKE.test(messageId)) return;
      const known = newest.get(channelId);
      if (known !== undefined && BigInt(messageId) <= BigInt(known)) return;
      await table.set(channelId, { version: 1, messageId });
      newest.set(channelId, messageId);
    },
    async forget(channelId) {
      await table.delete(channelId);
      newest.delete(channelId);
    },
  };
}
