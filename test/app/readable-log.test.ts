import { expect, test } from 'vitest';
import { readableLine } from '../../src/app/readable-log.ts';

/** The time as this machine's clock shows it. */
const TIME = '10:20:30';
const time = new Date(2026, 10, 22, 10, 20, 30).getTime();
const nameOf = (id: string) => (id === '11' ? '#deals' : null);
const line = (entry: Record<string, unknown>) => readableLine({ level: 30, time, ...entry }, nameOf);

test.each([
  [
    'an announcement',
    { msg: 'announced', delivery: 'x', channel: '11', kind: 'new-offer', title: 'A lamp', delayMs: 12_300 },
    '#deals: posted new-offer "A lamp", 12 s after its start',
  ],
  [
    'an announcement of what has no start',
    { msg: 'announced', kind: 'restocked', title: 'A lamp', delayMs: null },
    'posted restocked "A lamp"',
  ],
  ['a roll-up', { msg: 'announced in a roll-up', channel: '11', count: 9 }, '#deals: posted 9 announcements together'],
  [
    'a first check of a feed',
    { msg: 'polled', resource: 'feed:Home', new: 77, enqueued: 3, isFirstSight: true },
    'checked the Home feed: 77 new, 3 posts due (first check)',
  ],
  [
    'a check',
    { msg: 'polled', resource: 'dealcasts', new: 1, enqueued: 1, isFirstSight: false },
    'checked dealcasts: 1 new, 1 post due',
  ],
  ['an answer', { msg: 'answered', channel: '11', command: 'feed', tookMs: 34 }, '#deals: answered feed in 34 ms'],
  ['fields without a value', { msg: 'a poll failed', resource: null }, 'a poll failed'],
  [
    'a deleted post',
    { msg: 'deleted', channel: '12', kind: 'new-offer' },
    '12: deleted a new-offer post: its deal is over',
  ],
  ['a channel that is not known', { msg: 'edited', channel: '12', kind: 'new-offer' }, '12: updated a new-offer post'],
  [
    'a limit',
    {
      msg: 'hourly limit reached',
      channel: '11',
      mostPerHour: 30,
      waiting: 24,
      nextPostAt: new Date(time).toISOString(),
    },
    `#deals: hourly limit 30 reached, 24 waiting, next ${TIME}`,
  ],
  ['a warning', { level: 40, msg: 'not edited', reason: 'it is locked' }, 'WARN  not edited, reason it is locked'],
  ['a moment', { level: 40, msg: 'a poll failed', resetsAtMs: time }, `WARN  a poll failed, resets at ${TIME}`],
  ['an error', { level: 50, msg: 'a poll failed', err: { message: 'No.', stack: 'x' } }, 'ERROR a poll failed, No.'],
  [
    'what would steer a terminal',
    { msg: 'announced', kind: 'new-offer', title: '\u001b[2J\nx\u202ey' },
    'posted new-offer " [2J x y"',
  ],
])('%s is one line for people', (_, entry, text) => {
  expect(line(entry)).toBe(`${TIME} ${text}`);
});
