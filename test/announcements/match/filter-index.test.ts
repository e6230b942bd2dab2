import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FilterIndex } from '../../../src/announcements/match/filter-index.ts';
import {
  evaluate,
  type Filter,
  type FilterSubject,
  parseFilter,
  subjectOfDealcast,
  subjectOfOffer,
} from '../../../src/deals/filter/index.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { someFilter, someOffer } from '../../deals/filter/filters.ts';
import { aDealcast, anOffer, NOW_MS } from '../../helpers/things.ts';

interface Member {
  id: string;
}

/** What a member with a filter is added and removed by. */
type Entry = [member: Member, part: string, filter: Filter];

function filterOf(text: string): Filter {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem.code}`);
  return parsed.filter;
}

const indexed = (id: string, text: string, part = 'feed:Home'): Entry => [{ id }, part, filterOf(text)];

function idsOf(found: readonly { members: readonly Member[] }[]): string[] {
  return found.flatMap(({ members }) => members.map(({ id }) => id)).toSorted();
}

const laptop = subjectOfOffer(
  anOffer(1, {
    title: 'Laptop with a 1TB-SSD',
    subtitle: 'Extraordinarily light',
    categories: ['PC/Laptops'],
    salePrice: { minimum: 50, maximum: 50 },
    listPrice: { minimum: 100, maximum: 100 },
    endDateMs: NOW_MS + 5 * HOUR_MS,
  }),
);

test.each([
  'laptop',
  '"1tb ssd"',
  'lap*',
  'laptop*',
  'extraordinar*',
  'extraordinaril*',
  'laptopcase OR ssd',
  'price:<=50',
  'price:50..60',
  'off:>=50',
  'ends:<6h',
  'ends:>4h',
  'category:pc',
  'category:PC/Laptops',
  'featured:false',
  'type:offer',
  '/ssd/i',
  '-tv',
  'tv OR -radio',
  '',
])('%j is found', (text) => {
  const index = new FilterIndex<Member>();
  index.add(...indexed('1', text));
  expect(idsOf(index.match(['feed:Home'], laptop, NOW_MS))).toEqual(['1']);
});

test.each([
  'tv',
  'lapt',
  'laptops*',
  'extraordinary*',
  'price:<50',
  'off:>50',
  'ends:<5h',
  'category:pcx',
  'featured:true',
  'ssd -laptop',
])('%j is not', (text) => {
  const index = new FilterIndex<Member>();
  index.add(...indexed('1', text));
  expect(index.match(['feed:Home'], laptop, NOW_MS)).toEqual([]);
});

test('only the resources that are asked for count, each once', () => {
  const index = new FilterIndex<Member>();
  index.add(...indexed('1', 'ssd'));
  index.add(...indexed('2', 'ssd', 'feed:All'));
  index.add(...indexed('3', 'ssd', 'feed:Tools'));
  expect(idsOf(index.match(['feed:Home', 'feed:All', 'feed:Home'], laptop, NOW_MS))).toEqual(['1', '2']);
  expect(index.match([], laptop, NOW_MS)).toEqual([]);
});

test('a member that was removed is not found any more, and is found where it is added then', () => {
  const index = new FilterIndex<Member>();
  index.add(...indexed('1', 'ssd'));
  index.remove(...indexed('1', 'ssd'));
  index.add(...indexed('1', 'tv'));
  expect(index.match(['feed:Home'], laptop, NOW_MS)).toEqual([]);
  index.remove(...indexed('1', 'tv'));
  index.add(...indexed('1', 'ssd', 'feed:All'));
  expect(index.match(['feed:Home'], laptop, NOW_MS)).toEqual([]);
  expect(idsOf(index.match(['feed:All'], laptop, NOW_MS))).toEqual(['1']);
  index.remove(...indexed('1', 'ssd', 'feed:All'));
  index.remove(...indexed('1', 'ssd', 'feed:All'));
  index.remove(...indexed('2', 'ssd', 'feed:Tools'));
  expect(index.match(['feed:All'], laptop, NOW_MS)).toEqual([]);
});

test('what a thing lacks finds nothing', () => {
  const index = new FilterIndex<Member>();
  for (const text of ['price:>0', 'ends:>1m', 'category:PC', 'featured:false']) index.add(...indexed(text, text));
  expect(index.match(['feed:Home'], subjectOfDealcast(aDealcast(1)), NOW_MS)).toEqual([]);
});

type Step =
  | { do: 'set'; id: string; key: string; text: string }
  | { do: 'remove'; id: string }
  | { do: 'match'; keys: string[]; subject: FilterSubject };

const id = fc.integer({ min: 1, max: 30 }).map(String);
const resource = fc.constantFrom('feed:Home', 'feed:All');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('set'), id, key: resource, text: someFilter }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove'), id }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('match'),
      keys: fc.uniqueArray(resource),
      subject: someOffer.map(subjectOfOffer),
    }),
  },
);

test('the index finds what a plain loop finds, whatever comes, changes and goes', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 80 }), (steps) => {
      const index = new FilterIndex<Member>();
      const plain = new Map<string, Entry>();
      for (const one of steps) {
        if (one.do === 'remove') {
          const known = plain.get(one.id);
          if (known) index.remove(...known);
          plain.delete(one.id);
        } else if (one.do === 'set') {
          const [made, known] = [indexed(one.id, one.text, one.key), plain.get(one.id)];
          if (known) index.remove(...known);
          index.add(...made);
          plain.set(one.id, made);
        } else {
          const expected = [...plain.values()]
            .filter(([, part, filter]) => one.keys.includes(part) && evaluate(filter, one.subject, NOW_MS))
            .map(([member]) => member.id);
          found += expected.length;
          expect(idsOf(index.match(one.keys, one.subject, NOW_MS))).toEqual(expected.toSorted());
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(1_000);
});

test('filters that mean the same are found as one', () => {
  const index = new FilterIndex<Member>();
  index.add(...indexed('1', 'ssd price:<50.01'));
  index.add(...indexed('2', 'SSD  AND price:<50.01'));
  const found = index.match(['feed:Home'], laptop, NOW_MS);
  expect(found).toHaveLength(1);
  expect(idsOf(found)).toEqual(['1', '2']);
});

test('a category deeper than the index goes is found, and no other beside it', () => {
  const index = new FilterIndex<Member>();
  for (const path of ['a', 'a/b/c/d/e/f', 'a/b/c/d/e/f/g/h', 'a/b/c/d/e/f/g/x'])
    index.add(...indexed(path, `category:${path}`));
  const deep = subjectOfOffer(anOffer(1, { categories: ['A/b/c/d/e/f/g/h/i'] }));
  expect(idsOf(index.match(['feed:Home'], deep, NOW_MS))).toEqual(['a', 'a/b/c/d/e/f', 'a/b/c/d/e/f/g/h']);
});

test('a category path of a megabyte is searched by its beginning: all beginnings of it would be 250 GB', () => {
  const index = new FilterIndex<Member>();
  for (const path of ['a/a/a/a/a/a', 'a/b']) index.add(...indexed(path, `category:${path}`));
  const deep = subjectOfOffer(anOffer(1, { categories: ['a/'.repeat(500_000)] }));
  expect(idsOf(index.match(['feed:Home'], deep, NOW_MS))).toEqual(['a/a/a/a/a/a']);
});

/** A filter that reports each of its evaluations. */
function observed(text: string, onEvaluate: () => void): Filter {
  const filter = filterOf(text);
  return {
    ...filter,
    get root() {
      onEvaluate();
      return filter.root;
    },
  };
}

/** The number of times that a search evaluates a filter for an entity that the filter need not take. */
function evaluations(text: string, changes: Partial<Offer> = {}): number {
  let count = 0;
  const filter = observed(text, () => {
    count += 1;
  });
  const index = new FilterIndex<Member>();
  index.add({ id: '1' }, 'feed:home', filter);
  const setUp = count;
  index.match(['feed:home'], subjectOfOffer(anOffer(1, { title: 'tv', subtitle: null, ...changes })), NOW_MS);
  return count - setUp;
}

const costs = (minimum: number) => ({ salePrice: { minimum, maximum: minimum } });

test.each<[string, Partial<Offer>]>([
  ['laptop', {}],
  ['tv laptop', {}],
  ['laptop tv', {}],
  ['"tv laptop"', {}],
  ['title:laptop', {}],
  ['laptop OR radio', {}],
  ['tv (laptop OR radio)', {}],
  ['lap*', {}],
  ['"tv lap*"', {}],
  ['extraordinaril*', { title: 'extraordina' }],
  ['laptop /tv/', {}],
  ['laptop -tv', {}],
  ['laptop price:<50', {}],
  ['price:<50 laptop', {}],
  ['price:<19.99', {}],
  ['price:>20.01', {}],
  ['price:<50 featured:true', {}],
  ['soldout:false featured:true', {}],
  ['featured:true soldout:false', {}],
  ['featured:true price:>0', {}],
  ['category:pc soldout:false', {}],
  ['category:home category:home/kitchen/small', {}],
  ['site:wine soldout:false', {}],
  ['condition:new soldout:false', {}],
  ['tv site:wine', { title: 'a' }],
  ['category:a/b/c/d/e/f', { categories: ['a/b/c/d/e/g'] }],
  ['ends:<5h', { endDateMs: NOW_MS + 6 * HOUR_MS }],
  ['price:<50', { salePrice: null }],
])('%j is not looked at for what has not the rarest of what it asks: %j', (text, changes) => {
  expect(evaluations(text, changes)).toBe(0);
});

test.each<[string, Partial<Offer>]>([
  ['', {}],
  ['tv', {}],
  ['-laptop', {}],
  ['/tv/', {}],
  ['laptop OR -radio', {}],
  ['laptop OR tv OR t*', {}],
  ['price:<=20', {}],
  ['price:>=20', {}],
  ['tv price:<10', costs(20)],
  ['price:10..30', {}],
  ['extraordinaril*', { title: 'extraordinar' }],
  ['extraordinary*', { title: 'extraordinarily' }],
  ['category:home/kitchen', {}],
  // Six levels are compared, and no more.
  ['category:a/b/c/d/e/f/g', { categories: ['a/b/c/d/e/f/x'] }],
])('%j is looked at once for what may be what it asks: %j', (text, changes) => {
  expect(evaluations(text, changes)).toBe(1);
});

test('filters that mean the same are decided on at once, and in each resource by themselves', () => {
  let count = 0;
  const filter = observed('tv', () => {
    count += 1;
  });
  const index = new FilterIndex<Member>();
  for (const [id, part] of [
    ['1', 'feed:home'],
    ['2', 'feed:home'],
    ['3', 'feed:tools'],
  ] as const)
    index.add({ id }, part, filter);
  count = 0;
  const found = index.match(['feed:home', 'feed:tools'], subjectOfOffer(anOffer(1, { title: 'tv' })), NOW_MS);
  expect(found.flatMap(({ members }) => members.map(({ id }) => id))).toEqual(['1', '2', '3']);
  expect(count).toBe(2);
});

test('numbers are compared with the bounds in their order, and those beyond are not looked at', () => {
  const index = new FilterIndex<Member>();
  const evaluated: string[] = [];
  const entryOf = (text: string): Entry => [{ id: text }, 'feed:home', observed(text, () => evaluated.push(text))];
  const add = (text: string) => index.add(...entryOf(text));
  const search = () => {
    evaluated.length = 0;
    index.match(['feed:home'], subjectOfOffer(anOffer(1, costs(20))), NOW_MS);
    return evaluated.toSorted();
  };
  for (const bound of [30, 10, 20, 25]) {
    add(`price:<=${bound}`);
    add(`price:>=${bound}`);
  }
  const expected = ['price:<=20', 'price:<=25', 'price:<=30', 'price:>=10', 'price:>=20'];
  expect(search()).toEqual(expected);
  add('price:<=19');
  add('price:<=21');
  add('price:>=21');
  add('price:>=19');
  expect(search()).toEqual([...expected, 'price:<=21', 'price:>=19'].toSorted());
  index.remove(...entryOf('price:<=25'));
  index.remove(...entryOf('price:>=10'));
  expect(search()).toEqual(['price:<=20', 'price:<=21', 'price:<=30', 'price:>=19', 'price:>=20']);
});

test.each(['', '/tv/', 'tv', 'price:<50', 'tv OR radio'])('once removed, %j is not looked at any more', (text) => {
  let count = 0;
  const filter = observed(text, () => {
    count += 1;
  });
  const index = new FilterIndex<Member>();
  for (const id of ['1', '2']) index.add({ id }, 'feed:home', filter);
  index.add(...indexed('3', 'featured:false', 'feed:home'));
  const search = () => {
    count = 0;
    index.match(['feed:home'], subjectOfOffer(anOffer(1, { title: 'tv' })), NOW_MS);
    return count;
  };
  index.remove({ id: '1' }, 'feed:home', filter);
  expect(search()).toBe(1);
  index.remove({ id: '2' }, 'feed:home', filter);
  expect(search()).toBe(0);
});
