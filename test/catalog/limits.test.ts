import { describe, expect, it } from 'vitest';
import { createTestCatalog } from './create-test-catalog.ts';
import { dealcast, event, eventOffer, feedItem, feedPage, idOf, poll } from './payloads.ts';
import { type Reading, readDealcasts, readEvents, readFeed, readMonkeychats, readPolls } from './reading.ts';
import { json, startScriptedCatalog } from './scripted-catalog.ts';

/** The rest of a value after the cut, and the reports about it: a monkeychat is kept as it comes, whatever is in it. */
async function cut(chat: Record<string, unknown>): Promise<{ left: unknown; problems: Reading<unknown>['problems'] }> {
  const { value, problems } = await readMonkeychats([{ Text: 'Ook.', ...chat }]);
  const { Text: _, ...left } = value[0]?.raw ?? {};
  return { left, problems };
}

const LONGEST_TEXTS: Readonly<Record<string, number>> = {
  Id: 100,
  OfferId: 100,
  EventId: 100,
  Type: 100,
  StartDate: 100,
  EndDate: 100,
  SoldOutOn: 100,
  PostedOn: 100,
  LastPurchase: 100,
  Condition: 200,
  Site: 200,
  Categories: 200,
  Tags: 200,
  Name: 200,
  Key: 200,
  Username: 200,
  MarketingName: 200,
  ExcludedStates: 50,
  ExcludedPostalCodes: 50,
  Title: 1_000,
  FullTitle: 1_000,
  Value: 1_000,
  Slug: 1_000,
  Caption: 1_000,
  MessagePrefix: 1_000,
  MessageBody: 1_000,
  Subtitle: 2_000,
};
const LONGEST_LISTS: Readonly<Record<string, number>> = {
  Offers: 500,
  Items: 500,
  Questions: 50,
  Responses: 100,
  Categories: 50,
  Attributes: 50,
  Tags: 50,
  ShippingMethods: 50,
  ExcludedPostalCodes: 10_000,
};

describe('what is over a limit is cut where it stands, and said', () => {
  it.each(Object.entries({ ...LONGEST_TEXTS, WriteUp: 100_000 }))('a text of the field %s: %i', async (field, most) => {
    const text = 'a'.repeat(most);
    expect(await cut({ [field]: text })).toEqual({ left: { [field]: text }, problems: [] });
    expect(await cut({ within: [{ [field]: [`${text}b`] }] })).toEqual({
      left: { within: [{ [field]: [text] }] },
      problems: [{ at: `0.within.0.${field}.0`, reason: `${most + 1} characters, ${most} at most`, isCut: true }],
    });
  });

  it.each(Object.entries({ ...LONGEST_LISTS, Photos: 200 }))('a list of the field %s: %i', async (field, most) => {
    const list = Array.from({ length: most }, (_, index) => index);
    expect(await cut({ [field]: [...list] })).toEqual({ left: { [field]: list }, problems: [] });
    expect(await cut({ [field]: [...list, 1] })).toEqual({
      left: { [field]: list },
      problems: [{ at: `0.${field}`, reason: `${most + 1} entries, ${most} at most`, isCut: true }],
    });
  });

  it.each(['Url', 'ForumUrl', 'YouTubeUrl', 'Photo', 'Avatar'])(
    'a link in %s that is too long leads nowhere',
    async (field) => {
      const link = `https://a.example.com/${'a'.repeat(2_000 - 22)}`;
      expect(await cut({ [field]: link })).toEqual({ left: { [field]: link }, problems: [] });
      expect(await cut({ [field]: `${link}a` })).toMatchObject({
        left: { [field]: null },
        problems: [{ at: `0.${field}` }],
      });
    },
  );

  it('fields', async () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]));
    expect(await cut({ in: fields(200) })).toEqual({ left: { in: fields(200) }, problems: [] });
    const over = await cut({ in: fields(201) });
    expect(over).toEqual({
      left: { in: fields(200) },
      problems: [{ at: '0.in', reason: '201 fields, 200 at most', isCut: true }],
    });
  });

  it('depth', async () => {
    const nested = (depth: number): Record<string, unknown> => (depth === 0 ? {} : { in: nested(depth - 1) });
    expect(await cut(nested(12))).toEqual({ left: nested(12), problems: [] });
    expect((await cut(nested(13))).problems).toMatchObject([{ reason: 'deeper than 12' }]);
  });

  it('leaves no half of a character', async () => {
    expect((await cut({ Id: `${'a'.repeat(99)}\u{1F381}` })).left).toEqual({ Id: 'a'.repeat(99) });
  });

  it('names no field that may be any text', async () => {
    const [problem] = (await cut({ 'Call 555 now': ['a'.repeat(100_001)] })).problems;
    expect(problem?.at).toBe('0.?.0');
  });
});

describe('an answer', () => {
  it('of a feed: 10,000 items are read, and with more it counts as cut off', async () => {
    const items = Array.from({ length: 10_001 }, (_, number) => feedItem(number));
    const whole = await readFeed(feedPage(items.slice(0, 10_000)));
    expect(whole).toMatchObject({ problems: [], value: { offers: { length: 10_000 } } });
    expect(whole.unreadable).toBeUndefined();
    const { value, problems, unreadable } = await readFeed(feedPage(items));
    expect(value.offers).toHaveLength(10_000);
    expect([value.isCutOff, unreadable]).toEqual([true, { ids: [], nameless: Number.POSITIVE_INFINITY }]);
    expect(problems).toMatchObject([{ reason: '10001 items, 10000 at most', isCut: true }]);
  });

  it('with a category path of 1 MB is read with what is left of it', async () => {
    const { value, problems } = await readFeed([feedItem(1, { Categories: ['HOME', 'a/'.repeat(500_000)] })]);
    expect(value.offers[0]?.categories).toEqual(['HOME', 'a/'.repeat(100)]);
    expect(problems).toMatchObject([{ at: '0.Categories.1', isCut: true }]);
  });

  it('with the name of a feed that is too long', async () => {
    const { value, problems } = await readFeed({ Items: [], MarketingName: 'a'.repeat(201) });
    expect([value.marketingName, problems.length]).toEqual(['a'.repeat(200), 1]);
  });

  it.each<[string, (json: unknown) => Promise<Reading<unknown[]>>, (number: number) => unknown]>([
    ['events', readEvents, (number) => event(number, { Offers: [] })],
    ['dealcasts', readDealcasts, (number) => dealcast(number)],
    ['polls', readPolls, () => poll()],
    ['monkeychats', readMonkeychats, (number) => ({ Id: number })],
  ])('of %s: 1,000 are read; with more, none that is missing is gone', async (_, read, make) => {
    const all = Array.from({ length: 1_001 }, (_, number) => make(number));
    const whole = await read(all.slice(1));
    expect([whole.value.length, whole.unreadable]).toEqual([1_000, undefined]);
    expect(await read(all)).toMatchObject({
      value: { length: 1_000 },
      unreadable: { nameless: Number.POSITIVE_INFINITY },
    });
  });

  it('of things: one that is longer than 200,000 characters is left out', async () => {
    const chat = (length: number) => ({ a: 'a'.repeat(99_000), b: 'b'.repeat(99_000), c: 'c'.repeat(length) });
    const around = JSON.stringify({ raw: chat(0) }).length;
    expect((await readMonkeychats([chat(200_000 - around)])).value).toHaveLength(1);
    expect(await readMonkeychats([chat(200_001 - around)])).toMatchObject({
      value: [],
      problems: [{ at: '0', reason: '200001 characters, 200000 at most', isCut: true }],
      unreadable: { nameless: 1 },
    });
    const responses = Array.from({ length: 3 }, () => ({ Text: 'a'.repeat(99_000) }));
    expect((await readPolls([poll({ Questions: [{ Text: 'a', Responses: responses }] })])).value).toEqual([]);
  });

  it('with an event that is longer than 1,000,000 characters: offers keep their places before their texts', async () => {
    const Photos = Array.from({ length: 11 }, (_, number) => ({ Url: `https://images.example.com/${number}.jpg` }));
    const eventOf = (offers: unknown[]) => readEvents([event(1, { Photos, Offers: offers })]);
    const texts = { WriteUp: 'a'.repeat(85_000), Specs: 'b'.repeat(85_000), Stats: null, QualityPosts: [], Photos };
    const offers = (count: number, last: number) =>
      Array.from({ length: count }, (_, number) =>
        eventOffer(number, { ...texts, ...(number === count - 1 ? { Specs: 'b'.repeat(last) } : {}) }),
      );
    const length = JSON.stringify((await eventOf(offers(6, 1))).value[0]).length - 1;
    const just = await eventOf(offers(6, 1_000_000 - length));
    expect(JSON.stringify(just.value[0])).toHaveLength(1_000_000);
    expect(just.problems).toEqual([]);

    const over = await eventOf(offers(6, 1_000_001 - length));
    expect(over.problems).toMatchObject([{ at: '0', reason: '1000001 characters, 1000000 at most', isCut: true }]);
    // The event's eleventh picture goes first.
    expect([just, over].map(({ value }) => [value[0]?.photos.length, value[0]?.offers.at(-1)?.photos.length])).toEqual([
      [11, 11],
      [10, 11],
    ]);
    const [more] = (await eventOf(offers(6, 1_001_000 - length))).value;
    expect(more?.offers.map(({ writeUp }) => writeUp !== null)).toEqual([true, true, true, true, true, false]);
    expect(more?.offers.map(({ photos }) => photos.length)).toEqual([11, 11, 11, 11, 11, 1]);
    expect(JSON.stringify(more).length).toBeLessThanOrEqual(1_000_000);

    const wide = Array.from({ length: 500 }, (_, number) =>
      eventOffer(number, {
        Title: 'a'.repeat(1_000),
        Items: Array.from({ length: 50 }, (_, item) => ({ Id: idOf(item) })),
      }),
    );
    const [event1] = (await eventOf(wide)).value;
    expect(event1?.offers.length).toBeGreaterThan(50);
    expect(event1?.offers.length).toBeLessThan(500);
    expect(JSON.stringify(event1).length).toBeLessThanOrEqual(1_000_000);
  });

  it('counts 1,000 problems, however many there are', async () => {
    expect((await readFeed(Array.from({ length: 1_000 }, () => 0))).malformed).toBe(1_000);
    expect((await readFeed(Array.from({ length: 1_001 }, () => 0))).malformed).toBe(1_000);
  });
});

it('what was left out and cut of an answer is logged once for as long as it stays the same', async () => {
  const service = await startScriptedCatalog(json([feedItem(1, { Title: 'a'.repeat(1_001) })]));
  const { catalog, logged } = createTestCatalog(service.url);
  const warnings = () => logged().match(/"level":40[^\n]*/g) ?? [];
  const ask = async () => {
    const answer = await catalog.feeds.get('Home', { lane: 'background', maxAgeMs: 0 });
    return answer.malformed;
  };
  for (let call = 0; call < 3; call += 1) expect(await ask()).toBe(0);
  expect(warnings()).toHaveLength(1);
  expect(warnings()[0]).toContain('"cut":1');
  service.play(json([feedItem(1, { Title: 'a'.repeat(1_001) }), 7]));
  for (let call = 0; call < 3; call += 1) expect(await ask()).toBe(1);
  expect(warnings()).toHaveLength(2);
  expect(warnings()[1]).toContain('"malformed":1,"cut":1');
});
