import { type Dissent, type Dissents, type FieldRule, type FieldRules, hear } from './belief.ts';
import type { DoubtChanges } from './doubts.ts';
import type { LostItems, Presence } from './presence.ts';

/** What is believed of an event, dealcast, poll or monkeychat, and what answers say that is not believed. */
export interface Heard<T> {
  value: T;
  /** Absent where nobody has said otherwise. */
  doubts?: Doubts;
}

/** What is believed after an answer, and the fields about which doubts began or ended with it. */
export type HeardNow<T> = Heard<T> & { doubted: DoubtChanges<string> };

export interface Doubts {
  dissents: Dissents;
  /** Of an event: its offers about which there are doubts, and those that it no longer lists, by their ids. */
  offers?: ReadonlyMap<string, OfferDoubts>;
}

export interface OfferDoubts {
  dissents: Dissents;
  presence: Presence;
}

/** What an answer says of an entity. */
export interface Said<T> {
  value: T;
  /** The fields that could not be read. */
  unreadable: ReadonlySet<string>;
  /** Of an event: what could not be read of its offers. */
  lost?: LostParts;
  nowMs: number;
}

export interface LostParts extends LostItems {
  /** The fields that could not be read of parts that could be read otherwise, by the part's id. */
  fields?: ReadonlyMap<string, readonly string[]>;
}

/** The one witness of all that a resource without feeds shows. */
const WITNESS = 'catalog';

/** What is believed of an entity, or of the fields that `rules` names, after an answer that shows it. */
export function hearSaid<T extends object>(
  value: T,
  dissents: Dissents,
  said: Pick<Said<T>, 'value' | 'unreadable' | 'nowMs'>,
  rules: FieldRules<T>,
): { value: T; dissents: Dissents; doubted: DoubtChanges<string> } {
  const statement = { ...said, witness: WITNESS, isFirst: false, witnesses: [WITNESS] };
  const heard = hear({ value, dissents, seenOnce: [] }, statement, rules);
  return { value: heard.value, dissents: heard.dissents, doubted: doubtedBetween({ value, dissents }, heard, rules) };
}

/** The fields about which doubts began or ended between two beliefs. */
function doubtedBetween<T extends object>(
  was: { value: T; dissents: Dissents },
  is: { value: T; dissents: Dissents },
  rules: FieldRules<T>,
): DoubtChanges<string> {
  const doubted = { began: [] as string[], confirmed: [] as string[], refuted: [] as string[] };
  if (was.dissents === is.dissents) return doubted;
  for (const field of Object.keys(rules) as (keyof T & string)[]) {
    const rule = rules[field] as FieldRule<unknown>;
    const [before, after] = [openIn(was.dissents, field), openIn(is.dissents, field)];
    if (before && after && rule.isSame(before.says, after.says)) continue;
    if (after) doubted.began.push(field);
    if (!before) continue;
    const isBelieved = !after && !rule.isSame(was.value[field], is.value[field]);
    const isConfirmed = rule.isSame(before.says, is.value[field]) || rule.isSaidAgain?.(before.says, is.value[field]);
    doubted[isBelieved && isConfirmed ? 'confirmed' : 'refuted'].push(field);
  }
  return doubted;
}

/** What was said of a field last and waits for the next answer. */
function openIn(dissents: Dissents, field: string): Dissent | undefined {
  const said = dissents[WITNESS]?.[field];
  return said?.isOlder ? undefined : said;
}

/** The fields about which there are doubts that wait for the next answer; those of an event's offers, too. */
export function doubtedIn({ dissents, offers }: Doubts): string[] {
  const own = Object.keys(dissents[WITNESS] ?? {}).filter((field) => openIn(dissents, field));
  const ofOffers = [...(offers?.values() ?? [])].flatMap((doubts) => doubtedIn({ dissents: doubts.dissents }));
  return [...own, ...ofOffers.map((field) => `offers.${field}`)];
}

/** What is believed of an entity without parts after an answer that shows it. */
export function hearEntity<T extends object>(
  { value, doubts }: Heard<T>,
  said: Said<T>,
  rules: FieldRules<T>,
): HeardNow<T> {
  const heard = hearSaid(value, doubts?.dissents ?? {}, said, rules);
  return { value: heard.value, doubted: heard.doubted, ...doubtsOf({ dissents: heard.dissents }) };
}

/** The doubts as `Heard` holds them. */
export function doubtsOf(doubts: Doubts): Pick<Heard<unknown>, 'doubts'> {
  return hasDoubts(doubts) ? { doubts } : {};
}

function hasDoubts({ dissents, offers }: Doubts): boolean {
  return Object.keys(dissents).length > 0 || (offers?.size ?? 0) > 0;
}
