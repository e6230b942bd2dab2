import { describe, expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { createEntityDetector, type EntityDetector } from '../../../src/announcements/detect/detect-entities.ts';
import { KINDS } from '../../../src/announcements/kinds/index.ts';
import type { Unreadable } from '../../../src/catalog/catalog.ts';
import { DoubtCounts } from '../../../src/catalog/doubt-counts.ts';
import { parseDealcasts } from '../../../src/catalog/v2/dealcasts.ts';
import { parseEvents } from '../../../src/catalog/v2/events.ts';
import { parseMonkeychats } from '../../../src/catalog/v2/monkeychats.ts';
import { parsePolls } from '../../../src/catalog/v2/polls.ts';
import type { Announcement, AnnouncementKind } from '../../../src/deals/announcement.ts';
import { USUAL_LOOK } from '../../../src/deals/look.ts';
import { monkeychatParts } from '../../../src/deals/monkeychat.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { HOUR_MS, NOW_MS, uuid } from '../../helpers/things.ts';

type Json = Record<string, unknown>;
type Resource = 'events' | 'dealcasts' | 'polls' | 'monkeychats';

const at = (ms: number) => new Date(ms).toISOString();

const EVENT = {
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

const DEALCAST = {
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

const POLL = {
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

const MONKEYCHAT = {
  Id: 'm1',
  Title: 'Two talk',
  Text: 'They talk',
  Site: 'www.example.com',
  Url: 'https://www.example.com/monkeychats/1',
  Photo: 'https://pictures.example.com/4.jpg',
  StartDate: at(NOW_MS - HOUR_MS),
  Lines: [{ Character: 'A', Text: 'Hello' }],
};

const READING = {
  events: (json: unknown) => announced(parseEvents(json), (item) => KINDS['event-started'].announce(item)),
  dealcasts: (json: unknown) => announced(parseDealcasts(json), (item) => KINDS['new-dealcast'].announce(item)),
  polls: (json: unknown) => announced(parsePolls(json), (item) => KINDS['new-poll'].announce(item)),
  monkeychats: (json: unknown) => announced(parseMonkeychats(json), (item) => KINDS['new-monkeychat'].announce(item)),
};

const ENTITY: Readonly<Record<Resource, Json>> = {
  events: EVENT,
  dealcasts: DEALCAST,
  polls: POLL,
  monkeychats: MONKEYCHAT,
};

function announced<T>(
  { value, unreadable }: { value: T[]; unreadable?: Unreadable | undefined },
  announce: (item: T) => Announcement,
) {
  return { value: value.map(announce), unreadable };
}

/** A bot that reads one resource. */
async function aBot(resource: Resource) {
  const store = await openStore(temporaryState(), new ManualClock());
  onTestFinished(() => store.close());
  const polled = { firstSeenMs: NOW_MS, polledAtMs: NOW_MS, isFollowed: true, isCutOff: false, marketingName: null };
  await store.commit((changes) => store.resources.save(changes, resource, polled));
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
    /** What people see of an answer: the news, the edits of posts, and what the commands list. */
    async look(json: readonly unknown[], isFirstSight = false) {
      nowMs += 1_000;
      const answer = READING[resource](structuredClone(json));
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
          look: USUAL_LOOK,
          alsoTells: [],
          face: null,
          postedAtMs: NOW_MS,
        }),
      ),
  };
}

/** The kind that announces what a resource has. */
const NEWS: Readonly<Record<Resource, AnnouncementKind>> = {
  events: 'event-started',
  dealcasts: 'new-dealcast',
  polls: 'new-poll',
  monkeychats: 'new-monkeychat',
};

/** Something of the same form that is not the same. */
const ANOTHER: Readonly<Record<Resource, (number: number) => Json>> = {
  events: (number) => ({
    ...EVENT,
    Id: uuid(number),
    Offers: EVENT.Offers.map((offer, place) => ({ ...offer, Id: uuid(number * 100 + place) })),
  }),
  dealcasts: (number) => ({
    ...DEALCAST,
    Title: `Video ${number}`,
    BlogUrl: `https://www.example.com/blog/${number}`,
    DiscussionUrl: `https://forums.example.com/v/${number}`,
    Mp4Url: `https://video.example.com/${number}.mp4`,
    YouTubeUrl: `https://video.example.com/${number}`,
  }),
  polls: (number) => ({
    ...POLL,
    DiscussionUrl: `https://forums.example.com/p/${number}`,
    Questions: [{ ...POLL.Questions[0], Text: `Tea or coffee, ${number}?` }],
  }),
  monkeychats: (number) => ({
    ...MONKEYCHAT,
    Id: `m${number}`,
    Title: `${number} talk`,
    Url: `https://www.example.com/monkeychats/${number}`,
  }),
};

/** What may stand in a field once although the entity is as it was. */
const ODD: readonly [string, unknown][] = [
  ['absent', undefined],
  ['null', null],
  ['empty', ''],
  ['a text', 'odd'],
  ['a number', 7],
  ['zero', 0],
  ['negative', -1],
  ['huge', 1e15],
  ['true', true],
  ['a list', []],
  ['a list of null', [null]],
  ['an object', {}],
  ['a long text', 'x'.repeat(200_000)],
  ['odd characters', '\u0000\uD800\u202E'],
  ['the year 1', '0001-01-01T00:00:00Z'],
  ['long ago', '2001-01-01T00:00:00Z'],
];

/** The paths of all fields of an entity, into its lists and objects. */
function pathsIn(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return path.length > 0 ? [path] : [];
  const inside = Object.entries(value).flatMap(([key, part]) => {
    return pathsIn(part, [...path, Array.isArray(value) ? Number(key) : key]);
  });
  return path.length > 0 ? [path, ...inside] : inside;
}

function withOdd(entity: Json, path: readonly (string | number)[], odd: unknown): Json {
  const copy = structuredClone(entity);
  let place: Record<string | number, unknown> = copy;
  for (const key of path.slice(0, -1)) place = place[key] as typeof place;
  const last = path.at(-1) ?? '';
  if (odd === undefined && !Array.isArray(place)) delete place[last];
  else place[last] = odd;
  return copy;
}

/** What can't be told from something else, as it has no name but this. */
const IS_ANOTHER: Readonly<Partial<Record<Resource, RegExp>>> = {
  dealcasts: /^StartDate long ago$/,
  polls: /^Questions\.0\.Text (a text|a long text|odd characters|the year 1|long ago)$/,
};

/** What is believed after two answers that say this of something: what can't be read is as before. */
function believed(
  { item: before }: Announcement,
  { value: [says], unreadable }: ReturnType<(typeof READING)[Resource]>,
): Announcement['item'] {
  if (!says) return before;
  const item = withUnread(says.item, before, unreadable?.fields?.get(says.subject) ?? []);
  if (!('offers' in item && 'offers' in before)) return item;
  const lost = unreadable?.offers?.get(says.subject);
  const offers = item.offers.map((offer) => {
    const was = before.offers.find(({ id }) => id === offer.id) ?? offer;
    return lost?.ids.includes(offer.id) ? was : withUnread(offer, was, lost?.fields?.get(offer.id) ?? []);
  });
  const lacked = before.offers.filter(({ id }) => !offers.some((offer) => offer.id === id));
  const unread = lacked.filter(({ id }) => lost?.ids.includes(id));
  // An item without an id may be any of them.
  const hidden = lacked.filter((offer) => !unread.includes(offer)).slice(0, lost?.nameless ?? 0);
  return { ...item, offers: [...offers, ...unread, ...hidden] };
}

function withUnread<T extends object>(says: T, before: T, unread: readonly string[]): T {
  return { ...says, ...Object.fromEntries(unread.map((field) => [field, before[field as keyof T]])) };
}

/** What people see of it, whatever its order. */
function comparable(item: Announcement['item']): unknown {
  if ('raw' in item) return monkeychatParts(item);
  return 'offers' in item ? { ...item, offers: item.offers.toSorted((a, b) => (a.id < b.id ? -1 : 1)) } : item;
}

/** What is believed at once although it is odd: it takes nothing away, or says that an offer is sold out. */
const AT_ONCE = [
  /^Offers\.\d\.SoldOut true$/,
  /^Offers\.\d\.Items\.0\.SalePrice a number$/,
  /^Offers\.\d\.PercentageRemaining huge$/,
  /^(Offers\.\d\.Rank|Views) (a number|zero|huge)$/,
  /^Questions\.0\.Responses\.\d\.VoteCount huge$/,
  /^Questions\.0\.Responses\.2\.VoteCount a number$/,
];

describe.each(Object.keys(ENTITY) as Resource[])('one odd answer about %s', (resource) => {
  const entity = ENTITY[resource];
  const other = (number: number): Json =>
    ({
      events: { ...EVENT, Id: uuid(number), Offers: [] },
      dealcasts: {
        ...DEALCAST,
        Title: `Video ${number}`,
        BlogUrl: `https://www.example.com/blog/${number}`,
        YouTubeUrl: null,
        Mp4Url: null,
        DiscussionUrl: null,
      },
      polls: {
        ...POLL,
        DiscussionUrl: null,
        Questions: [{ Text: `Which ${number}?`, Responses: [{ Text: `${number}` }] }],
      },
      monkeychats: { Id: `m${number}`, Title: `Talk ${number}` },
    })[resource];
  const cases = pathsIn(entity).flatMap((path) =>
    ODD.map(([name, odd]) => [`${path.join('.')} ${name}`, path, odd] as const),
  );

  test('changes nothing that anybody sees, whatever field it is in', async () => {
    const seen: string[] = [];
    const bot = await aBot(resource);
    const whole = [entity, other(7)];
    await bot.look(whole, true);
    const before = await bot.look(whole);
    for (const [name, path, odd] of cases) {
      const during = await bot.look([withOdd(entity, path, odd), other(7)]);
      const after = await bot.look(whole);
      if (during.news.length > 0 || after.news.length > 0) seen.push(`${name}: news`);
      if (AT_ONCE.some((form) => form.test(name))) {
        await bot.look(whole);
        continue;
      }
      if (during.updates.length > 0 || after.updates.length > 0) seen.push(`${name}: an edit`);
      const listed = JSON.stringify(during.listed?.toSorted(bySubject));
      if (listed !== JSON.stringify(before.listed?.toSorted(bySubject))) seen.push(`${name}: another list`);
    }
    expect(cases.length).toBeGreaterThan(100);
    expect(seen).toEqual([]);
  });

  test('makes one piece of news where it is the first about something', async () => {
    const seen: string[] = [];
    const bot = await aBot(resource);
    await bot.look([], true);
    for (const [index, [name, path, odd]] of cases.entries()) {
      const one = ANOTHER[resource](index + 1_000);
      const kinds: unknown[] = [];
      bot.restart();
      for (const answer of [withOdd(one, path, odd), one, one, one]) {
        kinds.push(...(await bot.look([answer])).news.map((news) => news?.kind));
      }
      const times = kinds.filter((kind) => kind === NEWS[resource]).length;
      if (times !== (IS_ANOTHER[resource]?.test(name) ? 2 : 1)) seen.push(`${name}: ${times}`);
    }
    expect(seen).toEqual([]);
  });

  test('is believed where a second one says the same, as far as it can be read', async () => {
    const bot = await aBot(resource);
    await bot.look([entity], true);
    const [before] = (await bot.look([entity])).listed ?? [];
    if (!before) throw new Error('It is not listed.');
    for (const [name, path, odd] of cases) {
      const answer = [withOdd(entity, path, odd)];
      await bot.look(answer);
      const { news, listed } = await bot.look(answer);
      expect(
        listed?.map(({ item }) => comparable(item)),
        name,
      ).toEqual([comparable(believed(before, READING[resource](answer)))]);
      const isNews = news.some((one) => one?.kind === NEWS[resource]);
      expect(isNews, name).toBe(resource === 'polls' && IS_ANOTHER.polls?.test(name) === true);
      for (let again = 0; again < 3; again += 1) await bot.look([entity]);
    }
  });

  test('hides no news that comes with it', async () => {
    const bot = await aBot(resource);
    await bot.look([entity], true);
    const [path = []] = pathsIn(entity);
    expect((await bot.look([withOdd(entity, path, null), other(8)])).news).toHaveLength(1);
    expect((await bot.look([entity, other(8)])).news).toEqual([]);
  });

  test('after a restart announces nothing a second time that was posted', async () => {
    const seen: string[] = [];
    const bot = await aBot(resource);
    await bot.look([], true);
    const { news } = await bot.look([entity]);
    expect(news).toHaveLength(1);
    for (const one of news) await bot.postOf(one);
    const own = cases.filter(([, path]) => path[0] !== 'Offers');
    for (const [name, path, odd] of own) {
      bot.restart();
      const during = await bot.look([withOdd(entity, path, odd)]);
      const after = await bot.look([entity]);
      if (during.news.length + after.news.length > 0) seen.push(name);
    }
    expect(seen).toEqual([]);
  });
});

/** The subjects of the news after each answer. */
async function newsOf(resource: Resource, first: readonly unknown[], ...answers: (readonly unknown[])[]) {
  const bot = await aBot(resource);
  await bot.look(first, true);
  const found: (string | undefined)[][] = [];
  for (const answer of answers) found.push((await bot.look(answer)).news.map((one) => one?.subject));
  return found;
}

test('one odd answer about an event that is over is no news, and edits nothing', async () => {
  const over = { ...EVENT, EndDate: at(NOW_MS - 1) };
  const bot = await aBot('events');
  await bot.look([EVENT], true);
  for (let answers = 0; answers < 3; answers += 1) await bot.look([over]);
  const seen: string[] = [];
  for (const path of pathsIn(over)) {
    for (const [name, odd] of ODD) {
      const [during, after] = [await bot.look([withOdd(over, path, odd)]), await bot.look([over])];
      const isEdited = during.updates.length + after.updates.length > 0;
      const isAtOnce = AT_ONCE.some((form) => form.test(`${path.join('.')} ${name}`));
      if (during.news.length + after.news.length > 0 || (isEdited && !isAtOnce)) seen.push(`${path.join('.')} ${name}`);
      if (isAtOnce) await bot.look([over]);
    }
  }
  expect(seen).toEqual([]);
});

describe('what takes the place of something like it', () => {
  test('a dealcast with the same address that starts later is news once two answers show it', async () => {
    const later = { ...DEALCAST, StartDate: at(NOW_MS - 1) };
    expect(await newsOf('dealcasts', [DEALCAST], [later], [later], [later])).toEqual([[], [expect.anything()], []]);
    expect(await newsOf('dealcasts', [DEALCAST], [later, DEALCAST], [later]), 'both at once').toEqual([
      [expect.anything()],
      [],
    ]);
  });

  test('a dealcast that loses its start or an address for good is no news, nor when it has them again', async () => {
    const bare = { ...DEALCAST, StartDate: null, BlogUrl: null };
    expect(await newsOf('dealcasts', [DEALCAST], [bare], [bare], [bare], [DEALCAST])).toEqual([[], [], [], []]);
  });

  test('another poll in the same discussion is news once two answers show it', async () => {
    const next = { ...POLL, Questions: [{ Text: 'Milk?', Responses: [{ Text: 'Yes' }] }] };
    expect(await newsOf('polls', [POLL], [next], [next], [next])).toEqual([[], [expect.anything()], []]);
  });

  test('another exchange with the same link is news once two answers show it', async () => {
    const next = { ...MONKEYCHAT, Id: 'm2', Text: 'Others talk' };
    expect(await newsOf('monkeychats', [MONKEYCHAT], [next], [next], [next])).toEqual([[], [expect.anything()], []]);
  });

  test('what is unlike all that was there is news at once', async () => {
    const polls = [POLL, { Questions: [{ Text: 'Milk?', Responses: [{ Text: 'Yes' }] }] }];
    expect(await newsOf('polls', polls.slice(0, 1), polls.slice(1))).toEqual([[expect.anything()]]);
  });
});

describe('the first answer about something new', () => {
  const event = (changes: Json) => ({ ...EVENT, Offers: [], ...changes });
  const over = event({ EndDate: at(NOW_MS - 1) });
  const later = event({ StartDate: at(NOW_MS + 60_000) });

  test.each<[string, Json[], number[]]>([
    ['says that it is over, wrongly', [over, event({}), event({}), event({})], [0, 0, 1, 0]],
    ['says that it is over', [over, over, over, event({})], [0, 0, 0, 0]],
    ['can’t be told its site', [event({ Site: 7 }), event({}), event({})], [0, 1, 0]],
    ['can never be told its site', [event({ Site: 7 }), event({ Site: 7 }), event({ Site: 7 })], [0, 0, 1]],
    ['says that it begins later, and another one nothing', [later, event({ StartDate: null }), later], [0, 0, 0]],
  ])('%s', async (_, answers, news) => {
    const found = await newsOf('events', [], ...answers.map((one) => [one]));
    expect(found.map((subjects) => subjects.length)).toEqual(news);
  });

  test('that could not be read when its resource was read for the first time is no news later', async () => {
    const unread = { ...EVENT, Title: null };
    expect(await newsOf('events', [unread], [unread], [EVENT], [EVENT])).toEqual([[], [], []]);
    expect(await newsOf('events', [], [unread], [EVENT]), 'later it is').toEqual([[], [uuid(1)]]);
  });

  test('that is about to begin is listed nowhere', async () => {
    const bot = await aBot('events');
    expect((await bot.look([later])).listed).toEqual([]);
  });
});

describe('an event', () => {
  test('that is back after it was gone is live again after two answers', async () => {
    const bot = await aBot('events');
    const ends: unknown[] = [];
    for (const answer of [[EVENT], [], [], [EVENT], [], [EVENT], [EVENT]]) {
      const { listed = [] } = await bot.look(answer);
      ends.push(listed.map(({ item }) => 'endDateMs' in item && item.endDateMs === NOW_MS + 9 * HOUR_MS));
    }
    expect(ends).toEqual([[true], [true], [false], [false], [false], [false], [true]]);
  });

  test('whose offer flips between sold out and not is edited once while it flips', async () => {
    const bot = await aBot('events');
    const [offer] = EVENT.Offers;
    const soldOut = { ...EVENT, Offers: [{ ...offer, SoldOut: true }] };
    const forSale = { ...EVENT, Offers: [offer] };
    await bot.look([forSale]);
    let edits = 0;
    for (const answer of [soldOut, forSale, soldOut, forSale, soldOut])
      edits += (await bot.look([answer])).updates.length;
    expect(edits).toBe(1);
    await bot.look([forSale]);
    expect((await bot.look([forSale])).updates).toHaveLength(1);
  });
});

const bySubject = (one: Announcement, other: Announcement) => (one.subject < other.subject ? -1 : 1);
