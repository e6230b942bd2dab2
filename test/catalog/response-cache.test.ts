import { describe, expect, it } from 'vitest';
import type { Catalog, Lane } from '../../src/catalog/catalog.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts';
import { createTestCatalog } from './create-test-catalog.ts';
import { dealcast, event, feedItem, feedPage, idOf } from './payloads.ts';
import { httpOf } from './reading.ts';
import { inTurn, json, type Play, startScriptedCatalog } from './scripted-catalog.ts';

const never: Play = () => undefined;

async function setUp(play: Play, portal: { burst?: number; quota?: number } = {}) {
  const service = await startScriptedCatalog(play);
  const test = createTestCatalog(service.url, { portal });
  return {
    service,
    ...test,
    feed: (lane: Lane, maxAgeMs?: number) =>
      test.catalog.feeds.get('Home', { lane, ...(maxAgeMs === undefined ? {} : { maxAgeMs }) }),
    events: (lane: Lane, maxAgeMs?: number) =>
      test.catalog.events.list({ lane, ...(maxAgeMs === undefined ? {} : { maxAgeMs }) }),
  };
}

describe('an answer', () => {
  it('is given again until it is as old as its resource may be', async () => {
    const { service, clock, events } = await setUp(json([]));
    const first = await events('interactive');
    expect(first).toMatchObject({ fetchedAtMs: clock.now(), isStale: false });
    await clock.advance(60_000);
    expect(await events('interactive')).toEqual(first);
    expect(service.seen).toHaveLength(1);
    await clock.advance(1);
    expect((await events('interactive')).fetchedAtMs).toBe(clock.now());
    expect(service.seen).toHaveLength(2);
  });

  const ID = idOf(1);
  it.each<[string, number, (catalog: Catalog) => Promise<unknown>]>([
    ['an offer', MINUTE_MS, (catalog) => catalog.offers.get(ID, { lane: 'background' })],
    ['events', MINUTE_MS, (catalog) => catalog.events.list({ lane: 'background' })],
    ['an event', MINUTE_MS, (catalog) => catalog.events.get(ID, { lane: 'background' })],
    ['an offer of an event', MINUTE_MS, (catalog) => catalog.events.offer(ID, { lane: 'background' })],
    ['dealcasts', 5 * MINUTE_MS, (catalog) => catalog.dealcasts.list({ lane: 'background' })],
    ['polls', 5 * MINUTE_MS, (catalog) => catalog.polls.list({ lane: 'background' })],
    ['monkeychats', 15 * MINUTE_MS, (catalog) => catalog.monkeychats.list({ lane: 'background' })],
  ])('(%s) may be %i ms old', async (_, ageMs, ask) => {
    const { service, catalog, clock } = await setUp(({ path }, response) => {
      if (path.includes(ID)) response.writeHead(404).end('"NotFound"');
      else response.end('[]');
    });
    const asked = async (): Promise<number> => {
      const call = ask(catalog);
      let isOver = false;
      void call.finally(() => (isOver = true));
      // Details of offers wait a moment for others.
      while (!isOver) await clock.advance(isOver ? 0 : 5);
      return service.seen.length;
    };
    const first = await asked();
    await clock.advance(ageMs - 100);
    expect(await asked()).toBe(first);
    await clock.advance(200);
    expect(await asked()).toBeGreaterThan(first);
  });

  it.each([-86_400_000, -3 * HOUR_MS, 3 * HOUR_MS])(
    'is as old as it is when the wall clock jumps by %i ms',
    async (ms) => {
      const { service, clock, events } = await setUp(json([]));
      await events('interactive');
      await clock.advance(59_000);
      clock.jump(ms);
      await events('interactive');
      expect(service.seen).toHaveLength(1);
      await clock.advance(1_001);
      expect((await events('interactive')).fetchedAtMs).toBe(clock.now());
      expect(service.seen).toHaveLength(2);
    },
  );

  it('that is a feed is not kept: it is large, and only the poller reads it', async () => {
    const { service, feed } = await setUp(inTurn(json(feedPage([feedItem(1)])), json({ Items: 5 })));
    await feed('background');
    await expect(feed('interactive', HOUR_MS)).rejects.toMatchObject({ code: 'CATALOG_SCHEMA' });
    expect(service.seen).toHaveLength(2);
  });

  it('that was used longest ago goes first where there are too many', async () => {
    let fetched: number[] = [];
    const http = httpOf(({ path }) => {
      const number = Number(/(\d+)\.json/.exec(path)?.[1]);
      fetched.push(number);
      return JSON.stringify(event(number, { Offers: [] }));
    });
    const many = { rate: 10_000, burst: 10_000, quota: 10_000 };
    const { catalog } = createTestCatalog('http://catalog.invalid', { http, v2: many });
    const get = (number: number, maxAgeMs = MINUTE_MS) =>
      catalog.events.get(idOf(number), { lane: 'background', maxAgeMs });
    for (let number = 0; number < 1_000; number += 1) await get(number);
    // One is fetched anew, one is read.
    await get(0, 0);
    await get(1);
    await get(1_000);
    fetched = [];
    for (const number of [0, 1, 3, 999, 1_000]) await get(number);
    expect(fetched).toEqual([]);
    await get(2);
    expect(fetched).toEqual([2]);
  });

  it('is as young as the call asks', async () => {
    const { service, clock, events } = await setUp(json([]));
    await events('background', 0);
    await events('background', 0);
    expect(service.seen).toHaveLength(2);
    await clock.advance(5_000);
    await events('background', 5_000);
    expect(service.seen).toHaveLength(2);
    await events('background', 4_999);
    expect(service.seen).toHaveLength(3);
    await clock.advance(3_600_000);
    await events('background', 3_600_000);
    expect(service.seen).toHaveLength(3);
  });

  it('of a kind that does not expire is given at once to people, and renewed for the next', async () => {
    const { service, catalog, clock } = await setUp(inTurn(json([dealcast(1)]), json([dealcast(2)])));
    const list = async (lane: Lane) => (await catalog.dealcasts.list({ lane })).value.map(({ title }) => title);
    await list('interactive');
    await clock.advance(600_000);
    expect(await list('interactive')).toEqual(['Cast 1']);
    await service.untilSeen(2);
    // A call that is not for people waits for what is on its way.
    expect(await list('announcement')).toEqual(['Cast 2']);
    expect(service.seen).toHaveLength(2);
  });

  it('of such a kind is never older than a call says that it may be', async () => {
    const { catalog, clock } = await setUp(inTurn(json([dealcast(1)]), json([dealcast(2)])));
    await catalog.dealcasts.list({ lane: 'interactive' });
    await clock.advance(600_000);
    const { value, fetchedAtMs } = await catalog.dealcasts.list({ lane: 'interactive', maxAgeMs: 60_000 });
    expect([value[0]?.title, fetchedAtMs]).toEqual(['Cast 2', clock.now()]);
  });
});

describe('whoever asks', () => {
  it('is told before a request is made for them, and not where an answer is at hand or on its way', async () => {
    const { service, catalog } = await setUp(json([]));
    let requests = 0;
    const ask = (maxAgeMs: number) =>
      catalog.events.list({ lane: 'interactive', maxAgeMs, beforeRequest: () => (requests += 1) });
    await Promise.all([ask(0), ask(0)]);
    await ask(60_000);
    expect([requests, service.seen.length]).toEqual([1, 1]);
    await ask(0);
    expect([requests, service.seen.length]).toEqual([2, 2]);
  });

  it('can call it off', async () => {
    const { service, catalog } = await setUp(json([]));
    const beforeRequest = () => {
      throw new Error('Not now.');
    };
    await expect(catalog.events.list({ lane: 'interactive', beforeRequest })).rejects.toThrow('Not now.');
    expect(service.seen).toEqual([]);
  });
});

describe('an older answer', () => {
  const failing: [string, Play][] = [
    ['a refusing quota', json({ message: 'Limit Exceeded' }, 429)],
    ['a rate limit', json({ message: 'Too Many Requests' }, 429, { 'retry-after': '60' })],
    ['a failing service', json('', 500, { 'retry-after': '60' })],
    ['an answer of another shape', json({ Items: 5 })],
    ['no answer', never],
  ];

  it.each(failing)('stands in for %s, marked and with its age', async (_, play) => {
    const { service, clock, events } = await setUp(inTurn(json([event(1)]), play));
    const first = await events('background');
    await clock.advance(3_600_000);
    let isOver = false;
    const second = events('interactive').finally(() => {
      isOver = true;
    });
    await service.untilSeen(2);
    while (!isOver) await clock.advance(1_000);
    expect(await second).toEqual({ ...first, isStale: true });
  });

  it('does not stand in for a call that takes none but a new one', async () => {
    const { catalog } = await setUp(inTurn(json([event(1)]), json({ Items: 5 })));
    await catalog.events.list({ lane: 'background' });
    await expect(catalog.events.list({ lane: 'background', maxAgeMs: 0 })).rejects.toMatchObject({
      code: 'CATALOG_SCHEMA',
    });
  });

  it('does not stand in when it is older than a day', async () => {
    const { clock, events } = await setUp(inTurn(json([]), json({ Items: 5 })));
    await events('background');
    await clock.advance(86_400_000);
    await expect(events('interactive')).rejects.toMatchObject({ code: 'CATALOG_SCHEMA' });
  });

  it('does not stand in where the catalog says that there is no such thing', async () => {
    const { clock, events } = await setUp(inTurn(json([]), json('', 400)));
    await events('background');
    await clock.advance(61_000);
    await expect(events('interactive')).rejects.toMatchObject({ status: 400 });
  });

  it('is not replaced by one that failed', async () => {
    const { clock, events } = await setUp(inTurn(json([event(1)]), json('', 418), json({ Items: 5 })));
    await events('background');
    await clock.advance(61_000);
    await expect(events('background')).rejects.toMatchObject({ status: 418 });
    await expect(events('background')).resolves.toMatchObject({
      isStale: true,
      value: [{ title: 'Event 1' }],
    });
  });
});

describe('equal calls', () => {
  it('share one request', async () => {
    const { service, feed, catalog } = await setUp(json(feedPage([])));
    const answers = await Promise.all([feed('interactive', 0), feed('background', 0), feed('announcement')]);
    expect(new Set(answers.map(({ value }) => value)).size).toBe(1);
    expect(service.seen).toHaveLength(1);
    expect(catalog.quota().portal.spent).toBe(1);
  });

  it('wait each with their own signal: one that leaves takes nothing from the others', async () => {
    const { service, catalog, feed } = await setUp(never);
    const controller = new AbortController();
    const left = catalog.feeds.get('Home', { lane: 'interactive', signal: controller.signal });
    const stays = feed('background');
    await service.untilSeen(1);
    const reason = new Error('Never mind.');
    controller.abort(reason);
    await expect(left).rejects.toBe(reason);
    service.play(json(feedPage([])));
    // The request that everybody shares is still the first one: it ends by its own attempt timeout.
    expect(service.seen).toHaveLength(1);
    const refused = expect(stays).rejects.toMatchObject({ message: 'The catalog client is closed.' });
    await catalog.close();
    await refused;
  });

  it('give the request up when the last of them has left', async () => {
    let isDropped: (() => void) | undefined;
    const dropped = new Promise<void>((resolve) => {
      isDropped = resolve;
    });
    const { service, catalog } = await setUp((_, response) => {
      response.once('close', () => isDropped?.());
    });
    const controllers = [new AbortController(), new AbortController()];
    const calls = controllers.map(({ signal }) => catalog.feeds.get('Home', { lane: 'interactive', signal }));
    await service.untilSeen(1);
    for (const controller of controllers) controller.abort();
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ name: 'AbortError' })));
    await dropped;
    service.play(json(feedPage([])));
    await expect(catalog.feeds.get('Home', { lane: 'interactive' })).resolves.toMatchObject({ isStale: false });
  });

  it('go in the lane of the most urgent of them', async () => {
    const { service, catalog, clock } = await setUp(json(feedPage([])), { burst: 1 });
    await catalog.feeds.get('First', { lane: 'interactive' });
    const calls = [
      catalog.feeds.get('Slow', { lane: 'background' }),
      catalog.feeds.get('Raised', { lane: 'background' }),
      catalog.feeds.get('Announced', { lane: 'announcement' }),
    ];
    await clock.untilSleeping((ms) => ms > 900 && ms < 1100);
    calls.push(catalog.feeds.get('Raised', { lane: 'interactive' }));
    let left = calls.length;
    for (const call of calls) void call.finally(() => (left -= 1));
    while (left > 0) await clock.advance(100);
    expect(service.seen.map(({ path }) => path)).toEqual([
      '/feed/First',
      '/feed/Raised',
      '/feed/Announced',
      '/feed/Slow',
    ]);
  });

  it('are not even made with a signal that has aborted', async () => {
    const { service, catalog } = await setUp(json(feedPage([])));
    const call = catalog.feeds.get('Home', { lane: 'interactive', signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(service.seen).toEqual([]);
  });
});

describe('the queue', () => {
  it('is left at the deadline of the lane', async () => {
    const { catalog, clock, service } = await setUp(never, { burst: 1 });
    const first = catalog.feeds.get('First', { lane: 'background' });
    await service.untilSeen(1);
    const waiting = catalog.feeds.get('Home', { lane: 'interactive' });
    const refused = expect(waiting).rejects.toMatchObject({
      code: 'CATALOG_TIMEOUT',
      message: 'The catalog did not answer within 20 s.',
    });
    await clock.advance(14_000);
    await clock.advance(6_000);
    await refused;
    const closed = expect(first).rejects.toMatchObject({ code: 'CATALOG_NETWORK' });
    await catalog.close();
    await closed;
  });

  it('lets people spend the reserve when nobody else may spend anything', async () => {
    const { catalog } = await setUp(json(feedPage([])), { quota: 2 });
    await catalog.feeds.get('A', { lane: 'background' });
    await expect(catalog.feeds.get('B', { lane: 'announcement' })).rejects.toMatchObject({
      code: 'CATALOG_QUOTA_SPENT',
    });
    await catalog.feeds.get('B', { lane: 'interactive' });
    await expect(catalog.feeds.get('C', { lane: 'interactive' })).rejects.toMatchObject({
      code: 'CATALOG_QUOTA_SPENT',
    });
    expect(catalog.quota().portal).toMatchObject({ limit: 2, spent: 2 });
    expect(catalog.quota().v2.spent).toBe(0);
  });
});

it('tells what was spent before a restart without a call', async () => {
  const { service, catalog, clock, spending, feed } = await setUp(json(feedPage([])));
  await feed('background');
  const restarted = createTestCatalog(service.url, { clock, spending }).catalog;
  await clock.advance(0);
  expect(restarted.quota()).toEqual(catalog.quota());
  expect(restarted.quota().portal.spent).toBe(1);
});
