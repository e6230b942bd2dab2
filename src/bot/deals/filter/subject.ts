import type { Dealcast } from '../dealcast.ts';
import type { DealEvent, EventOffer } from '../event.ts';
import type { Monkeychat } from '../monkeychat.ts';
import type { Offer } from '../offer.ts';
import type { Poll } from '../poll.ts';
import { discountOf, type PriceRange, priceRangeOf } from '../price.ts';
import { type Text, textOf } from './text.ts';

/** What filters see of a thing, whatever it is; null for what it doesn't have. Prices are US dollars. */
export interface FilterSubject {
  /** "offer", "event" and its type, "dealcast", "poll" or "monkeychat". */
  type: Text | null;
  title: Text | null;
  /** Title and subtitle: what a bare word is looked for in. */
  text: Text | null;
  condition: Text | null;
  categories: readonly string[];
  site: Text | null;
  /** The cheapest sale price. */
  price: number | null;
  /** The cheapest list price. */
  list: number | null;
  /** Whole percent that the least reduced variant is off; 0 where nothing is. */
  off: number | null;
  endsAtMs: number | null;
  isFeatured: boolean | null;
  isDealOff: boolean | null;
  isMobileOnly: boolean | null;
  isFulfilledByPartner: boolean | null;
  isSoldOut: boolean | null;
}

const NOTHING: Readonly<FilterSubject> = {
  type: null,
  title: null,
  text: null,
  condition: null,
  categories: [],
  site: null,
  price: null,
  list: null,
  off: null,
  endsAtMs: null,
  isFeatured: null,
  isDealOff: null,
  isMobileOnly: null,
  isFulfilledByPartner: null,
  isSoldOut: null,
};

export function subjectOfOffer(offer: Offer): FilterSubject {
  return {
    type: textOf('offer'),
    title: textOf(offer.title),
    text: textOf(offer.title, offer.subtitle),
    condition: textOf(offer.condition, ...conditionsIn(offer.title)),
    categories: offer.categories,
    site: textOf(offer.site),
    price: offer.salePrice?.minimum ?? null,
    list: offer.listPrice?.minimum ?? null,
    off: leastOff(offer.salePrice, offer.listPrice),
    endsAtMs: offer.endDateMs,
    isFeatured: offer.isFeatured,
    isDealOff: offer.isDealOff,
    isMobileOnly: offer.isAvailableOnMobileAppOnly,
    isFulfilledByPartner: offer.isFulfilledByPartner,
    isSoldOut: offer.isSoldOut,
  };
}

/** An event stands for what it offers: the cheapest of its prices, the best of its reductions, all of its titles. */
export function subjectOfEvent(event: DealEvent): FilterSubject {
  const titles = event.offers.flatMap(({ title, subtitle }) => [title, subtitle]);
  const items = event.offers.flatMap((offer) => offer.items);
  return {
    ...NOTHING,
    type: textOf('event', event.type),
    title: textOf(event.title),
    text: textOf(event.title, event.subtitle, ...titles),
    condition: textOf(...[event.title, ...event.offers.map(({ title }) => title)].flatMap(conditionsIn)),
    site: textOf(event.site),
    price: priceRangeOf(items.map(({ salePrice }) => salePrice))?.minimum ?? null,
    list: priceRangeOf(items.map(({ listPrice }) => listPrice))?.minimum ?? null,
    off: priceRangeOf(event.offers.map(leastOffOf))?.maximum ?? null,
    endsAtMs: event.endDateMs,
    isDealOff: event.type === 'DealOff',
    isSoldOut: event.offers.length > 0 ? event.offers.every(({ soldOut }) => soldOut) : null,
  };
}

export function subjectOfDealcast(dealcast: Dealcast): FilterSubject {
  return {
    ...NOTHING,
    type: textOf('dealcast'),
    title: textOf(dealcast.title),
    text: textOf(dealcast.title),
    site: textOf(dealcast.site),
  };
}

/** A poll has no title of its own: its questions are. */
export function subjectOfPoll(poll: Poll): FilterSubject {
  const questions = textOf(...poll.questions.map(({ text }) => text));
  return { ...NOTHING, type: textOf('poll'), title: questions, text: questions, site: textOf(poll.site) };
}

/** Nobody knows its fields: whatever is text in it can be looked for. */
export function subjectOfMonkeychat({ raw }: Monkeychat): FilterSubject {
  const texts = Object.values(raw).filter((value) => typeof value === 'string');
  return { ...NOTHING, type: textOf('monkeychat'), text: textOf(...texts) };
}

/**
 * `off:>=40` promises 40 percent whichever variant one takes, so the lesser end of the discount counts
 * (`discountOf` has the definition).
 * @returns null where a price is unknown
 */
function leastOff(salePrice: PriceRange | null, listPrice: PriceRange | null): number | null {
  return salePrice && listPrice ? (discountOf(salePrice, listPrice)?.minimum ?? 0) : null;
}

function leastOffOf({ items }: EventOffer): number | null {
  return leastOff(
    priceRangeOf(items.map(({ salePrice }) => salePrice)),
    priceRangeOf(items.map(({ listPrice }) => listPrice)),
  );
}

/** Titles carry the condition too: "Laptop (Refurbished)", "Headphones [Open Box]". */
function conditionsIn(title: string): string[] {
  return [...title.matchAll(/[([]([^()[\]]*)[)\]]/g)]
    .map(([, inside = '']) => inside)
    .filter((inside) =>
      /\b(new|refurb\w*|renewed|(re)?certified|reconditioned|open[ -]box|used|pre-?owned)\b/i.test(inside),
    );
}
