import { MessageType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { FollowedCard } from '../../../src/page/demo/followed-card.ts';
import { message } from '../page-data.ts';

const CHANNEL = '100';

test('the card that a lever brings is the bot’s next post, not the line that tells of the pin of the one before', () => {
  const board = message(1);
  const pin = message(2, { type: MessageType.ChannelPinnedMessage });
  const post = message(3);
  const card = new FollowedCard({ channelId: CHANNEL, messageId: null }, { [CHANNEL]: [board] }, 0);
  expect(card.changed({ [CHANNEL]: [board] })).toBeNull();
  expect(card.changed({ [CHANNEL]: [board, pin] })).toBeNull();
  expect(card.changed({ [CHANNEL]: [board, pin, post] })).toBe('3');
});
