import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextStep, type PublishingSituation, type Situation } from '../../../src/announcements/deliver/plan.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { type Delivery, rollUpOf } from '../../../src/store/delivery.ts';
import { aDelivery, aSubscription, NOW_MS } from '../../helpers/things.ts';

/** Of ten posts an hour, five are kept for roll-ups. */
const SINGLES = 5;
const MOST = 10;

/** The score of a delivery is the number in its id. */
const PUBLISHING: PublishingSituation = {
  unpublished: null,
  isContested: false,
  scoreOf: ({ id }) => ({ points: Number(id), startDateMs: null }),
};

function step(
  {
    publishing = {},
    ...situation
  }: Partial<Omit<Situation, 'publishing'>> & { publishing?: Partial<PublishingSituation> },
  most = 30,
) {
  const subscription = aSubscription('s', { mostPerHour: most });
  return nextStep({
    pending: [],
    rollUp: undefined,
    subscriptions: { get: () => subscription },
    posted: [],
    mayArrive: new Map(),
    isRollUpAside: false,
    groupOf: () => undefined,
    isApart: () => false,
    publishing: { ...PUBLISHING, ...publishing },
    nowMs: NOW_MS,
    ...situation,
  });
}

const scored = (...scores: number[]) => scores.map((score) => aDelivery(String(score)));
const postsAgo = (count: number, agoMs: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `p${index}`, atMs: NOW_MS - agoMs }));

test('the best goes first, and of those that are as good the one that was due first', () => {
  expect(step({ pending: scored(3, 9, 7) })).toMatchObject({ do: 'post', delivery: { id: '9' } });
  const publishing = { scoreOf: () => ({ points: 1, startDateMs: null }) };
  expect(step({ pending: scored(3, 9, 7), publishing })).toMatchObject({ do: 'post', delivery: { id: '3' } });
  // What is better and not due yet takes no place.
  const later = aDelivery('99', { dueAtMs: NOW_MS + 1 });
  expect(step({ pending: [...scored(3, 9), later] })).toMatchObject({ do: 'post', delivery: { id: '9' } });
});

test('what may have been posted goes after all else, and before it once the hour has little room', () => {
  const mayArrive = new Map([['9', NOW_MS + 1]]);
  expect(step({ pending: scored(9, 3), mayArrive })).toMatchObject({ do: 'post', delivery: { id: '3' } });
  const posted = postsAgo(SINGLES, MINUTE_MS);
  expect(step({ pending: scored(9, 3, 4), mayArrive, posted })).toMatchObject({ do: 'post', delivery: { id: '9' } });
});

test('five posts of an hour are single ones, and the sixth holds all that waits', () => {
  expect(step({ pending: scored(1, 2), posted: postsAgo(SINGLES - 1, MINUTE_MS) })).toMatchObject({ do: 'post' });
  expect(step({ pending: scored(1, 2), posted: postsAgo(SINGLES, MINUTE_MS) })).toEqual({
    do: 'post-together',
    deliveries: [expect.objectContaining({ id: '2' }), expect.objectContaining({ id: '1' })],
    limit: { mostPerHour: MOST, nextPostAtMs: NOW_MS + HOUR_MS / SINGLES },
  });
});

test('a roll-up holds the best twelve, for each of which there is a line, and the next one holds the others', () => {
  const scores = Array.from({ length: 13 }, (_, index) => index);
  const next = step({ pending: scored(...scores), posted: postsAgo(SINGLES, MINUTE_MS) });
  expect(next.do === 'post-together' && next.deliveries.map(({ id }) => Number(id))).toEqual(
    [...scores].reverse().slice(0, 12),
  );
});

test('a lower limit of the subscription counts', () => {
  expect(step({ pending: scored(1, 2), posted: postsAgo(1, MINUTE_MS) }, 3)).toMatchObject({
    do: 'post-together',
    limit: { mostPerHour: 3 },
  });
});

test('while a post is not published, none follows it, and the limit says when one may', () => {
  const pending = scored(1, 2);
  const allowedAtMs = NOW_MS + 20 * MINUTE_MS;
  const waits = (unpublished: PublishingSituation['unpublished'], posted = postsAgo(1, MINUTE_MS)) =>
    step({ pending, posted, publishing: { unpublished } });
  expect(waits({ allowedAtMs })).toEqual({
    do: 'wait',
    untilMs: Number.POSITIVE_INFINITY,
    limit: { mostPerHour: MOST, nextPostAtMs: allowedAtMs, waiting: 2 },
  });
  expect(waits({ allowedAtMs: null })).toEqual({ do: 'wait', untilMs: Number.POSITIVE_INFINITY, limit: null });
  expect(waits({ allowedAtMs: NOW_MS + 1 }, postsAgo(MOST, 50 * MINUTE_MS))).toMatchObject({
    limit: { nextPostAtMs: NOW_MS + 10 * MINUTE_MS },
  });
  expect(waits(null)).toMatchObject({ do: 'post' });
});

test('what may still arrive waits for the publication, too, and a roll-up that is to come apart does not', () => {
  const rollUp = rollUpOf([aDelivery('1'), aDelivery('2')], 'limit');
  const publishing = { unpublished: { allowedAtMs: NOW_MS + 1 } };
  const mayArrive = new Map([[rollUp.id, NOW_MS + 1]]);
  expect(step({ rollUp, mayArrive, publishing })).toMatchObject({ do: 'wait', limit: { waiting: 2 } });
  expect(step({ rollUp, publishing })).toEqual({ do: 'dissolve', rollUp });
});

test('where others publish too, each post holds all that waits', () => {
  const publishing = { isContested: true };
  expect(step({ pending: scored(1, 2), publishing })).toMatchObject({
    do: 'post-together',
    limit: { mostPerHour: MOST },
  });
  expect(step({ pending: scored(1), publishing })).toMatchObject({ do: 'post', delivery: { id: '1' } });
});

/** Posts and publishes by the plan, while others take some of the publications of each hour. */
function runHub(arrivals: readonly { id: number; atMs: number }[], othersPublish: number) {
  const room = MOST - othersPublish;
  const published: { atMs: number; told: string[] }[] = [];
  let waiting: Delivery[] = [];
  let [nowMs, contestedUntilMs] = [NOW_MS, 0];
  const coming = [...arrivals].sort((one, other) => one.atMs - other.atMs);
  while (coming.length > 0 || waiting.length > 0) {
    while (coming[0] && coming[0].atMs <= nowMs) {
      const { id, atMs } = coming.shift() as { id: number; atMs: number };
      waiting.push(aDelivery(String(id), { createdAtMs: atMs, dueAtMs: atMs }));
    }
    const posted = published
      .filter(({ atMs }) => atMs > nowMs - HOUR_MS)
      .map(({ atMs }, index) => ({ id: `p${index}`, atMs }));
    const next = step({ pending: waiting, posted, nowMs, publishing: { isContested: nowMs < contestedUntilMs } });
    if (next.do === 'wait') {
      nowMs = Math.min(next.untilMs, coming[0]?.atMs ?? Number.POSITIVE_INFINITY);
      continue;
    }
    const deliveries = next.do === 'post' ? [next.delivery] : next.do === 'post-together' ? next.deliveries : [];
    const told = deliveries.map(({ id }) => id);
    waiting = waiting.filter(({ id }) => !told.includes(id));
    const oldest = published[published.length - room];
    if (oldest && oldest.atMs + HOUR_MS > nowMs) {
      // Refused: the next post waits until this one is published.
      nowMs = oldest.atMs + HOUR_MS;
      contestedUntilMs = nowMs + HOUR_MS;
    }
    published.push({ atMs: nowMs, told });
  }
  return published;
}

test('whatever comes and whoever publishes there, each deal is published once, and no hour sees more than ten', () => {
  const arrivals = fc.array(fc.nat(3 * HOUR_MS), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 0, max: MOST - 1 }), (moments, othersPublish) => {
      const coming = moments.map((offsetMs, id) => ({ id, atMs: NOW_MS + offsetMs }));
      const published = runHub(coming, othersPublish);
      const told = published.flatMap((one) => one.told).sort();
      expect(told).toEqual(coming.map(({ id }) => String(id)).sort());
      for (const [index, { atMs }] of published.entries()) {
        const before = published[index - MOST];
        if (before) expect(atMs - before.atMs).toBeGreaterThanOrEqual(HOUR_MS);
      }
    }),
  );
});
