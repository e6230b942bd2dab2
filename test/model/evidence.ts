/** A value that may be believed by now. */
export interface Belief<V> {
  value: V;
  /** The moment from which it is believed. */
  sinceMs: number;
  /** Whether no more than one answer has shown it so far. */
  isSeenOnce: boolean;
  /** The last value before that was not none; `sure` is the last of those that two answers have shown. Null for none. */
  last: { any: V | null; sure: V | null };
  /** What the entity itself says against it, which may be late, and since when; null for nothing. */
  denial: Insistence<V> | null;
}

/** The same, said again and again against others. */
interface Insistence<V> {
  value: V;
  /** By the bot's clock: epoch milliseconds. */
  sinceBotMs: number;
  answers: number;
}

/** One way in which an answer may change what is believed. `before` is null at the first sight. */
export interface Step<V> {
  before: Belief<V> | null;
  after: Belief<V>;
}

/** Whether one answer is enough for a change, or a second witness is needed. `either` where the rules leave it open. */
export type Weight = 'at once' | 'second witness' | 'either';

/** What the rules of evidence say about one field. */
export interface Rules<V> {
  isSame: (one: V, other: V) => boolean;
  isNone: (value: V) => boolean;
  weigh: (believed: V, stated: V, last: V | null, botMs: number) => Weight;
  /** Whether two answers within a minute count as one for this change; absent where they never do. */
  needsTime?: (believed: V, stated: V, botMs: number) => boolean;
}

/** Two answers that are closer together may be wrong for the same reason. */
export const APART_MS = 60_000;

/** What a witness says, and since when it has said so without saying anything else. */
interface Statement<V> {
  value: V;
  sinceMs: number;
  /** The same by the bot's clock. */
  sinceBotMs: number;
  /** In how many answers it has said so, from the one on before the entity itself denied it; null where that never did. */
  denied: { answers: number; isSure: boolean } | null;
  /** Whether answers of it have come since that did not say it readably; then the next one may not count as its next. */
  isInterrupted: boolean;
  /**
   * Whether it never said anything else: then it is no change of anything, whenever it began. `perhaps` where it has shown
   * the entity before without saying anything readable: whether that is a statement is open.
   */
  isFirst: 'yes' | 'perhaps' | 'no';
  /** What it said before, where that was older than the belief: going back to that is no news. Null for none. */
  former: Statement<V> | null;
}

/** Who is contradicted is believed all the same after so many answers, the last so long after the first. */
const INSISTING_ANSWERS = 3;
const INSISTING_MS = 10 * 60_000;

/** Whether who is contradicted has said the same often and long enough. @param sinceBotMs the first of the answers */
export const isInsisting = (answers: number, sinceBotMs: number, botMs: number) =>
  answers >= INSISTING_ANSWERS && botMs - sinceBotMs >= INSISTING_MS;

/** More ways to understand the same answers are not followed. */
const MOST_BELIEFS = 8;

/**
 * What the answers of several feeds, each a witness, make believed of one field of one entity. Where the rules leave open
 * what is to be believed, all that may be is kept; the plainest comes first.
 */
export class Evidence<V> {
  readonly #rules: Rules<V>;
  readonly #said = new Map<string, Statement<V>>();
  /** The witnesses that have shown the entity without saying anything readable at first. */
  readonly #silent = new Set<string>();
  #beliefs: Belief<V>[] = [];

  constructor(rules: Rules<V>) {
    this.#rules = rules;
  }

  /** All that may be believed; empty before the first readable answer. */
  get beliefs(): readonly Belief<V>[] {
    return this.#beliefs;
  }

  /** Whether there is no doubt that a believed value is of a kind; false before the first readable answer. */
  isSurely(is: (value: V) => boolean): boolean {
    return this.#beliefs.length > 0 && this.#beliefs.every(({ value }) => is(value));
  }

  mayBe(is: (value: V) => boolean): boolean {
    return this.#beliefs.some(({ value }) => is(value));
  }

  /** An answer of the witness says nothing readable. */
  skip(witness: string): void {
    const said = this.#said.get(witness);
    if (said) said.isInterrupted = true;
    else this.#silent.add(witness);
  }

  /** Takes what an answer says. Returns all that it may have done. */
  state(witness: string, value: V, { trueMs, botMs }: { trueMs: number; botMs: number }): Step<V>[] {
    const calm = this.#sameAsEver(witness, value);
    if (calm) return [{ before: calm, after: calm }];
    const steps: Step<V>[] =
      this.#beliefs.length === 0
        ? [
            {
              before: null,
              after: { value, sinceMs: trueMs, isSeenOnce: true, last: { any: null, sure: null }, denial: null },
            },
          ]
        : this.#beliefs.flatMap((before) =>
            this.#after(before, witness, value, trueMs, botMs).map((after) => ({ before, after })),
          );
    const before = this.#beliefs;
    this.#beliefs = different(steps.map(({ after }) => after)).slice(0, MOST_BELIEFS);
    this.#said.set(witness, this.#statementAfter(witness, value, before, { trueMs, botMs }));
    return steps;
  }

  #statementAfter(
    witness: string,
    value: V,
    before: readonly Belief<V>[],
    { trueMs: sinceMs, botMs: sinceBotMs }: { trueMs: number; botMs: number },
  ): Statement<V> {
    const said = this.#said.get(witness);
    const fresh = { value, sinceMs, sinceBotMs, denied: null, isInterrupted: false };
    if (!said) return { ...fresh, isFirst: this.#silent.has(witness) ? 'perhaps' : 'yes', former: null };
    if (this.#rules.isSame(said.value, value)) return { ...said, denied: onceMore(said.denied), isInterrupted: false };
    if (said.former && this.#rules.isSame(said.former.value, value)) return said.former;
    const isBelieved = (what: V, beliefs: readonly Belief<V>[]) =>
      beliefs.some((belief) => this.#rules.isSame(what, belief.value));
    const isAgreed = isBelieved(said.value, before) || isBelieved(value, this.#beliefs);
    const isOlder = said.isFirst === 'yes' || before.every((belief) => said.sinceMs < belief.sinceMs);
    const former = isAgreed ? null : isOlder ? { ...said, isInterrupted: false } : said.former;
    return { ...fresh, isFirst: 'no', former };
  }

  /**
   * The entity itself was asked. That confirms what is believed and what a witness says anew; what nobody else says is
   * ignored. What it says against all that is new it has to say for long, as what it says may be late; and so has a witness
   * from now on that it denies.
   */
  settle(value: V, { trueMs, botMs }: { trueMs: number; botMs: number }): Step<V>[] {
    const before = this.#beliefs;
    const steps = before.flatMap((belief) => this.#settled(belief, value, trueMs, botMs));
    this.#beliefs = different(steps.map(({ after }) => after)).slice(0, MOST_BELIEFS);
    const denying = before.filter((belief) => this.#rules.isSame(belief.value, value));
    if (denying.length === 0) return steps;
    for (const said of this.#said.values()) {
      if (said.denied || this.#rules.isSame(said.value, value)) continue;
      const isSure = before.every((belief) => denying.includes(belief) || this.#rules.isSame(belief.value, said.value));
      said.denied = { answers: 1, isSure };
    }
    return steps;
  }

  #settled(before: Belief<V>, value: V, trueMs: number, botMs: number): Step<V>[] {
    if (this.#rules.isSame(before.value, value)) {
      return [{ before, after: { ...before, isSeenOnce: false, denial: null } }];
    }
    const all = [...this.#said.values()].filter((said) => this.#rules.isSame(said.value, value));
    if (all.length === 0) return [{ before, after: { ...before, denial: null } }];
    const saying = all.filter((said) => this.#isFar(said, before.value, value, botMs));
    const isFresh = saying.some((said) => said.sinceMs > before.sinceMs && said.isFirst === 'no');
    const mayBeFresh = saying.some((said) => said.sinceMs >= before.sinceMs && said.isFirst !== 'yes');
    const { denial } = before;
    const isAgain = denial !== null && this.#rules.isSame(denial.value, value);
    const again = isAgain ? { ...denial, answers: denial.answers + 1 } : { value, sinceBotMs: botMs, answers: 1 };
    const isEnough = isInsisting(again.answers, again.sinceBotMs, botMs);
    const believed = { value, sinceMs: trueMs, isSeenOnce: false, last: this.#lastOf(before), denial: null };
    const steps: Step<V>[] = [];
    if (isFresh || mayBeFresh || isEnough) steps.push({ before, after: believed });
    if (!isFresh && !isEnough) steps.push({ before, after: { ...before, denial: again } });
    return steps;
  }

  /** The entity itself was asked, and says nothing readable. */
  skipItself(): void {
    this.#beliefs = different(this.#beliefs.map((belief) => (belief.denial ? { ...belief, denial: null } : belief)));
  }

  /** What witnesses have said last. */
  said(): V[] {
    return [...this.#said.values()].map(({ value }) => value);
  }

  /** Takes a value for what all have said. @param isSure whether there is no doubt of it */
  agree(value: V, isSure: boolean, { trueMs }: { trueMs: number }): void {
    const agreed = {
      value,
      sinceMs: trueMs,
      isSeenOnce: false,
      last: this.#beliefs[0]?.last ?? { any: null, sure: null },
      denial: null,
    };
    this.#beliefs = isSure ? [agreed] : different([...this.#beliefs, agreed]);
    if (!isSure) return;
    for (const said of this.#said.values())
      Object.assign(said, { value, sinceMs: trueMs, denied: null, isInterrupted: false, former: null });
  }

  /** What is believed, where this witness and all others have said nothing else for a while: most answers say the same again. */
  #sameAsEver(witness: string, value: V): Belief<V> | null {
    const [only, other] = this.#beliefs;
    const said = this.#said.get(witness);
    if (!only || other || only.isSeenOnce || !said || said.isInterrupted) return null;
    return this.#rules.isSame(only.value, value) && this.#rules.isSame(said.value, value) ? only : null;
  }

  #after(before: Belief<V>, witness: string, value: V, trueMs: number, botMs: number): Belief<V>[] {
    if (this.#rules.isSame(before.value, value)) return [before.isSeenOnce ? { ...before, isSeenOnce: false } : before];
    const said = this.#said.get(witness);
    const isRepeated = said !== undefined && this.#rules.isSame(said.value, value);
    const ways = new Set<'stays' | 'believed once' | 'believed'>();
    if (said?.former && this.#rules.isSame(said.former.value, value)) return [before];
    if (!isRepeated) {
      const weight = this.#rules.weigh(before.value, value, before.last.any, botMs);
      const seconded = this.#isSaidByAnother(witness, value, before, botMs);
      // The first statement of a witness only adds. What counts as its first is open where it was not readable at first.
      const mayBeFirst = !said && !this.#rules.isNone(before.value);
      const mayAdd = !mayBeFirst || this.#silent.has(witness);
      if (weight !== 'second witness' && seconded !== 'yes' && mayAdd) ways.add('believed once');
      if (seconded !== 'no') ways.add('believed');
      if (weight === 'either' || ((weight === 'second witness' || mayBeFirst) && seconded !== 'yes')) ways.add('stays');
    }
    if (isRepeated) {
      const age = said.isFirst === 'yes' ? -1 : said.sinceMs - before.sinceMs;
      const denied = onceMore(said.denied);
      const isFar = this.#isFar(said, before.value, value, botMs);
      const isEnough = isFar && (denied === null || isInsisting(denied.answers, said.sinceBotMs, botMs));
      const isNews = age > 0 && isFar && (isEnough || !denied?.isSure);
      const byAnother = this.#isSaidByAnother(witness, value, before, botMs);
      const seconded = age > 0 && isEnough ? 'yes' : isNews && byAnother === 'no' ? 'perhaps' : byAnother;
      if (seconded !== 'no' || (age === 0 && isEnough)) ways.add('believed');
      // Whether an answer that did not say it readably lies between two that count as one after the other is open.
      if (seconded !== 'yes' || said.isInterrupted || said.isFirst === 'perhaps') ways.add('stays');
    }
    return [...ways].map((way) => {
      if (way === 'stays') return before;
      return { value, sinceMs: trueMs, isSeenOnce: way === 'believed once', last: this.#lastOf(before), denial: null };
    });
  }

  #lastOf({ value, isSeenOnce, last }: Belief<V>): Belief<V>['last'] {
    if (this.#rules.isNone(value)) return last;
    return { any: value, sure: isSeenOnce ? last.sure : value };
  }

  /** Whether a statement counts besides one of this moment. */
  #isFar({ sinceBotMs }: Statement<V>, believed: V, value: V, botMs: number): boolean {
    return Math.abs(botMs - sinceBotMs) >= APART_MS || !this.#rules.needsTime?.(believed, value, botMs);
  }

  /** Whether another witness has said so anew since a moment, and says so still. */
  #isSaidByAnother(
    witness: string,
    value: V,
    { value: believed, sinceMs }: Belief<V>,
    botMs: number,
  ): 'yes' | 'no' | 'perhaps' {
    const saying = [...this.#said].filter(
      ([other, said]) =>
        other !== witness && this.#rules.isSame(said.value, value) && this.#isFar(said, believed, value, botMs),
    );
    const young = saying.map(([, said]) => said).filter((said) => said.sinceMs >= sinceMs && said.isFirst !== 'yes');
    if (young.some((said) => said.sinceMs > sinceMs && said.isFirst === 'no')) return 'yes';
    return young.length > 0 ? 'perhaps' : 'no';
  }
}

/** The count of answers after one more. */
function onceMore<D extends { answers: number }>(denied: D | null): D | null {
  return denied && { ...denied, answers: denied.answers + 1 };
}

/** Those that differ in more than the moment from which they are believed, each as the oldest and as the youngest. */
function different<V>(beliefs: readonly Belief<V>[]): Belief<V>[] {
  const alike = new Map<string, [oldest: Belief<V>, youngest: Belief<V>]>();
  for (const belief of beliefs) {
    const { value, isSeenOnce, last, denial } = belief;
    const name = JSON.stringify([value, isSeenOnce, last, denial]);
    const [oldest, youngest] = alike.get(name) ?? [belief, belief];
    alike.set(name, [
      belief.sinceMs < oldest.sinceMs ? belief : oldest,
      belief.sinceMs > youngest.sinceMs ? belief : youngest,
    ]);
  }
  return [...new Set([...alike.values()].flat())];
}

/** The cheapest price and the dearest; both NaN where there is none. */
export type Prices = readonly [cheapest: number, dearest: number];

/** A price beyond this many times another, or below this part of it, astonishes. */
const ASTONISHING_TIMES = 5;
/** A reader may take a price from here on for none that can be: dollars. */
const ABSURD_PRICE = 100_000;

const isPrice = ([cheapest]: Prices) => cheapest > 0;

export const PRICE_RULES: Rules<Prices> = {
  isSame: (one, other) => (isPrice(one) ? one[0] === other[0] && one[1] === other[1] : !isPrice(other)),
  isNone: (price) => !isPrice(price),
  weigh(believed, stated, last) {
    if (!isPrice(stated)) return 'second witness';
    if (stated[1] >= ABSURD_PRICE) return 'either';
    const isNear = ([cheapest]: Prices) =>
      stated[0] >= cheapest / ASTONISHING_TIMES && stated[0] <= cheapest * ASTONISHING_TIMES;
    if (isPrice(believed)) return isNear(believed) ? 'at once' : 'second witness';
    return last === null || isNear(last) ? 'at once' : 'either';
  },
  needsTime: (believed, stated) => {
    const isFar = (one: number, other: number) => one > other * ASTONISHING_TIMES || other > one * ASTONISHING_TIMES;
    return isPrice(believed) && isPrice(stated) && (isFar(believed[0], stated[0]) || isFar(believed[1], stated[1]));
  },
};

export const STOCK_RULES: Rules<boolean> = {
  isSame: Object.is,
  isNone: () => false,
  weigh: (_, isSoldOut) => (isSoldOut ? 'at once' : 'second witness'),
};

/** Infinity where there is no end. */
export const END_RULES: Rules<number> = {
  isSame: Object.is,
  isNone: (end) => end === Infinity,
  weigh(believed, stated, _, botMs) {
    if (believed === Infinity && stated > botMs) return 'at once';
    const isLater = stated !== Infinity && stated > botMs && believed > botMs && stated > believed;
    return isLater ? 'at once' : 'second witness';
  },
  needsTime: (_, stated, botMs) => stated <= botMs,
};

/** Of whatever is no news. From none to a value, one answer may add. */
export const FACT_RULES: Rules<unknown> = {
  isSame: (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other),
  isNone: isNothing,
  weigh: (believed) => (isNothing(believed) ? 'at once' : 'second witness'),
};

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
