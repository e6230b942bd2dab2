import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, CallOptions, Catalog } from '../../src/catalog/catalog.ts';
import { CatalogError } from '../../src/catalog/errors.ts';
import type { CatalogOptions } from '../../src/catalog/index.ts';
import { sampleSize } from '../helpers/sampled.ts';
import { createTestCatalog } from './create-test-catalog.ts';
import { dealcast, event, eventOffer, feedItem, feedPage, idOf, offer, poll } from './payloads.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: sampleSize(120, 30) });

const COUNT = 6;
const NOW: CallOptions = { lane: 'interactive', maxAgeMs: 0 };

/** An endpoint that answers one thing. */
interface Single {
  body: unknown;
  ask: (catalog: Catalog) => Promise<Answer<unknown>>;
}

/** An endpoint that answers several. */
interface Several {
  items: readonly unknown[];
  wrap: (items: readonly unknown[]) => unknown;
  /** The client's reading of each good item. */
  ask: (catalog: Catalog) => Promise<readonly unknown[]>;
}

function numbered(make: (number: number) => unknown): unknown[] {
  return Array.from({ length: COUNT }, (_, index) => make(index + 1));
}

const asTheyAre = (items: readonly unknown[]) => items;
const offersOfFeed = async (catalog: Catalog) => (await catalog.feeds.get('Home', NOW)).value.offers;

const SINGLES: Record<string, Single> = {
  'offers/{id}': { body: offer(1), ask: (catalog) => catalog.offers.get(idOf(1), NOW) },
  'events/{id}': { body: event(1), ask: (catalog) => catalog.events.get(idOf(1), NOW) },
  'v2 offers/{id}': { body: eventOffer(1), ask: (catalog) => catalog.events.offer(idOf(1), NOW) },
};

const LISTS: Record<string, Several> = {
  'feed page': { items: numbered(feedItem), wrap: (items) => feedPage([...items]), ask: offersOfFeed },
  'bare feed': { items: numbered(feedItem), wrap: asTheyAre, ask: offersOfFeed },
  getoffers: {
    items: numbered(offer),
    wrap: asTheyAre,
    async ask(catalog) {
      const ids = Array.from({ length: COUNT }, (_, index) => idOf(index + 1));
      const calls = await Promise.allSettled(ids.map((id) => catalog.offers.get(id, NOW)));
      const refused = calls.filter((call) => call.status === 'rejected').map((call): unknown => call.reason);
      const other = refused.find((reason) => !(reason instanceof CatalogError));
      if (other !== undefined || refused.length === COUNT) throw other ?? refused[0];
      return calls.flatMap((call) => (call.status === 'fulfilled' ? [call.value.value] : []));
    },
  },
  events: { items: numbered(event), wrap: asTheyAre, ask: async (c) => (await c.events.list(NOW)).value },
  dealcasts: { items: numbered(dealcast), wrap: asTheyAre, ask: async (c) => (await c.dealcasts.list(NOW)).value },
  polls: {
    items: numbered((number) => poll({ Site: `${number}.example.com` })),
    wrap: asTheyAre,
    ask: async (c) => (await c.polls.list(NOW)).value,
  },
  monkeychats: {
    items: numbered((number) => ({ Title: `Chat ${number}` })),
    wrap: asTheyAre,
    ask: async (c) => (await c.monkeychats.list(NOW)).value,
  },
};

const ENDPOINTS: Record<string, { body: unknown; ask: (catalog: Catalog) => Promise<unknown> }> = {
  ...SINGLES,
  ...Object.fromEntries(
    Object.entries(LISTS).map(([name, { items, wrap, ask }]) => [name, { body: wrap(items), ask }]),
  ),
};

type Path = readonly (string | number)[];

function pathsIn(json: unknown, at: Path = []): Path[] {
  if (typeof json !== 'object' || json === null) return [at];
  const inside = Array.isArray(json)
    ? json.flatMap((value, index) => pathsIn(value, [...at, index]))
    : Object.entries(json).flatMap(([name, value]) => pathsIn(value, [...at, name]));
  return [at, ...inside];
}

/** A copy with another value at a path; `undefined` removes what is there. */
function withValueAt(json: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(json)) return json.map((item, index) => (index === step ? withValueAt(item, rest, value) : item));
  if (typeof json !== 'object' || json === null || !(step in json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, field]) => [name, name === step ? withValueAt(field, rest, value) : field]),
  );
}

/** Values that break readers more often than chance would find them. */
const ODD = [
  undefined,
  -1,
  1e300,
  '\u0000',
  '//',
  'WootOff',
  'x'.repeat(5000),
  [[]],
  [null],
  { Key: {} },
  { Items: 1 },
];

/** A JSON value in which a few others, however deep, have another value or are missing. */
function damaged(json: unknown): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.constantFrom(...pathsIn(json)), fc.oneof(fc.jsonValue(), fc.constantFrom(...ODD)));
  return fc
    .array(change, { minLength: 1, maxLength: 4 })
    .map((changes) => changes.reduce((value, [path, other]) => withValueAt(value, path, other), json));
}

/** A text whose end may be missing. */
function cut(text: string): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constant(text),
    fc.nat(text.length).map((length) => text.slice(0, length)),
  );
}

const headers = fc.record(
  { 'retry-after': fc.oneof(fc.string(), fc.nat().map(String), fc.date({ noInvalidDate: true }).map(String)) },
  { requiredKeys: [] },
);

/** Returns a new client's reading of an answer; every wait passes at once. */
async function askOf<T>(
  ask: (catalog: Catalog) => Promise<T>,
  text: string,
  status = 200,
  sent: Readonly<Record<string, string>> = {},
): Promise<T> {
  const http: CatalogOptions['http'] = {
    send: async () => ({ status, retryAfter: sent['retry-after'], text }),
    close: async () => undefined,
  };
  const { catalog, clock } = createTestCatalog('http://catalog.example.com', { http });
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  const call = ask(catalog);
  call.then(end, end);
  while (!isOver) await clock.advance(1000);
  return call;
}

describe.each(Object.entries(ENDPOINTS))('%s', (_, { body, ask }) => {
  it('gives an answer or a CatalogError, whatever is damaged and wherever it is cut', async () => {
    const texts = damaged(body).chain((value) => cut(JSON.stringify(value) ?? ''));
    const statuses = fc.oneof({ weight: 4, arbitrary: fc.constant(200) }, fc.constantFrom(302, 400, 404, 429, 500));
    await fc.assert(
      fc.asyncProperty(texts, statuses, headers, async (text, status, sent) => {
        try {
          await askOf(ask, text, status, sent);
        } catch (error) {
          expect(error).toBeInstanceOf(CatalogError);
        }
      }),
    );
  });
});

describe.each(Object.entries(LISTS))('%s', (_, { items, wrap, ask }) => {
  it('loses no good item because its neighbours are bad', async () => {
    const read = async (body: unknown) => (await askOf(ask, JSON.stringify(body))).map((item) => JSON.stringify(item));
    const good = await read(wrap(items));
    expect(good).toHaveLength(COUNT);
    const neighbours = fc.tuple(...items.map((item) => fc.option(damaged(item), { nil: item, freq: 2 })));
    await fc.assert(
      fc.asyncProperty(neighbours, async (mixed) => {
        fc.pre(items.some((item) => mixed.includes(item)));
        const answered = await read(wrap(mixed));
        const wanted = good.filter((__, index) => mixed[index] === items[index]);
        expect(answered).toEqual(expect.arrayContaining(wanted));
      }),
    );
  });
});
