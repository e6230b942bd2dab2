import { expect, it } from 'vitest';
import type { SpentRecord } from '../../../src/catalog/catalog.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { MemorySpending } from '../create-test-catalog.ts';
import { NEVER_MIND, pauseOf, SlowSpending, SPENT, setUp } from './set-up.ts';

/** A clock that knows how many timers have been set and have not rung. */
class CountingClock extends ManualClock {
  readonly #timers = new Set<{ ms: number }>();

  /** Those for at most that many milliseconds. */
  timers(mostMs = Number.POSITIVE_INFINITY): number {
    return [...this.#timers].filter(({ ms }) => ms <= mostMs).length;
  }

  override after(ms: number, ring: () => void): () => void {
    const timer = { ms };
    this.#timers.add(timer);
    const callOff = super.after(ms, () => {
      this.#timers.delete(timer);
      ring();
    });
    return () => {
      this.#timers.delete(timer);
      callOff();
    };
  }
}

/** Notes what becomes of calls. */
function outcomesOf(calls: Readonly<Record<string, Promise<unknown>>>): string[] {
  const outcomes: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    call.then(
      () => outcomes.push(`${name} left`),
      (error: { code?: string }) => outcomes.push(`${name}: ${error.code}`),
    );
  }
  return outcomes;
}

/** Has the catalog ask for a pause, by its answer to a request that nobody wants any more then. */
async function pause({ take, clock }: ReturnType<typeof setUp>, seconds: number): Promise<void> {
  const request = await take();
  request.answer(pauseOf(seconds));
  await clock.advance(0);
  request.abandon();
  await clock.advance(0);
}

it('counts the bucket as empty when the catalog says so, however full it was', async () => {
  const client = setUp({ burst: 10 });
  const { spend, clock } = client;
  const startMs = clock.now();
  await pause(client, 1);
  const left: number[] = [];
  for (let call = 0; call < 3; call += 1) void spend().then(() => left.push(clock.now() - startMs));
  await clock.advance(10_000);
  expect(left).toEqual([1011, 2021, 3031]);
});

it('does not shorten a pause by a shorter one', async () => {
  const { take, spend, clock } = setUp();
  const requests = [await take(), await take()];
  for (const [index, seconds] of [30, 1].entries()) requests[index]?.answer(pauseOf(seconds));
  await clock.advance(0);
  for (const request of requests) request.abandon();
  const outcomes = outcomesOf({ a: spend() });
  await clock.advance(29_999);
  expect(outcomes).toEqual([]);
  await clock.advance(1);
  expect(outcomes).toEqual(['a left']);
});

it('turns away those who wait and have not the time of a pause, and no others', async () => {
  const { take, spend, clock } = setUp({ burst: 1 });
  const first = await take();
  const outcomes = outcomesOf({ hurried: spend('interactive'), patient: spend('background') });
  await clock.advance(0);
  first.answer(pauseOf(30));
  await clock.advance(0);
  first.abandon();
  expect(outcomes).toEqual(['hurried: CATALOG_RATE_LIMITED']);
  await clock.advance(30_000);
  expect(outcomes).toEqual(['hurried: CATALOG_RATE_LIMITED', 'patient left']);
});

it('refuses those who may not spend the reserve when only that is left, while others wait on', async () => {
  const { spend, clock } = setUp({ quota: 4, burst: 1 });
  const outcomes = outcomesOf({
    first: spend(),
    background: spend(),
    announcement: spend('announcement'),
    one: spend('interactive'),
    two: spend('interactive'),
    three: spend('interactive'),
    four: spend('interactive'),
  });
  await clock.advance(60_000);
  // The order of refusals at one moment means nothing.
  expect(outcomes.filter((outcome) => outcome.endsWith('left'))).toEqual([
    'first left',
    'one left',
    'two left',
    'three left',
  ]);
  expect(outcomes.filter((outcome) => outcome.endsWith('CATALOG_QUOTA_SPENT')).toSorted()).toEqual(
    ['announcement', 'background', 'four'].map((name) => `${name}: CATALOG_QUOTA_SPENT`),
  );
});

it('says until when nothing is left, or that the rest is kept for people', async () => {
  const { spend } = setUp({ quota: 4, burst: 10 });
  for (let call = 0; call < 2; call += 1) await spend();
  await expect(spend()).rejects.toThrow(
    "The 2 requests that the catalog's portal interface still has today are kept for people.",
  );
  for (let call = 0; call < 2; call += 1) await spend('interactive');
  for (const lane of ['background', 'interactive'] as const) {
    await expect(spend(lane)).rejects.toThrow(
      "The catalog's portal interface has no requests left until 2026-11-22T00:00:00.000Z.",
    );
  }
});

it.each([
  ['begins anew on the next day', '2026-11-20', '2026-11-20T23:59:50Z', 0],
  ['goes on from what was spent today', '2026-11-21', '2026-11-21T00:00:00Z', 7],
  [
    'goes on from a day that had begun before the clock was set back by seconds',
    '2026-11-21',
    '2026-11-20T23:59:50Z',
    7,
  ],
])('%s', async (_, day, savedAt, spent) => {
  const spending = new MemorySpending();
  await spending.save('portal', { day, spent: 7, tokens: 0, tokensAtMs: Date.parse(savedAt) });
  const { status, clock } = setUp({}, new ManualClock(), spending);
  await clock.advance(0);
  expect(status().spent).toBe(spent);
  await clock.advance(12 * 3_600_000);
  expect(status().spent).toBe(0);
});

it('takes what the catalog says in the first minute of a day for the day before, and closes the day after that', async () => {
  for (const [time, spent] of [
    ['2026-11-22T00:00:59.999Z', 1],
    ['2026-11-22T00:01:00Z', 1000],
  ] as const) {
    const { take, status, clock } = setUp({}, new ManualClock(time));
    const request = await take();
    request.answer(SPENT);
    await clock.advance(0);
    expect(status().spent).toBe(spent);
  }
});

it('never closes a day for what the catalog says about the one before, however late it says so', async () => {
  const { take, spend, status, clock } = setUp({}, new ManualClock('2026-11-21T23:59:59Z'));
  const request = await take();
  clock.set('2026-11-22T01:00:00Z');
  request.answer(SPENT);
  await clock.advance(0);
  request.abandon();
  expect(status().spent).toBeLessThan(5);
  const outcomes = outcomesOf({ next: spend() });
  await clock.advance(2_000);
  expect(outcomes).toEqual(['next left']);
});

it('has each request paid by the day on which its turn came, though they wait for the same write', async () => {
  const spending = new SlowSpending();
  const { take, status, clock } = setUp({}, new ManualClock('2026-11-21T23:59:59.999Z'), spending);
  const first = take();
  await clock.advance(0);
  const second = take();
  await clock.advance(1);
  const third = take();
  for (let write = 0; write < 3; write += 1) {
    spending.endWrite();
    await clock.advance(0);
  }
  const [, ofBefore, ofToday] = await Promise.all([first, second, third]);
  clock.set('2026-11-22T00:02:00Z');
  ofBefore.answer(SPENT);
  await clock.advance(0);
  ofBefore.abandon();
  expect(status().spent).toBeLessThan(5);
  ofToday.answer(SPENT);
  await clock.advance(0);
  expect(status().spent).toBe(1000);
  spending.endAll();
});

it('sends nothing that was still being saved when it was closed, and has closed when that is saved', async () => {
  const spending = new SlowSpending();
  const { take, catalog, clock } = setUp({}, new ManualClock(), spending);
  let hasLeft = false;
  const call = take().then(() => {
    hasLeft = true;
  });
  const refused = expect(call).rejects.toThrow('The catalog client is closed.');
  await clock.advance(0);
  let isClosed = false;
  const closing = catalog.close().then(() => {
    isClosed = true;
  });
  await clock.advance(0);
  expect(isClosed).toBe(false);
  spending.endWrite();
  await refused;
  await closing;
  expect(hasLeft).toBe(false);
});

it('sets one timer for the bucket however many wait, and sets none anew when nobody does', async () => {
  const clock = new CountingClock();
  const { take, spend } = setUp({ burst: 1 }, clock);
  await spend();
  // Those of attempts and of calls are longer.
  const bucketTimers = () => clock.timers(5_000);
  expect(bucketTimers()).toBe(0);
  const callers = Array.from({ length: 20 }, () => new AbortController());
  for (const [index, caller] of callers.entries()) {
    take(index % 2 ? 'background' : 'interactive', caller).then(
      ({ answer }) => answer(),
      () => undefined,
    );
  }
  await clock.advance(0);
  expect(bucketTimers()).toBe(1);
  await clock.advance(5_000);
  expect(bucketTimers()).toBe(1);
  for (const caller of callers) caller.abort(NEVER_MIND);
  await clock.advance(5_000);
  expect(clock.timers()).toBe(0);
});

it('leaves no timer behind when it is closed, though a request has got no answer and another waits for the bucket', async () => {
  const clock = new CountingClock();
  const { take, catalog } = setUp({ burst: 1 }, clock);
  await take();
  const waiting = expect(take()).rejects.toThrow('The catalog client is closed.');
  await clock.advance(0);
  expect(clock.timers(5_000)).toBe(0);
  await clock.advance(10_000);
  expect(clock.timers()).toBeGreaterThan(0);
  await catalog.close();
  await waiting;
  await clock.advance(0);
  expect(clock.timers()).toBe(0);
});

it('leaves no timer behind when it is closed while somebody waits for the bucket', async () => {
  const clock = new CountingClock();
  const { take, spend, catalog } = setUp({ burst: 1 }, clock);
  await spend();
  const waiting = expect(take()).rejects.toThrow('The catalog client is closed.');
  await clock.advance(0);
  expect(clock.timers(5_000)).toBe(1);
  await catalog.close();
  await waiting;
  await clock.advance(0);
  expect(clock.timers()).toBe(0);
});

it('says what could not be read or saved, and why', async () => {
  const cause = new Error('The disk is full.');
  class BrokenSpending extends MemorySpending {
    override async load(): Promise<SpentRecord | null> {
      throw cause;
    }
  }
  class UnwritableSpending extends MemorySpending {
    override async save(): Promise<void> {
      throw cause;
    }
  }
  await expect(setUp({}, new ManualClock(), new BrokenSpending()).take()).rejects.toMatchObject({
    message: "What was spent on the catalog's portal interface could not be read.",
    cause,
  });
  await expect(setUp({}, new ManualClock(), new UnwritableSpending()).take()).rejects.toMatchObject({
    message: "What is spent on the catalog's portal interface could not be saved.",
    cause,
  });
});

it('reads what was spent once', async () => {
  let loads = 0;
  class CountingSpending extends MemorySpending {
    override async load(name: string): Promise<SpentRecord | null> {
      if (name === 'portal') loads += 1;
      return super.load(name);
    }
  }
  const { spend } = setUp({}, new ManualClock(), new CountingSpending());
  await Promise.all([spend(), spend()]);
  await spend();
  expect(loads).toBe(1);
});

it('writes nothing while nothing is spent and no clock jumps', async () => {
  const clock = new ManualClock();
  await clock.advance(12_345);
  const spending = new SlowSpending();
  const { status } = setUp({}, clock, spending);
  await clock.advance(0);
  for (let look = 0; look < 3; look += 1) {
    status();
    // A clock that is corrected by a little has not jumped.
    clock.jump(1_000);
    await clock.advance(1_000);
  }
  expect(spending.writes).toEqual([]);
});

it('gives back what did not leave to the day that has begun meanwhile, which counted it as on its way', async () => {
  const spending = new SlowSpending();
  const { take, status, clock } = setUp({}, new ManualClock('2026-11-21T23:59:59Z'), spending);
  const caller = new AbortController();
  const refused = expect(take('background', caller)).rejects.toBe(NEVER_MIND);
  await clock.advance(1_000);
  expect(status().spent).toBe(1);
  caller.abort(NEVER_MIND);
  spending.endWrite();
  await refused;
  await clock.advance(0);
  expect(status().spent).toBe(0);
});

it('refuses everybody who waits when the catalog keeps failing, and goes on after that', async () => {
  const { take, spend, clock } = setUp({ burst: 5 });
  const requests = await Promise.all(Array.from({ length: 5 }, () => take('interactive')));
  const outcomes = outcomesOf({ a: spend(), b: spend('interactive') });
  await clock.advance(0);
  // A person doesn't wait so long for another attempt.
  for (const request of requests) request.answer({ status: 503, text: '', retryAfter: '600' });
  await clock.advance(0);
  // Their order means nothing.
  expect(outcomes.toSorted()).toEqual(['a: CATALOG_NETWORK', 'b: CATALOG_NETWORK']);
  await clock.advance(15_000);
  const later = outcomesOf({ c: spend() });
  await clock.advance(5_000);
  expect(later).toEqual(['c left']);
});
