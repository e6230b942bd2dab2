import { expect, it, onTestFinished } from 'vitest';
import { createCatalogService, createSimulator } from '../../packages/catalog-service/src/index.ts';
import { DEALCAST_SELECT, EVENT_SELECT, type EventSelect, type OfferSelect } from '../../src/catalog/v2/select.ts';
import { createTestLog, PORTAL_KEY, V2_KEY } from '../helpers/keys.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { createTestCatalog } from './create-test-catalog.ts';
import { dealcast, event, eventOffer, idOf } from './payloads.ts';
import { json, startScriptedCatalog } from './scripted-catalog.ts';

const LANE = { lane: 'interactive' } as const;
const MOMENT = createSimulator({ seed: 'select', offers: 300, pace: 'store' }).at(
  Date.parse('2026-11-21T12:00:00Z'),
  'http://pictures.example.com',
);

/** A client of the real service. */
async function setUp() {
  const unlimited = { rate: 1000, burst: 1000, quota: 10_000 };
  const clock = new ManualClock();
  const service = createCatalogService({
    host: '127.0.0.1',
    port: 0,
    keys: [V2_KEY, PORTAL_KEY],
    clock,
    log: createTestLog(),
    content: { at: () => MOMENT },
    limits: unlimited,
  });
  const url = await service.start();
  onTestFinished(() => service.stop());
  return createTestCatalog(url, { v2: unlimited, clock }).catalog;
}

it('takes every value of the closed lists, which the service knows too', async () => {
  const catalog = await setUp();
  const { value: events } = await catalog.events.list({}, LANE);
  for (const select of EVENT_SELECT) {
    const answer = await catalog.events.list({}, { ...LANE, select: [select] });
    expect([select, answer.malformed, answer.value.map(({ id, type, title }) => ({ id, type, title }))]).toEqual([
      select,
      0,
      events.map(({ id, type, title }) => ({ id, type, title })),
    ]);
  }
  for (const select of DEALCAST_SELECT) {
    const answer = await catalog.dealcasts.list({ ...LANE, select: [select] });
    expect([select, answer.malformed, answer.value.length]).toEqual([select, 0, MOMENT.dealcasts().length]);
  }
});

it('brings what is selected as the whole answer has it, and nothing else', async () => {
  const catalog = await setUp();
  const select = ['Offers.SoldOut', 'Offers.Items.SalePrice', 'Offers.Photos.Width', 'EndDate'] as const;
  const { value: whole } = await catalog.events.list({}, LANE);
  const { value: parts } = await catalog.events.list({}, { ...LANE, select });
  expect(whole.flatMap(({ offers }) => offers).length).toBeGreaterThan(3);
  expect(parts).toEqual(
    whole.map(({ id, type, title, endDateMs, offers }) => ({
      id,
      type,
      title,
      endDateMs,
      site: null,
      startDateMs: null,
      subtitle: null,
      writeUp: null,
      discussionUrl: null,
      manufacturerText: null,
      photos: [],
      text: null,
      url: null,
      offers: offers.map((offer) => ({
        id: offer.id,
        title: offer.title,
        soldOut: offer.soldOut,
        items: offer.items.map((item) => ({
          id: item.id,
          salePrice: item.salePrice,
          title: null,
          listPrice: null,
          purchaseLimit: null,
          attributes: [],
          photos: [],
        })),
        photos: offer.photos.map(({ url, width }) => ({ url, width, height: null, caption: null, tags: [] })),
        subtitle: null,
        teaser: null,
        writeUp: null,
        features: null,
        specs: null,
        url: null,
        discussionUrl: null,
        shippingMethods: [],
        estimatedShipDate: null,
        percentageRemaining: null,
        stats: null,
        artist: null,
        snippet: null,
        rank: null,
        originalStartDateMs: null,
      })),
    })),
  );
});

it('selects of one event, of one offer and of dealcasts too', async () => {
  const catalog = await setUp();
  const { value: events } = await catalog.events.list({}, LANE);
  const known = events.find(({ offers }) => offers.length > 0);
  const [offer] = known?.offers ?? [];
  if (!known || !offer) throw new Error('The simulated store has an event with an offer.');
  const one = await catalog.events.get(known.id, { ...LANE, select: ['Site'] });
  expect(one.value).toMatchObject({
    id: known.id,
    title: known.title,
    site: known.site,
    startDateMs: null,
    offers: [],
  });
  const alone = await catalog.events.offer(offer.id, { ...LANE, select: ['Url', 'Items'] });
  expect(alone.value).toMatchObject({ title: offer.title, url: offer.url, items: offer.items, photos: [] });
  const { value: casts } = await catalog.dealcasts.list(LANE);
  const { value: titles } = await catalog.dealcasts.list({ ...LANE, select: ['Thumbnail.Height'] });
  expect(titles).toMatchObject(casts.map(({ title }) => ({ title, site: null, teaser: null })));
  expect(titles.map(({ thumbnail }) => thumbnail?.url)).toEqual(casts.map(({ thumbnail }) => thumbnail?.url));
});

it('still finds the events of a site', async () => {
  const catalog = await setUp();
  const whole = await catalog.events.list({ sites: ['shirt'] }, LANE);
  const parts = await catalog.events.list({ sites: ['shirt'] }, { ...LANE, select: ['Offers.SoldOut'] });
  expect(parts.value.map(({ id }) => id)).toEqual(whole.value.map(({ id }) => id));
  expect(parts.value).not.toEqual([]);
});

it('is one comma-separated parameter; equal selections are one answer, others are not', async () => {
  const service = await startScriptedCatalog(json([event(1)]));
  const { catalog } = createTestCatalog(service.url);
  const selections: (readonly EventSelect[])[] = [
    ['Offers.SoldOut', 'Site'],
    ['Site', 'Offers.SoldOut', 'Site'],
    // Others may spell the values in any case.
    ['SITE', 'offers.soldout'] as unknown as readonly EventSelect[],
    ['Offers', 'Offers.SoldOut', 'Site'],
    [],
  ];
  for (const select of selections) await catalog.events.list({}, { ...LANE, select });
  await catalog.events.list({}, LANE);
  expect(service.seen.map(({ query }) => query.getAll('select'))).toEqual([
    ['offers.soldout,offers.title,site,title,type'],
    ['offers,site,title,type'],
    ['title,type'],
    [],
  ]);
});

it("goes along in a deployment's other spelling", async () => {
  const service = await startScriptedCatalog(({ path, query }, response) => {
    const isKnown = path !== '/2/dealcasts.json' && query.get('eventType') !== 'DealOff';
    const answer = path.includes('casts') ? [dealcast(1)] : [event(1, { Type: 'WootOff' })];
    json(isKnown ? answer : '', path === '/2/dealcasts.json' ? 404 : isKnown ? 200 : 400)(
      service.seen[0] as never,
      response,
    );
  });
  const { catalog } = createTestCatalog(service.url);
  await catalog.events.list({ types: ['DealOff'] }, { ...LANE, select: ['Site'] });
  await catalog.dealcasts.list({ ...LANE, select: ['Views'] });
  expect(service.seen.map(({ query }) => query.get('select'))).toEqual([
    'site,title,type',
    'site,title,type',
    'title,views',
    'title,views',
  ]);
});

it('of one offer takes the values below Offers', async () => {
  const service = await startScriptedCatalog(json(eventOffer(1)));
  const { catalog } = createTestCatalog(service.url);
  const select: readonly OfferSelect[] = ['ShippingMethods.PerItemAmount', 'Items.Attributes.Key'];
  await catalog.events.offer(idOf(1), { ...LANE, select });
  expect(service.seen[0]?.query.get('select')).toBe(
    'items.attributes.key,items.attributes.value,shippingmethods.name,shippingmethods.peritemamount,title',
  );
});
