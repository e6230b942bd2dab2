import { expect, test } from 'vitest';
import { readResource } from '../../../src/announcements/poll/resource.ts';
import type { CallOptions, Catalog } from '../../../src/catalog/catalog.ts';
import type { Monkeychat } from '../../../src/deals/monkeychat.ts';
import type { Poll } from '../../../src/deals/poll.ts';
import type { ResourceKey } from '../../../src/deals/subscription.ts';
import { aDealcast, anEvent, anOffer, NOW_MS } from '../../helpers/things.ts';

const POLL: Poll = { discussionUrl: null, site: null, questions: [{ text: 'Which kettle?', responses: [] }] };
const CHAT: Monkeychat = { raw: { id: 'chat' } };
const FEED = { marketingName: null, offers: [anOffer(1)], isCutOff: false };

/** Reads a resource of a catalog that answers with one entity each; returns what was asked and the answer. */
async function read(resource: ResourceKey) {
  const asked: unknown[] = [];
  const options: CallOptions = { lane: 'announcement', maxAgeMs: 1_000, signal: new AbortController().signal };
  const answer = (value: unknown) => ({ value, fetchedAtMs: NOW_MS, isStale: true, malformed: 3 });
  const list =
    (name: string, item: unknown) =>
    async (...call: unknown[]) => {
      asked.push([name, ...call.filter((argument) => argument !== options)]);
      expect(call.at(-1)).toBe(options);
      return answer(name === 'feeds' ? item : [item]);
    };
  const catalog = {
    feeds: { get: list('feeds', FEED) },
    events: { list: list('events', anEvent(1)) },
    dealcasts: { list: list('dealcasts', aDealcast(1)) },
    polls: { list: list('polls', POLL) },
    monkeychats: { list: list('monkeychats', CHAT) },
  } as unknown as Catalog;
  return { asked, response: await readResource(resource, catalog, options) };
}

test('a feed is read by its name, and holds its offers', async () => {
  const { asked, response } = await read('feed:Home');
  expect(asked).toEqual([['feeds', 'Home']]);
  expect(response).toMatchObject({ value: FEED, fetchedAtMs: NOW_MS, isStale: true, malformed: 3 });
});

test.each([
  ['events', 'event-started', anEvent(1)],
  ['dealcasts', 'new-dealcast', aDealcast(1)],
  ['polls', 'new-poll', POLL],
  ['monkeychats', 'new-monkeychat', CHAT],
] as const)('%s are read whole, as the announcements that they would make', async (resource, kind, item) => {
  const { asked, response } = await read(resource);
  expect(asked).toEqual([[resource]]);
  expect(response).toMatchObject({ value: [{ kind, item }], fetchedAtMs: NOW_MS, isStale: true, malformed: 3 });
});
