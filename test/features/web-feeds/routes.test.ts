import { expect, onTestFinished, test } from 'vitest';
import { createOpsServer } from '../../../src/app/server.ts';
import { type WebFeedSource, webFeedRoutes } from '../../../src/features/web-feeds/routes.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { aKnownOffer, NOW_MS } from '../../helpers/things.ts';

const PLACE = '/home/somebody/state.sqlite';

async function served(source: WebFeedSource | null) {
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
  const server = createOpsServer({ host: '127.0.0.1', port: 0, source: health, routes });
  const address = await server.start();
  onTestFinished(() => server.stop());
  return { lines, ask: (path: string) => fetch(`${address}${path}`) };
}

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
