import { describe, expect, it } from 'vitest';
import type { SpentRecord } from '../../../src/catalog/catalog.ts';
import { CatalogQuotaSpentError, CatalogRateLimitedError, CatalogSpendingError } from '../../../src/catalog/errors.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { LateSpending, MemorySpending } from '../create-test-catalog.ts';
import { NEVER_MIND, pauseOf, SlowSpending, SPENT, setUp } from './set-up.ts';

describe('the bucket', () => {
  it('lets a burst go at once and the rest at the rate', async () => {
    const { spend, clock } = setUp();
    const left: number[] = [];
    const startMs = clock.now();
    for (let call = 0; call < 5; call += 1) void spend().then(() => left.push(clock.now() - startMs));
    await clock.advance(0);
    expect(left).toEqual([0, 0, 0]);
    await clock.advance(5000);
    expect(left).toEqual([0, 0, 0, 1011, 2021]);
  });

  it('lends the token of a request until that is answered, and refills from then', async () => {
    const { take, clock } = setUp({ burst: 1 });
    const first = await take();
    let isNextGone = false;
    void take().then(() => {
      isNextGone = true;
    });
    // A second before the attempt is given up.
    await clock.advance(14_000);
    expect(isNextGone).toBe(false);
    first.answer();
    await clock.advance(1000);
    expect(isNextGone).toBe(false);
    await clock.advance(100);
    expect(isNextGone).toBe(true);
  });

  it('keeps the token of a request that was given up for a while: the catalog may count that yet', async () => {
    const { take, clock } = setUp({ burst: 1 });
    const first = await take();
    first.abandon();
    let isNextGone = false;
    const next = take().finally(() => {
      isNextGone = true;
    });
    // Two seconds in which it may still arrive, and one in which the bucket refills.
    await clock.advance(3000);
    expect(isNextGone).toBe(false);
    await clock.advance(7000);
    await next;
    let isThirdGone = false;
    take().then(
      () => {
        isThirdGone = true;
      },
      () => undefined,
    );
    await clock.advance(7_000);
    expect(isThirdGone).toBe(false);
  });
});

it('who gives up leaves the queue, with their reason, and spends nothing', async () => {
  const { take, spend, clock, spending } = setUp({ burst: 1 });
  await spend();
  const caller = new AbortController();
  const waiting = expect(take('background', caller)).rejects.toBe(NEVER_MIND);
  await clock.advance(0);
  caller.abort(NEVER_MIND);
  await waiting;
  await clock.advance(10_000);
  expect(spending.records.get('portal')?.spent).toBe(1);
});

describe('the quota', () => {
  it('keeps a reserve for people, and refuses with the time of the reset', async () => {
    const { take, spend, status, clock } = setUp({ quota: 60, burst: 100 });
    for (let call = 0; call < 40; call += 1) await spend();
    const resetsAtMs = Date.parse('2026-11-22T00:00:00Z');
    await expect(take()).rejects.toMatchObject({ code: 'CATALOG_QUOTA_SPENT', resetsAtMs });
    await expect(take('announcement')).rejects.toThrow('The 20 requests');
    for (let call = 0; call < 20; call += 1) await spend('interactive');
    await expect(take('interactive')).rejects.toBeInstanceOf(CatalogQuotaSpentError);
    expect(status()).toEqual({ limit: 60, spent: 60, resetsAtMs });
    await clock.advance(12 * 3_600_000);
    expect(status()).toEqual({ limit: 60, spent: 0, resetsAtMs: Date.parse('2026-11-23T00:00:00Z') });
    await spend();
  });

  it('refuses who waits as soon as the rest is reserved, not when it is their turn', async () => {
    const { spend, clock } = setUp({ quota: 3, burst: 1 });
    const outcomes: string[] = [];
    for (let call = 0; call < 3; call += 1) {
      void spend().then(
        () => outcomes.push(`answered after ${clock.monotonicMs()} ms`),
        (error: CatalogQuotaSpentError) => outcomes.push(`${error.code} after ${clock.monotonicMs()} ms`),
      );
    }
    await clock.advance(1100);
    expect(outcomes.toSorted()).toEqual([
      'CATALOG_QUOTA_SPENT after 1011 ms',
      'answered after 0 ms',
      'answered after 1011 ms',
    ]);
  });

  it('counts what is on its way at midnight for the new day too', async () => {
    const { take, status, clock } = setUp({}, new ManualClock('2026-11-21T23:59:59Z'));
    const request = await take();
    clock.set('2026-11-22T00:00:00Z');
    expect(status().spent).toBe(1);
    request.answer();
    await clock.advance(0);
    expect(status().spent).toBe(1);
  });

  it('is not given back by a clock that is set back over midnight', async () => {
    const { spend, status, clock } = setUp({}, new ManualClock('2026-11-22T00:00:01Z'));
    await spend();
    clock.set('2026-11-21T23:59:59Z');
    await spend();
    clock.set('2026-11-22T00:00:02Z');
    expect(status().spent).toBe(2);
  });

  it('stays closed when a request that was counted before turns out not to leave', async () => {
    const spending = new SlowSpending();
    const { take, status, clock } = setUp({}, new ManualClock(), spending);
    const first = take('interactive');
    await clock.advance(0);
    spending.endWrite();
    const { answer } = await first;
    const caller = new AbortController();
    const waiting = expect(take('interactive', caller)).rejects.toBe(NEVER_MIND);
    await clock.advance(0);
    expect(spending.writes).toHaveLength(2);
    answer(SPENT);
    await clock.advance(0);
    caller.abort(NEVER_MIND);
    for (let write = 0; write < 2; write += 1) {
      spending.endWrite();
      await clock.advance(0);
    }
    await waiting;
    expect(status()).toMatchObject({ limit: 1000, spent: 1000 });
    await expect(take('interactive')).rejects.toBeInstanceOf(CatalogQuotaSpentError);
  });

  it('is given back what a request that does not leave would have spent', async () => {
    const { take, spend, status, clock, spending } = setUp();
    const caller = new AbortController();
    const waiting = expect(take('interactive', caller)).rejects.toBe(NEVER_MIND);
    caller.abort(NEVER_MIND);
    await waiting;
    await clock.advance(0);
    expect(status().spent).toBe(0);
    await spend();
    expect(spending.records.get('portal')).toMatchObject({ spent: 1 });
  });

  it('is not closed by what the catalog says about the day before', async () => {
    const { take, status, clock } = setUp({}, new ManualClock('2026-11-21T23:59:59Z'));
    const { answer } = await take();
    clock.set('2026-11-22T00:00:01Z');
    answer(SPENT);
    await clock.advance(0);
    expect(status().spent).toBe(1);
    await expect(take('interactive')).rejects.toBeInstanceOf(CatalogRateLimitedError);
    const patient = take();
    await clock.advance(60_000);
    await patient;
  });
});

describe('a pause', () => {
  it('sends nothing until it is over, and turns away at once who has not that much time', async () => {
    const { take, spend, clock } = setUp();
    const startMs = clock.now();
    const { answer } = await take();
    answer(pauseOf(30));
    await clock.advance(0);
    await expect(take('interactive')).rejects.toThrow(
      "The catalog's portal interface asked us to slow down and lets us in again in 30 s.",
    );
    const leftAtMs = spend().then(() => clock.now());
    // Let in at the very end of its time, a call could not be answered within it.
    await clock.advance(10_000);
    await expect(take('interactive')).rejects.toBeInstanceOf(CatalogRateLimitedError);
    await clock.advance(1);
    const inTime = take('interactive');
    await clock.advance(50_000);
    await inTime;
    expect((await leftAtMs) - startMs).toBe(30_000);
  });
});

it('pauses and the bucket go by time that passes, not by a wall clock that is set', async () => {
  for (const hours of [-3, 3]) {
    const { take, spend, clock } = setUp({ burst: 1 });
    const { answer, abandon } = await take();
    answer(pauseOf(30));
    await clock.advance(0);
    abandon();
    clock.jump(hours * 3_600_000);
    let hasLeft = false;
    void spend().then(() => {
      hasLeft = true;
    });
    await clock.advance(29_999);
    expect(hasLeft).toBe(false);
    await clock.advance(1);
    expect(hasLeft).toBe(true);
    hasLeft = false;
    void spend().then(() => {
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
    const { take, clock, spending } = setUp();
    await take();
    const now = clock.now();
    expect(spending.records.get('portal')).toEqual({ day: '2026-11-21', spent: 1, tokens: 2, tokensAtMs: now });
  });

  it('is written once for all who wait for the same write, and never out of order', async () => {
    const spending = new SlowSpending();
    const { take, clock } = setUp({ burst: 10 }, new ManualClock(), spending);
    const calls = [1, 2, 3, 4, 5].map(() => take());
    await clock.advance(0);
    expect(spending.writes.map(({ spent }) => spent)).toEqual([5]);
    calls.push(take());
    await clock.advance(0);
    expect(spending.writes).toHaveLength(1);
    spending.endWrite();
    await clock.advance(0);
    expect(spending.writes.map(({ spent }) => spent)).toEqual([5, 6]);
    spending.endWrite();
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
    const { take } = setUp({}, new ManualClock(), spending);
    for (let call = 0; call < 5; call += 1) {
      await expect(take()).rejects.toBeInstanceOf(CatalogSpendingError);
    }
    spending.isBroken = false;
    await take();
    expect(spending.records.get('portal')).toMatchObject({ spent: 1, tokens: 2 });
  });

  it('is asked for again when it could not be read', async () => {
    const spending = new LateSpending();
    const { take } = setUp({}, new ManualClock(), spending);
    await expect(take()).rejects.toBeInstanceOf(CatalogSpendingError);
    spending.isBroken = false;
    await take();
  });

  it('outlives every crash: neither burst nor quota begins anew', async () => {
    const clock = new ManualClock();
    const spending = new MemorySpending();
    let left = 0;
    // A life ends with its request on the way, which is never answered.
    const live = async (ms: number): Promise<void> => {
      const { take, catalog } = setUp({ quota: 8 }, clock, spending);
      take('interactive').then(
        () => {
          left += 1;
        },
        () => undefined,
      );
      await clock.advance(ms);
      await catalog.close();
    };
    for (let life = 0; life < 20; life += 1) await live(0);
    expect(left).toBe(3);
    for (let life = 0; life < 20; life += 1) await live(10_000);
    expect(left).toBe(8);
  });

  it('is saved of everything that left when the client has closed', async () => {
    const spending = new SlowSpending();
    const { take, catalog, clock } = setUp({}, new ManualClock(), spending);
    const calls = [take().catch(() => undefined)];
    await clock.advance(0);
    calls.push(take().catch(() => undefined));
    await clock.advance(0);
    let isClosed = false;
    const closing = catalog.close().then(() => {
      isClosed = true;
    });
    spending.endWrite();
    await clock.advance(0);
    expect(isClosed).toBe(false);
    spending.endWrite();
    await closing;
    expect(spending.records.get('portal')?.day).toBe('2026-11-21');
    expect(spending.writes).toHaveLength(2);
    await Promise.all(calls);
  });
});
