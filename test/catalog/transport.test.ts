import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { OPEN } from '../../src/catalog/circuit.ts';
import { PATIENCE_MS } from '../../src/catalog/response-cache.ts';
import { ATTEMPT_TIMEOUT_MS } from '../../src/catalog/transport.ts';
import { PASSING_WAITS_MS, passingMs } from '../helpers/back-offs.ts';
import { PORTAL_KEY, V2_KEY } from '../helpers/keys.ts';
import { createTestCatalog, MemorySpending } from './create-test-catalog.ts';
import { closedUrl, inTurn, json, type Play, startScriptedCatalog } from './scripted-catalog.ts';

const PAGE = { Items: [], MarketingName: 'Tools', TotalPages: 0 };
/** The largest body that is read, as it comes and decoded. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const never: Play = () => undefined;
const reset: Play = (_, response) => response.destroy();

function getFeed(catalog: Catalog, lane: 'interactive' | 'background' = 'interactive') {
  return catalog.feeds.get('Tools', { lane });
}

/** The error with which a call rejected. */
async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('requests', () => {
  it('carry the key in the header of the portal and in the query of v2', async () => {
    const service = await startScriptedCatalog(({ path }, response) => {
      json(path.startsWith('/2/') ? [] : PAGE)(service.seen[0] as never, response);
    });
    const { catalog } = createTestCatalog(`${service.url}/`);
    await catalog.feeds.get('Tools & more', { lane: 'interactive' });
    await catalog.polls.list({ lane: 'interactive' });
    const [feed, polls] = service.seen;
    expect(feed).toMatchObject({ method: 'GET', path: '/feed/Tools%20%26%20more' });
    expect(feed?.headers).toMatchObject({ 'x-api-key': PORTAL_KEY, accept: 'application/json' });
    expect([...(feed?.query ?? [])]).toEqual([]);
    expect(polls?.path).toBe('/2/polls.json');
    expect([...(polls?.query ?? [])]).toEqual([['key', V2_KEY]]);
    expect(polls?.headers['x-api-key']).toBeUndefined();
  });

  it('share connections that are kept alive', async () => {
    const ports = new Set<number | undefined>();
    const service = await startScriptedCatalog((request, response) => {
      ports.add(response.socket?.remotePort);
      json(PAGE)(request, response);
    });
    const { catalog } = createTestCatalog(service.url);
    for (let call = 0; call < 9; call += 1) await catalog.feeds.get('Tools', { lane: 'interactive', maxAgeMs: 0 });
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

it('tells the interface and the status of each answer, and which requests got none', async () => {
  const service = await startScriptedCatalog(json([]));
  const replies: string[] = [];
  const onReply = (name: string, outcome: string) => replies.push(`${name} ${outcome}`);
  const { catalog, clock } = createTestCatalog(service.url, { onReply });
  await catalog.polls.list({ lane: 'interactive' });
  service.play(inTurn(json('', 503), json(PAGE)));
  const feed = getFeed(catalog);
  await clock.untilSleeping((ms) => ms === passingMs());
  await clock.advance(passingMs());
  await feed;
  service.play(never);
  const unanswered = failureOf(getFeed(catalog));
  await service.untilSeen(4);
  await catalog.close();
  await unanswered;
  expect(replies).toEqual(['v2 200', 'portal 503', 'portal 200', 'portal none']);
});

describe('bodies', () => {
  const text = JSON.stringify({ ...PAGE, MarketingName: 'Ünïcode' });

  it.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('arrive in %s', async (encoding, body) => {
    const service = await startScriptedCatalog((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    });
    const { value } = await getFeed(createTestCatalog(service.url).catalog);
    expect(value.marketingName).toBe('Ünïcode');
    expect(service.seen[0]?.headers['accept-encoding']).toBe('gzip, br');
  });

  it.each([
    ['as they are', (bytes: number) => ({ headers: {}, body: Buffer.alloc(bytes, ' ') })],
    [
      'decoded',
      (bytes: number) => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(bytes, ' ')) }),
    ],
  ])('may not be larger than the cap, %s', async (_, make) => {
    const { headers, body } = make(MAX_BODY_BYTES + 1);
    const service = await startScriptedCatalog((__, response) => response.writeHead(200, headers).end(body));
    const failure = await failureOf(getFeed(createTestCatalog(service.url).catalog));
    expect(failure).toMatchObject({
      code: 'CATALOG_SCHEMA',
      message: `GET ${service.url}/feed/Tools answered with more than 32 MiB.`,
    });
  });

  it('without end are dropped at the cap, not read to their end', async () => {
    let sent = 0;
    let isDropped = false;
    const service = await startScriptedCatalog((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const send = () => {
        sent += chunk.length;
        if (!isDropped) response.write(chunk, send);
      };
      response.on('close', () => {
        isDropped = true;
      });
      response.writeHead(200);
      send();
    });
    const failure = await failureOf(getFeed(createTestCatalog(service.url).catalog));
    expect(failure).toMatchObject({ code: 'CATALOG_SCHEMA', message: expect.stringContaining('more than 32 MiB') });
    expect(sent).toBeGreaterThan(MAX_BODY_BYTES);
  });

  it('may come in pieces that part a character', async () => {
    const bytes = Buffer.from(text);
    const parted = bytes.indexOf('Ü') + 1;
    const service = await startScriptedCatalog((_, response) => {
      response.write(bytes.subarray(0, parted), () => setImmediate(() => response.end(bytes.subarray(parted))));
    });
    const { value } = await getFeed(createTestCatalog(service.url).catalog);
    expect(value.marketingName).toBe('Ünïcode');
  });

  it('that are compressed and end with their connection are asked for again', async () => {
    const half = gzipSync(text).subarray(0, 30);
    const service = await startScriptedCatalog(
      inTurn((_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 1_000 });
        response.write(half, () => response.destroy());
      }, json(PAGE)),
    );
    const { catalog, clock } = createTestCatalog(service.url);
    const call = getFeed(catalog);
    await clock.untilSleeping((ms) => ms > 0 && ms < ATTEMPT_TIMEOUT_MS);
    await clock.advance(ATTEMPT_TIMEOUT_MS - 1);
    await expect(call).resolves.toMatchObject({ isStale: false });
    expect(service.seen).toHaveLength(2);
  });

  it.each<[string, Play]>([
    ['not JSON', (_, response) => response.end('<html>Back soon</html>')],
    ['cut short', (_, response) => response.end('{"Items":[{"OfferId":')],
    ['empty', (_, response) => response.end()],
    ['of another shape', json({ Items: 'none' })],
    ['a number', json(7)],
    ['damaged gzip', (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all')],
    [
      'gzip cut short',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text).subarray(0, 30)),
    ],
    ['in an unknown encoding', (_, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('x')],
  ])('that are %s are a schema error, without another try', async (_, play) => {
    const service = await startScriptedCatalog(play);
    const failure = await failureOf(getFeed(createTestCatalog(service.url).catalog));
    expect(failure).toMatchObject({ code: 'CATALOG_SCHEMA', retryable: false });
    expect(service.seen).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it.each([400, 401, 403, 404, 410])('%i is not tried again', async (status) => {
    const service = await startScriptedCatalog(json({ message: 'No.' }, status));
    const failure = await failureOf(getFeed(createTestCatalog(service.url).catalog));
    expect(failure).toMatchObject({ code: 'CATALOG_HTTP', status, retryable: false });
    expect(service.seen).toHaveLength(1);
  });

  it('says what a 400 was about, and to check the key after a 403', async () => {
    const service = await startScriptedCatalog(inTurn(json({ Message: 'site is unknown.' }, 400), json('', 403)));
    const { catalog } = createTestCatalog(service.url);
    const feed = `GET ${service.url}/feed/Tools`;
    expect(await failureOf(getFeed(catalog))).toMatchObject({ message: `${feed} answered 400: site is unknown.` });
    expect(await failureOf(getFeed(catalog))).toMatchObject({ message: `${feed} answered 403: check the key.` });
  });

  it('is what a redirect is: it is not followed', async () => {
    const service = await startScriptedCatalog((_, response) =>
      response.writeHead(302, { location: '/2/polls.json' }).end(),
    );
    const failure = await failureOf(getFeed(createTestCatalog(service.url).catalog));
    expect(failure).toMatchObject({ code: 'CATALOG_HTTP', status: 302 });
    expect(service.seen).toHaveLength(1);
  });
});

describe('a redirect to another host', () => {
  it('is not followed, so that nobody else gets the key', async () => {
    const other = await startScriptedCatalog(json(PAGE));
    const service = await startScriptedCatalog((_, response) =>
      response.writeHead(307, { location: `${other.url}/feed/Tools` }).end(),
    );
    const failure = await failureOf(getFeed(createTestCatalog(service.url).catalog));
    expect(failure).toMatchObject({ code: 'CATALOG_HTTP', status: 307, message: expect.stringContaining('redirects') });
    expect(other.seen).toEqual([]);
  });
});

describe('a failure in passing', () => {
  it.each<[string, Play]>([
    ['a 500', json({ message: 'Internal server error' }, 500)],
    ['a 504', json({ message: 'Endpoint request timed out' }, 504)],
    ['a reset', reset],
    [
      'a cut connection',
      (_, response) => {
        response.writeHead(200, { 'content-length': '500' }).write('{"Items":');
        response.flushHeaders();
        setImmediate(() => response.destroy());
      },
    ],
  ])('%s is tried again after a while', async (_, play) => {
    const service = await startScriptedCatalog(inTurn(play, json(PAGE)));
    const { catalog, clock, spending } = createTestCatalog(service.url);
    const call = getFeed(catalog);
    await clock.untilSleeping((ms) => ms === passingMs());
    await clock.advance(374);
    expect(service.seen).toHaveLength(1);
    await clock.advance(1);
    await expect(call).resolves.toMatchObject({ isStale: false });
    await expect(spending.load('portal')).resolves.toMatchObject({ spent: 2 });
  });

  it('is given up after four tries, each of which spends', async () => {
    const service = await startScriptedCatalog(json({}, 503));
    const { catalog, clock } = createTestCatalog(service.url);
    const call = failureOf(getFeed(catalog));
    for (const waitMs of PASSING_WAITS_MS) {
      await clock.untilSleeping((ms) => ms === waitMs);
      await clock.advance(waitMs);
    }
    expect(await call).toMatchObject({ code: 'CATALOG_HTTP', status: 503, retryable: true });
    expect(service.seen).toHaveLength(4);
    expect(catalog.quota().portal.spent).toBe(4);
  });

  it.each<[string, Play]>([
    ['an answer', never],
    [
      'the rest of an answer',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"Items":');
      },
    ],
  ])('is %s that takes too long', async (_, play) => {
    const service = await startScriptedCatalog(inTurn(play, json(PAGE)));
    const { catalog, clock } = createTestCatalog(service.url);
    const call = getFeed(catalog);
    await service.untilSeen(1);
    await clock.advance(ATTEMPT_TIMEOUT_MS);
    await clock.untilSleeping((ms) => ms === passingMs());
    await clock.advance(passingMs());
    await expect(call).resolves.toMatchObject({ isStale: false });
  });

  it('is given up when the call has no time for another try', async () => {
    const service = await startScriptedCatalog(json({}, 503, { 'retry-after': '21' }));
    const { catalog } = createTestCatalog(service.url);
    await expect(getFeed(catalog)).rejects.toMatchObject({ status: 503 });
    expect(service.seen).toHaveLength(1);
  });

  it('is the whole call when all its time is over', async () => {
    const service = await startScriptedCatalog(never);
    const { catalog, clock } = createTestCatalog(service.url);
    const call = failureOf(getFeed(catalog));
    await service.untilSeen(1);
    await clock.advance(ATTEMPT_TIMEOUT_MS);
    await clock.untilSleeping((ms) => ms === passingMs());
    await clock.advance(passingMs());
    await service.untilSeen(2);
    await clock.advance(PATIENCE_MS.interactive - ATTEMPT_TIMEOUT_MS);
    expect(await call).toMatchObject({ code: 'CATALOG_TIMEOUT', message: 'The catalog did not answer within 20 s.' });
  });

  it('opens the circuit when it lasts: no request leaves, until a probe succeeds', async () => {
    const service = await startScriptedCatalog(json({}, 500));
    const { catalog, clock, logged } = createTestCatalog(service.url);
    const call = failureOf(getFeed(catalog));
    for (const waitMs of PASSING_WAITS_MS) {
      await clock.untilSleeping((ms) => ms === waitMs);
      await clock.advance(waitMs);
    }
    await call;
    expect(await failureOf(getFeed(catalog))).toMatchObject({ status: 500 });
    expect(await failureOf(getFeed(catalog))).toMatchObject({
      code: 'CATALOG_NETWORK',
      message: `The catalog's portal interface keeps failing and is asked again in ${OPEN.firstMs / 1_000} s.`,
    });
    expect(service.seen).toHaveLength(5);
    expect(logged()).toMatch(new RegExp(`"level":50.*"openMs":${OPEN.firstMs}`));
    service.play(({ path }, response) => json(path.startsWith('/2/') ? [] : PAGE)(service.seen[0] as never, response));
    await expect(catalog.polls.list({ lane: 'interactive' })).resolves.toMatchObject({ isStale: false });
    await clock.advance(OPEN.firstMs);
    await expect(getFeed(catalog)).resolves.toMatchObject({ isStale: false });
    expect(logged().trim().split('\n').at(-1)).toContain('"level":30');
  });
});

describe('429', () => {
  const slowDown = { message: 'Too Many Requests' };

  it('"Too Many Requests" pauses every request of the interface, and of no other', async () => {
    const service = await startScriptedCatalog(
      inTurn(json(slowDown, 429, { 'retry-after': '3' }), json([]), json(PAGE)),
    );
    const { catalog, clock } = createTestCatalog(service.url);
    const startMs = clock.now();
    const feed = getFeed(catalog).then(() => clock.now() - startMs);
    await clock.untilSleeping((ms) => ms === 3000);
    await catalog.polls.list({ lane: 'background' });
    const other = catalog.feeds.get('Home', { lane: 'background' }).then(() => clock.now() - startMs);
    await clock.advance(2999);
    expect(service.seen).toHaveLength(2);
    await clock.advance(1);
    expect(await Promise.all([feed, other])).toEqual([3000, 3000]);
  });

  it('honours an HTTP date', async () => {
    const retryAfter = 'Sat, 21 Nov 2026 12:00:09 GMT';
    const service = await startScriptedCatalog(inTurn(json(slowDown, 429, { 'retry-after': retryAfter }), json(PAGE)));
    const { catalog, clock } = createTestCatalog(service.url);
    const call = getFeed(catalog);
    await clock.untilSleeping((ms) => ms === 9000);
    await clock.advance(9000);
    await call;
  });

  it('that asks for more time than the call has is an error at once, and the pause stands', async () => {
    const service = await startScriptedCatalog(json(slowDown, 429, { 'retry-after': '60' }));
    const { catalog } = createTestCatalog(service.url);
    expect(await failureOf(getFeed(catalog))).toMatchObject({ code: 'CATALOG_RATE_LIMITED', retryable: true });
    expect(await failureOf(getFeed(catalog))).toMatchObject({ code: 'CATALOG_RATE_LIMITED' });
    expect(service.seen).toHaveLength(1);
  });

  it('"Limit Exceeded" closes the day until 00:00 UTC, over restarts too', async () => {
    const service = await startScriptedCatalog(inTurn(json({ message: 'Limit Exceeded' }, 429), json(PAGE)));
    const { catalog, clock, spending } = createTestCatalog(service.url);
    const resetsAtMs = Date.parse('2026-11-22T00:00:00Z');
    expect(await failureOf(getFeed(catalog))).toMatchObject({
      code: 'CATALOG_QUOTA_SPENT',
      resetsAtMs,
      retryable: false,
    });
    expect(catalog.quota().portal).toEqual({ limit: 1000, spent: 1000, resetsAtMs });
    const restarted = createTestCatalog(service.url, { clock, spending }).catalog;
    expect(await failureOf(getFeed(restarted))).toMatchObject({ code: 'CATALOG_QUOTA_SPENT' });
    expect(service.seen).toHaveLength(1);
    await clock.advance(12 * 3_600_000);
    await expect(getFeed(catalog)).resolves.toMatchObject({ isStale: false });
  });
});

describe('the key', () => {
  it.each<[string, Play]>([
    [
      'an answer that quotes it',
      (request, response) =>
        json(
          { message: `Bad key ${V2_KEY}, ${request.query.get('key')}, ${encodeURIComponent(V2_KEY)} or ${PORTAL_KEY}` },
          400,
        )(request, response),
    ],
    ['no JSON', (request, response) => response.end(`<p>${request.query.get('key')} ${PORTAL_KEY}</p>`)],
    [
      'malformed items',
      (request, response) => json([{ OfferId: PORTAL_KEY, Id: V2_KEY, [V2_KEY]: PORTAL_KEY }])(request, response),
    ],
    ['a refusal', json('', 403)],
    [
      'a redirect',
      (request, response) => response.writeHead(301, { location: `/elsewhere?key=${request.query.get('key')}` }).end(),
    ],
    ['a reset', reset],
    ['server errors', json('', 500)],
    ['nothing', never],
    ['"slow down"', json({ message: 'Too Many Requests' }, 429)],
    ['"limit exceeded"', json({ message: 'Limit Exceeded' }, 429)],
  ])('is in no log and no error after %s', async (_, play) => {
    const service = await startScriptedCatalog(play);
    const { catalog, clock, logged } = createTestCatalog(service.url);
    const lane = 'interactive';
    const calls = [
      catalog.feeds.get('Tools', { lane }),
      catalog.events.list({ lane }),
      catalog.dealcasts.list({ lane }),
      catalog.polls.list({ lane }),
      catalog.offers.get('0e82b415-4a51-4cea-b711-69a7800119e3', { lane }),
    ];
    const settled = Promise.allSettled(calls);
    let isOver = false;
    void settled.then(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(1000);
    const told = `${logged()} ${inspect(await settled, { depth: 20, showHidden: true })}`;
    expect(told).not.toContain(V2_KEY);
    expect(told).not.toContain(encodeURIComponent(V2_KEY));
    expect(told).not.toContain(PORTAL_KEY);
  });

  it('is in no error about a catalog that is not there', async () => {
    const { host } = new URL(await closedUrl());
    const url = `http://someone:secret-word@${host}`;
    const { catalog, clock, logged } = createTestCatalog(url);
    const call = failureOf(catalog.polls.list({ lane: 'interactive' }));
    for (const waitMs of PASSING_WAITS_MS) {
      await clock.untilSleeping((ms) => ms === waitMs);
      await clock.advance(waitMs);
    }
    const failure = await call;
    expect(failure).toMatchObject({
      code: 'CATALOG_NETWORK',
      message: `GET http://${host}/2/polls.json sent no complete answer (ECONNREFUSED).`,
    });
    const told = `${logged()} ${inspect(failure, { depth: 20, showHidden: true })}`;
    expect(told).not.toContain(V2_KEY);
    expect(told).not.toContain(encodeURIComponent(V2_KEY));
    expect(told).not.toContain('secret-word');
  });
});

it('does not leave, and is not counted, when nobody wants it any more once it is saved', async () => {
  const saving: (() => void)[] = [];
  class SlowSpending extends MemorySpending {
    override async save(): Promise<void> {
      await new Promise<void>((resolve) => saving.push(resolve));
    }
  }
  const service = await startScriptedCatalog(json(PAGE));
  const { catalog, clock } = createTestCatalog(service.url, { spending: new SlowSpending() });
  const controller = new AbortController();
  const call = failureOf(catalog.feeds.get('Tools', { lane: 'interactive', signal: controller.signal }));
  await clock.advance(0);
  expect(saving).toHaveLength(1);
  expect(catalog.quota().portal.spent).toBe(1);
  controller.abort(new Error('Never mind.'));
  saving[0]?.();
  expect(await call).toMatchObject({ message: 'Never mind.' });
  await clock.advance(0);
  expect(catalog.quota().portal.spent).toBe(0);
  expect(service.seen).toEqual([]);
});

it('does not leave when it is given up while it waits for a connection', async () => {
  const service = await startScriptedCatalog(never);
  const { catalog } = createTestCatalog(service.url, { portal: { burst: 20 } });
  const controller = new AbortController();
  const busy = Array.from({ length: 10 }, (_, number) =>
    failureOf(catalog.feeds.get(`Busy ${number}`, { lane: 'interactive' })),
  );
  await service.untilSeen(10);
  const waiting = failureOf(catalog.feeds.get('Tools', { lane: 'interactive', signal: controller.signal }));
  await nextTurn();
  controller.abort(new Error('Never mind.'));
  expect(await waiting).toMatchObject({ message: 'Never mind.' });
  await catalog.close();
  expect(await Promise.all(busy)).toMatchObject(busy.map(() => ({ message: 'The catalog client is closed.' })));
  expect(service.seen.some(({ path }) => path === '/feed/Tools')).toBe(false);
});

describe('close', () => {
  it('rejects what waits, and whoever comes after', async () => {
    const service = await startScriptedCatalog(never);
    const { catalog } = createTestCatalog(service.url, { portal: { burst: 1 } });
    const calls = [getFeed(catalog), catalog.feeds.get('Home', { lane: 'background' })].map(failureOf);
    await service.untilSeen(1);
    await catalog.close();
    const closed = { code: 'CATALOG_NETWORK', message: 'The catalog client is closed.' };
    expect(await Promise.all(calls)).toMatchObject([closed, closed]);
    expect(await failureOf(getFeed(catalog))).toMatchObject(closed);
  });
});
