import { expect, onTestFinished, test } from 'vitest';
import type { Core } from '../../../src/app/feature.ts';
import { createOpsServer } from '../../../src/app/server.ts';
import {
  createWebFeedSource,
  MOST_PER_MINUTE,
  type WebFeedSource,
  webFeedRoutes,
} from '../../../src/features/web-feeds/routes.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { MINUTE_MS } from '../../../src/shared/time.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { aKnownOffer, NOW_MS } from '../../helpers/things.ts';

const PLACE = '/home/somebody/state.sqlite';

async function served(source: WebFeedSource | null, trustedProxies: readonly string[] = []) {
  const lines: string[] = [];
  const health = {
    facts: () => null,
    problems: () => [],
    isStopping: () => false,
    away: () => [],
    clock: new ManualClock(),
  };
  const log = createTestLog((line) => lines.push(line));
  const routes = [webFeedRoutes(() => source, log)];
  const server = createOpsServer({ host: '127.0.0.1', port: 0, trustedProxies, source: health, routes });
  const address = await server.start();
  onTestFinished(() => server.stop());
  return {
    lines,
    ask: (path: string, headers: Record<string, string> = {}) => fetch(`${address}${path}`, { headers }),
  };
}

/** A catalog with one offer in a feed, and no events. */
const FULL: WebFeedSource = {
  feeds: ['Home'],
  events: () => Promise.resolve([]),
  offers: createOfferBook([aKnownOffer(1)], () => ({ polledAtMs: NOW_MS, isCutOff: false, marketingName: null })),
  prices: { among: () => Promise.resolve(new Map()) },
  nowMs: () => NOW_MS,
};

test('while the bot is starting, whoever asks is asked to come again', async () => {
  const { ask } = await served(null);
  for (const path of ['/events.ics', '/offers.atom?feed=Home']) {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
  }
});

test('where the state can’t be read, its place is in the log alone', async () => {
  const state = { polledAtMs: NOW_MS, isCutOff: false, marketingName: null };
  const { ask, lines } = await served({
    feeds: ['Home'],
    events: () => Promise.resolve(null),
    offers: createOfferBook([aKnownOffer(1)], () => state),
    prices: { among: () => Promise.reject(new StoreError(`${PLACE} can't be read.`)) },
    nowMs: () => NOW_MS,
  });
  const answer = await ask('/offers.atom?feed=Home');
  expect([answer.status, await answer.text()]).toEqual([500, 'This can’t be read now. Ask again in a minute.\n']);
  expect(lines).toEqual([expect.stringContaining(PLACE)]);
  expect((await ask('/events.ics')).status, 'of what nobody has read yet').toBe(503);
});

test.each([
  ['a proxy that is trusted', ['loopback'], 200],
  ['anybody else', ['10.0.0.0/8'], 429],
  ['anybody, where none is trusted', [], 429],
])(
  'the requests of a minute are counted by the address that is said to ask: as %s says',
  async (_, trusted, status) => {
    const { ask } = await served(FULL, trusted);
    const from = (last: number) => ({ 'x-forwarded-for': `192.0.2.${last}` });
    for (let requests = 0; requests < MOST_PER_MINUTE; requests += 1) await ask('/events.ics', from(1));
    expect((await ask('/events.ics', from(1))).status).toBe(429);
    expect((await ask('/events.ics', from(2))).status).toBe(status);
  },
);

test('the address of a feed is the one by which a trusted proxy was asked', async () => {
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'deals.example.com' };
  const path = '/offers.atom?feed=Home';
  const told = async (trusted: readonly string[]) => (await (await served(FULL, trusted)).ask(path, headers)).text();
  expect(await told(['127.0.0.1'])).toContain('https://deals.example.com/offers.atom');
  expect(await told([])).not.toContain('deals.example.com');
});

test('after a restart events are read at once, and while the catalog fails, readers cost one poll an hour', async () => {
  const clock = new ManualClock();
  const polls: number[] = [];
  const source = createWebFeedSource({
    config: { catalog: { feeds: ['Home'] } },
    clock,
    currentState: { seen: () => null, toCome: () => [] },
    poller: {
      // An earlier run has read them a moment ago, and nothing of that is in memory.
      lastAttempt: () => ({ atMs: clock.now(), hasFailed: false }),
      poll() {
        polls.push(clock.now());
        return Promise.reject(new Error('It fails.'));
      },
    },
    store: {},
    // Only what it asks for when events are asked for.
  } as unknown as Core);
  const startMs = clock.now();
  for (let minute = 0; minute <= 130; minute += 1) {
    expect(await source.events()).toBeNull();
    await clock.advance(MINUTE_MS);
  }
  expect(polls.map((atMs) => (atMs - startMs) / MINUTE_MS)).toEqual([0, 61, 122]);
});
