import { expect, test } from 'vitest';
import { createMatcher, type Matchable } from '../../../src/announcements/match/matcher.ts';
import { type Filter, parseFilter, subjectOfOffer } from '../../../src/deals/filter/index.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { anOffer, HOUR_MS, NOW_MS } from '../../helpers/things.ts';

/** A filter that reports each of its evaluations. */
function observed(text: string, onEvaluate: () => void): Filter {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem.code}`);
  const { filter } = parsed;
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
  const matcher = createMatcher<{ id: string }>();
  matcher.add({ members: [{ id: '1' }], key: 'feed:home', filter });
  const setUp = count;
  matcher.match(['feed:home'], subjectOfOffer(anOffer(1, { title: 'tv', subtitle: null, ...changes })), NOW_MS);
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
])('%j is looked at once for what may be what it asks: %j', (text, changes) => {
  expect(evaluations(text, changes)).toBe(1);
});

test('filters that mean the same are decided on at once, and in each resource by themselves', () => {
  let count = 0;
  const filter = observed('tv', () => {
    count += 1;
  });
  const matcher = createMatcher<{ id: string }>();
  for (const [id, key] of [
    ['1', 'feed:home'],
    ['2', 'feed:home'],
    ['3', 'feed:tools'],
  ] as const)
    matcher.add({ members: [{ id }], key, filter });
  count = 0;
  const found = matcher.match(['feed:home', 'feed:tools'], subjectOfOffer(anOffer(1, { title: 'tv' })), NOW_MS);
  expect(found.flatMap(({ members }) => members.map(({ id }) => id))).toEqual(['1', '2', '3']);
  expect(count).toBe(2);
});

test('numbers are compared with the bounds in their order, and those beyond are not looked at', () => {
  const matcher = createMatcher<{ id: string }>();
  const evaluated: string[] = [];
  const entryOf = (text: string) => ({
    members: [{ id: text }],
    key: 'feed:home',
    filter: observed(text, () => evaluated.push(text)),
  });
  const add = (text: string) => matcher.add(entryOf(text));
  const search = () => {
    evaluated.length = 0;
    matcher.match(['feed:home'], subjectOfOffer(anOffer(1, costs(20))), NOW_MS);
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
  matcher.remove(entryOf('price:<=25'));
  matcher.remove(entryOf('price:>=10'));
  expect(search()).toEqual(['price:<=20', 'price:<=21', 'price:<=30', 'price:>=19', 'price:>=20']);
});

test.each(['', '/tv/', 'tv', 'price:<50', 'tv OR radio'])('once removed, %j is not looked at any more', (text) => {
  let count = 0;
  const filter = observed(text, () => {
    count += 1;
  });
  const matcher = createMatcher<{ id: string }>();
  const entryOf = (id: string): Matchable<{ id: string }> => ({ members: [{ id }], key: 'feed:home', filter });
  const one = entryOf('1');
  const two = entryOf('2');
  for (const entry of [one, two]) matcher.add(entry);
  const other = parseFilter('featured:false');
  if (other.ok) matcher.add({ members: [{ id: '3' }], key: 'feed:home', filter: other.filter });
  const search = () => {
    count = 0;
    matcher.match(['feed:home'], subjectOfOffer(anOffer(1, { title: 'tv' })), NOW_MS);
    return count;
  };
  matcher.remove(one);
  expect(search()).toBe(1);
  matcher.remove(two);
  expect(search()).toBe(0);
});
