import { describe, expect, it } from 'vitest';
import { classify } from '../../src/catalog/classify.ts';
import { CatalogError } from '../../src/catalog/errors.ts';
import { parseFeed } from '../../src/catalog/portal/feeds.ts';
import { findOffers } from '../../src/catalog/portal/offers.ts';
import { toSpecification } from '../../src/catalog/spellings.ts';
import { parseDealcasts } from '../../src/catalog/v2/dealcasts.ts';
import { parseEvents } from '../../src/catalog/v2/events.ts';
import { parseMonkeychats } from '../../src/catalog/v2/monkeychats.ts';
import { parsePolls } from '../../src/catalog/v2/polls.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { dealcast, event, feedItem, feedPage, idOf, offer, poll } from './payloads.ts';

const COUNT = 8;
const MUTATIONS = 400;

interface Kind {
  items: Record<string, unknown>[];
  wrap: (items: unknown[]) => unknown;
  /** What the client makes of an answer, as one list. */
  parse: (json: unknown) => unknown[];
}

function numbered(make: (number: number) => Record<string, unknown>): Record<string, unknown>[] {
  return Array.from({ length: COUNT }, (_, number) => make(number + 1));
}

const KINDS: Record<string, Kind> = {
  'feed page': { items: numbered(feedItem), wrap: feedPage, parse: (json) => parseFeed(json).value.offers },
  'bare feed': { items: numbered(feedItem), wrap: (items) => items, parse: (json) => parseFeed(json).value.offers },
  getoffers: {
    items: numbered(offer),
    wrap: (items) => items,
    parse: (json) => {
      const find = findOffers(json);
      return Array.from({ length: COUNT }, (_, number) => find(idOf(number + 1))).map(
        (found) => 'value' in found && found.value,
      );
    },
  },
  events: { items: numbered(event), wrap: (items) => items, parse: (json) => parseEvents(json).value },
  dealcasts: { items: numbered(dealcast), wrap: (items) => items, parse: (json) => parseDealcasts(json).value },
  polls: {
    items: numbered((n) => poll({ Site: `${n}.example.com` })),
    wrap: (items) => items,
    parse: (json) => parsePolls(json).value,
  },
  monkeychats: {
    items: numbered((n) => ({ n })),
    wrap: (items) => items,
    parse: (json) => parseMonkeychats(json).value,
  },
};

const ODD = [
  null,
  '',
  0,
  -1,
  1e300,
  true,
  false,
  [],
  {},
  [[]],
  'WootOff',
  '\u0000',
  '//',
  'x'.repeat(5000),
  { Key: {} },
  { Items: 1 },
];

/** A copy with one value, however deep, replaced, removed or doubled. */
function mutate(json: unknown, random: () => number): unknown {
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)];
  if (typeof json !== 'object' || json === null || random() < 0.15) return structuredClone(pick(ODD));
  if (Array.isArray(json)) {
    const copy: unknown[] = [...json];
    const index = Math.floor(random() * copy.length);
    const dice = random();
    if (copy.length === 0 || dice < 0.1) copy.push(pick(ODD));
    else if (dice < 0.2) copy.splice(index, 1, copy[index], copy[index]);
    else copy[index] = mutate(copy[index], random);
    return copy;
  }
  const copy: Record<string, unknown> = { ...json };
  const name = pick(Object.keys(copy)) ?? 'Extra';
  if (random() < 0.2) delete copy[name];
  else copy[name] = mutate(copy[name], random);
  return copy;
}

/** What the client does with the text of a 200. */
function read(kind: Kind, text: string): unknown[] {
  const label = 'GET http://catalog.example.com/';
  const target = { url: new URL('http://catalog.example.com'), headers: {}, label, redact: (quoted: string) => quoted };
  const outcome = classify({ status: 200, header: () => undefined, text }, target);
  if ('failure' in outcome) throw outcome.failure.error;
  toSpecification(outcome.json);
  return kind.parse(outcome.json);
}

describe.each(Object.entries(KINDS))('%s', (_, kind) => {
  it('throws nothing but a CatalogError, whatever is damaged and wherever it is cut', () => {
    const random = seededRandom(11);
    const whole = kind.wrap(kind.items);
    for (let mutation = 0; mutation < MUTATIONS; mutation += 1) {
      const text = JSON.stringify(mutate(whole, random)) ?? '';
      const cut = random() < 0.3 ? text.slice(0, Math.floor(random() * text.length)) : text;
      try {
        read(kind, cut);
      } catch (error) {
        expect(error).toBeInstanceOf(CatalogError);
      }
    }
  });

  it('loses no good item because its neighbour is bad', () => {
    const random = seededRandom(12);
    const good = read(kind, JSON.stringify(kind.wrap(kind.items)));
    expect(good).toHaveLength(COUNT);
    for (let mutation = 0; mutation < MUTATIONS; mutation += 1) {
      const damaged = Math.floor(random() * COUNT);
      const items = kind.items.map((item, index) => (index === damaged ? mutate(item, random) : item));
      const values = read(kind, JSON.stringify(kind.wrap(items)));
      for (const [index, value] of good.entries()) if (index !== damaged) expect(values).toContainEqual(value);
    }
  });
});
