import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  evaluate,
  explain,
  type Filter,
  type FilterSubject,
  matchedTerms,
  parseFilter,
  subjectOfDealcast,
  subjectOfEvent,
  subjectOfOffer,
  subjectOfPoll,
} from '../../../src/deals/filter/index.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { sampleSize } from '../../helpers/sampled.ts';
import { aDealcast, anEvent, anEventOffer, anOffer, NOW_MS } from '../../helpers/things.ts';
import { someFilter, someOffer } from './filters.ts';

function filterOf(text: string): Filter {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem.code}`);
  return parsed.filter;
}

function takes(text: string, subject: FilterSubject): boolean {
  return evaluate(filterOf(text), subject, NOW_MS);
}

const laptop = subjectOfOffer(
  anOffer(1, {
    title: 'Café 15.6" Laptop, 1TB-SSD (Refurbished)',
    subtitle: "Men's headphones™ and more",
    condition: null,
    categories: ['PC', 'PC/Laptops', 'Sellout/Computers'],
    salePrice: { minimum: 84.95, maximum: 199.99 },
    listPrice: { minimum: 129.95, maximum: 519.99 },
    endDateMs: NOW_MS + 5.5 * HOUR_MS,
    isFeatured: true,
    site: 'Computers',
  }),
);

test.each([
  ['', true],
  ['laptop', true],
  ['LAPTOP', true],
  ['lap', false],
  ['lap*', true],
  ['top*', false],
  ['ssd', true],
  ['1tb', true],
  ['1TB-SSD', true],
  ['"1tb ssd"', true],
  ['"ssd 1tb"', false],
  ['"refurbished men"', false],
  ['cafe', true],
  ['CAFÉ', true],
  ['15.6"', true],
  ["men's", true],
  ['headphones', true],
  ['-refurb', false],
  ['-renewed', false],
  ['recertified', true],
  ['recon*', true],
  ['re*', true],
  ['rec*', false],
  ['title:renewed', false],
  ['-refurb*', false],
  ['/1TB.SSD/', true],
  ['/1tb.ssd/', false],
  ['/1tb.ssd/i', true],
  ['/laptop$/i', false],
  ['title:headphones', false],
  ['title:laptop', true],
  ['title:/^Café/', true],
  ['condition:refurbished', true],
  ['condition:new', false],
  ['price:<84.95', false],
  ['price:<=84.95', true],
  ['price:84.95', true],
  ['price:80..90', true],
  ['price:90..', false],
  ['list:>100', true],
  ['off:>=34', true],
  ['off:>34', false],
  ['ends:<6h', true],
  ['ends:<5h', false],
  ['ends:330m..1d', true],
  ['category:pc', true],
  ['category:PC/Laptops/', true],
  ['category:Laptops', false],
  ['category:sell', false],
  ['site:computers', true],
  ['type:offer', true],
  ['type:event', false],
  ['featured:true', true],
  ['featured:no', false],
  ['soldout:false', true],
  ['tv OR laptop', true],
  ['tv OR laptop tv', false],
  ['-(tv laptop)', true],
  ['-(tv OR laptop)', false],
])('%j on a laptop: %j', (text, expected) => {
  expect(takes(text, laptop)).toBe(expected);
});

test.each([
  ['a known condition', 'New (1)', 'Kettle', 'condition:new', true],
  ['what the title says beside', 'New (1)', 'Kettle [Open Box]', 'condition:"open box"', true],
  ['what else stands in parentheses', null, 'Kettle (2-Pack)', 'condition:pack', false],
])('condition: %s', (_, condition, title, text, expected) => {
  expect(takes(text, subjectOfOffer(anOffer(1, { condition, title })))).toBe(expected);
});

test('a reduction counts as far as every variant has it', () => {
  const partly = anOffer(1, { salePrice: { minimum: 50, maximum: 110 }, listPrice: { minimum: 100, maximum: 100 } });
  expect(takes('off:>0', subjectOfOffer(partly))).toBe(false);
  expect(takes('off:0', subjectOfOffer(partly))).toBe(true);
  expect(takes('off:0', subjectOfOffer({ ...partly, listPrice: null }))).toBe(false);
});

test.each([
  'price:>0',
  'list:>0',
  'off:>=0',
  'ends:>0m',
  'category:PC',
  'featured:false',
  'soldout:false',
  'condition:new',
])('what a dealcast does not have never passes: %s', (text) => {
  expect(takes(text, subjectOfDealcast(aDealcast(1)))).toBe(false);
  expect(takes(`-${text}`, subjectOfDealcast(aDealcast(1)))).toBe(true);
});

test('what has ended has no time left', () => {
  expect(takes('ends:<24h', subjectOfOffer(anOffer(1, { endDateMs: NOW_MS })))).toBe(false);
});

test('an event stands for what it offers', () => {
  const item = { id: 'i', title: null, asin: null, purchaseLimit: null, attributes: [], photos: [] };
  const event = subjectOfEvent(
    anEvent(1, {
      type: 'DealOff',
      title: 'Everything goes',
      offers: [
        anEventOffer(1, { title: 'Blender (New)', items: [{ ...item, salePrice: 30, listPrice: 60 }] }),
        anEventOffer(2, { title: 'Kettle', subtitle: 'Steel', items: [{ ...item, salePrice: 90, listPrice: 100 }] }),
        anEventOffer(3, { title: 'Spoon', soldOut: true, items: [{ ...item, salePrice: null, listPrice: null }] }),
      ],
    }),
  );
  for (const text of ['everything', 'blender kettle', 'steel', 'condition:new', 'price:30', 'list:60', 'off:50'])
    expect([text, takes(text, event)]).toEqual([text, true]);
  for (const text of ['type:event', 'type:dealoff', 'dealoff:true', 'soldout:false', 'ends:<2h', 'site:home'])
    expect([text, takes(text, event)]).toEqual([text, true]);
  expect(takes('title:kettle', event)).toBe(false);
});

test('dealcasts and polls are found by their words, their site and their type', () => {
  const poll = { discussionUrl: null, site: 'www.example.com', questions: [{ text: 'Best kettle?', responses: [] }] };
  expect(takes('dealcast type:dealcast site:www title:1', subjectOfDealcast(aDealcast(1)))).toBe(true);
  expect(takes('kettle type:poll site:www title:best', subjectOfPoll(poll))).toBe(true);
});

test('why not: each term says how it fared and what was found', () => {
  const text = 'laptop -refurb* (price:<50 OR off:>=30) category:pc ends:<1d featured:true list:<1 mobile:true';
  const { holds, terms } = explain(filterOf(text), laptop, NOW_MS);
  expect(holds).toBe(false);
  for (const { at, length, source } of terms) expect(text.slice(at, at + length)).toBe(source);
  const title = 'Café 15.6" Laptop, 1TB-SSD (Refurbished)\nMen\'s headphones™ and more';
  expect(
    terms.map(({ name, isNegated, holds, isDecisive, found }) => [name, isNegated, holds, isDecisive, found]),
  ).toEqual([
    ['laptop', false, true, false, title],
    ['refurb*', true, false, true, title],
    ['price < 50', false, false, false, '$84.95'],
    ['off ≥ 30', false, true, false, '34%'],
    ['category pc', false, true, false, 'PC, PC/Laptops, Sellout/Computers'],
    ['ends < 1d', false, true, false, '5h 30m'],
    ['featured', false, true, false, 'true'],
    ['list < 1', false, false, true, '$129.95'],
    ['mobile', false, false, true, 'false'],
  ]);
});

test('why not, where there is no such thing', () => {
  const { terms } = explain(
    filterOf('price:<5 ends:<1h category:pc mobile:no condition:new'),
    subjectOfDealcast(aDealcast(1)),
    NOW_MS,
  );
  expect(terms.map(({ found }) => found)).toEqual([null, null, null, null, null]);
});

test('a card names what an offer was taken for', () => {
  expect(matchedTerms(filterOf('ssd -tv off:>=30 (price:<50 OR lap*) text:cafe'), laptop, NOW_MS)).toEqual([
    'ssd',
    'off ≥ 30',
    'lap*',
    'cafe',
  ]);
  expect(matchedTerms(filterOf('a OR ssd OR 1tb OR cafe OR lap* OR men OR more OR SSD'), laptop, NOW_MS)).toHaveLength(
    5,
  );
  expect(matchedTerms(filterOf('ssd tv'), laptop, NOW_MS)).toEqual([]);
  expect(matchedTerms(filterOf(''), laptop, NOW_MS)).toEqual([]);
});

test('a regular expression that would take others forever is done with a long title at once', () => {
  const long = subjectOfOffer(anOffer(1, { title: `${'a'.repeat(20_000)}!` }));
  expect(takes('/(a+)+$/', long)).toBe(false);
  expect(takes('/(a|aa)+b/', long)).toBe(false);
});

/** The meaning of a filter, written a second time in the plain way: from the text, without the parser's help. */
function meaning(text: string, offer: Offer): boolean {
  const pieces = text.match(/[()]|-|(?:[a-z]+:)?(?:"[^"]*"|\/[^/]*\/i|[^\s()]+)/g) ?? [];
  let next = 0;
  const anyOf = (): boolean => {
    let holds = allOf();
    while (pieces[next] === 'OR') {
      next += 1;
      const other = allOf();
      holds = holds || other;
    }
    return holds;
  };
  const allOf = (): boolean => {
    let holds = true;
    while (next < pieces.length && pieces[next] !== 'OR' && pieces[next] !== ')') {
      if (pieces[next] === 'AND') next += 1;
      const one = operand();
      holds = holds && one;
    }
    return holds;
  };
  const operand = (): boolean => {
    const piece = pieces[next++] ?? '';
    if (piece === '-' || piece === 'NOT') return !operand();
    if (piece !== '(') return holdsPlainly(piece, offer);
    const inner = anyOf();
    next += 1;
    return inner;
  };
  return anyOf();
}

function holdsPlainly(term: string, offer: Offer): boolean {
  const [, field = 'text', sign = '', value = ''] = /^(?:([a-z]+):)?([<>]=?)?(.*)$/.exec(term) ?? [];
  const bracketed = (offer.title.match(/\(Open Box\)|\[NEW\]/g) ?? []).join(' . ');
  switch (field) {
    case 'text':
      return hasText(value, offer);
    case 'title':
      return hasWords(offer.title, value);
    case 'condition':
      return [offer.condition, bracketed].some((part) => part !== null && hasWords(part, value));
    case 'site':
      return offer.site?.toLowerCase().split('.').includes(value) ?? false;
    case 'type':
      return value === 'offer';
    case 'category':
      return offer.categories.some((category) =>
        `${category}/`.toLowerCase().startsWith(`${value.replaceAll('"', '').toLowerCase()}/`),
      );
    case 'featured':
      return String(offer.isFeatured) === value;
    case 'soldout':
      return String(offer.isSoldOut) === value;
    case 'mobile':
      return String(offer.isAvailableOnMobileAppOnly) === value;
    case 'ends':
      return (
        offer.endDateMs !== null &&
        offer.endDateMs > NOW_MS &&
        compares((offer.endDateMs - NOW_MS) / HOUR_MS, sign, value.slice(0, -1))
      );
    case 'price':
      return offer.salePrice !== null && compares(offer.salePrice.minimum, sign, value);
    case 'list':
      return offer.listPrice !== null && compares(offer.listPrice.minimum, sign, value);
    case 'off': {
      const { salePrice, listPrice } = offer;
      if (!salePrice || !listPrice) return false;
      const percents = (['minimum', 'maximum'] as const).map(
        (end) => ((listPrice[end] - salePrice[end]) / listPrice[end]) * 100,
      );
      return compares(Math.max(0, Math.floor(Math.min(...percents) + 1e-9)), sign, value);
    }
    default:
      throw new Error(`The plain way does not know ${term}.`);
  }
}

/** What each condition is called. */
const CONDITIONS = [
  ['refurbished', 'refurb', 'renewed', 'reconditioned', 'recertified'],
  ['open box', 'openbox'],
  ['used', 'preowned', 'pre owned'],
  ['new'],
];

function hasText(value: string, { title, subtitle, condition }: Offer): boolean {
  const texts = [title, subtitle].filter((part) => part !== null);
  const named = value.replaceAll('"', '').toLowerCase();
  const words = CONDITIONS.find((all) =>
    all.some((word) => word === named || (/^.{5,}\*$/.test(named) && word.startsWith(named.slice(0, -1)))),
  );
  if (!words || value.startsWith('/')) return texts.some((part) => hasWords(part, value));
  return [...texts, condition ?? ''].some((part) => [value, ...words].some((word) => hasWords(part, word)));
}

function compares(value: number, sign: string, bound: string): boolean {
  const [low = 0, high = 0] = bound.split('..').map(Number);
  return (
    { '<': value < low, '<=': value <= low, '>': value > low, '>=': value >= low, '': value >= low && value <= high }[
      sign
    ] ?? false
  );
}

function hasWords(part: string, value: string): boolean {
  if (value.startsWith('/')) return new RegExp(value.slice(1, -2), 'i').test(part);
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replaceAll('é', 'e')
      .split(/[^a-z0-9*]+/)
      .filter(Boolean);
  const words = plain(value);
  return plain(part).some((_, start, all) =>
    words.every((word, index) =>
      word.endsWith('*') ? all[start + index]?.startsWith(word.slice(0, -1)) : all[start + index] === word,
    ),
  );
}

test('every filter decides as the plain way does, and its explanation agrees', () => {
  let taken = 0;
  fc.assert(
    fc.property(someFilter, someOffer, (text, offer) => {
      const filter = filterOf(text);
      const subject = subjectOfOffer(offer);
      const expected = meaning(text, offer);
      taken += Number(expected);
      expect(evaluate(filter, subject, NOW_MS)).toBe(expected);
      expect(takes(filter.canonical, subject)).toBe(expected);
      const { holds, terms } = explain(filter, subject, NOW_MS);
      expect(holds).toBe(expected);
      const decisive = terms.filter(({ isDecisive }) => isDecisive);
      expect(decisive.every((term) => term.holds === expected)).toBe(true);
      expect(decisive.length > 0 || text === '').toBe(true);
      if (!expected) expect(matchedTerms(filter, subject, NOW_MS)).toEqual([]);
    }),
    { numRuns: sampleSize(3_000, 800) },
  );
  expect(taken).toBeGreaterThan(sampleSize(300, 80));
});
