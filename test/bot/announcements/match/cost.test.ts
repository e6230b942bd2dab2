import { expect, test } from 'vitest';
import { createMatcher, type Matchable } from '../../../../src/bot/announcements/match/matcher.ts';
import { parseFilter, subjectOfOffer } from '../../../../src/bot/deals/filter/index.ts';
import type { Offer } from '../../../../src/bot/deals/offer.ts';
import { anOffer, HOUR_MS, NOW_MS } from '../../../helpers/things.ts';

/** The number of times that a search evaluates a filter for an entity that the filter need not take. */
function looks(text: string, changes: Partial<Offer> = {}): number {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem.code}`);
  let count = 0;
  const filter = {
    ...parsed.filter,
    get root() {
      count += 1;
      return parsed.filter.root;
    },
  };
  const matcher = createMatcher<Matchable>();
  matcher.set({ id: '1', key: 'feed:home', filter });
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
  expect(looks(text, changes)).toBe(0);
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
  expect(looks(text, changes)).toBe(1);
});

test('filters that mean the same are decided on at once, and in each resource by themselves', () => {
  const parsed = parseFilter('tv');
  if (!parsed.ok) throw new Error(parsed.problem.code);
  let count = 0;
  const filter = {
    ...parsed.filter,
    get root() {
      count += 1;
      return parsed.filter.root;
    },
  };
  const matcher = createMatcher<Matchable>();
  for (const [id, key] of [
    ['1', 'feed:home'],
    ['2', 'feed:home'],
    ['3', 'feed:tools'],
  ] as const)
    matcher.set({ id, key, filter });
  count = 0;
  const found = matcher.match(['feed:home', 'feed:tools'], subjectOfOffer(anOffer(1, { title: 'tv' })), NOW_MS);
  expect(found.map(({ id }) => id)).toEqual(['1', '2', '3']);
  expect(count).toBe(2);
});

test('numbers are compared with the bounds in their order, and those beyond are not looked at', () => {
  const matcher = createMatcher<Matchable>();
  const looked: string[] = [];
  const add = (text: string) => {
    const parsed = parseFilter(text);
    if (!parsed.ok) throw new Error(parsed.problem.code);
    const filter = {
      ...parsed.filter,
      get root() {
        looked.push(text);
        return parsed.filter.root;
      },
    };
    matcher.set({ id: text, key: 'feed:home', filter });
  };
  const search = () => {
    looked.length = 0;
    matcher.match(['feed:home'], subjectOfOffer(anOffer(1, costs(20))), NOW_MS);
    return looked.toSorted();
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
  matcher.remove('price:<=25');
  matcher.remove('price:>=10');
  expect(search()).toEqual(['price:<=20', 'price:<=21', 'price:<=30', 'price:>=19', 'price:>=20']);
});

test.each(['', '/tv/', 'tv', 'price:<50', 'tv OR radio'])('once removed, %j is not looked at any more', (text) => {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(parsed.problem.code);
  let count = 0;
  const filter = {
    ...parsed.filter,
    get root() {
      count += 1;
      return parsed.filter.root;
    },
  };
  const matcher = createMatcher<Matchable>();
  for (const id of ['1', '2']) matcher.set({ id, key: 'feed:home', filter });
  const other = parseFilter('featured:false');
  if (other.ok) matcher.set({ id: '3', key: 'feed:home', filter: other.filter });
  const search = () => {
    count = 0;
    matcher.match(['feed:home'], subjectOfOffer(anOffer(1, { title: 'tv' })), NOW_MS);
    return count;
  };
  matcher.remove('1');
  expect(search()).toBe(1);
  matcher.remove('2');
  expect(search()).toBe(0);
});
