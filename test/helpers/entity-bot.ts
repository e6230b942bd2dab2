import { onTestFinished } from 'vitest';
import { CurrentState } from '../../src/announcements/current-state.ts';
import { createEntityDetector, type EntityDetector } from '../../src/announcements/detect/detect-entities.ts';
import { readResource } from '../../src/announcements/poll/resource.ts';
import { DoubtCounts } from '../../src/catalog/doubt-counts.ts';
import type { Announcement } from '../../src/deals/announcement.ts';
import { USUAL_APPEARANCE } from '../../src/deals/appearance.ts';
import { APART_MS } from '../../src/deals/belief.ts';
import { createOfferBook } from '../../src/offers/offer-book.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { openStore } from '../../src/store/store.ts';
import { createTestCatalog } from '../catalog/create-test-catalog.ts';
import { httpOf } from '../catalog/reading.ts';
import { ManualClock } from './manual-clock.ts';
import { temporaryState } from './temporary-folder.ts';
import { NOW_MS, uuid } from './things.ts';

export type Json = Record<string, unknown>;
export type Resource = 'events' | 'dealcasts' | 'polls' | 'monkeychats';

export const at = (ms: number) => new Date(ms).toISOString();

export const EVENT = {
  Id: uuid(1),
  Type: 'Daily',
  Title: 'Kitchen day',
  Site: 'home.example.com',
  StartDate: at(NOW_MS - HOUR_MS),
  EndDate: at(NOW_MS + 9 * HOUR_MS),
  Subtitle: 'All of it',
  WriteUp: '<p>All</p>',
  DiscussionUrl: 'https://forums.example.com/t/1',
  ManufacturerText: 'Made',
  Text: 'Text',
  Url: 'https://www.example.com/events/1',
  Photos: [{ Url: 'https://pictures.example.com/1.jpg', Width: 1, Height: 1, Tags: [] }],
  Offers: [
    {
      Id: uuid(101),
      Title: 'Blender',
      Subtitle: 'Red',
      Teaser: 'It blends',
      WriteUp: '<p>It does</p>',
      Features: '<p>Lid</p>',
      Specs: '<p>Lid</p>',
      Url: 'https://www.example.com/offers/blender',
      DiscussionUrl: 'https://forums.example.com/t/2',
      Items: [{ Id: uuid(201), SalePrice: 30, ListPrice: 60, PurchaseLimit: 3, Attributes: [], Photos: [] }],
      Photos: [{ Url: 'https://pictures.example.com/2.jpg' }],
      ShippingMethods: [{ Name: 'Standard', PerOrderAmount: 5 }],
      PercentageRemaining: 90,
      SoldOut: false,
      Snippet: 'It blends',
      Rank: 2,
      OriginalStartDate: at(NOW_MS - HOUR_MS),
    },
    { Id: uuid(102), Title: 'Kettle', Items: [{ Id: uuid(202), SalePrice: 20, ListPrice: 40 }], SoldOut: true },
  ],
};

export const DEALCAST = {
  Title: 'Is it good?',
  Site: 'www.example.com',
  StartDate: at(NOW_MS - HOUR_MS),
  Teaser: '<p>What?</p>',
  Text: '<p>All</p>',
  BlogUrl: 'https://www.example.com/blog/1',
  DiscussionUrl: 'https://forums.example.com/t/3',
  Mp4Url: 'https://video.example.com/1.mp4',
  YouTubeUrl: 'https://video.example.com/1',
  Thumbnail: { Url: 'https://pictures.example.com/3.jpg' },
  Views: 7,
};

export const POLL = {
  DiscussionUrl: 'https://forums.example.com/t/4',
  Site: 'www.example.com',
  Questions: [
    {
      Text: 'Tea or coffee?',
      Responses: [
        { Text: 'Tea', VoteCount: 10 },
        { Text: 'Coffee', VoteCount: 20 },
        { Text: 'Milk', VoteCount: 3 },
      ],
    },
  ],
};

export const MONKEYCHAT = {
  Id: 'm1',
  Title: 'Two talk',
  Text: 'They talk',
  Site: 'www.example.com',
  Url: 'https://www.example.com/monkeychats/1',
  Photo: 'https://pictures.example.com/4.jpg',
  StartDate: at(NOW_MS - HOUR_MS),
  Lines: [{ Character: 'A', Text: 'Hello' }],
};

export const ENTITY: Readonly<Record<Resource, Json>> = {
  events: EVENT,
  dealcasts: DEALCAST,
  polls: POLL,
  monkeychats: MONKEYCHAT,
};

/** A bot that reads one resource. */
export async function aBot(resource: Resource) {
  const store = await openStore(temporaryState(), new ManualClock());
  onTestFinished(() => store.close());
  const polled = { firstSeenMs: NOW_MS, polledAtMs: NOW_MS, isFollowed: true, isCutOff: false, marketingName: null };
  await store.commit((changes) => store.resources.set(changes, resource, polled));
  let served: readonly unknown[] = [];
  const { catalog } = createTestCatalog('http://catalog.invalid', {
    http: httpOf(() => JSON.stringify(served)),
    v2: { rate: 1, burst: 1e6, quota: 1e6 },
  });
  /** Reads an answer as the poller does. */
  const read = async (json: readonly unknown[]) => {
    served = json;
    const { value, unreadable } = await readResource(resource, catalog, { lane: 'background', maxAgeMs: 0 });
    if (!Array.isArray(value)) throw new Error(`${resource} is a feed.`);
    return { value, unreadable };
  };
  let nowMs = NOW_MS;
  let currentState: CurrentState;
  let detector: EntityDetector;
  const restart = () => {
    const offers = createOfferBook([], () => undefined);
    currentState = new CurrentState(offers, store);
    detector = createEntityDetector(store, currentState, new DoubtCounts(new ManualClock()));
  };
  restart();
  return {
    /** Forgets all that is in memory alone. */
    restart,
    read,
    /** Lets time pass, so that what astonishes is believed with the next answer. */
    pass: () => {
      nowMs += APART_MS;
    },
    /** What people see of an answer: the news, the edits of posts, and what the commands list. */
    async look(json: readonly unknown[], isFirstSight = false) {
      nowMs += 1_000;
      const answer = await read(json);
      const found = await detector.inResource(resource, answer, isFirstSight, nowMs);
      await store.commit((changes) => found.save(changes));
      return {
        news: found.news.map(({ announcements: [first] }) => first),
        updates: found.updates,
        listed: currentState.seen(resource)?.announcements,
      };
    },
    postOf: (announcement: Announcement) =>
      store.commit((changes) =>
        store.posts.save(changes, {
          deliveryId: announcement.subject,
          guildId: '1',
          channelId: '10',
          messageChannelId: '10',
          messageId: '77',
          announcement,
          matches: [],
          mentionRoleIds: [],
          isPublished: false,
          look: USUAL_APPEARANCE,
          alsoTells: [],
          face: null,
          postedAtMs: NOW_MS,
        }),
      ),
  };
}

/** The subjects of the news after each answer. */
export async function newsOf(resource: Resource, first: readonly unknown[], ...answers: (readonly unknown[])[]) {
  const bot = await aBot(resource);
  await bot.look(first, true);
  const found: (string | undefined)[][] = [];
  for (const answer of answers) found.push((await bot.look(answer)).news.map((one) => one?.subject));
  return found;
}
