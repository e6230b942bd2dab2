import { expect, test } from 'vitest';
import { readableLine } from '../../../src/bot/operations/readable-log.ts';

/** As this machine's clock shows it. */
const TIME = '10:20:30';
const time = new Date(2026, 10, 22, 10, 20, 30).getTime();
const nameOf = (id: string) => (id === '11' ? '#deals' : null);
const line = (entry: Record<string, unknown>) => readableLine({ level: 30, time, ...entry }, nameOf);

test.each([
  [
    'an announcement',
    { msg: 'announced', delivery: 'x', channel: '11', kind: 'new-offer', title: 'A lamp', delayMs: 12_300 },
    '#deals: announced, kind new-offer, title A lamp, delay 12 s',
  ],
  ['what has no value', { msg: 'announced', kind: 'restocked', delayMs: null }, 'announced, kind restocked'],
  ['a channel that is not known', { msg: 'edited', channel: '12' }, '12: edited'],
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
  ['an error', { level: 50, msg: 'a poll failed', err: { message: 'No.', stack: 'x' } }, 'ERROR a poll failed, No.'],
  ['what would steer a terminal', { msg: 'announced', title: '\u001b[2J\nx\u202ey' }, 'announced, title  [2J x y'],
])('%s is one line for people', (_, entry, text) => {
  expect(line(entry)).toBe(`${TIME} ${text}`);
});
