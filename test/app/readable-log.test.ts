import { expect, test } from 'vitest';
import { readableLog } from '../../src/app/readable-log.ts';

/** The time as this machine's clock shows it. */
const TIME = '10:20:30';
const time = new Date(2026, 10, 22, 10, 20, 30).getTime();
const nameOf = (id: string) => (id === '11' ? '#deals' : null);
function line(entry: Record<string, unknown>): string {
  const written: string[] = [];
  readableLog((text) => written.push(text), nameOf).write(JSON.stringify({ level: 30, time, ...entry }));
  return written.join('').replace(/\n$/, '');
}

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
  ['fields without a value', { msg: 'a feed’s items changed', resource: null }, 'a feed’s items changed'],
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
  [
    'a warning',
    { level: 40, msg: 'not published', reason: 'it is locked' },
    'WARN  not published, reason it is locked',
  ],
  ['a moment', { level: 40, msg: 'quota used up', resetsAtMs: time }, `WARN  quota used up, resets at ${TIME}`],
  ['an error', { level: 50, msg: 'a job failed', err: { message: 'No.', stack: 'x' } }, 'ERROR a job failed, No.'],
  [
    'a feed that could not be checked',
    { level: 40, msg: 'a poll failed', resource: 'feed:Home', err: { message: 'It answered 500.' } },
    'WARN  could not check the Home feed: It answered 500.',
  ],
  [
    'a poll that failed as a whole',
    { level: 50, msg: 'a poll failed', err: { message: 'No.' } },
    'ERROR could not check the catalog: No.',
  ],
  [
    'a request that is tried again',
    {
      level: 40,
      msg: 'retrying a failed catalog request',
      interface: 'portal',
      attempt: 2,
      delayMs: 722,
      reason: 'It answered 500.',
    },
    "WARN  the catalog's portal interface failed, retry 2 in 722 ms: It answered 500.",
  ],
  [
    'a catalog that keeps failing',
    { level: 50, msg: 'the catalog keeps failing: requests are paused', interface: 'v2', openMs: 15_000 },
    "ERROR the catalog's v2 interface keeps failing: it is left alone for 15 s",
  ],
  [
    'a catalog that is back',
    { msg: 'the catalog is responding again', interface: 'v2' },
    "the catalog's v2 interface is responding again",
  ],
  [
    'an older answer',
    { msg: 'using an older catalog answer', resource: 'events', ageMs: 5_000, reason: 'It answered 500.' },
    'took an answer from 5 s ago for events: It answered 500.',
  ],
  [
    'a post that is tried again',
    { level: 40, msg: 'not posted', channel: '11', outcome: 'unknown', reason: 'other side closed' },
    'WARN  #deals: could not post: the connection broke; it is tried again',
  ],
  [
    'a post that Discord refuses',
    { level: 40, msg: 'not posted', channel: '11', outcome: 'refused', reason: 'Invalid Form Body' },
    'WARN  #deals: could not post: Invalid Form Body',
  ],
  [
    'an edit that has to wait',
    { level: 40, msg: 'not edited yet', reason: 'cannot-post' },
    'WARN  could not update a post yet: the bot may not post there',
  ],
  [
    'a channel that can not be read',
    { level: 40, msg: 'the channel could not be read', channel: '11', reason: 'toString' },
    'WARN  #deals: could not look for its posts: toString',
  ],
  [
    'what would steer a terminal',
    { msg: 'announced', kind: 'new-offer', title: '\u001b[2J\nx\u202ey' },
    'posted new-offer " [2J x y"',
  ],
])('%s is one line for people', (_, entry, text) => {
  expect(line(entry)).toBe(`${TIME} ${text}`);
});
