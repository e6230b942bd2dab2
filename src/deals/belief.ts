import { MINUTE_MS } from '../shared/time.ts';

/**
 * What witnesses say of an entity becomes what is believed of it. A witness is whoever answers: a feed, another resource,
 * or the entity itself when it is asked for. One answer may be wrong, so most changes need a second one.
 *
 * - What could not be read says nothing.
 * - News is when a witness changes its own statement. Repeating a statement that is older than the belief overturns nothing, and
 *   the first statement of a witness only adds what was not known.
 * - A change that a field's rule takes at once is believed at once. Any other waits until the same witness says it again,
 *   or another witness says the same; one that astonishes, until that is a minute later.
 * - Later beats earlier. What the entity itself says may be late, so that it denies a change refutes nothing: a witness that
 *   says the same in three answers over ten minutes is believed all the same, and so is the entity against all others.
 */

/** Who contradicts another is believed once it has said the same in so many answers, the last so long after the first. */
const LASTING_ANSWERS = 3;
const LASTING_MS = 10 * MINUTE_MS;
/** Two answers that are closer together may be wrong for the same reason, whoever gives them: they count as one. */
export const APART_MS = MINUTE_MS;

/** The entity's own name among the witnesses: no feed is called so. */
export const ITSELF = '';

/** How one field of an entity is compared and believed. */
export interface FieldRule<V> {
  isSame: (one: V, other: V) => boolean;
  /** Whether one answer is enough for this change. */
  isBelievedAtOnce: (was: V, says: V, nowMs: number) => boolean;
  /** Whether it takes two answers with time between them; absent where it never does. */
  isAstonishing?(was: V, says: V, nowMs: number): boolean;
  /** Whether a witness's next answer says again what it said, although with other figures; absent where only the same does. */
  isSaidAgain?(said: V, says: V): boolean;
}

/** The rules of the fields that are believed; an entity's other fields are not compared. */
export type FieldRules<T> = { readonly [K in keyof T]?: FieldRule<T[K]> };

/** What a witness says of a field, where that is not what is believed. */
export interface Dissent {
  says: unknown;
  /** When the witness said it first: epoch milliseconds. */
  sinceMs: number;
  /** Whether it is no news, as the belief is younger, or the witness never said anything else: repeating it overturns nothing. */
  isOlder?: true;
  /** What it said for long before, if that was older than the belief: going back to that is no news either. */
  former?: Dissent;
  /**
   * In how many answers it has said so, three at most. Absent where a second one is enough: where the entity itself has not
   * denied it.
   */
  answers?: number;
}

/** By witness, the entity itself being one, and by field; absent where nobody differs. */
export type Dissents = Readonly<Record<string, Readonly<Record<string, Dissent>>>>;

/** What is believed of an entity. Immutable: what is heard makes a new one. */
export interface Belief<T> {
  value: T;
  dissents: Dissents;
  /** The fields of which one answer alone has shown the believed value. */
  seenOnce: readonly (keyof T & string)[];
}

/** One answer's statement about an entity. */
export interface Statement<T> {
  witness: string;
  value: T;
  /** The fields that could not be read; their values mean nothing. */
  unreadable: ReadonlySet<string>;
  /** Whether it is the first of its witness: then it may add what was not known, and is no change of anything. */
  isFirst: boolean;
  /** The fields of which nothing is known yet: what is said of them is believed at once. Absent for none. */
  unknown?: ReadonlySet<string>;
  /** Whether what is said of a field is never believed at once, as with a witness that has only just come back. */
  isTentative?: (field: string) => boolean;
  /**
   * All witnesses that have ever shown the entity, this one included: what another said last is the belief or a dissent,
   * even if it no longer shows it, and it may show it again as it did.
   */
  witnesses: readonly string[];
  nowMs: number;
}

/** The belief after a statement; the same object where nothing changes. */
export function hear<T extends object>(belief: Belief<T>, statement: Statement<T>, rules: FieldRules<T>): Belief<T> {
  let heard = belief;
  for (const field of Object.keys(rules) as (keyof T & string)[]) {
    if (!statement.unreadable.has(field))
      heard = hearField(heard, statement, field, rules[field] as FieldRule<unknown>);
  }
  return heard;
}

function hearField<T extends object>(
  belief: Belief<T>,
  { witness, value, unknown, isTentative, witnesses, isFirst, nowMs }: Statement<T>,
  field: keyof T & string,
  rule: FieldRule<unknown>,
): Belief<T> {
  const { dissents } = belief;
  const [was, says]: [unknown, unknown] = [belief.value[field], value[field]];
  const own = dissents[witness]?.[field];
  if (rule.isSame(was, says)) {
    if (!own && !belief.seenOnce.includes(field)) return belief;
    return { ...belief, dissents: without(dissents, witness, field), seenOnce: except(belief.seenOnce, field) };
  }
  if (own?.former && rule.isSame(own.former.says, says)) {
    return { ...belief, dissents: withDissent(dissents, witness, field, own.former) };
  }
  const again = own && rule.isSame(own.says, says) ? saidAgain(own) : null;
  const similar = own && rule.isSaidAgain?.(own.says, says) ? own : null;
  const repeated = again ?? similar;
  const isFarFrom = ({ sinceMs }: Dissent) => isApart(sinceMs, nowMs) || !rule.isAstonishing?.(was, says, nowMs);
  const isInsisted = repeated !== null && !repeated.isOlder && isSaidEnough(repeated, nowMs) && isFarFrom(repeated);
  const isSeconded = Object.entries(dissents).some(([other, { [field]: dissent }]) => {
    return (
      other !== witness &&
      dissent &&
      isSeconding(dissent, nowMs) &&
      rule.isSame(dissent.says, says) &&
      isFarFrom(dissent)
    );
  });
  const isConfirmed = isSeconded || isInsisted;
  const isAtOnce = (!isFirst || isNone(was)) && rule.isBelievedAtOnce(was, says, nowMs);
  const isEnough = !isTentative?.(field) && (unknown?.has(field) || isAtOnce);
  if (!isConfirmed && (again || !isEnough)) {
    if (again) return again === own ? belief : { ...belief, dissents: withDissent(dissents, witness, field, again) };
    const former = own?.isOlder ? own : own?.former;
    const dissent: Dissent = {
      says,
      sinceMs: nowMs,
      ...(isFirst ? { isOlder: true } : {}),
      ...(former ? { former } : {}),
    };
    return { ...belief, dissents: withDissent(dissents, witness, field, dissent) };
  }
  const after = believe(belief, field, says, {
    rule,
    witnesses: witnesses.filter((other) => other !== witness),
    nowMs,
  });
  return {
    ...after,
    dissents: without(after.dissents, witness, field),
    seenOnce: isConfirmed ? after.seenOnce : [...after.seenOnce, field],
  };
}

/**
 * The belief after the entity itself was asked. It confirms what is believed, or what a witness has just said. What it says
 * against all of them, as they may have been before, it has to say for long. What nobody else says is ignored.
 * @param says the fields that it shows
 * @param implied the fields of which others say the same in another way than by a statement
 */
export function settle<T extends object>(
  belief: Belief<T>,
  {
    says,
    implied = [],
    ...by
  }: { says: Partial<T>; implied?: readonly (keyof T)[]; witnesses: readonly string[]; nowMs: number },
  rules: FieldRules<T>,
): Belief<T> {
  let settled = belief;
  for (const field of Object.keys(rules) as (keyof T & string)[]) {
    const rule = rules[field] as FieldRule<unknown>;
    if (field in says)
      settled = settleField(settled, field, says[field], { rule, isImplied: implied.includes(field), ...by });
    else settled = withDissents(settled, without(settled.dissents, ITSELF, field));
  }
  return settled;
}

function settleField<T extends object>(
  belief: Belief<T>,
  field: keyof T & string,
  says: unknown,
  by: { rule: FieldRule<unknown>; isImplied: boolean; witnesses: readonly string[]; nowMs: number },
): Belief<T> {
  const { rule, isImplied, nowMs } = by;
  const { dissents, seenOnce } = belief;
  if (rule.isSame(belief.value[field], says)) {
    const denied = withDissents(belief, withDenied(without(dissents, ITSELF, field), field));
    return seenOnce.includes(field) ? { ...denied, seenOnce: except(seenOnce, field) } : denied;
  }
  const { [ITSELF]: itself, ...others } = dissents;
  const same = Object.values(others).flatMap(({ [field]: dissent }) => {
    return dissent && rule.isSame(dissent.says, says) ? [dissent] : [];
  });
  const isAstonishing = rule.isAstonishing?.(belief.value[field], says, nowMs) === true;
  if (same.some(({ isOlder, sinceMs }) => !isOlder && (!isAstonishing || isApart(sinceMs, nowMs)))) {
    return believe(belief, field, says, by);
  }
  if (same.length === 0 && !isImplied) return withDissents(belief, without(dissents, ITSELF, field));
  const before = itself?.[field];
  const own: Dissent =
    before && rule.isSame(before.says, says) ? saidAgain(before) : { says, sinceMs: nowMs, isOlder: true, answers: 1 };
  if (isSaidEnough(own, nowMs)) return believe(belief, field, says, by);
  return withDissents(belief, withDissent(dissents, ITSELF, field, own));
}

/** A dissent whose answers are counted, after one more of them; the same object where that changes nothing. */
function saidAgain(dissent: Dissent): Dissent {
  const { answers } = dissent;
  return answers === undefined || answers >= LASTING_ANSWERS ? dissent : { ...dissent, answers: answers + 1 };
}

/** Whether what was said again has been said often enough, and for long enough. */
function isSaidEnough({ answers, sinceMs }: Dissent, nowMs: number): boolean {
  return answers === undefined || (answers >= LASTING_ANSWERS && nowMs - sinceMs >= LASTING_MS);
}

/** Whether another witness that says the same is enough. Against the entity itself, two answers close together are one. */
function isSeconding({ isOlder, answers, sinceMs }: Dissent, nowMs: number): boolean {
  return !isOlder && (answers === undefined || isApart(sinceMs, nowMs));
}

/** Whether an answer is far enough from an earlier one to count besides it. A clock that was set back proves no nearness. */
export function isApart(sinceMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - sinceMs) >= APART_MS;
}

/** What witnesses say anew of a field that the entity itself denies: from now on, their answers are counted. */
function withDenied(all: Dissents, field: string): Dissents {
  return Object.entries(all).reduce((counted, [witness, { [field]: dissent }]) => {
    if (!dissent || dissent.isOlder || dissent.answers !== undefined) return counted;
    return withDissent(counted, witness, field, { ...dissent, answers: 1 });
  }, all);
}

/**
 * The belief in a value that is certain. Whatever witnesses said last is older than it, and what the entity itself said against
 * the former one is forgotten.
 */
function believe<T extends object>(
  belief: Belief<T>,
  field: keyof T & string,
  says: unknown,
  { rule, witnesses, nowMs }: { rule: FieldRule<unknown>; witnesses: readonly string[]; nowMs: number },
): Belief<T> {
  const was: unknown = belief.value[field];
  return {
    // A spread would give each object a hidden class of its own, which makes thousands of them slow to compare.
    value: rule.isSame(was, says) ? belief.value : Object.assign({}, belief.value, { [field]: says }),
    dissents: witnesses.reduce<Dissents>(
      (all, witness) => afterBelief(all, witness, field, { was, says, rule, nowMs }),
      without(belief.dissents, ITSELF, field),
    ),
    seenOnce: except(belief.seenOnce, field),
  };
}

function isNone(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** Drops what another witness has said last where it agrees with the new belief, and marks it as older than that elsewhere. */
function afterBelief(
  all: Dissents,
  witness: string,
  field: string,
  belief: { was: unknown; says: unknown; rule: FieldRule<unknown>; nowMs: number },
): Dissents {
  const { answers: _, ...last }: Dissent = all[witness]?.[field] ?? { says: belief.was, sinceMs: belief.nowMs };
  if (belief.rule.isSame(last.says, belief.says)) return without(all, witness, field);
  return withDissent(all, witness, field, { ...last, isOlder: true });
}

/** The same object where they are. */
function withDissents<T>(belief: Belief<T>, dissents: Dissents): Belief<T> {
  return dissents === belief.dissents ? belief : { ...belief, dissents };
}

function withDissent(all: Dissents, witness: string, field: string, dissent: Dissent): Dissents {
  return { ...all, [witness]: { ...all[witness], [field]: dissent } };
}

function without(all: Dissents, witness: string, field: string): Dissents {
  const own = all[witness];
  if (!own || !(field in own)) return all;
  const { [field]: _, ...rest } = own;
  const { [witness]: _own, ...others } = all;
  return Object.keys(rest).length > 0 ? { ...others, [witness]: rest } : others;
}

function except<F>(fields: readonly F[], field: F): readonly F[] {
  return fields.includes(field) ? fields.filter((other) => other !== field) : fields;
}
