import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTestCatalog } from './create-test-catalog.ts';
import { feedItem, feedPage, idOf } from './payloads.ts';
import { httpOf, readFeed } from './reading.ts';
import { json, startScriptedCatalog } from './scripted-catalog.ts';

describe('a feed', () => {
  it('is an object or a bare array', async () => {
    const items = [feedItem(1), feedItem(2)];
    const { offers, marketingName } = (await readFeed(feedPage(items))).value;
    expect(marketingName).toBe('Home & Kitchen');
    expect((await readFeed(items)).value).toEqual({ offers, marketingName: null, isCutOff: false });
  });

  it('maps every field of an item', async () => {
    expect((await readFeed([feedItem(7)])).value.offers).toEqual([
      {
        id: idOf(7),
        title: 'Kettle 7',
        subtitle: null,
        condition: 'Open Box',
        categories: ['HOME', 'HOME/Kitchen'],
        photo: 'https://images.example.com/7.jpg',
        url: 'https://home.example.com/offers/kettle-7',
        forumUrl: 'https://forums.example.com/t/7',
        startDateMs: Date.parse('2026-11-20T06:00:00Z'),
        endDateMs: Date.parse('2026-11-28T05:59:00Z'),
        salePrice: { minimum: 19.99, maximum: 24.99 },
        listPrice: { minimum: 49, maximum: 59 },
        isSoldOut: false,
        isDealOff: false,
        isFeatured: true,
        isFulfilledByPartner: false,
        isAvailableOnMobileAppOnly: false,
        site: 'Home',
      },
    ]);
  });

  it('takes null and "" for none', async () => {
    const names = ['Subtitle', 'Condition', 'Photo', 'Url', 'ForumUrl', 'StartDate', 'EndDate', 'Site'];
    for (const none of [null, '']) {
      const prices = { SalePrice: null, ListPrice: null };
      const item = feedItem(7, { ...prices, ...Object.fromEntries(names.map((name) => [name, none])), Categories: [] });
      const { value, problems, unreadable } = await readFeed([item]);
      expect([problems, unreadable]).toEqual([[], undefined]);
      expect(value.offers).toEqual([
        {
          id: idOf(7),
          title: 'Kettle 7',
          subtitle: null,
          condition: null,
          categories: [],
          photo: null,
          url: null,
          forumUrl: null,
          startDateMs: null,
          endDateMs: null,
          salePrice: null,
          listPrice: null,
          site: null,
          isSoldOut: false,
          isDealOff: false,
          isFeatured: true,
          isFulfilledByPartner: false,
          isAvailableOnMobileAppOnly: false,
        },
      ]);
    }
  });

  describe('keeps what can’t be read apart from none', () => {
    /** The fields of an item that are told as unreadable, and the offer that is read. */
    async function unreadIn(item: object) {
      const { value, problems, unreadable } = await readFeed([feedItem(1), item, feedItem(3)]);
      expect([value.offers.length, problems, value.isCutOff]).toEqual([3, [], false]);
      expect(unreadable?.fields?.size ?? 0).toBeLessThanOrEqual(1);
      expect([unreadable?.ids ?? [], unreadable?.nameless ?? 0]).toEqual([[], 0]);
      return { fields: unreadable?.fields?.get(idOf(2)), offer: value.offers[1] };
    }

    it('where it is absent', async () => {
      const { fields, offer } = await unreadIn({ OfferId: idOf(2), Title: 'Kettle' });
      expect(fields).toEqual([
        'condition',
        'categories',
        'photo',
        'url',
        'startDateMs',
        'endDateMs',
        'salePrice',
        'listPrice',
      ]);
      expect(offer).toMatchObject({ condition: null, categories: [], salePrice: null, isSoldOut: false });
    });

    it('but not where the specification lets it be absent', async () => {
      const { fields } = await unreadIn(
        feedItem(2, {
          Subtitle: undefined,
          ForumUrl: undefined,
          Site: undefined,
          IsSoldOut: undefined,
          IsDealOff: undefined,
          IsFeatured: undefined,
          IsFulfilledByPartner: undefined,
          IsAvailableOnMobileAppOnly: undefined,
        }),
      );
      expect(fields).toBeUndefined();
    });

    const TEXTS = { Subtitle: 'subtitle', Condition: 'condition', Site: 'site' };
    const LINKS = { Photo: 'photo', Url: 'url', ForumUrl: 'forumUrl' };
    const DATES = { StartDate: 'startDateMs', EndDate: 'endDateMs' };
    const PRICES = { SalePrice: 'salePrice', ListPrice: 'listPrice' };
    const FLAGS = {
      IsSoldOut: 'isSoldOut',
      IsDealOff: 'isDealOff',
      IsFeatured: 'isFeatured',
      IsFulfilledByPartner: 'isFulfilledByPartner',
      IsAvailableOnMobileAppOnly: 'isAvailableOnMobileAppOnly',
    };
    const cases: [Record<string, string>, unknown[]][] = [
      [TEXTS, [5, true, {}, []]],
      [{ Categories: 'categories' }, [null, '', 'HOME', 5, {}, [5], ['HOME', null]]],
      [LINKS, [5, true, {}, [], 'kettle', '/kettle', 'javascript:alert(1)']],
      [DATES, [5, true, {}, [], 'soon', '0001-01-01T00:00:00', '2026-02-30', '2150-01-01T00:00:00Z']],
      [PRICES, [1e6, '5 to 6', '5,0', '', true, {}, [], { Minimum: '5' }, { Minimum: 5, Maximum: 1e6 }]],
      [FLAGS, [null, '', 'true', 1, 0, {}, []]],
    ];
    it.each(
      cases.flatMap(([names, values]) =>
        Object.entries(names).flatMap(([name, field]) => values.map((value) => [name, value, field] as const)),
      ),
    )('where %s is %j', async (name, value, field) => {
      expect((await unreadIn(feedItem(2, { [name]: value }))).fields).toEqual([field]);
    });

    it.each([
      [20, 20],
      ['20', 20],
      [' $1,299.50 ', 1299.5],
    ])('only as a range where SalePrice is %j: it is read as a price', async (price, dollars) => {
      const { fields, offer } = await unreadIn(feedItem(2, { SalePrice: price }));
      expect(offer).toMatchObject({ salePrice: { minimum: dollars, maximum: dollars } });
      expect(fields).toEqual(['salePrice as a range']);
    });

    it('of the item that is kept, where several share an id', async () => {
      const odd = feedItem(1, { Condition: 5 });
      expect((await readFeed([feedItem(1), odd])).unreadable).toBeUndefined();
      expect((await readFeed([odd, feedItem(1)])).unreadable?.fields).toEqual(new Map([[idOf(1), ['condition']]]));
    });
  });

  it.each<[string, unknown]>([
    ['no object', 'kettle'],
    ['null', null],
    ['a list', [1]],
    ['no id', feedItem(2, { OfferId: undefined })],
    ['an id that is none', feedItem(2, { OfferId: 'kettle' })],
    ['a number for an id', feedItem(2, { OfferId: 5 })],
    ['no title and no link', feedItem(2, { Title: undefined, Url: null })],
    ['an empty title and a link without a path', feedItem(2, { Title: ' ', Url: 'https://home.example.com/' })],
  ])('leaves an item out that is malformed (%s), and goes on with the rest', async (_, malformed) => {
    const { value, problems } = await readFeed([feedItem(1), malformed, feedItem(3)]);
    expect(value.offers.map(({ id }) => id)).toEqual([idOf(1), idOf(3)]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ at: '1', reason: expect.stringMatching(/\S/) });
  });

  it.each([undefined, null, '', ' ', '&nbsp;', '&#x200B;\u200E', {}, 5])(
    'names an item whose title is %j by the last part of its link, and notes that',
    async (Title) => {
      const Url = 'https://home.example.com/offers/acme-caf%C3%A9_9000/?from=feed';
      const { value, unreadable, problems } = await readFeed([feedItem(1), feedItem(2, { Title, Url })]);
      expect(value.offers.map(({ title }) => title)).toEqual(['Kettle 1', 'acme café 9000']);
      expect([unreadable?.fields, problems]).toEqual([new Map([[idOf(2), ['title']]]), []]);
    },
  );

  it('names an item whose link can’t be decoded by that part as it is', async () => {
    const item = feedItem(2, { Title: null, Url: 'https://home.example.com/offers/100%-wool' });
    expect((await readFeed([item])).value.offers.map(({ title }) => title)).toEqual(['100% wool']);
  });

  it('keeps one of several items with the same id, however that is written', async () => {
    const twice = [feedItem(1), feedItem(2), feedItem(1, { Title: 'Again' }), feedItem(1)];
    expect((await readFeed(twice)).value.offers.map(({ title }) => title)).toEqual(['Kettle 1', 'Kettle 2']);
    const id = 'ABCDEF00-0000-4000-8000-000000000000';
    const spelled = [id, id.toLowerCase()].map((OfferId) => feedItem(1, { OfferId }));
    const { offers } = (await readFeed(spelled)).value;
    expect(offers.map((offer) => offer.id)).toEqual([id.toLowerCase()]);
  });

  it.each(['OfferId', 'offerid', 'Id', 'ID'])('tells the ids of malformed items that stand in %s', async (name) => {
    const id = 'ABCDEF00-0000-4000-8000-000000000000';
    const { value, unreadable } = await readFeed([
      feedItem(1),
      { ...feedItem(2), OfferId: 5, Title: 5, [name]: ` ${id} ` },
    ]);
    expect(unreadable).toEqual({ ids: [id.toLowerCase()], nameless: 0 });
    expect(value.isCutOff).toBe(false);
  });

  it.each([[null], ['kettle'], [[idOf(2)]], [{ Title: 'Kettle', Win: idOf(2) }], [{ OfferId: 'kettle' }]])(
    'counts the items that can not be told: %j',
    async (item) => {
      const { value, unreadable } = await readFeed([feedItem(1), item, item]);
      expect([value.isCutOff, unreadable]).toEqual([false, { ids: [], nameless: 2 }]);
    },
  );

  it('is cut off from 5,000 items on, malformed ones included', async () => {
    const items = Array.from({ length: 4999 }, (_, number) => feedItem(number));
    expect((await readFeed(feedPage(items))).value.isCutOff).toBe(false);
    expect((await readFeed(feedPage([...items, { OfferId: idOf(4999) }]))).value.isCutOff).toBe(true);
  });

  it('may be empty', async () => {
    expect(await readFeed(feedPage([]))).toEqual({
      value: { marketingName: 'Home & Kitchen', offers: [], isCutOff: false },
      malformed: 0,
      problems: [],
    });
  });
});

describe('a long feed', () => {
  const LONG = Array.from({ length: 2_000 }, (_, number) =>
    number % 100 === 7 ? { Title: 'Lost' } : feedItem(number),
  );

  /** Counts the turns that everybody else gets while `work` goes on. */
  async function turnsDuring(work: Promise<unknown>): Promise<number> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    let turns = 0;
    await Promise.resolve();
    for (; !isOver; turns += 1) await nextTurn();
    return turns;
  }

  it('is read in slices, between which everybody else gets a turn', async () => {
    const short = await turnsDuring(readFeed(feedPage(LONG.slice(0, 250))));
    expect(await turnsDuring(readFeed(feedPage(LONG)))).toBeGreaterThanOrEqual(short + 7);
  });

  it('has each item checked by itself, told by its place in the whole', async () => {
    const { value, problems, malformed } = await readFeed(feedPage(LONG));
    expect(value.offers).toHaveLength(1_980);
    expect(value.offers.at(-1)?.id).toBe(idOf(1_999));
    expect(problems.map(({ at }) => at)).toEqual(Array.from({ length: 5 }, (_, index) => String(index * 100 + 7)));
    expect(malformed).toBe(20);
  });

  it('is read no further when nobody wants it any more, and nothing of it is kept', async () => {
    const text = JSON.stringify(feedPage(LONG));
    let sent = 0;
    const http = httpOf(() => {
      sent += 1;
      return text;
    });
    const { catalog, logged } = createTestCatalog('http://catalog.invalid', { http });
    const caller = new AbortController();
    const reason = new Error('Never mind.');
    const asked = expect(catalog.feeds.get('Home', { lane: 'background', signal: caller.signal })).rejects.toBe(reason);
    // It has come, and not all of its eight slices are read.
    while (sent === 0) await nextTurn();
    await nextTurn();
    caller.abort(reason);
    await asked;
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(logged()).not.toContain('"malformed":');
    await catalog.feeds.get('Home', { lane: 'background' });
    expect(sent).toBe(2);
    expect(logged()).toContain('"malformed":');
  });
});

describe('feeds.get', () => {
  it('counts malformed items and logs them once, with index and reason and none of their text', async () => {
    const service = await startScriptedCatalog(json([feedItem(1), { Title: 'Whatever it is' }, 'Whatever it is']));
    const { catalog, logged } = createTestCatalog(service.url);
    await expect(catalog.feeds.get('Home', { lane: 'background' })).resolves.toMatchObject({ malformed: 2 });
    const lines = logged()
      .split('\n')
      .filter((line) => line.includes('"malformed":'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"malformed":2');
    expect(lines[0]).toMatch(/"at":"1","reason":"OfferId: .*"at":"2","reason":/);
    expect(logged()).not.toContain('Whatever');
    await catalog.feeds.get('Home', { lane: 'background' });
    const warnings = logged()
      .split('\n')
      .filter((line) => line.includes('"malformed":') && line.includes('"level":40'));
    expect(warnings).toHaveLength(1);
  });

  it('asks the same feed for every way to write its name', async () => {
    const service = await startScriptedCatalog(json(feedPage([])));
    const { catalog } = createTestCatalog(service.url);
    await Promise.all(['Home', 'HOME'].map((name) => catalog.feeds.get(name, { lane: 'background' })));
    expect(service.seen.map(({ path }) => path)).toEqual(['/feed/Home']);
  });

  it.each(['', '.', '..', 'a\ud800'])('refuses the name "%s" before any request', async (name) => {
    const service = await startScriptedCatalog(json(feedPage([])));
    const { catalog } = createTestCatalog(service.url);
    await expect(catalog.feeds.get(name, { lane: 'interactive' })).rejects.toMatchObject({ status: 400 });
    expect(service.seen).toEqual([]);
  });
});
