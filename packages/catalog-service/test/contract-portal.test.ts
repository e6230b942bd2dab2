/**
 * The specification of the developer portal interface, sentence by sentence. Titles quote it; the describe blocks are
 * its sections.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator } from '../src/simulator/simulator.ts';
import { KEY, type PortalInit, type RunningService, startService } from './running-service.ts';

let service: RunningService;

beforeAll(async () => {
  service = await startService({ content: createSimulator({ seed: 'contract', offers: 12_400, pace: 'store' }) });
});
afterAll(() => service.stop());

type Json = Record<string, unknown>;
interface Page {
  Items: Json[];
  MarketingName: string;
  TotalPages: number;
}

const FEEDS = 'All Clearance Computers Electronics Featured Home Gourmet Shirts Sports Tools DealOff'.split(' ');
const GONE = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

async function feed(path: string): Promise<Page> {
  const response = await service.portal(`/feed/${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

const getOffers = (ids: unknown, init: PortalInit = {}) =>
  service.portal('/getoffers', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof ids === 'string' ? ids : JSON.stringify(ids),
    ...init,
  });

async function idsOf(path: string, count: number): Promise<string[]> {
  return (await feed(path)).Items.slice(0, count).map((item) => String(item['OfferId']));
}

type Check = (value: unknown) => boolean;

function has(values: readonly Json[], fields: Readonly<Record<string, Check>>): void {
  expect(values.length).toBeGreaterThan(0);
  const wrong = values.flatMap((value) => [
    ...Object.entries(fields).flatMap(([name, isGood]) => (isGood(value[name]) ? [] : [[name, value[name]]])),
    ...Object.keys(value).filter((name) => !(name in fields)),
  ]);
  expect(wrong).toEqual([]);
}

const string: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const int: Check = (value) => Number.isInteger(value);
const boolean: Check = (value) => typeof value === 'boolean';
const uuid: Check = (value) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(String(value));
const uri: Check = (value) => URL.canParse(String(value));
const dateTime: Check = (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/.test(String(value));
const array: Check = (value) => Array.isArray(value);
const strings: Check = (value) => Array.isArray(value) && value.every(string);
const nullable =
  (isGood: Check): Check =>
  (value) =>
    value === null || isGood(value);
const optional =
  (isGood: Check): Check =>
  (value) =>
    value === undefined || isGood(value);
const range: Check = (value) => {
  const { Minimum, Maximum } = Object(value) as Json;
  return typeof Minimum === 'number' && typeof Maximum === 'number' && Minimum <= Maximum;
};
const photos: Check = (value) => {
  has(value as Json[], { Url: uri, Width: int, Height: int, Caption: nullable(string), Tags: strings });
  return true;
};

describe('Portal: FeedItem (minified offer)', () => {
  test('every field, no other', async () => {
    has((await feed('All')).Items, {
      OfferId: uuid,
      Title: string,
      Subtitle: nullable(string),
      Condition: nullable(string),
      Categories: strings,
      Photo: uri,
      Url: uri,
      ForumUrl: uri,
      StartDate: dateTime,
      EndDate: dateTime,
      SalePrice: range,
      ListPrice: nullable(range),
      IsSoldOut: optional(boolean),
      IsDealOff: boolean,
      IsFeatured: boolean,
      IsFulfilledByPartner: boolean,
      IsAvailableOnMobileAppOnly: boolean,
      Site: uri,
    });
  });

  test('Categories: "either a top-level category name or a <CATEGORY>/<subcategory> path"', async () => {
    const categories = (await feed('All')).Items.flatMap((item) => item['Categories'] as string[]);
    for (const category of new Set(categories)) expect(category).toMatch(/^[^/]+(\/[^/]+)?$/);
  });
});

describe('Portal: feed page (200 body of the feed endpoint)', () => {
  test('"The example is an object": Items, MarketingName, TotalPages', async () => {
    const page = await feed('Home?page=1');
    has([page as unknown as Json], { Items: array, MarketingName: string, TotalPages: int });
  });
});

describe('GET {developer_url}/feed/{feedname}', () => {
  test.each(FEEDS)('"category name whose live offers are returned": %s, in any case', async (name) => {
    const page = await feed(name);
    expect(await feed(name.toLowerCase())).toEqual(page);
    expect(await feed(name.toUpperCase())).toEqual(page);
  });

  test('"page size is 100 offers"; pages follow one another and make up the whole', async () => {
    const whole = await feed('Electronics');
    const pages = await Promise.all(
      Array.from({ length: whole.TotalPages }, (_, index) => feed(`Electronics?page=${index + 1}`)),
    );
    expect(pages.slice(0, -1).map((page) => page.Items.length)).toEqual(pages.slice(1).map(() => 100));
    expect(pages.flatMap((page) => page.Items)).toEqual(whole.Items);
    expect(pages.every((page) => page.TotalPages === whole.TotalPages)).toBe(true);
  });

  test('"When page is omitted, all items of the category are returned", up to 5,000', async () => {
    const home = await feed('Home');
    expect(home.Items.length).toBeGreaterThan(3500);
    expect(home.TotalPages).toBe(Math.ceil(home.Items.length / 100));
    const all = await feed('All');
    expect(all.Items.length).toBe(5000);
    expect(all.TotalPages).toBe(50);
    expect((await feed('All?page=50')).Items.length).toBe(100);
    expect((await service.portal('/feed/All?page=51')).status).toBe(404);
  });

  test('"Featured deals come on the first page"', async () => {
    const featured = (await feed('Featured')).Items.map((item) => item['OfferId']);
    expect(featured.length).toBeGreaterThan(0);
    const first = await feed('All?page=1');
    expect(first.Items.filter((item) => item['IsFeatured']).map((item) => item['OfferId'])).toEqual(featured);
    expect(first.Items.findIndex((item) => !item['IsFeatured'])).toBe(featured.length);
  });

  test('404: the page past the end, with the JSON string "NotFound"', async () => {
    const { TotalPages } = await feed('Tools');
    const response = await service.portal(`/feed/Tools?page=${TotalPages + 1}`);
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('"NotFound"');
  });

  test.each(['0', '-1', 'one', '1.5', '', '1&page=2'])('400 (invalid inputs): page=%s', async (page) => {
    const response = await service.portal(`/feed/Home?page=${page}`);
    expect(response.status).toBe(400);
    expect(((await response.json()) as Json)['message']).toContain('page');
  });

  test.each(['Sellout', 'Home2', '%20', 'Home%2FKitchen'])(
    '400 (invalid inputs): the unknown feed %s',
    async (name) => {
      const response = await service.portal(`/feed/${name}`);
      expect(response.status).toBe(400);
      expect(((await response.json()) as Json)['message']).toContain(decodeURIComponent(name));
    },
  );

  test('other parameters are passed over', async () => {
    expect((await feed('Tools?page=1&foo=bar')).Items.length).toBe(100);
  });

  test('"The 200 response carries the header Access-Control-Allow-Origin"', async () => {
    const response = await service.portal('/feed/Home?page=1');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('POST {developer_url}/getoffers', () => {
  test('"200: JSON array of Offer (full detail)": every field, no other', async () => {
    const offers = (await (await getOffers(await idsOf('All?page=1', 25))).json()) as Json[];
    expect(offers.length).toBe(25);
    has(offers, {
      Id: uuid,
      EventId: uuid,
      Title: string,
      FullTitle: string,
      Subtitle: nullable(string),
      Teaser: string,
      Slug: string,
      Url: uri,
      Features: string,
      Specs: string,
      Snippet: nullable(string),
      WriteUpIntro: nullable(string),
      WriteUpBody: string,
      ExtendedWarranty: nullable(string),
      PurchaseLimit: int,
      QuantityLimit: nullable(int),
      PercentageRemainingBlurred: int,
      IsDealOff: boolean,
      IsSoldOut: boolean,
      SoldOutOn: nullable(dateTime),
      Win: string,
      Items: array,
      Photos: photos,
      ShippingMethods: array,
    });
    has(
      offers.flatMap((offer) => offer['Items'] as Json[]),
      {
        Id: uuid,
        Title: string,
        Asin: string,
        Win: string,
        SalePrice: number,
        ListPrice: optional(number),
        Attributes: array,
        Photos: photos,
      },
    );
    has(
      offers.flatMap((offer) => offer['ShippingMethods'] as Json[]),
      { Name: string, ExcludedStates: strings, ExcludedPostalCodes: strings, ExcludePOBox: boolean },
    );
  });

  test('Attributes: "each: Key string, Value string"; Photo tags have their shapes', async () => {
    const offers = (await (await getOffers(await idsOf('Home?page=1', 25))).json()) as Json[];
    const items = offers.flatMap((offer) => offer['Items'] as Json[]);
    has(
      items.flatMap((item) => item['Attributes'] as Json[]),
      { Key: string, Value: string },
    );
    const tags = offers.flatMap((offer) => offer['Photos'] as Json[]).flatMap((photo) => photo['Tags'] as string[]);
    for (const tag of tags) expect(tag).toMatch(/^(gallery|fullsize-\d+|original-\d+)$/);
  });

  test('"Offer identifiers come from the feed endpoint": what both say of an offer agrees', async () => {
    const items = (await feed('Sports?page=1')).Items.slice(0, 25);
    const offers = (await (await getOffers(items.map((item) => item['OfferId']))).json()) as Json[];
    expect(offers.map(({ Id, Title, Url, IsSoldOut }) => [Id, Title, Url, IsSoldOut])).toEqual(
      items.map(({ OfferId, Title, Url, IsSoldOut }) => [OfferId, Title, Url, IsSoldOut]),
    );
    for (const [index, offer] of offers.entries()) {
      const prices = (offer['Items'] as Json[]).map((item) => Number(item['SalePrice']));
      expect(items[index]?.['SalePrice']).toEqual({ Minimum: Math.min(...prices), Maximum: Math.max(...prices) });
    }
  });

  test('"Maximum 25 unique identifiers per request": repeated ones count once and are answered once', async () => {
    const ids = await idsOf('Home?page=1', 26);
    const refused = await getOffers(ids);
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as Json)['message']).toContain('25');
    const most = ids.slice(0, 25);
    const doubled = await getOffers([...most, ...most.map((id) => id.toUpperCase())]);
    expect(((await doubled.json()) as Json[]).map((offer) => offer['Id'])).toEqual(most);
  });

  test.each([['"x"'], ['{}'], ['[1]'], ['["42"]'], ['[null]'], ['not json'], [''], ['null']])(
    '400 (invalid inputs): the body %s is not an array of uuids',
    async (body) => {
      const response = await getOffers(body);
      expect(response.status).toBe(400);
      expect(((await response.json()) as Json)['message']).toMatch(/offer identifier/);
    },
  );

  test('ids that are gone are left out; an empty list is answered by one', async () => {
    const [id = ''] = await idsOf('Home?page=1', 1);
    expect(((await (await getOffers([GONE, id])).json()) as Json[]).map((offer) => offer['Id'])).toEqual([id]);
    expect(await (await getOffers([GONE])).json()).toEqual([]);
    expect(await (await getOffers([])).json()).toEqual([]);
  });

  test('"Header Access-Control-Allow-Origin on 200"', async () => {
    expect((await getOffers([])).headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('GET {developer_url}/offers/{offerid}', () => {
  test('"200: one Offer (full detail)", the same as in getoffers', async () => {
    const [id = ''] = await idsOf('Computers', 1);
    const response = await service.portal(`/offers/${id}`);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect([await response.json()]).toEqual(await (await getOffers([id])).json());
  });

  test('400 (invalid inputs), 404', async () => {
    expect((await service.portal('/offers/42')).status).toBe(400);
    expect((await service.portal(`/offers/${GONE}`)).status).toBe(404);
  });

  test('EventId leads to the event of the offer', async () => {
    for (const id of await idsOf('All?page=1', 20)) {
      const offer = (await (await service.portal(`/offers/${id}`)).json()) as Json;
      const event = (await (await service.v2(`/2/events/${String(offer['EventId'])}.json`)).json()) as Json;
      expect((event['Offers'] as Json[]).map((each) => each['Id'])).toContain(id);
    }
  });
});

describe('OPTIONS', () => {
  test.each([
    ['/feed/Home', 'GET'],
    ['/feed/anything', 'GET'],
    ['/getoffers', 'POST'],
    [`/offers/${GONE}`, 'GET'],
  ])('%s: "200: empty JSON object", four headers, "No key is needed"', async (path, method) => {
    const response = await fetch(`${service.origin}${path}`, { method: 'OPTIONS' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({});
    expect(response.headers.get('cache-control')).toBeTruthy();
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')?.split(', ')).toContain(method);
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-api-key');
  });
});

describe('Authentication', () => {
  test.each([{}, { 'x-api-key': '' }, { 'x-api-key': 'wrong' }])(
    'Portal: "Header x-api-key … Required on every GET and POST request": %j is 403',
    async (headers) => {
      const paths = ['/feed/Home', '/feed/nothing', `/offers/${GONE}`];
      const answers = paths.map((path) => fetch(`${service.origin}${path}?key=local`, { headers }));
      answers.push(fetch(`${service.origin}/getoffers`, { method: 'POST', body: 'not json', headers }));
      for (const response of await Promise.all(answers)) {
        expect(response.status).toBe(403);
        expect(await response.json()).toEqual({ message: 'Forbidden' });
      }
    },
  );
});

/** A request that `fetch` would not make. */
function rawRequest(method: string, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(service.origin);
    httpRequest({ port, method, path, headers: { 'x-api-key': KEY } }, (response) => {
      response.resume();
      resolve(response);
    })
      .on('error', reject)
      .end();
  });
}

describe('HTTP', () => {
  test('unknown paths are 404', async () => {
    for (const path of ['/', '/feed', '/feed/Home/', '/2/', '/2/events', '/offers', '/photos/nothing.svg']) {
      expect((await service.portal(path)).status).toBe(404);
    }
  });

  test.each([
    ['PUT', '/feed/Home', 'GET, HEAD, OPTIONS'],
    ['DELETE', `/offers/${GONE}`, 'GET, HEAD, OPTIONS'],
    ['GET', '/getoffers', 'POST, OPTIONS'],
    ['HEAD', '/getoffers', 'POST, OPTIONS'],
    ['POST', '/2/events.json', 'GET, HEAD'],
    ['OPTIONS', '/2/events.json', 'GET, HEAD'],
    ['PATCH', '/2/polls.json', 'GET, HEAD'],
  ])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
    const response = await fetch(`${service.origin}${path}`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
  });

  test('HEAD answers as GET does, without a body', async () => {
    for (const path of ['/feed/Home?page=1', '/2/events.json?key=local', '/feed/nothing', '/docs', '/openapi.json']) {
      const [get, head] = await Promise.all([
        service.portal(path, { headers: { 'accept-encoding': 'identity' } }),
        service.portal(path, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } }),
      ]);
      expect(head.status).toBe(get.status);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
      expect(await head.text()).toBe('');
    }
  });

  test('bodies are compressed for clients that take gzip, and only for those', async () => {
    const plain = await service.portal('/feed/Home', { headers: { 'accept-encoding': 'identity' } });
    const zipped = await service.portal('/feed/Home', { headers: { 'accept-encoding': 'br, gzip' } });
    const refusing = await service.portal('/feed/Home', { headers: { 'accept-encoding': 'gzip;q=0' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(refusing.headers.get('content-encoding')).toBeNull();
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(Number(zipped.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')) / 4);
    expect(zipped.headers.get('vary')).toBe('accept-encoding');
    expect(await zipped.text()).toBe(await plain.text());
  });

  test('so are methods that are rare', async () => {
    expect((await rawRequest('PROPFIND', '/feed/Home')).headers.allow).toBe('GET, HEAD, OPTIONS');
    expect((await rawRequest('TRACE', '/2/events.json')).statusCode).toBe(405);
    expect((await rawRequest('PROPFIND', '/nothing')).statusCode).toBe(404);
  });

  test('a path that cannot be decoded is a bad request', async () => {
    expect((await rawRequest('GET', '/feed/%zz')).statusCode).toBe(400);
  });
});

test('the pictures of offers are served, without a key', async () => {
  const [item] = (await feed('Electronics?page=1')).Items;
  const response = await fetch(String(item?.['Photo']));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
  expect(await response.text()).toContain('<svg ');
});
