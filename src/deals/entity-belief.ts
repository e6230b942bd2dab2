import { type Dissents, type FieldRules, hear } from './belief.ts';
import type { LostItems, Presence } from './presence.ts';

/** What is believed of an event, dealcast, poll or monkeychat, and what answers say that is not believed. */
export interface Heard<T> {
  value: T;
  /** Absent where nobody has said otherwise. */
  doubts?: Doubts;
}

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
): { value: T; dissents: Dissents } {
  const statement = { ...said, witness: WITNESS, isFirst: false, witnesses: [WITNESS] };
  return hear({ value, dissents, seenOnce: [] }, statement, rules);
}

/** What is believed of an entity without parts after an answer that shows it. */
export function hearEntity<T extends object>(
  { value, doubts }: Heard<T>,
  said: Said<T>,
  rules: FieldRules<T>,
): Heard<T> {
  const heard = hearSaid(value, doubts?.dissents ?? {}, said, rules);
  return { value: heard.value, ...doubtsOf({ dissents: heard.dissents }) };
}

/** The doubts as `Heard` holds them. */
export function doubtsOf(doubts: Doubts): Pick<Heard<unknown>, 'doubts'> {
  return hasDoubts(doubts) ? { doubts } : {};
}

function hasDoubts({ dissents, offers }: Doubts): boolean {
  return Object.keys(dissents).length > 0 || (offers?.size ?? 0) > 0;
}
