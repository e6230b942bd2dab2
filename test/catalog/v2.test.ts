import { describe, expect, it } from 'vitest';
import type { Unreadable } from '../../src/catalog/catalog.ts';
import { type Dealcast, dealcastSubject } from '../../src/deals/dealcast.ts';
import { type Poll, pollSubject } from '../../src/deals/poll.ts';
import { createTestCatalog } from './create-test-catalog.ts';
import { dealcast, event, eventOffer, idOf, poll } from './payloads.ts';
import { readDealcasts, readEvents, readMonkeychats, readPolls } from './reading.ts';
import { inTurn, json, startScriptedCatalog } from './scripted-catalog.ts';

const LANE = { lane: 'interactive' } as const;

describe('events', () => {
  it('map every field, of offers and statistics too', async () => {
    const { value, problems } = await readEvents([event(1)]);
    expect(problems).toEqual([]);
    expect(value).toEqual([
      {
        id: idOf(1),
        type: 'Daily',
        title: 'Event 1',
        site: 'shirt.example.com',
        startDateMs: Date.parse('2026-11-21T06:00:00Z'),
        endDateMs: null,
        subtitle: null,
        writeUp: null,
        discussionUrl: null,
        manufacturerText: null,
        photos: [],
        text: null,
        url: null,
        offers: [
          {
            id: idOf(100_001),
            title: 'Shirt 100001',
            subtitle: null,
            teaser: 'Wear it.',
            writeUp: '<p>It fits.</p>',
            features: null,
            specs: null,
            url: 'https://shirt.example.com/offers/shirt-100001',
            discussionUrl: null,
            items: [
              {
                id: idOf(800_001),
                title: null,
                asin: null,
                salePrice: 19,
                listPrice: null,
                purchaseLimit: 0,
                attributes: [],
                photos: [],
              },
            ],
            photos: [],
            shippingMethods: [
              {
                name: 'Standard',
                perOrderAmount: 5,
                perEventAmount: 0,
                perItemAmount: 1.5,
                excludedStates: [],
                excludedPostalCodes: [],
                excludePOBox: false,
              },
            ],
            estimatedShipDate: 'Ships in 3 to 5 days',
            percentageRemaining: 40,
            soldOut: false,
            stats: {
              firstSucker: 'alice',
              lastPurchaseMs: Date.parse('2026-11-21T10:00:00.250Z'),
              lastBuyerToDeal: 'bob',
              overallOrderPace: 3,
              overallDealsSold: 4,
              siteOrderPace: 1,
              siteDealsSold: 2,
              percentageOfSalesPerDay: [{ key: 'Saturday', value: 100 }],
              percentageOfSalesPerHour: [
                { key: '12', value: 60 },
                { key: '12', value: 40 },
              ],
              purchaserExperience: [
                { key: 'first <time>', value: 12.5 },
                { key: '≥ 25', value: 87.5 },
              ],
              purchaserSeniority: [{ key: 'one day old', value: 1 }],
              quantityBreakdown: [
                { key: '1', value: 90 },
                { key: '2', value: 10 },
              ],
              speedToFirstDealMs: 109_399,
              dealsByState: [{ key: 'TX', value: 7 }],
            },
            artist: { name: 'Dora', avatar: null, biography: '<p>Draws.</p>' },
            wineryDetails: null,
            qualityPosts: [
              {
                username: 'carol',
                text: 'Nice.',
                formattedBody: '<p>Nice.</p>',
                postedOnMs: Date.parse('2026-11-21T09:00:00Z'),
              },
            ],
            snippet: null,
            rank: 2,
            originalStartDateMs: Date.parse('2026-11-01T06:00:00Z'),
          },
        ],
      },
    ]);
  });

  it('may be of a type that nobody knows yet, with fields that nobody knows', async () => {
    const { value, problems } = await readEvents([event(1, { Type: 'Sprint', Laps: [{ Deep: {} }] })]);
    expect([value[0]?.type, problems]).toEqual(['Sprint', []]);
  });

  it('lose a malformed offer or item without losing what holds it', async () => {
    const offers = [
      eventOffer(1),
      eventOffer(2, { Title: null, Url: null }),
      eventOffer(3, { Items: [{ Id: 'none' }] }),
      5,
    ];
    const all = [event(1, { Offers: offers }), event(2, { Id: null }), event(3), event(4, { Type: {} })];
    const { value, problems, unreadable } = await readEvents(all);
    expect(value.map(({ id }) => id)).toEqual([idOf(1), idOf(3)]);
    expect(value[0]?.offers.map(({ id }) => id)).toEqual([idOf(1), idOf(3)]);
    expect(unreadable).toEqual({
      ids: [idOf(4)],
      nameless: 1,
      offers: new Map([[idOf(1), { ids: [idOf(2), idOf(3)], nameless: 1 }]]),
    });
    expect(problems.map(({ at }) => at)).toEqual(['0.Offers.1', '0.Offers.2.Items.0', '0.Offers.3', '1', '3']);
  });

  it('name an offer without a title by the last part of its link', async () => {
    const Url = 'https://www.example.com/offers/acme-blender';
    const { value, unreadable } = await readEvents([event(1, { Offers: [eventOffer(1, { Title: null, Url })] })]);
    expect(value[0]?.offers.map(({ title }) => title)).toEqual(['acme blender']);
    expect(unreadable?.offers?.get(idOf(1))?.fields).toEqual(new Map([[idOf(1), ['title']]]));
  });

  it('take blank artists, statistics and ship dates for none', async () => {
    for (const blank of ['', null, undefined, 5, []]) {
      const offers = [eventOffer(1, { Artist: blank, Stats: blank, EstimatedShipDate: blank, Offers: blank })];
      const [offer] = (await readEvents([event(1, { Offers: offers })])).value[0]?.offers ?? [];
      expect(offer).toMatchObject({ artist: null, stats: null, estimatedShipDate: null });
    }
  });

  it('take every breakdown of statistics as a list of pairs and as an object', async () => {
    const pairs = [
      { Key: 'a', Value: 1 },
      { Key: 'b', Value: 2 },
    ];
    const names = ['percentageOfSalesPerDay', 'percentageOfSalesPerHour', 'purchaserExperience', 'purchaserSeniority'];
    for (const name of [...names, 'quantityBreakdown', 'dealsByState']) {
      const field = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      const offers = [pairs, { a: 1, b: 2 }].map((form, index) => eventOffer(index + 1, { Stats: { [field]: form } }));
      const { value } = await readEvents([event(1, { Offers: offers })]);
      const read = value[0]?.offers.map(({ stats }) => stats);
      const expected = {
        [name]: [
          { key: 'a', value: 1 },
          { key: 'b', value: 2 },
        ],
      };
      expect(read).toMatchObject([expected, expected]);
    }
  });

  it('can be had one by one; one that is not there is null', async () => {
    const service = await startScriptedCatalog(inTurn(json(event(1)), json('', 404), json(event(3, { Title: '' }))));
    const { catalog } = createTestCatalog(service.url);
    await expect(catalog.events.get(idOf(1).toUpperCase(), LANE)).resolves.toMatchObject({
      value: { title: 'Event 1' },
    });
    await expect(catalog.events.get(idOf(2), LANE)).resolves.toMatchObject({ value: null });
    await expect(catalog.events.get(idOf(3), LANE)).rejects.toMatchObject({ code: 'CATALOG_SCHEMA' });
    await expect(catalog.events.get('../polls', LANE)).rejects.toMatchObject({ status: 400 });
    expect(service.seen.map(({ path }) => path)).toEqual([1, 2, 3].map((number) => `/2/events/${idOf(number)}.json`));
  });
});

describe('an offer of an event', () => {
  it('can be had by itself; one that is not there is null', async () => {
    const service = await startScriptedCatalog(
      inTurn(json(eventOffer(1)), json('', 404), json(eventOffer(3, { Title: '', Url: '' }))),
    );
    const { catalog } = createTestCatalog(service.url);
    const [inEvent] = (await readEvents([event(1, { Offers: [eventOffer(1)] })])).value[0]?.offers ?? [];
    expect((await catalog.events.offer(idOf(1).toUpperCase(), LANE)).value).toEqual(inEvent);
    await expect(catalog.events.offer(idOf(1), LANE)).resolves.toMatchObject({ value: { id: idOf(1) } });
    await expect(catalog.events.offer(idOf(2), LANE)).resolves.toMatchObject({ value: null });
    await expect(catalog.events.offer(idOf(3), LANE)).rejects.toMatchObject({ code: 'CATALOG_SCHEMA' });
    await expect(catalog.events.offer('../polls', LANE)).rejects.toMatchObject({ status: 400 });
    expect(service.seen.map(({ path }) => path)).toEqual([1, 2, 3].map((number) => `/2/offers/${idOf(number)}.json`));
  });
});

describe('dealcasts', () => {
  it('map every field', async () => {
    expect(
      await readDealcasts([dealcast(1), dealcast(2, { Title: 3 }), dealcast(3, { Thumbnail: { Url: '/x.jpg' } })]),
    ).toMatchObject({
      value: [
        {
          title: 'Cast 1',
          site: 'www.example.com',
          startDateMs: Date.parse('2026-11-21T06:00:00Z'),
          teaser: '<p>Watch.</p>',
          text: null,
          blogUrl: 'https://www.example.com/blog/1',
          discussionUrl: 'https://forums.example.com/t/1',
          mp4Url: 'https://videos.example.com/1.mp4',
          youTubeUrl: 'https://video.example.com/watch?v=1',
          thumbnail: { url: 'https://images.example.com/cast-1.jpg', width: 176, height: 99, caption: null, tags: [] },
          views: null,
        },
        { title: 'Cast 3', thumbnail: null },
      ],
      problems: [{ at: '1' }],
    });
  });

  it('with an address or a start of another kind would be others, and are left out', async () => {
    for (const name of ['StartDate', 'BlogUrl', 'DiscussionUrl', 'Mp4Url', 'YouTubeUrl']) {
      const { value, unreadable } = await readDealcasts([dealcast(1, { [name]: {} }), dealcast(2, { [name]: null })]);
      expect([value.length, unreadable]).toEqual([1, { ids: [], nameless: 1 }]);
    }
  });

  it('come from their other path where only that answers, which is asked first from then on', async () => {
    const service = await startScriptedCatalog(({ path }, response) => {
      const isThere = path === '/2/wootcasts.json';
      json(isThere ? [dealcast(1)] : '', isThere ? 200 : 404)(service.seen[0] as never, response);
    });
    const { catalog } = createTestCatalog(service.url);
    for (let call = 0; call < 2; call += 1) {
      await expect(catalog.dealcasts.list({ ...LANE, maxAgeMs: 0 })).resolves.toMatchObject({
        value: [{ title: 'Cast 1' }],
      });
    }
    expect(service.seen.map(({ path }) => path)).toEqual([
      '/2/dealcasts.json',
      '/2/wootcasts.json',
      '/2/wootcasts.json',
    ]);
  });

  it('stay missing where no path answers, and the first path is asked first again', async () => {
    const service = await startScriptedCatalog(json('', 404));
    const { catalog } = createTestCatalog(service.url);
    for (let call = 0; call < 2; call += 1) {
      await expect(catalog.dealcasts.list(LANE)).rejects.toMatchObject({ status: 404 });
    }
    expect(service.seen.map(({ path }) => path)).toEqual([
      '/2/dealcasts.json',
      '/2/wootcasts.json',
      '/2/dealcasts.json',
      '/2/wootcasts.json',
    ]);
  });
});

describe('polls', () => {
  it('map every field; with a part that is malformed they would be others, and are left out', async () => {
    const { Questions } = poll() as { Questions: unknown[] };
    const questions = [...Questions, { Text: '' }, { Text: 'And?', Responses: [{ Text: 'Yes' }, { VoteCount: 1 }] }];
    expect(await readPolls([poll(), 'none', poll({ Questions: {} }), poll({ Questions: questions })])).toMatchObject({
      value: [
        {
          discussionUrl: 'https://forums.example.com/t/1',
          site: 'www.example.com',
          questions: [
            {
              text: 'Tea or coffee?',
              responses: [
                { text: 'Tea', voteCount: 12 },
                { text: 'Coffee', voteCount: 30 },
              ],
            },
          ],
        },
      ],
      problems: [{ at: '1' }, { at: '2' }, { at: '3.Questions.1' }, { at: '3.Questions.2.Responses.1' }],
      unreadable: { ids: [], nameless: 3 },
    });
  });
});

describe('what can’t be read is kept apart from none:', () => {
  const NO_ENTITY = { ids: [], nameless: 0 };
  const none = [undefined, null, ''];
  const fieldsIn = (unread: Unreadable | undefined) => [...(unread?.fields ?? [])];

  const TEXT = [5, true, {}, []];
  const LINK = [...TEXT, '/x', 'x'];
  const DATE = [...TEXT, 'soon', '0001-01-01T00:00:00', '2150-01-01T00:00:00Z'];
  const LIST = [5, 'x', true, {}];
  const PART = [5, 'x', true, []];
  const AMOUNT = ['5', true, {}, [], -1];

  const EVENT: Record<string, [string, unknown[]]> = {
    Site: ['site', TEXT],
    Subtitle: ['subtitle', TEXT],
    WriteUp: ['writeUp', TEXT],
    Text: ['text', TEXT],
    ManufacturerText: ['manufacturerText', TEXT],
    Url: ['url', LINK],
    DiscussionUrl: ['discussionUrl', LINK],
    StartDate: ['startDateMs', DATE],
    EndDate: ['endDateMs', DATE],
    Offers: ['offers', LIST],
    Photos: ['photos', [...LIST, [{ Url: '/x' }]]],
  };
  it.each(Object.entries(EVENT))('%s of an event', async (name, [field, odd]) => {
    for (const value of none) expect((await readEvents([event(1, { [name]: value })])).unreadable).toBeUndefined();
    for (const value of odd) {
      const { unreadable, problems } = await readEvents([event(1, { [name]: value }), event(2)]);
      expect([problems, unreadable]).toEqual([[], { ...NO_ENTITY, fields: new Map([[idOf(1), [field]]]) }]);
    }
  });

  const item = (fields: object) => [{ Id: idOf(5), SalePrice: 19, ListPrice: null, ...fields }];
  const OFFER: Record<string, [string, unknown[]]> = {
    Subtitle: ['subtitle', TEXT],
    Teaser: ['teaser', TEXT],
    WriteUp: ['writeUp', TEXT],
    Specs: ['specs', TEXT],
    Features: ['features', TEXT],
    Snippet: ['snippet', TEXT],
    Url: ['url', LINK],
    Stats: ['stats', PART],
    DiscussionUrl: ['discussionUrl', LINK],
    Photos: ['photos', LIST],
    Artist: ['artist', PART],
    WineryDetails: ['wineryDetails', TEXT],
    QualityPosts: ['qualityPosts', LIST],
    ShippingMethods: ['shippingMethods', [...LIST, [{ Name: 'x', PerItemAmount: 'free' }]]],
    EstimatedShipDate: ['estimatedShipDate', [...PART, { MessageBody: 5 }]],
    SoldOut: ['soldOut', [1, 'true', {}]],
    PercentageRemaining: ['percentageRemaining', AMOUNT],
    Rank: ['rank', AMOUNT],
    OriginalStartDate: ['originalStartDateMs', DATE],
    Items: ['items', [...LIST, item({ SalePrice: '5' }), item({ SalePrice: 1e6 }), item({ ListPrice: {} })]],
  };
  it.each(Object.entries(OFFER))('%s of an offer', async (name, [field, odd]) => {
    const read = (value: unknown) =>
      readEvents([event(1, { Offers: [eventOffer(1, { [name]: value }), eventOffer(2)] })]);
    for (const value of none) expect((await read(value)).unreadable).toBeUndefined();
    for (const value of odd) {
      const { unreadable, problems } = await read(value);
      const lost = { ...NO_ENTITY, fields: new Map([[idOf(1), [field]]]) };
      expect([problems, unreadable]).toEqual([[], { ...NO_ENTITY, offers: new Map([[idOf(1), lost]]) }]);
    }
  });

  it('a price of zero or less is none', async () => {
    for (const none of [0, -1, null]) {
      const Offers = [eventOffer(1, { Items: item({ SalePrice: none, ListPrice: none }) })];
      const { value, unreadable } = await readEvents([event(1, { Offers })]);
      expect([value[0]?.offers[0]?.items, unreadable]).toMatchObject([
        [{ salePrice: null, listPrice: null }],
        undefined,
      ]);
    }
  });

  const DEALCAST: Record<string, [string, unknown[]]> = {
    Site: ['site', TEXT],
    Teaser: ['teaser', TEXT],
    Text: ['text', TEXT],
    Views: ['views', AMOUNT],
    Thumbnail: ['thumbnail', [...PART, { Url: '/x.jpg' }]],
    Mp4Url: ['mp4Url', ['/x']],
    YouTubeUrl: ['youTubeUrl', ['/x']],
    StartDate: ['startDateMs', ['soon']],
  };
  it.each(Object.entries(DEALCAST))('%s of a dealcast', async (name, [field, odd]) => {
    for (const value of none)
      expect((await readDealcasts([dealcast(1, { [name]: value })])).unreadable).toBeUndefined();
    for (const value of odd) {
      const { value: read, unreadable, problems } = await readDealcasts([dealcast(2), dealcast(1, { [name]: value })]);
      const subject = dealcastSubject(read[1] as Dealcast);
      expect([problems, fieldsIn(unreadable)]).toEqual([[], [[subject, [field]]]]);
    }
  });

  it('fields of a poll', async () => {
    const Questions = [{ Text: 'Tea?', Responses: [{ Text: 'Yes', VoteCount: 'many' }] }];
    for (const [name, field, odd] of [
      ['DiscussionUrl', 'discussionUrl', '/x'],
      ['Site', 'site', 5],
      ['Questions', 'questions', Questions],
    ]) {
      const { value, unreadable } = await readPolls([poll({ [name as string]: odd })]);
      expect(fieldsIn(unreadable)).toEqual([[pollSubject(value[0] as Poll), [field]]]);
    }
    expect((await readPolls([poll({ DiscussionUrl: null, Site: '' })])).unreadable).toBeUndefined();
  });
});

describe('monkeychats', () => {
  it('hold the characters that entities stand for, but in HTML', async () => {
    const chat = { Title: 'Salt &amp; pepper', Text: '<b>a &amp; b</b>', Lines: [{ Text: 'Kids&amp;#39;' }] };
    const read = { Title: 'Salt & pepper', Text: '<b>a &amp; b</b>', Lines: [{ Text: "Kids'" }] };
    expect(await readMonkeychats([chat])).toMatchObject({ value: [{ raw: read }] });
  });

  it('are kept as they came', async () => {
    const chat = { From: 'a', To: 'b', Lines: [{ Text: 'Ook?' }] };
    expect(await readMonkeychats([chat, 7, { Title: {}, Text: null }])).toMatchObject({
      value: [{ raw: chat }],
      problems: [{ at: '1' }, { at: '2' }],
    });
  });
});
