import { expect, test } from 'vitest';
import { createSimulator } from '../../packages/catalog-service/src/index.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';

interface WireOffer {
  ShippingMethods: { ExcludedStates: string[] }[];
}

test('of a store that is simulated, ships:HI takes what it sends to Hawaii, and nothing else', async () => {
  const store = createSimulator({ seed: 'terms', offers: 60, pace: 'demo' });
  const house = await aHouse({ content: () => store });
  const bot = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:All filter:ships:HI catch-up:0 most-per-hour:600');
  await house.asAda('announcements', '/subscription add feed feed:All catch-up:0 most-per-hour:600');

  /** Whether the store sends the offers that it has had to Hawaii, by their addresses. */
  const isSent = new Map<string, boolean>();
  const posted = { deals: new Set<string>(), announcements: new Set<string>() };
  for (let minute = 0; minute < 6; minute += 1) {
    const moment = store.at(house.clock.now(), 'http://127.0.0.1');
    for (const item of moment.feed('All').items as { OfferId: string; Url: string }[]) {
      const { ShippingMethods: methods } = moment.offer(item.OfferId) as WireOffer;
      isSent.set(item.Url, !methods.every(({ ExcludedStates: states }) => states.includes('HI')));
    }
    await bot.tick();
    await bot.settled();
    for (const channel of ['deals', 'announcements'] as const) {
      for (const message of house.announcements(channel)) {
        const [, url] = /\]\(<(.*?)>\)/.exec(textOf(message)) ?? [];
        if (url) posted[channel].add(url);
      }
    }
    await house.clock.advance(MINUTE_MS);
  }
  const all = [...posted.announcements];
  const toHawaii = all.filter((url) => isSent.get(url));
  expect(toHawaii.length).toBeGreaterThan(2);
  expect(toHawaii.length).toBeLessThan(all.length);
  expect([...posted.deals].toSorted()).toEqual(toHawaii.toSorted());
});
