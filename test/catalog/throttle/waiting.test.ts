import { expect, it } from 'vitest';
import type { SpentRecord } from '../../../src/catalog/catalog.ts';
import type { Demand } from '../../../src/catalog/demand.ts';
import { CatalogNetworkError, CatalogQuotaSpentError, CatalogRateLimitedError } from '../../../src/catalog/errors.ts';
import type { Throttle } from '../../../src/catalog/throttle/throttle.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { MemorySpending } from '../create-test-catalog.ts';
import { type Send, setUp as setUpWith, want } from './set-up.ts';

/** A clock that knows how many timers have been set and have not rung. */
class CountingClock extends ManualClock {
  timers = 0;

  override after(ms: number, ring: () => void): () => void {
    this.timers += 1;
    let isSet = true;
    const end = () => {
      if (isSet) this.timers -= 1;
      isSet = false;
    };
    const callOff = super.after(ms, () => {
      end();
      ring();
    });
    return () => {
      end();
      callOff();
    };
  }
}

/** Spending whose writes a test ends, one by one. */
class SlowSpending extends MemorySpending {
  readonly #open: (() => void)[] = [];

  override async save(name: string, record: SpentRecord): Promise<void> {
    await new Promise<void>((resolve) => this.#open.push(resolve));
    await super.save(name, record);
  }

  endWrite(): void {
    this.#open.shift()?.();
  }
}

function setUp(limits: Parameters<typeof setUpWith>[0] = {}, clock = new CountingClock(), spending?: MemorySpending) {
  return { ...setUpWith(limits, clock, spending), clock };
}

const answered: Send = async () => undefined;

/** Has requests sent that are answered at once, and notes what becomes of each. */
function asked(throttle: Throttle, demands: Readonly<Record<string, Demand>>): string[] {
  const outcomes: string[] = [];
  for (const [name, demand] of Object.entries(demands)) {
    throttle.schedule(demand, answered).then(
      () => outcomes.push(`${name} left`),
      (error: Error) => outcomes.push(`${name}: ${error.constructor.name}`),
    );
  }
  return outcomes;
}

it('counts the bucket as empty when the catalog says so, however full it was', async () => {
  const { throttle, clock } = setUp();
  await throttle.load();
  const startMs = clock.now();
  const left: number[] = [];
  throttle.pause(500);
  for (let call = 0; call < 3; call += 1) {
    void throttle.schedule(want(clock), answered).then(() => left.push(clock.now() - startMs));
  }
  await clock.advance(10_000);
  expect(left).toEqual([1011, 2021, 3031]);
});

it('does not shorten a pause by a shorter one', async () => {
  const { throttle, clock } = setUp();
  await throttle.load();
  throttle.pause(30_000);
  throttle.pause(1_000);
  const outcomes = asked(throttle, { a: want(clock) });
  await clock.advance(29_999);
  expect(outcomes).toEqual([]);
  await clock.advance(1);
  expect(outcomes).toEqual(['a left']);
});

it('turns away those who wait and have not the time of a pause, and no others', async () => {
  const { throttle, clock } = setUp({ burst: 1 });
  await throttle.schedule(want(clock), answered);
  const demands = { hurried: want(clock, 'interactive', 30_000), patient: want(clock, 'background', 60_000) };
  const outcomes = asked(throttle, demands);
  await clock.advance(0);
  throttle.pause(30_000);
  await clock.advance(0);
  expect(outcomes).toEqual(['hurried: CatalogRateLimitedError']);
  await clock.advance(30_000);
  expect(outcomes).toEqual(['hurried: CatalogRateLimitedError', 'patient left']);
});

it('turns nobody away for a pause that is over', async () => {
  const { throttle, clock } = setUp();
  await throttle.load();
  throttle.pause(30_000);
  await clock.advance(29_999);
  await expect(throttle.schedule(want(clock, 'interactive', 1), answered)).rejects.toThrow(CatalogRateLimitedError);
  await clock.advance(1);
  await throttle.schedule(want(clock, 'interactive', 0), answered);
});

it('refuses those who may not spend the reserve when only that is left, while others wait on', async () => {
  const { throttle, clock } = setUp({ quota: 4, burst: 1 });
  const outcomes = asked(throttle, {
    first: want(clock),
    background: want(clock),
    announcement: want(clock, 'announcement'),
    one: want(clock, 'interactive'),
    two: want(clock, 'interactive'),
    three: want(clock, 'interactive'),
    four: want(clock, 'interactive'),
  });
  await clock.advance(60_000);
  // The order of refusals at one moment means nothing.
  expect(outcomes.filter((outcome) => outcome.endsWith('left'))).toEqual([
    'first left',
    'one left',
    'two left',
    'three left',
  ]);
  expect(outcomes.filter((outcome) => outcome.endsWith('CatalogQuotaSpentError')).toSorted()).toEqual(
    ['announcement', 'background', 'four'].map((name) => `${name}: CatalogQuotaSpentError`),
  );
});

it('says until when nothing is left, or that the rest is kept for people', async () => {
  const { throttle, clock } = setUp({ quota: 4, burst: 10 });
  for (let call = 0; call < 2; call += 1) await throttle.schedule(want(clock), answered);
  await expect(throttle.schedule(want(clock), answered)).rejects.toThrow(
    "The 2 requests that the catalog's portal interface still has today are kept for people.",
  );
  for (let call = 0; call < 2; call += 1) await throttle.schedule(want(clock, 'interactive'), answered);
  for (const lane of ['background', 'interactive'] as const) {
    await expect(throttle.schedule(want(clock, lane), answered)).rejects.toThrow(
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
  const { throttle, clock, spending } = setUp();
  await spending.save('portal', { day, spent: 7, tokens: 0, tokensAtMs: Date.parse(savedAt) });
  await throttle.load();
  expect(throttle.status().spent).toBe(spent);
  await clock.advance(12 * 3_600_000);
  expect(throttle.status().spent).toBe(0);
});

it('takes what the catalog says in the first minute of a day for the day before, and closes the day after that', async () => {
  for (const [time, isClosed] of [
    ['2026-11-22T00:00:59.999Z', false],
    ['2026-11-22T00:01:00Z', true],
  ] as const) {
    const { throttle, clock } = setUp({}, new CountingClock(time));
    let day = 0;
    await throttle.schedule(want(clock), async (pays) => {
      day = pays;
    });
    expect(await throttle.closeDay(day)).toBe(isClosed);
    expect(throttle.status().spent).toBe(isClosed ? 1000 : 1);
  }
});

it('never closes a day for what the catalog says about the one before, however late it says so', async () => {
  const { throttle, clock } = setUp({}, new CountingClock('2026-11-21T23:59:59Z'));
  let day = 0;
  await throttle.schedule(want(clock), async (pays) => {
    day = pays;
  });
  await clock.advance(3_600_000);
  expect(await throttle.closeDay(day)).toBe(false);
  expect(throttle.status().spent).toBe(0);
  const outcomes = asked(throttle, { next: want(clock) });
  await clock.advance(2_000);
  expect(outcomes).toEqual(['next left']);
});

it('has each request paid by the day on which its turn came, though they wait for the same write', async () => {
  const spending = new SlowSpending();
  const { throttle, clock } = setUp({}, new CountingClock('2026-11-21T23:59:59.999Z'), spending);
  await throttle.load();
  const days: number[] = [];
  const send = () => throttle.schedule(want(clock), async (day) => void days.push(day));
  const first = send();
  await clock.advance(0);
  const second = send();
  await clock.advance(1);
  const third = send();
  for (const call of [first, second, third]) {
    spending.endWrite();
    await clock.advance(0);
    void call;
  }
  await Promise.all([first, second, third]);
  const [today = 0] = days;
  expect(days).toEqual([today, today, today + 86_400_000]);
});

it('does not send what nobody wants any more when its spending is saved, and gives back what that was to spend', async () => {
  const spending = new SlowSpending();
  const { throttle, clock } = setUp({}, new CountingClock(), spending);
  await throttle.load();
  const demand = want(clock);
  let hasLeft = false;
  const call = throttle.schedule(demand, async () => {
    hasLeft = true;
  });
  const reason = new Error('Never mind.');
  const refused = expect(call).rejects.toBe(reason);
  await clock.advance(0);
  expect(throttle.status().spent).toBe(1);
  demand.leave(reason);
  spending.endWrite();
  await refused;
  expect([hasLeft, throttle.status().spent]).toEqual([false, 0]);
});

it('sends nothing that was still being saved when it was closed, and has closed when that is saved', async () => {
  const spending = new SlowSpending();
  const { throttle, clock } = setUp({}, new CountingClock(), spending);
  await throttle.load();
  let hasLeft = false;
  const error = new CatalogNetworkError('Closed.');
  const refused = expect(
    throttle.schedule(want(clock), async () => {
      hasLeft = true;
    }),
  ).rejects.toBe(error);
  await clock.advance(0);
  let isClosed = false;
  const closing = throttle.close(error).then(() => {
    isClosed = true;
  });
  await clock.advance(0);
  expect(isClosed).toBe(false);
  spending.endWrite();
  await refused;
  await closing;
  expect(hasLeft).toBe(false);
});

it('sets one timer however many wait, and sets none anew when nobody does', async () => {
  const { throttle, clock } = setUp({ burst: 1 });
  await throttle.schedule(want(clock), answered);
  expect(clock.timers).toBe(0);
  const demands = Array.from({ length: 20 }, (_, index) => want(clock, index % 2 ? 'background' : 'interactive'));
  for (const demand of demands) throttle.schedule(demand, answered).catch(() => undefined);
  await clock.advance(0);
  expect(clock.timers).toBe(1);
  await clock.advance(5_000);
  expect(clock.timers).toBe(1);
  for (const demand of demands) demand.leave(new Error('Never mind.'));
  await clock.advance(5_000);
  expect(clock.timers).toBe(0);
});

it('leaves no timer behind when it is closed, though a request has got no answer', async () => {
  const { throttle, clock } = setUp({ burst: 1 });
  let abandon: (error: Error) => void = () => undefined;
  const unanswered = throttle.schedule(want(clock), () => new Promise((_, reject) => (abandon = reject)));
  const waiting = throttle.schedule(want(clock), answered);
  const refused = [unanswered, waiting].map((call) => expect(call).rejects.toThrow(CatalogNetworkError));
  await clock.advance(0);
  await throttle.close(new CatalogNetworkError('Closed.'));
  abandon(new CatalogNetworkError('No answer.'));
  await Promise.all(refused);
  await clock.advance(0);
  expect(clock.timers).toBe(0);
});

it('leaves no timer behind when it is closed while somebody waits for the bucket', async () => {
  const { throttle, clock } = setUp({ burst: 1 });
  await throttle.schedule(want(clock), answered);
  const outcomes = asked(throttle, { a: want(clock) });
  await clock.advance(0);
  expect(clock.timers).toBe(1);
  await throttle.close(new CatalogNetworkError('Closed.'));
  await clock.advance(0);
  expect([outcomes, clock.timers]).toEqual([['a: CatalogNetworkError'], 0]);
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
  await expect(setUp({}, new CountingClock(), new BrokenSpending()).throttle.load()).rejects.toMatchObject({
    message: "What was spent on the catalog's portal interface could not be read.",
    cause,
  });
  const { throttle, clock } = setUp({}, new CountingClock(), new UnwritableSpending());
  await expect(throttle.schedule(want(clock), answered)).rejects.toMatchObject({
    message: "What is spent on the catalog's portal interface could not be saved.",
    cause,
  });
});

it('reads what was spent once, and not before it has to', async () => {
  let loads = 0;
  class CountingSpending extends MemorySpending {
    override async load(name: string): Promise<SpentRecord | null> {
      loads += 1;
      return super.load(name);
    }
  }
  const { throttle, clock } = setUp({}, new CountingClock(), new CountingSpending());
  expect(loads).toBe(0);
  await Promise.all([throttle.load(), throttle.load(), throttle.schedule(want(clock), answered)]);
  await throttle.schedule(want(clock), answered);
  expect(loads).toBe(1);
});

it('writes nothing while nothing is spent and no clock jumps', async () => {
  const clock = new CountingClock();
  await clock.advance(12_345);
  let writes = 0;
  class CountingSpending extends MemorySpending {
    override async save(name: string, record: SpentRecord): Promise<void> {
      writes += 1;
      await super.save(name, record);
    }
  }
  const { throttle } = setUp({}, clock, new CountingSpending());
  await throttle.load();
  for (let look = 0; look < 3; look += 1) {
    throttle.status();
    // A clock that is corrected by a little has not jumped.
    clock.jump(1_000);
    await clock.advance(1_000);
  }
  expect(writes).toBe(0);
});

it('gives back what did not leave to the day that has begun meanwhile, which counted it as on its way', async () => {
  const spending = new SlowSpending();
  const { throttle, clock } = setUp({}, new CountingClock('2026-11-21T23:59:59Z'), spending);
  await throttle.load();
  const demand = want(clock);
  const refused = expect(throttle.schedule(demand, answered)).rejects.toThrow('Never mind.');
  await clock.advance(1_000);
  expect(throttle.status().spent).toBe(1);
  demand.leave(new Error('Never mind.'));
  spending.endWrite();
  await refused;
  await clock.advance(0);
  expect(throttle.status().spent).toBe(0);
});

it('refuses everybody who waits, and goes on', async () => {
  const { throttle, clock } = setUp({ burst: 1 });
  await throttle.schedule(want(clock), answered);
  const outcomes = asked(throttle, { a: want(clock), b: want(clock, 'interactive') });
  await clock.advance(0);
  throttle.refuseAll(new CatalogQuotaSpentError('Enough.', 0));
  await clock.advance(0);
  // Their order means nothing.
  expect(outcomes.toSorted()).toEqual(['a: CatalogQuotaSpentError', 'b: CatalogQuotaSpentError']);
  const later = asked(throttle, { c: want(clock) });
  await clock.advance(5_000);
  expect(later).toEqual(['c left']);
});
