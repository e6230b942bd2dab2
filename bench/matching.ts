import { parse, test } from 'liqe';
import { FilterIndex } from '../src/announcements/match/filter-index.ts';
import {
  type Filter,
  type FilterNode,
  type FilterSubject,
  parseFilter,
  subjectOfOffer,
  type TermTest,
} from '../src/deals/filter/index.ts';
import type { Offer } from '../src/deals/offer.ts';
import { filterSource, NOW_MS, simulatedOffers } from './matching-filters.ts';
import { elapsedMs, formatCount, measure, ratioOf, type Section, spreadRows } from './measure.ts';

const SUBSCRIPTIONS = 100_000;
const CHANGES = 500;
/** liqe takes about a second for each of them. */
const LIQE_CHANGES = 3;
const ROUNDS = { warmUp: 1, counted: 3 };

const INDEX = 'the index';
const LOOP = 'a loop over compiled closures';
const LIQE = "liqe's own test of each filter";

export async function benchMatching(): Promise<Section[]> {
  return [await benchSpeed()];
}

type Compiled = (subject: FilterSubject, nowMs: number) => boolean;

async function benchSpeed(): Promise<Section> {
  const offers = await simulatedOffers();
  const changes = offers.filter((_, index) => index % Math.floor(offers.length / CHANGES) === 0).slice(0, CHANGES);
  const write = filterSource(offers, 1);
  const filters = new Map<string, Filter>();
  const index = new FilterIndex<{ id: string }>();
  const compiled = new Map<Filter, Compiled>();
  const queries = new Map<Filter, (row: object) => boolean>();
  const loop: { takes: Compiled; testRow: (row: object) => boolean }[] = [];
  for (let number = 0; number < SUBSCRIPTIONS; number += 1) {
    const text = write();
    const filter = filters.get(text) ?? filterOf(text);
    filters.set(text, filter);
    const takes = compiled.get(filter) ?? compile(filter.root);
    const testRow = queries.get(filter) ?? liqeTest(filter.text);
    compiled.set(filter, takes);
    queries.set(filter, testRow);
    index.add({ id: String(number) }, 'feed:All', filter);
    loop.push({ takes, testRow });
  }

  const counts = new Map<string, number>();
  const perChange = (name: string, some: readonly Offer[], matchesOf: (offer: Offer) => number) => ({
    name,
    async run() {
      let matches = 0;
      const ms = await elapsedMs(() => {
        for (const offer of some) matches += matchesOf(offer);
      });
      counts.set(name, matches / some.length);
      return ms / some.length;
    },
  });
  const samples = await measure(
    [
      perChange(
        INDEX,
        changes,
        (offer) => index.match(['feed:All'], subjectOfOffer(offer), NOW_MS).flatMap(({ members }) => members).length,
      ),
      perChange(LOOP, changes, (offer) => {
        const subject = subjectOfOffer(offer);
        return loop.filter(({ takes }) => takes(subject, NOW_MS)).length;
      }),
      perChange(LIQE, changes.slice(0, LIQE_CHANGES), (offer) => {
        const row = rowOf(offer);
        return loop.filter(({ testRow }) => testRow(row)).length;
      }),
    ],
    ROUNDS,
  );
  if (counts.get(INDEX) !== counts.get(LOOP)) throw new Error('The index and the loop find different subscriptions.');
  const toLoop = ratioOf(samples, LOOP, INDEX);
  const toLiqe = ratioOf(samples, LIQE, INDEX);
  return {
    title: `Matching: ${CHANGES} changes against ${formatCount(SUBSCRIPTIONS)} subscriptions`,
    how: `\`npm run bench -- matching\`. Offers of the simulated store against subscriptions of one feed, with seeded filters of which ${formatCount(compiled.size)} are different; a tenth have none and take everything. Closures and liqe's trees are shared by those with the same filter; liqe sees the offer as an object of the fields, finds parts of words too, and gets ${LIQE_CHANGES} of the changes only, as it would take minutes for all. ${ROUNDS.counted} rounds in turns after ${ROUNDS.warmUp} to warm up.`,
    head: ['milliseconds a change', 'median', 'min', 'max', 'matches a change'],
    rows: spreadRows(samples, (ms) => (ms < 10 ? ms.toFixed(3) : formatCount(ms))).map((row) => [
      ...row,
      formatCount(counts.get(row[0]) ?? Number.NaN),
    ]),
    claims: [
      {
        promise: "At least 50 times faster than evaluating each filter with the filters' own library",
        measured: `${formatCount(toLiqe.median)} times (${formatCount(toLiqe.min)} to ${formatCount(toLiqe.max)})`,
        isKept: toLiqe.median >= 50,
      },
      {
        promise: 'At least 5 times faster than a loop over compiled closures',
        measured: `${toLoop.median.toFixed(1)} times (${toLoop.min.toFixed(1)} to ${toLoop.max.toFixed(1)})`,
        isKept: toLoop.median >= 5,
      },
    ],
  };
}

function filterOf(text: string): Filter {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(`A filter of the bench is wrong: ${parsed.problem.code}.`);
  return parsed.filter;
}

/** The closure of a filter, as one would compile it without an index. */
function compile(node: FilterNode): Compiled {
  switch (node.kind) {
    case 'term': {
      const passes = compileTest(node.test);
      return node.isNegated ? (subject, nowMs) => !passes(subject, nowMs) : passes;
    }
    case 'all': {
      const all = node.of.map(compile);
      return (subject, nowMs) => all.every((takes) => takes(subject, nowMs));
    }
    case 'any': {
      const any = node.of.map(compile);
      return (subject, nowMs) => any.some((takes) => takes(subject, nowMs));
    }
  }
}

function compileTest(test: TermTest): Compiled {
  switch (test.kind) {
    case 'words': {
      const { field, needle } = test;
      return (subject) => field.of(subject)?.folded.includes(needle) ?? false;
    }
    case 'regex': {
      const { field, regex } = test;
      return (subject) => regex.test(field.of(subject)?.raw ?? '');
    }
    case 'path': {
      const { field, path } = test;
      return (subject) => field.of(subject).some((one) => `${one.toLowerCase()}/`.startsWith(`${path}/`));
    }
    case 'flag': {
      const { field, value } = test;
      return (subject) => field.of(subject) === value;
    }
    case 'number': {
      const { field, minimum, maximum, includesMinimum, includesMaximum } = test;
      return (subject, nowMs) => {
        const number = field.of(subject, nowMs);
        if (number === null) return false;
        return (
          (includesMinimum ? number >= minimum : number > minimum) &&
          (includesMaximum ? number <= maximum : number < maximum)
        );
      };
    }
  }
}

/** The filter as liqe reads and tests it, which can't test an empty one. */
function liqeTest(text: string): (row: object) => boolean {
  if (text === '') return () => true;
  const query = parse(text);
  return (row) => test(query, row);
}

/** An offer as liqe takes it. */
function rowOf(offer: Offer): Record<string, unknown> {
  const { price, off } = subjectOfOffer(offer);
  return {
    text: `${offer.title}\n${offer.subtitle ?? ''}`,
    price,
    off,
    category: offer.categories,
    condition: offer.condition,
    featured: offer.isFeatured,
  };
}
