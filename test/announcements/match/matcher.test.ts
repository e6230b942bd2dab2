import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entriesOf } from '../../../src/announcements/match/index-lookup.ts';
import { createMatcher, type Matchable, type Matching } from '../../../src/announcements/match/matcher.ts';
import {
  evaluate,
  type FilterSubject,
  parseFilter,
  subjectOfDealcast,
  subjectOfOffer,
} from '../../../src/deals/filter/index.ts';
import { someFilter, someOffer } from '../../deals/filter/filters.ts';
import { aDealcast, anOffer, HOUR_MS, NOW_MS } from '../../helpers/things.ts';

interface Member {
  id: string;
}

function indexed(id: string, text: string, key = 'feed:Home'): Matchable<Member> {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem.code}`);
  return { members: [{ id }], key, filter: parsed.filter };
}

function idsOf(found: readonly Matching<Member>[]): string[] {
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
  const matcher = createMatcher<Member>();
  matcher.add(indexed('1', text));
  expect(idsOf(matcher.match(['feed:Home'], laptop, NOW_MS))).toEqual(['1']);
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
  const matcher = createMatcher<Member>();
  matcher.add(indexed('1', text));
  expect(matcher.match(['feed:Home'], laptop, NOW_MS)).toEqual([]);
});

test('only the resources that are asked for count, each once', () => {
  const matcher = createMatcher<Member>();
  matcher.add(indexed('1', 'ssd'));
  matcher.add(indexed('2', 'ssd', 'feed:All'));
  matcher.add(indexed('3', 'ssd', 'feed:Tools'));
  expect(idsOf(matcher.match(['feed:Home', 'feed:All', 'feed:Home'], laptop, NOW_MS))).toEqual(['1', '2']);
  expect(matcher.match([], laptop, NOW_MS)).toEqual([]);
});

test('a member that was removed is not found any more, and is found where it is added then', () => {
  const matcher = createMatcher<Member>();
  matcher.add(indexed('1', 'ssd'));
  matcher.remove(indexed('1', 'ssd'));
  matcher.add(indexed('1', 'tv'));
  expect(matcher.match(['feed:Home'], laptop, NOW_MS)).toEqual([]);
  matcher.remove(indexed('1', 'tv'));
  matcher.add(indexed('1', 'ssd', 'feed:All'));
  expect(matcher.match(['feed:Home'], laptop, NOW_MS)).toEqual([]);
  expect(idsOf(matcher.match(['feed:All'], laptop, NOW_MS))).toEqual(['1']);
  matcher.remove(indexed('1', 'ssd', 'feed:All'));
  matcher.remove(indexed('1', 'ssd', 'feed:All'));
  matcher.remove(indexed('2', 'ssd', 'feed:Tools'));
  expect(matcher.match(['feed:All'], laptop, NOW_MS)).toEqual([]);
});

test('what a thing lacks finds nothing', () => {
  const matcher = createMatcher<Member>();
  for (const text of ['price:>0', 'ends:>1m', 'category:PC', 'featured:false']) matcher.add(indexed(text, text));
  expect(matcher.match(['feed:Home'], subjectOfDealcast(aDealcast(1)), NOW_MS)).toEqual([]);
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
      const matcher = createMatcher<Member>();
      const plain = new Map<string, Matchable<Member>>();
      for (const one of steps) {
        if (one.do === 'remove') {
          const known = plain.get(one.id);
          if (known) matcher.remove(known);
          plain.delete(one.id);
        } else if (one.do === 'set') {
          const [made, known] = [indexed(one.id, one.text, one.key), plain.get(one.id)];
          if (known) matcher.remove(known);
          matcher.add(made);
          plain.set(one.id, made);
        } else {
          const expected = [...plain.values()]
            .filter(({ key, filter }) => one.keys.includes(key) && evaluate(filter, one.subject, NOW_MS))
            .flatMap(({ members }) => members.map((member) => member.id));
          found += expected.length;
          expect(idsOf(matcher.match(one.keys, one.subject, NOW_MS))).toEqual(expected.toSorted());
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(1_000);
});

test('filters that mean the same are found as one', () => {
  const matcher = createMatcher<Member>();
  matcher.add(indexed('1', 'ssd price:<50.01'));
  matcher.add(indexed('2', 'SSD  AND price:<50.01'));
  const found = matcher.match(['feed:Home'], laptop, NOW_MS);
  expect(found).toHaveLength(1);
  expect(idsOf(found)).toEqual(['1', '2']);
});

test('a category deeper than the index goes is found, and no other beside it', () => {
  const matcher = createMatcher<Member>();
  for (const path of ['a', 'a/b/c/d/e/f', 'a/b/c/d/e/f/g/h', 'a/b/c/d/e/f/g/x'])
    matcher.add(indexed(path, `category:${path}`));
  const deep = subjectOfOffer(anOffer(1, { categories: ['A/b/c/d/e/f/g/h/i'] }));
  expect(idsOf(matcher.match(['feed:Home'], deep, NOW_MS))).toEqual(['a', 'a/b/c/d/e/f', 'a/b/c/d/e/f/g/h']);
});

test('a category path makes six entries at most, however deep it is', () => {
  const pathEntries = (path: string) =>
    [...entriesOf(subjectOfOffer(anOffer(1, { categories: [path] })))].filter((entry) => entry.startsWith('p '));
  expect(pathEntries('a/b/c/d/e/f')).toHaveLength(6);
  expect(pathEntries('a/b/c/d/e/f/g')).toHaveLength(6);
  // 1 MB: all beginnings of it would be 250 GB.
  expect(pathEntries('a/'.repeat(500_000)).join('').length).toBeLessThan(200);
});
