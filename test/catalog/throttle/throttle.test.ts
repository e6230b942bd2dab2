import { describe, expect, it } from 'vitest';
import type { SpentRecord } from '../../../src/catalog/catalog.ts';
import type { Demand } from '../../../src/catalog/demand.ts';
import {
  CatalogNetworkError,
  CatalogQuotaSpentError,
  CatalogRateLimitedError,
  CatalogSpendingError,
} from '../../../src/catalog/errors.ts';
import { dayOf } from '../../../src/catalog/throttle/rate-budget.ts';
import type { Throttle } from '../../../src/catalog/throttle/throttle.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { LateSpending, MemorySpending } from '../create-test-catalog.ts';
import { type Send, setUp, want } from './set-up.ts';

/** A request that has left. */
interface Lease {
  /** The day that pays for it. */
  day: number;
  /** The catalog answers. */
  release: () => void;
  /** It gets no answer. */
  abandon: () => void;
}

/** Resolves when a request has left, which a test answers later. */
function take(throttle: Throttle, demand: Demand): Promise<Lease> {
  return new Promise((left, refused) => {
    const leave: Send = (day) =>
      new Promise<void>((release, reject) => {
        left({ day, release, abandon: () => reject(new Error('No answer.')) });
      });
    throttle.schedule(demand, leave).catch(refused);
  });
}

/** Sends a request that is answered at once. */
async function spend(throttle: Throttle, demand: Demand): Promise<void> {
  await throttle.schedule(demand, async () => undefined);
}

describe('the bucket', () => {
  it('lets a burst go at once and the rest at the rate', async () => {
    const { throttle, clock } = setUp();
    const left: number[] = [];
    const startMs = clock.now();
    for (let call = 0; call < 5; call += 1) {
      void spend(throttle, want(clock)).then(() => left.push(clock.now() - startMs));
    }
    await clock.advance(0);
    expect(left).toEqual([0, 0, 0]);
    await clock.advance(5000);
    expect(left).toEqual([0, 0, 0, 1011, 2021]);
  });

  it('lends the token of a request until that is answered, and refills from then', async () => {
    const { throttle, clock } = setUp({ burst: 1 });
    const lease = await take(throttle, want(clock));
    let isNextGone = false;
    void take(throttle, want(clock)).then(() => {
      isNextGone = true;
    });
    await clock.advance(60_000);
    expect(isNextGone).toBe(false);
    lease.release();
    await clock.advance(1000);
    expect(isNextGone).toBe(false);
    await clock.advance(100);
    expect(isNextGone).toBe(true);
  });

  it('keeps the token of a request that was given up for a while: the catalog may count that yet', async () => {
    const { throttle, clock } = setUp({ burst: 1 });
    const lease = await take(throttle, want(clock));
    lease.abandon();
    let isNextGone = false;
    const next = take(throttle, want(clock)).finally(() => {
      isNextGone = true;
    });
    // Two seconds in which it may still arrive, and one in which the bucket refills.
    await clock.advance(3000);
    expect(isNextGone).toBe(false);
    await clock.advance(7000);
    await next;
    let isThirdGone = false;
    void take(throttle, want(clock)).then(() => {
      isThirdGone = true;
    });
    await clock.advance(10_000);
    expect(isThirdGone).toBe(false);
  });
});

describe('lanes', () => {
  it('go by urgency, and a caller who joins lifts what waits already', async () => {
    const { throttle, clock } = setUp({ burst: 1 });
    await spend(throttle, want(clock));
    const order: string[] = [];
    const demands = { b: want(clock), a: want(clock, 'announcement'), i: want(clock, 'interactive'), b2: want(clock) };
    for (const [name, demand] of Object.entries(demands)) {
      void spend(throttle, demand).then(() => order.push(name));
    }
    await clock.advance(0);
    demands.b2.join('interactive', clock.monotonicMs() + 1000);
    await clock.advance(10_000);
    expect(order).toEqual(['i', 'b2', 'a', 'b']);
  });

  it('are left by who gives up, with their reason', async () => {
    const { throttle, clock, spending } = setUp({ burst: 1 });
    await spend(throttle, want(clock));
    const demand = want(clock);
    const waiting = take(throttle, demand);
    await clock.advance(0);
    const reason = new Error('Never mind.');
    demand.leave(reason);
    await expect(waiting).rejects.toBe(reason);
    await clock.advance(10_000);
    expect(spending.records.get('portal')?.spent).toBe(1);
  });
});

describe('the quota', () => {
  it('keeps a reserve for people, and refuses with the time of the reset', async () => {
    const { throttle, clock } = setUp({ quota: 60, burst: 100 });
    for (let call = 0; call < 40; call += 1) await spend(throttle, want(clock));
    const resetsAtMs = Date.parse('2026-11-22T00:00:00Z');
    await expect(take(throttle, want(clock))).rejects.toMatchObject({ code: 'CATALOG_QUOTA_SPENT', resetsAtMs });
    await expect(take(throttle, want(clock, 'announcement'))).rejects.toThrow('The 20 requests');
    for (let call = 0; call < 20; call += 1) await spend(throttle, want(clock, 'interactive'));
    await expect(take(throttle, want(clock, 'interactive'))).rejects.toBeInstanceOf(CatalogQuotaSpentError);
    expect(throttle.status()).toEqual({ limit: 60, spent: 60, resetsAtMs });
    await clock.advance(12 * 3_600_000);
    expect(throttle.status()).toEqual({ limit: 60, spent: 0, resetsAtMs: Date.parse('2026-11-23T00:00:00Z') });
    await spend(throttle, want(clock));
  });

  it('refuses who waits as soon as the rest is reserved, not when it is their turn', async () => {
    const { throttle, clock } = setUp({ quota: 3, burst: 1 });
    const outcomes: string[] = [];
    for (const lane of ['background', 'background', 'background'] as const) {
      void spend(throttle, want(clock, lane)).then(
        () => outcomes.push('gone'),
        (error: CatalogQuotaSpentError) => outcomes.push(error.code),
      );
    }
    await clock.advance(1100);
    expect(outcomes).toEqual(['gone', 'CATALOG_QUOTA_SPENT', 'gone']);
  });

  it('counts what is on its way at midnight for the new day too', async () => {
    const { throttle, clock } = setUp({}, new ManualClock('2026-11-21T23:59:59Z'));
    const lease = await take(throttle, want(clock));
    clock.set('2026-11-22T00:00:00Z');
    expect(throttle.status().spent).toBe(1);
    lease.release();
    expect(throttle.status().spent).toBe(1);
  });

  it('is not given back by a clock that is set back over midnight', async () => {
    const { throttle, clock } = setUp({}, new ManualClock('2026-11-22T00:00:01Z'));
    await spend(throttle, want(clock));
    clock.set('2026-11-21T23:59:59Z');
    await spend(throttle, want(clock));
    clock.set('2026-11-22T00:00:02Z');
    expect(throttle.status().spent).toBe(2);
  });

  it('is closed when the catalog says so, and stays closed over a restart', async () => {
    const { throttle, clock, spending } = setUp();
    const lease = await take(throttle, want(clock));
    lease.release();
    await expect(throttle.closeDay(lease.day)).resolves.toBe(true);
    await expect(take(throttle, want(clock, 'interactive'))).rejects.toBeInstanceOf(CatalogQuotaSpentError);
    const restarted = setUp({}, clock, spending).throttle;
    await expect(take(restarted, want(clock, 'interactive'))).rejects.toBeInstanceOf(CatalogQuotaSpentError);
  });

  it('stays closed when a request that was counted before turns out not to leave', async () => {
    const open: (() => void)[] = [];
    class SlowSpending extends MemorySpending {
      override async save(name: string, record: SpentRecord): Promise<void> {
        await new Promise<void>((resolve) => open.push(resolve));
        await super.save(name, record);
      }
    }
    const { throttle, clock } = setUp({}, new ManualClock(), new SlowSpending());
    const demand = want(clock, 'interactive');
    const waiting = expect(take(throttle, demand)).rejects.toThrow('Never mind.');
    await clock.advance(0);
    demand.leave(new Error('Never mind.'));
    const closed = throttle.closeDay(dayOf(clock.now()));
    open[0]?.();
    await clock.advance(0);
    open[1]?.();
    await Promise.all([waiting, closed]);
    expect(throttle.status()).toMatchObject({ limit: 1000, spent: 1000 });
    await expect(take(throttle, want(clock, 'interactive'))).rejects.toBeInstanceOf(CatalogQuotaSpentError);
  });

  it('is given back what a request that does not leave would have spent', async () => {
    const { throttle, clock, spending } = setUp();
    const demand = want(clock, 'interactive');
    await throttle.load();
    const waiting = expect(take(throttle, demand)).rejects.toThrow('Never mind.');
    demand.leave(new Error('Never mind.'));
    await waiting;
    await clock.advance(0);
    expect(throttle.status().spent).toBe(0);
    await spend(throttle, want(clock));
    expect(spending.records.get('portal')).toMatchObject({ spent: 1 });
  });

  it('is not closed by what the catalog says about the day before', async () => {
    const { throttle, clock } = setUp({}, new ManualClock('2026-11-21T23:59:59Z'));
    const lease = await take(throttle, want(clock));
    clock.set('2026-11-22T00:00:01Z');
    lease.release();
    await expect(throttle.closeDay(lease.day)).resolves.toBe(false);
    expect(throttle.status().spent).toBe(1);
    await expect(take(throttle, want(clock, 'interactive', 20_000))).rejects.toBeInstanceOf(CatalogRateLimitedError);
    const patient = take(throttle, want(clock));
    await clock.advance(60_000);
    await patient;
  });
});

describe('a pause', () => {
  it('sends nothing until it is over, and turns away at once who has not that much time', async () => {
    const { throttle, clock } = setUp();
    await spend(throttle, want(clock));
    const startMs = clock.now();
    throttle.pause(30_000);
    await expect(take(throttle, want(clock, 'interactive', 20_000))).rejects.toThrow(
      "The catalog's portal interface asked us to slow down and lets us in again in 30 s.",
    );
    // Let in at the very end of its time, a call could not be answered within it.
    await expect(take(throttle, want(clock, 'interactive', 30_000))).rejects.toBeInstanceOf(CatalogRateLimitedError);
    const leftAtMs = spend(throttle, want(clock)).then(() => clock.now());
    await clock.advance(60_000);
    expect((await leftAtMs) - startMs).toBe(30_000);
  });
});

it('pauses and the bucket go by time that passes, not by a wall clock that is set', async () => {
  for (const hours of [-3, 3]) {
    const { throttle, clock } = setUp({ burst: 1 });
    await spend(throttle, want(clock));
    throttle.pause(30_000);
    clock.jump(hours * 3_600_000);
    let hasLeft = false;
    void spend(throttle, want(clock)).then(() => {
      hasLeft = true;
    });
    await clock.advance(29_999);
    expect(hasLeft).toBe(false);
    await clock.advance(1);
    expect(hasLeft).toBe(true);
    hasLeft = false;
    void spend(throttle, want(clock)).then(() => {
      hasLeft = true;
    });
    clock.jump(hours * 3_600_000);
    await clock.advance(1_010);
    expect(hasLeft).toBe(false);
    await clock.advance(1);
    expect(hasLeft).toBe(true);
  }
});

describe('what is spent', () => {
  it('is saved before the request leaves', async () => {
    const { throttle, clock, spending } = setUp();
    await take(throttle, want(clock));
    const now = clock.now();
    expect(spending.records.get('portal')).toEqual({ day: '2026-11-21', spent: 1, tokens: 2, tokensAtMs: now });
  });

  it('is written once for all who wait for the same write, and never out of order', async () => {
    const writes: SpentRecord[] = [];
    const open: (() => void)[] = [];
    class SlowSpending extends MemorySpending {
      override save(name: string, record: SpentRecord): Promise<void> {
        writes.push(record);
        return new Promise((resolve) => open.push(() => resolve(super.save(name, record))));
      }
    }
    const { throttle, clock } = setUp({ burst: 10 }, new ManualClock(), new SlowSpending());
    const calls = [1, 2, 3, 4, 5].map(() => take(throttle, want(clock)));
    await clock.advance(0);
    expect(writes.map(({ spent }) => spent)).toEqual([5]);
    calls.push(take(throttle, want(clock)));
    await clock.advance(0);
    expect(writes).toHaveLength(1);
    open[0]?.();
    await clock.advance(0);
    expect(writes.map(({ spent }) => spent)).toEqual([5, 6]);
    open[1]?.();
    await Promise.all(calls);
  });

  it('is what counts when it can not be saved: the request does not leave, and is not counted', async () => {
    class BrokenSpending extends MemorySpending {
      isBroken = true;
      override async save(name: string, record: SpentRecord): Promise<void> {
        if (this.isBroken) throw new Error('The disk is full.');
        await super.save(name, record);
      }
    }
    const spending = new BrokenSpending();
    const { throttle, clock } = setUp({}, new ManualClock(), spending);
    for (let call = 0; call < 5; call += 1) {
      await expect(take(throttle, want(clock))).rejects.toBeInstanceOf(CatalogSpendingError);
    }
    spending.isBroken = false;
    await take(throttle, want(clock));
    expect(spending.records.get('portal')).toMatchObject({ spent: 1, tokens: 2 });
  });

  it('is asked for again when it could not be read', async () => {
    const spending = new LateSpending();
    const { throttle, clock } = setUp({}, new ManualClock(), spending);
    await expect(take(throttle, want(clock))).rejects.toBeInstanceOf(CatalogSpendingError);
    spending.isBroken = false;
    await take(throttle, want(clock));
  });

  it('outlives every crash: neither burst nor quota begins anew', async () => {
    const clock = new ManualClock();
    const spending = new MemorySpending();
    let left = 0;
    // A life ends with its request on the way, whose lease is never given back.
    const live = async (ms: number): Promise<void> => {
      const { throttle } = setUp({ quota: 8 }, clock, spending);
      take(throttle, want(clock, 'interactive')).then(
        () => {
          left += 1;
        },
        () => undefined,
      );
      await clock.advance(ms);
      await throttle.close(new CatalogNetworkError('Killed.'));
    };
    for (let life = 0; life < 20; life += 1) await live(0);
    expect(left).toBe(3);
    for (let life = 0; life < 20; life += 1) await live(60_000);
    expect(left).toBe(8);
  });
});

it('refuses everybody when it is closed', async () => {
  const { throttle, clock } = setUp({ burst: 1 });
  await spend(throttle, want(clock));
  const waiting = take(throttle, want(clock));
  await clock.advance(0);
  const error = new CatalogNetworkError('Closed.');
  const refused = expect(waiting).rejects.toBe(error);
  await throttle.close(error);
  await refused;
  await expect(take(throttle, want(clock))).rejects.toBe(error);
});

it('has saved everything that left when it has closed', async () => {
  const open: (() => void)[] = [];
  class SlowSpending extends MemorySpending {
    override async save(name: string, record: SpentRecord): Promise<void> {
      await new Promise<void>((resolve) => open.push(resolve));
      await super.save(name, record);
    }
  }
  const { throttle, clock, spending } = setUp({}, new ManualClock(), new SlowSpending());
  const calls = [take(throttle, want(clock)).catch(() => undefined)];
  await clock.advance(0);
  calls.push(take(throttle, want(clock)).catch(() => undefined));
  await clock.advance(0);
  const closing = throttle.close(new CatalogNetworkError('Closed.'));
  open[0]?.();
  await clock.advance(0);
  open[1]?.();
  await closing;
  expect(spending.records.get('portal')?.day).toBe('2026-11-21');
  expect(open).toHaveLength(2);
  await Promise.all(calls);
});
