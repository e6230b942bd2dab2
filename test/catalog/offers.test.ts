import { describe, expect, it } from 'vitest';
import { passingMs } from '../helpers/back-offs.ts';
import { createTestCatalog } from './create-test-catalog.ts';
import { idOf, offer } from './payloads.ts';
import { json, type Play, type SeenRequest, startScriptedCatalog } from './scripted-catalog.ts';

const LANE = { lane: 'interactive' } as const;

function idsOf(request: SeenRequest | undefined): string[] {
  return request?.method === 'POST' ? (JSON.parse(request.body) as string[]) : [];
}

/** Has the offers with an even number in their id. */
const evenOffers: Play = (request, response) => {
  const numberOf = (id: string) => Number(id.slice(-12));
  const single = request.path.replace('/offers/', '');
  const has = (id: string) => numberOf(id) % 2 === 0;
  if (request.method === 'POST') {
    json(
      idsOf(request)
        .filter(has)
        .map((id) => offer(numberOf(id))),
    )(request, response);
  } else json(has(single) ? offer(numberOf(single)) : 'NotFound', has(single) ? 200 : 404)(request, response);
};

async function setUp(play: Play) {
  const service = await startScriptedCatalog(play);
  const { catalog, clock } = createTestCatalog(service.url);
  return {
    service,
    catalog,
    clock,
    /** Asks for all of them within a moment. */
    getAll: async (numbers: readonly number[]) => {
      const calls = Promise.allSettled(numbers.map((number) => catalog.offers.get(idOf(number), LANE)));
      await clock.untilSleeping((ms) => ms === 5);
      await clock.advance(5);
      return calls;
    },
  };
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('offers.get', () => {
  it('asks for a single offer by itself, and maps every field', async () => {
    const { service, getAll } = await setUp(evenOffers);
    const [outcome] = await getAll([2]);
    expect(service.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET /offers/${idOf(2)}`]);
    expect(outcome).toMatchObject({ value: { malformed: 0, isStale: false } });
    expect(outcome?.status === 'fulfilled' ? outcome.value.value : null).toEqual({
      id: idOf(2),
      eventId: idOf(900_002),
      title: 'Kettle 2',
      fullTitle: 'Kettle 2, 1.7 l',
      subtitle: null,
      teaser: 'Boils.',
      url: 'https://home.example.com/offers/kettle-2',
      features: '<p>Steel</p>',
      specs: '<ul><li>1.7 l</li></ul>',
      snippet: null,
      writeUpIntro: null,
      writeUpBody: '<p>It is a kettle.</p>',
      extendedWarranty: null,
      purchaseLimit: 3,
      percentageRemaining: 70,
      isDealOff: false,
      isSoldOut: false,
      isOfferLiveNow: true,
      items: [
        {
          id: idOf(800_002),
          title: 'Red',
          salePrice: 19.99,
          listPrice: 49,
          asin: 'A1',
          purchaseLimit: null,
          attributes: [{ key: 'Color', value: 'Red' }],
          photos: [
            { url: 'https://images.example.com/red.jpg', width: 10, height: 20, caption: null, tags: ['gallery'] },
          ],
        },
      ],
      photos: [
        {
          url: 'https://images.example.com/1.jpg',
          width: 1,
          height: 2,
          caption: 'Front',
          tags: ['gallery', 'fullsize-0'],
        },
      ],
      shippingMethods: [
        {
          name: 'Standard',
          perOrderAmount: null,
          perEventAmount: null,
          perItemAmount: null,
          excludedStates: ['AK'],
          excludedPostalCodes: [],
          excludePOBox: true,
        },
      ],
    });
  });

  it('is null for a single one that is gone', async () => {
    const { getAll } = await setUp(evenOffers);
    expect(await getAll([1])).toMatchObject([{ value: { value: null } }]);
  });

  it('asks at once for all that are wanted within a moment; those left out are gone', async () => {
    const { service, getAll, catalog } = await setUp(evenOffers);
    const outcomes = await getAll([1, 2, 2, 3, 4]);
    expect(outcomes).toMatchObject([
      { value: { value: null } },
      { value: { value: { id: idOf(2) } } },
      { value: { value: { id: idOf(2) } } },
      { value: { value: null } },
      { value: { value: { id: idOf(4) } } },
    ]);
    expect(service.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /getoffers']);
    expect(service.seen[0]?.headers['content-type']).toBe('application/json');
    expect(idsOf(service.seen[0])).toEqual([1, 2, 3, 4].map(idOf));
    expect(catalog.quota().portal.spent).toBe(1);
  });

  it('asks for 25 at most in one request', async () => {
    const { service, getAll } = await setUp(evenOffers);
    const outcomes = await getAll(upTo(60));
    expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(service.seen.map((request) => idsOf(request).length).sort((a, b) => a - b)).toEqual([10, 25, 25]);
  });

  it.each([500, 504])('halves what a %i answers, and grows again step by step', async (status) => {
    const { service, getAll } = await setUp((request, response) => {
      if (idsOf(request).length > 12) json({ message: 'Too much.' }, status)(request, response);
      else evenOffers(request, response);
    });
    const outcomes = await getAll(upTo(25));
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value.value)).toHaveLength(12);
    expect(service.seen.map((request) => idsOf(request).length)).toEqual([25, 13, 12, 7, 6]);
    service.seen.length = 0;
    await getAll(upTo(46).slice(25));
    expect(service.seen.map((request) => idsOf(request).length)).toEqual([8, 8, 5]);
  });

  it('tries a batch again after a reset', async () => {
    let isFirst = true;
    const { service, getAll, clock } = await setUp((request, response) => {
      if (isFirst) response.destroy();
      else evenOffers(request, response);
      isFirst = false;
    });
    const outcomes = getAll([2, 4]);
    await clock.untilSleeping((ms) => ms === passingMs());
    await clock.advance(passingMs());
    expect(await outcomes).toMatchObject([
      { value: { value: { id: idOf(2) } } },
      { value: { value: { id: idOf(4) } } },
    ]);
    expect(service.seen.map((request) => idsOf(request).length)).toEqual([2, 2]);
  });

  it('gives a batch up when nobody waits for any of it', async () => {
    const { service, catalog, clock } = await setUp(evenOffers);
    const controller = new AbortController();
    const calls = [2, 4].map((number) => catalog.offers.get(idOf(number), { ...LANE, signal: controller.signal }));
    await clock.untilSleeping((ms) => ms === 5);
    controller.abort();
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ name: 'AbortError' })));
    await clock.advance(5);
    expect(service.seen).toEqual([]);
    expect(catalog.quota().portal.spent).toBe(0);
  });

  it.each(['', 'kettle', `${idOf(1)}/..`, `{${idOf(1)}}`])('refuses the id "%s" before any request', async (id) => {
    const { service, catalog } = await setUp(evenOffers);
    await expect(catalog.offers.get(id, LANE)).rejects.toMatchObject({ code: 'CATALOG_HTTP', status: 400 });
    expect(service.seen).toEqual([]);
  });

  it('does not take a malformed offer for a gone one', async () => {
    const { getAll } = await setUp(json([offer(1), offer(2, { Title: null, Url: null })]));
    expect(await getAll([1, 2, 3])).toMatchObject([
      { value: { value: { id: idOf(1) } } },
      { reason: { code: 'CATALOG_SCHEMA' } },
      { value: { value: null } },
    ]);
  });

  it('keeps what can’t be read apart from none, in a batch and by itself', async () => {
    const item = (fields: object) => [{ Id: idOf(5), Title: 'Red', SalePrice: 5, ...fields }];
    const unread: [string, unknown, string][] = [
      ['Items', undefined, 'items'],
      ['Items', null, 'items'],
      ['Items', {}, 'items'],
      ['Items', [...item({}), { Id: 'none' }], 'items'],
      ['Items', item({ SalePrice: '5' }), 'items'],
      ['Items', item({ ListPrice: 1e6 }), 'items'],
      ['IsSoldOut', null, 'isSoldOut'],
      ['IsSoldOut', 'true', 'isSoldOut'],
      ['IsOfferLiveNow', 1, 'isOfferLiveNow'],
      ['FullTitle', 5, 'fullTitle'],
      ['Url', '/x', 'url'],
      ['PercentageRemainingBlurred', '70', 'percentageRemaining'],
    ];
    for (const [name, value, field] of unread) {
      const odd = offer(1, { [name]: value });
      const fields = new Map([[idOf(1), [field]]]);
      const [one] = await (await setUp(json(odd))).getAll([1]);
      expect(one).toMatchObject({ value: { value: { id: idOf(1) }, unreadable: { ids: [], nameless: 0, fields } } });
      const [inBatch, other] = await (await setUp(json([odd, offer(2)]))).getAll([1, 2]);
      expect(inBatch).toMatchObject({ value: { unreadable: { fields } } });
      expect(other).not.toHaveProperty('value.unreadable');
    }
    const none = { IsSoldOut: undefined, IsOfferLiveNow: null, FullTitle: null, Items: item({ SalePrice: 0 }) };
    const [outcome] = await (await setUp(json(offer(1, none)))).getAll([1]);
    expect(outcome).toMatchObject({ value: { value: { items: [{ salePrice: null, listPrice: null }] } } });
    expect(outcome).not.toHaveProperty('value.unreadable');
  });

  it('names an offer without a title by the last part of its link, and notes that', async () => {
    const Url = 'https://home.example.com/offers/acme-blender?from=app';
    const { getAll } = await setUp(json([offer(2, { Title: null, FullTitle: null, Url }), offer(4)]));
    const [named, titled] = await getAll([2, 4]);
    expect(named).toMatchObject({ value: { value: { title: 'acme blender' } } });
    expect(named).toMatchObject({ value: { unreadable: { fields: new Map([[idOf(2), ['title']]]) } } });
    expect(titled).not.toHaveProperty('value.unreadable.fields');
  });

  it('can not tell who is gone where an offer without an id is among the answer', async () => {
    const { getAll } = await setUp(json([offer(1), 'kettle']));
    expect(await getAll([1, 2])).toMatchObject([
      { value: { value: { id: idOf(1) } } },
      { reason: { code: 'CATALOG_SCHEMA' } },
    ]);
  });

  it('refuses what is no list', async () => {
    const { getAll } = await setUp(json({ message: 'Hello' }));
    const reason = { message: "The catalog's answer is no list of offers." };
    expect(await getAll([1, 2])).toMatchObject([{ reason }, { reason }]);
  });
});
