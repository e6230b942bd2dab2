import { describe, expect, test } from 'vitest';
import type { Announcement, AnnouncementKind } from '../../../src/deals/announcement.ts';
import { monkeychatParts } from '../../../src/deals/monkeychat.ts';
import {
  aBot,
  at,
  DEALCAST,
  ENTITY,
  EVENT,
  type Json,
  MONKEYCHAT,
  POLL,
  type Resource,
} from '../../helpers/entity-bot.ts';
import { sampled } from '../../helpers/sampled.ts';
import { NOW_MS, uuid } from '../../helpers/things.ts';

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
  polls: /^Questions\.0\.Text (a text|a long text|the year 1|long ago)$/,
};

/** What is believed after two answers that say this of something: what can't be read is as before. */
function believed(
  { item: before }: Announcement,
  { value: [says], unreadable }: Awaited<ReturnType<Awaited<ReturnType<typeof aBot>>['read']>>,
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
  const all = pathsIn(entity).flatMap((path) =>
    ODD.map(([name, odd]) => [`${path.join('.')} ${name}`, path, odd] as const),
  );
  const cases = sampled(all, 25);

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
    expect(all.length).toBeGreaterThan(100);
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
      // An end in the past takes two answers with time between them.
      if (name.startsWith('EndDate')) bot.pass();
      const { news, listed } = await bot.look(answer);
      expect(
        listed?.map(({ item }) => comparable(item)),
        name,
      ).toEqual([comparable(believed(before, await bot.read(answer)))]);
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

test('one odd answer about an event that is over is no news, and edits nothing', async () => {
  const over = { ...EVENT, EndDate: at(NOW_MS - 1) };
  const bot = await aBot('events');
  await bot.look([EVENT], true);
  for (let answers = 0; answers < 3; answers += 1) {
    await bot.look([over]);
    bot.pass();
  }
  const seen: string[] = [];
  for (const path of sampled(pathsIn(over), 4)) {
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

const bySubject = (one: Announcement, other: Announcement) => (one.subject < other.subject ? -1 : 1);
