import { hash } from 'node:crypto';
import type { Announcement } from '../../deals/announcement.ts';
import { termWith } from '../../deals/filter/complete.ts';
import { evaluate, type Filter, type FilterSubject, parseFilter, subjectOfOffer } from '../../deals/filter/index.ts';
import { CONDITION, conditionsIn, wordsOf } from '../../deals/filter/subject.ts';
import { type Offer, withoutCount } from '../../deals/offer.ts';
import type { Preview } from '../../deals/preview.ts';

/** A part of a filter that leaves out an offer and what is like it. */
export interface Exclusion {
  /** It goes by this; people see the kinds in this order. */
  kind: 'category' | 'brand' | 'condition' | 'price';
  /** The category, the word or the condition: foreign text. Of a price the least that is left out, in US dollars. */
  what: string;
  /** In the filter language: `-category:PC/Laptops`. */
  term: string;
}

/** An announcement that a subscription would have made, with what filters look at. `atMs` is in epoch milliseconds. */
export interface PastMatch {
  announcement: Announcement;
  subject: FilterSubject;
  atMs: number;
}

/** An exclusion, and what it would have changed in the last seven days. */
export interface Proposal extends Exclusion {
  /** The subscription's whole filter with it. */
  filter: string;
  /** What it would have left out, and the rest: at least one each, newest first. */
  goes: readonly PastMatch[];
  stays: readonly PastMatch[];
}

export interface Proposals {
  proposals: readonly Proposal[];
  /** The exclusions that are not proposed because nothing of the last seven days would have been left. */
  ofAll: readonly Exclusion[];
  /** Whether an exclusion is not proposed because the filter has no room for it. */
  isFull: boolean;
}

/** What would make a subscription announce less like an offer. */
export interface LessLike extends Proposals {
  offer: Offer;
  /** What it would have announced in the last seven days. */
  preview: Preview;
}

/**
 * Proposes at most four exclusions that go by what an offer is. Each leaves out some of the past matches, not all.
 * @param past what the filter matched in the last seven days, newest first
 */
export function proposalsFor(offer: Offer, filter: Filter, past: readonly PastMatch[], nowMs: number): Proposals {
  const tried = exclusionsOf(offer, past, nowMs).map((exclusion) => tryOut(exclusion, filter, past));
  const some = tried.filter(({ goes }) => goes.length > 0);
  const isAll = ({ stays }: Tried) => stays.length === 0;
  const partial = some.filter((one) => !isAll(one));
  return {
    proposals: partial.flatMap(({ filter: whole, ...rest }) => (whole === null ? [] : [{ ...rest, filter: whole }])),
    ofAll: some.filter(isAll).map(({ kind, what, term }) => ({ kind, what, term })),
    isFull: partial.some((one) => one.filter === null),
  };
}

/** `filter` is null where the filter has no room. */
type Tried = Omit<Proposal, 'filter'> & { filter: string | null };

function tryOut(exclusion: Exclusion, filter: Filter, past: readonly PastMatch[]): Tried {
  const parsed = parseFilter(exclusion.term);
  const isLeft = ({ subject, atMs }: PastMatch) => parsed.ok && evaluate(parsed.filter, subject, atMs);
  const whole = withExclusion(filter, exclusion.term);
  return {
    ...exclusion,
    filter: parseFilter(whole).ok ? whole : null,
    goes: past.filter((match) => !isLeft(match)),
    stays: past.filter(isLeft),
  };
}

/** The filter and an exclusion, which may be too long or too complex to be parsed. */
function withExclusion({ text, root }: Filter, term: string): string {
  const before = text.trim();
  // An exclusion after "a OR b" would belong to b alone.
  return [root.kind === 'any' ? `(${before})` : before, term].filter((part) => part !== '').join(' ');
}

/**
 * The filter before `withExclusion`.
 * @param length how many characters it had
 */
export function withoutExclusion(filter: string, length: number): string {
  if (length === 0) return '';
  // A space follows it, or else it stands in parentheses.
  return filter[length] === ' ' ? filter.slice(0, length) : filter.slice(1, length + 1);
}

/** Names a filter in a button, which has no room for the filter itself. */
export function filterDigest(filter: string): string {
  return hash('sha256', filter, 'base64url').slice(0, 6);
}

/** The exclusions that leave out the offer itself, at most one of each kind. */
function exclusionsOf(offer: Offer, past: readonly PastMatch[], nowMs: number): Exclusion[] {
  const subject = subjectOfOffer(offer);
  return [categoryOf(offer), brandOf(offer, past), conditionOf(offer), priceOf(offer)].flatMap((exclusion) => {
    const parsed = exclusion && parseFilter(exclusion.term);
    return exclusion && parsed?.ok && !evaluate(parsed.filter, subject, nowMs) ? [exclusion] : [];
  });
}

/** By the narrowest of its categories. */
function categoryOf({ categories }: Offer): Exclusion | null {
  const depthOf = (path: string) => path.split('/').length;
  const what = categories.reduce<string | null>(
    (deepest, path) => (deepest === null || depthOf(path) >= depthOf(deepest) ? path : deepest),
    null,
  );
  return what === null ? null : excluding('category', what, termWith('category:', what));
}

/** Words that many titles have and that name no brand. Titles of the catalog are English. */
const COMMON = new Set(
  (
    'a|all|an|and|any|at|box|by|certified|count|each|fits|for|from|gen|generation|generic|in|inch|inches|into|kit|' +
    'large|lot|medium|new|not|of|on|open|or|pack|packs|pair|pc|pcs|pick|piece|pieces|pk|pro|reconditioned|refurb|' +
    'refurbished|renewed|set|sets|size|small|the|to|up|used|with|without|x|xl|your'
  ).split('|'),
);
/** The brand stands at the beginning of a title. */
const MOST_WORDS = 12;
/** A word that stands in more of the titles says what all of them are. */
const MOST_SHARE = 0.5;

/** By the first word of its title that several past titles have, and most don't. */
function brandOf(offer: Offer, past: readonly PastMatch[]): Exclusion | null {
  const titles = [...new Set(past.flatMap(({ subject }) => subject.title?.folded ?? []))];
  const what = wordsOf(offer.title)
    .slice(0, MOST_WORDS)
    .find((word) => {
      if (!/^\p{L}./u.test(word) || COMMON.has(word)) return false;
      const count = titles.filter((title) => title.includes(` ${word} `)).length;
      return count >= 2 && count <= titles.length * MOST_SHARE;
    });
  return what === undefined ? null : excluding('brand', what, what);
}

function conditionOf(offer: Offer): Exclusion | null {
  const what = conditionNamed(offer);
  if (what === null) return null;
  return excluding('condition', what, termWith('condition:', wordsOf(what).join(' ')));
}

function excluding(kind: Exclusion['kind'], what: string, term: string | null): Exclusion | null {
  return term === null ? null : { kind, what, term: `-${term}` };
}

/** By the highest round price that it does not go below. */
function priceOf({ salePrice }: Offer): Exclusion | null {
  const what = salePrice ? roundedDown(salePrice.minimum) : 0;
  return what > 0 ? { kind: 'price', what: String(what), term: `price:<${what}` } : null;
}

/** To one digit, below 30 (or 3, or 300) to half of one: 84.95 is 80, 19.99 is 15. US dollars; 0 below a cent. */
function roundedDown(price: number): number {
  const cents = Math.round(price * 100);
  if (!Number.isSafeInteger(cents) || cents < 1) return 0;
  const unit = 10 ** (String(cents).length - 1);
  const step = cents < 3 * unit ? Math.max(1, unit / 2) : unit;
  return (Math.floor(cents / step) * step) / 100;
}

/** An offer's condition in a few words: the one that its title names, else the one that is stated; null for none. */
function conditionNamed({ title, condition }: Pick<Offer, 'title' | 'condition'>): string | null {
  const [inTitle] = conditionsIn(title).flatMap((inside) => CONDITION.exec(inside)?.[0] ?? []);
  return inTitle ?? (condition === null ? null : withoutCount(condition));
}
