/**
 * The specification of the v2 interface, sentence by sentence. Titles quote it; the describe blocks are its sections.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator } from '../src/simulator/simulator.ts';
import { KEY, type RunningService, startService } from './running-service.ts';

let service: RunningService;

beforeAll(async () => {
  service = await startService({ content: createSimulator({ seed: 'contract', offers: 300, pace: 'store' }) });
});
afterAll(() => service.stop());

type Json = Record<string, unknown>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const EVENT_TYPES = ['Daily', 'Ghost', 'Moofi', 'Reckoning', 'DealOff', 'DealPlus'];
const EVENT_FIELDS = ['Type', 'Id', 'Title', 'Site', 'StartDate', 'EndDate', 'Offers'];
const PREFIXES = 'accessories, computers, electronics, home, kids, sellout, shirt, sport, tools, wine, www'.split(', ');
const SELECT_VALUES =
  `EndDate, Id, Offers.DiscussionUrl, Offers.EstimatedShipDate, Offers.EstimatedShipDate.MessageBody, Offers.EstimatedShipDate.MessagePrefix, Offers.Features, Offers.Id, Offers.Items, Offers.Items.Attributes, Offers.Items.Attributes.Key, Offers.Items.Attributes.Value, Offers.Items.Id, Offers.Items.ListPrice, Offers.Items.PurchaseLimit, Offers.Items.SalePrice, Offers.PercentageRemaining, Offers.Photos, Offers.Photos.Height, Offers.Photos.Tags, Offers.Photos.Url, Offers.Photos.Width, Offers.ShippingMethods, Offers.ShippingMethods.Name, Offers.ShippingMethods.PerEventAmount, Offers.ShippingMethods.PerItemAmount, Offers.ShippingMethods.PerOrderAmount, Offers.SoldOut, Offers.Specs, Offers.Stats, Offers.Subtitle, Offers.Teaser, Offers.Title, Offers.Url, Offers.WriteUp, Photos, Site, StartDate, Stats.OverallOrderPace, Stats.OverallDealsSold, Stats.SiteOrderPace, Stats.SiteDealsSold, Title, Type`.split(
    ', ',
  );

async function list(path: string, query = ''): Promise<Json[]> {
  const response = await service.v2(path, query);
  expect(response.status).toBe(200);
  return (await response.json()) as Json[];
}

const events = (query = '') => list('/2/events.json', query);

/** Every object under `name` in any of the values. */
function under(values: readonly Json[], name: string): Json[] {
  return values.flatMap((value) => [value[name] ?? []].flat() as Json[]);
}

const offersOf = (of: readonly Json[]) => under(of, 'Offers');

async function badRequest(path: string, query: string): Promise<string> {
  const response = await service.v2(path, query);
  expect(response.status).toBe(400);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const { message } = (await response.json()) as { message: string };
  return message;
}

function has(values: readonly Json[], fields: Readonly<Record<string, (value: unknown) => boolean>>): void {
  expect(values.length).toBeGreaterThan(0);
  const wrong = values.flatMap((value) => [
    ...Object.entries(fields).flatMap(([name, isGood]) => (isGood(value[name]) ? [] : [[name, value[name]]])),
    ...Object.keys(value).filter((name) => !(name in fields)),
  ]);
  expect(wrong).toEqual([]);
}

const string = (value: unknown) => typeof value === 'string';
const number = (value: unknown) => typeof value === 'number';
const int = (value: unknown) => Number.isInteger(value);
const boolean = (value: unknown) => typeof value === 'boolean';
const guid = (value: unknown) => UUID.test(String(value));
const utc = (value: unknown) => UTC.test(String(value));
const url = (value: unknown) => URL.canParse(String(value));
const array = (value: unknown) => Array.isArray(value);
const strings = (value: unknown) => Array.isArray(value) && value.every(string);
const object = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const absent = (value: unknown) => value === undefined;
const or =
  (...some: ((value: unknown) => boolean)[]) =>
  (value: unknown) =>
    some.some((isGood) => isGood(value));
const nullable = (isGood: (value: unknown) => boolean) => or((value) => value === null, isGood);
const photo = { Url: url, Width: int, Height: int, Tags: strings };
const pairs = (value: unknown) =>
  Array.isArray(value) && value.every((pair: Json) => string(pair['Key']) && number(pair['Value']));

describe('v2: Event (common fields)', () => {
  test('Type, Id, Title, Site, StartDate "in UTC", EndDate "Nullable", Offers', async () => {
    const all = await events();
    for (const event of all) {
      expect(Object.keys(event)).toEqual(expect.arrayContaining(EVENT_FIELDS));
      expect(EVENT_TYPES).toContain(event['Type']);
      expect(guid(event['Id']) && string(event['Title']) && utc(event['StartDate']) && array(event['Offers'])).toBe(
        true,
      );
      expect(nullable(utc)(event['EndDate'])).toBe(true);
    }
  });

  test('"Allowed values: Daily, Ghost, Moofi, Reckoning, DealOff, DealPlus" and all of them occur', async () => {
    expect([...new Set((await events()).map((event) => String(event['Type'])))].sort()).toEqual(
      [...EVENT_TYPES].sort(),
    );
  });

  test('Event subtypes: each has its extra fields and no other', async () => {
    const extras: Record<string, string[]> = {
      DealOff: ['Subtitle', 'WriteUp'],
      DealPlus: ['DiscussionUrl', 'ManufacturerText', 'Photos', 'Subtitle', 'Text', 'Url'],
    };
    for (const event of await events()) {
      // Stats can be selected at this level, so events have it.
      const known = [...EVENT_FIELDS, 'Stats', ...(extras[String(event['Type'])] ?? [])];
      expect(Object.keys(event).sort()).toEqual(known.sort());
    }
  });

  test('Reckoning: "Its offers carry Rank and OriginalStartDate"; Rank is "Excluded when the shirt is immune"', async () => {
    const shirts = offersOf(await events('eventType=Reckoning'));
    expect(shirts.every((shirt) => utc(shirt['OriginalStartDate']))).toBe(true);
    expect(shirts.some((shirt) => int(shirt['Rank']))).toBe(true);
    expect(shirts.some((shirt) => !('Rank' in shirt))).toBe(true);
    const others = offersOf(await events('eventType=Daily,DealPlus,DealOff,Moofi,Ghost'));
    expect(others.some((offer) => 'Rank' in offer || 'OriginalStartDate' in offer)).toBe(false);
  });
});

describe('v2: Offer and what is in it', () => {
  test('Offer', async () => {
    has(offersOf(await events()), {
      Id: guid,
      Title: string,
      Subtitle: nullable(string),
      Teaser: nullable(string),
      WriteUp: nullable(string),
      Features: nullable(string),
      Specs: nullable(string),
      Url: url,
      DiscussionUrl: url,
      Items: array,
      Photos: array,
      ShippingMethods: array,
      EstimatedShipDate: object,
      PercentageRemaining: int,
      SoldOut: boolean,
      Stats: nullable(object),
      QualityPosts: array,
      Artist: nullable(object),
      Snippet: nullable(string),
      WineryDetails: nullable(string),
      Rank: or(int, absent),
      OriginalStartDate: or(utc, absent),
    });
  });

  test('Item: ListPrice "Nullable", PurchaseLimit, Attributes "May be empty"', async () => {
    const items = under(offersOf(await events()), 'Items');
    has(items, { Id: guid, SalePrice: number, ListPrice: nullable(number), PurchaseLimit: int, Attributes: array });
    has(under(items, 'Attributes'), { Key: string, Value: string });
    expect(items.some((item) => (item['Attributes'] as unknown[]).length === 0)).toBe(true);
    expect(items.some((item) => item['ListPrice'] === null)).toBe(true);
  });

  test('Photo: Tags "May be empty", "gallery", shapes "fullsize-<n>" and "thumbnail-<n>"', async () => {
    const photos = under(offersOf(await events()), 'Photos');
    has(photos, photo);
    const tags = photos.map((each) => (each['Tags'] as string[]).join(' '));
    expect([...new Set(tags)].sort()).toEqual(['', 'gallery fullsize-0', 'gallery thumbnail-0']);
  });

  test('ShippingMethod', async () => {
    has(under(offersOf(await events()), 'ShippingMethods'), {
      Name: string,
      PerOrderAmount: number,
      PerEventAmount: number,
      PerItemAmount: number,
    });
  });

  test('EstimatedShipDate', async () => {
    has(under(offersOf(await events()), 'EstimatedShipDate'), { MessagePrefix: string, MessageBody: string });
  });

  test('OfferStats', async () => {
    const stats = offersOf(await events()).flatMap((offer) => (object(offer['Stats']) ? [offer['Stats'] as Json] : []));
    has(stats, {
      FirstSucker: string,
      LastPurchase: utc,
      LastBuyerToDeal: string,
      OverallOrderPace: number,
      OverallDealsSold: number,
      SiteOrderPace: number,
      SiteDealsSold: number,
      PercentageOfSalesPerDay: pairs,
      PercentageOfSalesPerHour: pairs,
      PurchaserExperience: pairs,
      PurchaserSeniority: pairs,
      QuantityBreakdown: pairs,
      SpeedToFirstDeal: (value) => /^\d\d:\d\d:\d\d\.\d{7}$/.test(String(value)),
      DealsByState: pairs,
    });
  });

  test('QualityPost', async () => {
    has(under(offersOf(await events()), 'QualityPosts'), {
      Username: string,
      Avatar: url,
      Text: string,
      FormattedBody: string,
      PostedOn: utc,
    });
  });

  test('Artist: "For shirt offers, the creating artist"', async () => {
    const offers = offersOf(await events('eventType=Reckoning'));
    has(under(offers, 'Artist'), { Name: string, Avatar: url, Biography: string });
  });
});

describe('v2: Dealcast, Poll, Monkeychat', () => {
  test('Dealcast: "Null when there are no views", Text "may be empty"', async () => {
    const dealcasts = await list('/2/dealcasts.json');
    has(dealcasts, {
      Title: string,
      Site: string,
      StartDate: utc,
      Teaser: string,
      Text: string,
      BlogUrl: url,
      DiscussionUrl: url,
      Mp4Url: url,
      YouTubeUrl: url,
      Thumbnail: object,
      Views: nullable(int),
    });
    has(under(dealcasts, 'Thumbnail'), photo);
  });

  test('Poll, Question, Response', async () => {
    const polls = await list('/2/polls.json');
    has(polls, { DiscussionUrl: url, Questions: array, Site: string });
    const questions = under(polls, 'Questions');
    has(questions, { Text: string, Responses: array });
    has(under(questions, 'Responses'), { Text: string, VoteCount: int });
  });

  test('"A collection of exchanges" of monkeychats', async () => {
    expect((await list('/2/monkeychats.json')).length).toBeGreaterThan(0);
  });
});

describe('Site values (v2)', () => {
  test('"A site value has the form <prefix>.{site_domain}"', async () => {
    const all = [...(await events()), ...(await list('/2/dealcasts.json')), ...(await list('/2/polls.json'))];
    for (const { Site } of all) expect(PREFIXES).toContain(String(Site).replace('.example.com', ''));
  });

  test.each(PREFIXES)('"Allowed prefixes": %s', async (prefix) => {
    for (const event of await events(`site=${prefix}.example.com`)) expect(event['Site']).toBe(`${prefix}.example.com`);
  });
});

describe('v2 interface, common rule 1', () => {
  test('"Extra parameters … yield Bad Request", named', async () => {
    const one = `/2/events/${String((await events())[0]?.['Id'])}.json`;
    expect(await badRequest('/2/events.json', 'foo=1')).toBe('Unknown parameter "foo".');
    expect(await badRequest(one, 'site=www.example.com')).toContain('"site"');
    expect(await badRequest(one, 'eventType=Daily')).toContain('"eventType"');
    expect(await badRequest('/2/dealcasts.json', 'eventType=Daily')).toContain('"eventType"');
    expect(await badRequest('/2/polls.json', 'select=Site')).toContain('"select"');
    expect(await badRequest('/2/monkeychats.json', 'page=1')).toContain('"page"');
    expect(await badRequest('/2/events.json', 'eventtype=Daily')).toContain('"eventtype"');
  });

  test.each([
    ['/2/events.json', 'site', 'shop.example.com'],
    ['/2/events.json', 'site', 'www.elsewhere.example'],
    ['/2/events.json', 'site', ''],
    ['/2/events.json', 'site', 'www.example.com,'],
    ['/2/events.json', 'eventType', 'Weekly'],
    ['/2/events.json', 'eventType', 'Daily,Weekly'],
    ['/2/events.json', 'select', 'Price'],
    ['/2/events.json', 'select', ''],
    ['/2/dealcasts.json', 'site', 'www'],
    ['/2/dealcasts.json', 'select', 'Offers'],
    ['/2/polls.json', 'site', 'nowhere'],
  ])('"invalid values yield Bad Request": %s?%s=%s', async (path, parameter, value) => {
    const message = await badRequest(path, `${parameter}=${value}`);
    expect(message).toContain(`Invalid ${parameter}: "${value.split(',').at(-1)}"`);
  });

  test('"invalid values yield Bad Request": ids', async () => {
    expect(await badRequest('/2/events/42.json', '')).toContain('"42" is not a Guid');
    expect(await badRequest('/2/offers/42.json', '')).toContain('"42" is not a Guid');
  });
});

/** The paths of all fields in a value, without the indexes of lists. */
function pathsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((element) => pathsOf(element, path));
  if (!object(value)) return [];
  return Object.entries(value as Json).flatMap(([name, field]) => {
    const own = path ? `${path}.${name}` : name;
    return [own, ...pathsOf(field, own)];
  });
}

const distinctPaths = (value: unknown) => [...new Set(pathsOf(value))].sort();

describe('v2 interface, common rules 2 and 3: select', () => {
  test.each(SELECT_VALUES)('"The valid select values for events": %s', async (value) => {
    const [first] = await events('eventType=DealPlus&select=Offers,Photos,Stats');
    const selected = await events(`eventType=DealPlus&select=${value}`);
    const full = distinctPaths(first);
    const parents = value.split('.').map((_, index, names) => names.slice(0, index + 1).join('.'));
    const allowed = new Set([
      'Id',
      'Type',
      ...parents,
      ...parents.map((parent) => `${parent}.Id`).filter((path) => full.includes(path)),
    ]);
    for (const path of distinctPaths(selected)) {
      expect(allowed.has(path) || path.startsWith(`${value}.`), path).toBe(true);
    }
    expect(distinctPaths(selected)).toContain(value);
  });

  test.each(SELECT_VALUES)('"case-insensitive": %s', async (value) => {
    const given = await events(`select=${value}`);
    expect(await events(`select=${value.toLowerCase()}`)).toEqual(given);
    expect(await events(`select=${value.toUpperCase()}`)).toEqual(given);
  });

  test('"Only the listed properties are returned for each object"', async () => {
    const selected = await events('select=Title,Offers.Items.SalePrice');
    expect(distinctPaths(selected)).toEqual(
      [
        'Id',
        'Offers',
        'Offers.Id',
        'Offers.Items',
        'Offers.Items.Id',
        'Offers.Items.SalePrice',
        'Title',
        'Type',
      ].sort(),
    );
  });

  test('"A dotted path names a nested property, for example Offers.ShippingMethods"', async () => {
    for (const event of await events('select=Offers.ShippingMethods')) {
      expect(Object.keys(event).sort()).toEqual(['Id', 'Offers', 'Type']);
      for (const offer of offersOf([event])) expect(Object.keys(offer).sort()).toEqual(['Id', 'ShippingMethods']);
    }
  });

  test('"Selecting a parent (for example Offers) returns all of its properties"', async () => {
    const full = await events();
    expect(await events('select=Offers')).toEqual(
      full.map(({ Id, Type, Offers }) => expect.objectContaining({ Id, Type, Offers })),
    );
    expect(await events('select=Offers,Offers.Title')).toEqual(await events('select=Offers'));
    expect(await events('select=Offers.Title,Offers')).toEqual(await events('select=Offers'));
  });

  test('"Id is always returned for every object", "Type is also returned alongside Id on each event"', async () => {
    for (const event of await events('select=Site')) expect(Object.keys(event).sort()).toEqual(['Id', 'Site', 'Type']);
    for (const item of under(offersOf(await events('select=offers.items.saleprice')), 'Items')) {
      expect(Object.keys(item).sort()).toEqual(['Id', 'SalePrice']);
    }
  });

  test.each(['Artist', 'OriginalStartDate', 'QualityPosts', 'Rank', 'Snippet', 'WineryDetails'])(
    '"Offer fields without a select value in this list … cannot be selected individually": %s',
    async (field) => {
      expect(await badRequest('/2/events.json', `select=Offers.${field}`)).toContain(`"Offers.${field}"`);
      expect(await badRequest('/2/events.json', `select=${field}`)).toContain(`"${field}"`);
    },
  );

  test('events/{id}.json: "select (query, optional, same values as above)"', async () => {
    const [event] = await events('select=Offers.Title');
    const response = await service.v2(`/2/events/${String(event?.['Id'])}.json`, 'select=Offers.Title');
    expect(await response.json()).toEqual(event);
  });

  test('offers/{id}.json takes the values of Offers', async () => {
    const [offer] = offersOf(await events('select=Offers.Title,Offers.Items.SalePrice'));
    const path = `/2/offers/${String(offer?.['Id'])}.json`;
    expect(await (await service.v2(path, 'select=title,items.saleprice')).json()).toEqual(offer);
    expect(await badRequest(path, 'select=Offers.Title')).toContain('"Offers.Title"');
  });
});

describe('Endpoints, v2 interface', () => {
  test('GET events.json: "JSON array of Event objects, filtered by site and eventType when given"', async () => {
    const all = await events();
    const filtered = await events('site=home.example.com,electronics.example.com&eventType=DealPlus');
    expect(filtered.length).toBe(2);
    expect(filtered).toEqual(
      all.filter(
        ({ Site, Type }) =>
          Type === 'DealPlus' && ['home.example.com', 'electronics.example.com'].includes(String(Site)),
      ),
    );
  });

  test('eventType: "one or more comma-separated values, case-insensitive"; repeated is the same', async () => {
    const commas = await events('eventType=DAILY,dealplus');
    expect(new Set(commas.map(({ Type }) => Type))).toEqual(new Set(['Daily', 'DealPlus']));
    expect(await events('eventType=Daily&eventType=DealPlus')).toEqual(commas);
    expect(await events('site=home.example.com&site=tools.example.com')).toEqual(
      await events('site=home.example.com,tools.example.com'),
    );
  });

  test('GET events/{id}.json: "one Event object (not an array)"; an id that is not there is 404', async () => {
    for (const event of await events()) {
      const response = await service.v2(`/2/events/${String(event['Id']).toUpperCase()}.json`);
      expect(await response.json()).toEqual(event);
    }
    expect((await service.v2('/2/events/ffffffff-ffff-4fff-bfff-ffffffffffff.json')).status).toBe(404);
    expect((await service.v2('/2/offers/ffffffff-ffff-4fff-bfff-ffffffffffff.json')).status).toBe(404);
  });

  test('GET dealcasts.json: "filtered by site when given", "select (query, optional, multiple allowed)"', async () => {
    const all = await list('/2/dealcasts.json');
    const site = String(all[0]?.['Site']);
    expect(await list('/2/dealcasts.json', `site=${site}`)).toEqual(all.filter(({ Site }) => Site === site));
    expect(await list('/2/dealcasts.json', 'select=title&select=Thumbnail.url,views')).toEqual(
      all.map(({ Title, Thumbnail, Views }) => ({ Title, Thumbnail: { Url: (Thumbnail as Json)['Url'] }, Views })),
    );
  });

  test('GET polls.json: "site (query, optional, multiple allowed)"', async () => {
    const all = await list('/2/polls.json');
    const sites = [...new Set(all.map(({ Site }) => String(Site)))].slice(0, 2);
    expect(await list('/2/polls.json', sites.map((site) => `site=${site}`).join('&'))).toEqual(
      all.filter(({ Site }) => sites.includes(String(Site))),
    );
  });

  test('"All responses are JSON"', async () => {
    for (const path of ['/2/events.json', '/2/dealcasts.json', '/2/polls.json', '/2/monkeychats.json', '/2/nothing']) {
      const response = await service.v2(path);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      await response.json();
    }
  });
});

describe('Authentication', () => {
  test('v2: "Query parameter key … Required on every request"', async () => {
    for (const path of ['/2/events.json', '/2/dealcasts.json', '/2/polls.json', '/2/monkeychats.json']) {
      for (const query of ['', '?key=', '?key=wrong', `?Key=${KEY}`, `?key=${KEY}&key=${KEY}`]) {
        const response = await fetch(`${service.origin}${path}${query}`, { headers: { 'x-api-key': KEY } });
        expect(response.status).toBe(403);
        expect(await response.json()).toEqual({ message: 'Forbidden' });
      }
    }
  });

  test('the key is looked at before the rest of the request', async () => {
    expect((await fetch(`${service.origin}/2/events.json?foo=1`)).status).toBe(403);
  });
});
