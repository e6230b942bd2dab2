import { hasStarted, isLive } from '../src/bot/announcements/kinds/index.ts';
import {
  completionsOf,
  evaluate,
  type Filter,
  type KnownValues,
  parseFilter,
  termsOf,
  valuesIn,
} from '../src/bot/deals/filter/index.ts';
import { sayProblem } from '../src/bot/discord/filter-mistake.ts';
import type { Translator } from '../src/bot/discord/i18n/translator.ts';
import { clamp, LIMITS } from '../src/bot/discord/limits.ts';
import type { LiveCandidates } from './live-candidates.ts';

/** Leaves room for the count after it. */
const MOST_SHOWN = LIMITS.choiceName - 40;

type Candidates = LiveCandidates['candidates'];

/** Problems of a filter that isn't finished: the person only needs to type on. */
const UNFINISHED: ReadonlySet<string> = new Set([
  'missing-value',
  'unexpected-end',
  'unclosed-quote',
  'unclosed-parenthesis',
  'unclosed-regex',
  'unclosed-range',
]);

const knownValues = new WeakMap<Candidates, Map<string, readonly string[]>>();

/**
 * The choices of an option `filter` while somebody types it: first the typed text, with how much it matches or its mistake,
 * then ways to continue it. A continuation's name is its text, because Discord's client goes on with the name when
 * somebody types more after choosing one.
 * @param live what the filter is going to look at; null where that is not known
 */
export function filterChoices(
  typed: string,
  live: LiveCandidates | null,
  translator: Translator,
  nowMs: number,
): { name: string; value: string }[] {
  const candidates = live?.candidates ?? [];
  const summary = summaryOf(typed, live && candidates, translator, nowMs);
  return [
    ...(summary === null ? [] : [{ name: summary, value: typed }]),
    ...completionsOf(typed, valuesOf(candidates))
      .filter((whole) => whole.length <= LIMITS.choiceValue)
      .map((whole) => ({ name: whole, value: whole })),
  ];
}

/** How much a whole filter matches, as far as that is known, or its mistake; null while it needs to be continued. */
function summaryOf(typed: string, candidates: Candidates | null, translator: Translator, nowMs: number): string | null {
  if (typed.trim() === '') return null;
  const parsed = parseFilter(typed);
  if (!parsed.ok) return UNFINISHED.has(parsed.problem.code) ? null : translator.translate(sayProblem(parsed.problem));
  // A complete filter comes first in any case, because Discord's client takes the first choice on Enter.
  if (!candidates || isCostly(parsed.filter)) return typed;
  const all = candidates.filter(({ announcement }) => hasStarted(announcement, nowMs) && isLive(announcement, nowMs));
  const matching = all.filter(({ subject }) => evaluate(parsed.filter, subject, nowMs)).length;
  return translator.t('filter.count', { filter: clamp(typed.trim(), MOST_SHOWN), matching, all: all.length });
}

/** Regular expressions take too long to be tried on every offer at each letter. */
function isCostly({ root }: Filter): boolean {
  return termsOf(root).some(({ test }) => test.kind === 'regex');
}

/** Cached as long as the candidates are. */
function valuesOf(candidates: Candidates): KnownValues {
  const kept = knownValues.get(candidates) ?? new Map<string, readonly string[]>();
  knownValues.set(candidates, kept);
  return (field) => {
    const values =
      kept.get(field.name) ??
      valuesIn(
        candidates.map(({ subject }) => subject),
        field,
      );
    kept.set(field.name, values);
    return values;
  };
}
