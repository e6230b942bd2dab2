import { expect, onTestFinished, test } from 'vitest';
import { createSimulator } from '../../catalog-service/src/index.ts';
import { startLocalDiscord } from '../../local-discord/src/index.ts';
import { alterableStore } from '../src/alterable-store.ts';
import { createMeasurement } from '../src/measurement.ts';
import { createNewestOffer } from '../src/newest-offer.ts';
import { openPlaces } from '../src/places.ts';

/** A subscription of the demo's as it stands in a file. */
const asMade = (channel: string) => ({ id: `of ${channel}`, channel, 'most-per-hour': 600 });

/** What is measured in the demo's channels, each with a subscription, once these subscriptions are there too. */
async function measured(others: (channelId: string) => Record<string, unknown>[]) {
  const discord = await startLocalDiscord();
  onTestFinished(() => discord.stop());
  const channelIds = openPlaces(discord, {});
  const newest = createNewestOffer(
    alterableStore(createSimulator({ seed: 'measured', offers: 1, pace: 'demo' })),
    Date.now,
  );
  const measurement = createMeasurement({
    discord,
    newest,
    now: Date.now,
    channelIds,
    original: null,
    onOriginal: () => undefined,
    onTwice: () => undefined,
  });
  const first = Object.values(channelIds).map(asMade);
  for (const subscriptions of [first, [...first, ...others(channelIds.deals)]])
    measurement.plan({ interfaces: [], polls: [], isPaused: false, subscriptions });
  return measurement.counts();
}

test.each([
  ['as many posts an hour', { 'most-per-hour': 600 }, []],
  ['one post fewer', { 'most-per-hour': 599 }, ['deals']],
  ['the usual number of posts', {}, ['deals']],
  ['fewer posts and is paused', { 'most-per-hour': 1, paused: true }, []],
])(
  'a person’s subscription that allows %s: where posts are said to wait for its limit',
  async (_, settings, limitedIn) => {
    const { limitedIn: said } = await measured((channel) => [{ id: 'more', channel, ...settings }]);
    expect(said).toEqual(limitedIn);
  },
);
