import { expect, test } from 'vitest';
import { timelineOf } from '../../src/page/timeline.ts';
import { ada, message } from './page-data.ts';

const shape = (rows: ReturnType<typeof timelineOf>) =>
  rows.map((row) => (row.type === 'message' ? `${row.message.id}${row.headless ? ' headless' : ''}` : row.type));

const DAY = 24 * 60;

test('a day begins with a line, messages close together share a head', () => {
  const rows = timelineOf([message(0), message(3), message(30), message(DAY)], [], null, 'UTC');
  expect(shape(rows)).toEqual(['day', '0', '3 headless', '30', 'day', '1440']);
});

test('another author, a command or the line "New" begins a head', () => {
  const metadata = { id: '9', type: 2, user: ada, authorizing_integration_owners: {} } as const;
  const messages = [
    message(1),
    message(2, { author: ada }),
    message(3, { author: ada, interaction_metadata: metadata }),
    message(4, { author: ada }),
    message(5, { author: ada, visible_to: ada.id }),
  ];
  expect(shape(timelineOf(messages, [], '4', 'UTC'))).toEqual(['day', '1', '2', '3', 'new', '4', '5']);
});

test('a message after one that Discord wrote begins a head', () => {
  const reference = { type: 0, channel_id: '100', message_id: '1' };
  const messages = [message(1), message(2, { type: 6, message_reference: reference }), message(3), message(4)];
  expect(shape(timelineOf(messages, [], null, 'UTC'))).toEqual(['day', '1', '2', '3', '4 headless']);
});

test('a pending command stands where it was run', () => {
  const pending = (id: string, minute: number) => ({
    id,
    personId: ada.id,
    channelId: '100',
    startedMs: Date.parse(message(minute).timestamp),
    origin: { type: 'command', text: '/feed' } as const,
    outcome: null,
  });
  const rows = timelineOf([message(1), message(3)], [pending('a', 2), pending('b', 4)], null, 'UTC');
  expect(shape(rows)).toEqual(['day', '1', 'pending', '3', 'pending']);
});
