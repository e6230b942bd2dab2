import { isDeepStrictEqual } from 'node:util';
import type { Dissents, FieldRule, FieldRules } from './belief.ts';
import { type DoubtChanges, doubtsAs } from './doubts.ts';
import { doubtsOf, type Heard, type HeardNow, hearSaid, type OfferDoubts, type Said } from './entity-belief.ts';
import type { DealEvent, EventOffer } from './event.ts';
import { end, firm, list, moving, plain, soldOut, whole } from './field-rules.ts';
import type { Item } from './offer.ts';
import { isPlausible } from './offer-belief.ts';
import { LISTED, type LostItems, presenceAfter, sightsOfMissing } from './presence.ts';
import { priceRangeOf } from './price.ts';

// What is believed of an event. Its offers are believed one by one, as those of feeds are: each by its id.

/** The most percentage points that an offer's stock may fall between two answers without a third. */
const MOST_SOLD_AT_ONCE = 60;
/** The offers of which it is remembered that an event listed them once, the last to go first. */
const MOST_GONE = 1_000;

/** The rules of an event's own fields. */
const EVENT_RULES: FieldRules<DealEvent> = {
  type: firm,
  title: firm,
  site: plain,
  startDateMs: plain,
  endDateMs: end,
  subtitle: plain,
  writeUp: plain,
  discussionUrl: plain,
  manufacturerText: plain,
  photos: list,
  text: plain,
  url: plain,
};

/**
 * Stock falls from poll to poll. A fall by more than 60 percent of all stock astonishes: it is believed once the next answer
 * announces such a fall, too. More stock than before is no news, and is believed at once.
 */
const stock: FieldRule<number | null> = {
  isSame: (one, other) => one === other,
  isBelievedAtOnce: (was, says) => was === null || (says !== null && was - says <= MOST_SOLD_AT_ONCE),
  isSaidAgain: (said, says) => (said === null) === (says === null),
};

const EVENT_OFFER_RULES: FieldRules<EventOffer> = {
  title: firm,
  subtitle: plain,
  teaser: plain,
  writeUp: plain,
  features: plain,
  specs: plain,
  url: plain,
  discussionUrl: plain,
  items: {
    isSame: isDeepStrictEqual,
    isBelievedAtOnce: (was, says) => isSameBut(was, says, isPlausiblePrice),
    isSaidAgain: (said, says) => said.length === says.length && isSameBut(said, says, isNearPrice),
  },
  photos: list,
  shippingMethods: list,
  estimatedShipDate: plain,
  percentageRemaining: stock,
  soldOut,
  stats: moving,
  artist: whole,
  wineryDetails: plain,
  qualityPosts: list,
  snippet: plain,
  rank: moving,
  originalStartDateMs: plain,
};

/** Whether items differ in their sale prices alone, as `isAllowed` says they may; further ones may follow. */
function isSameBut(was: readonly Item[], says: readonly Item[], isAllowed: typeof isPlausiblePrice): boolean {
  return was.every((item, place) => {
    const other = says[place];
    if (!other || !isAllowed(item.salePrice, other.salePrice)) return false;
    return isDeepStrictEqual({ ...item, salePrice: null }, { ...other, salePrice: null });
  });
}

function isPlausiblePrice(was: number | null, says: number | null): boolean {
  return isPlausible(priceRangeOf([was]), priceRangeOf([says]));
}

function isNearPrice(one: number | null, other: number | null): boolean {
  return (one === null) === (other === null) && isPlausiblePrice(one, other);
}

const NONE: ReadonlyMap<string, OfferDoubts> = new Map();
const ALL_READ: ReadonlySet<string> = new Set();

/** What is believed of an event after an answer that shows it. */
export function hearEvent({ value: was, doubts }: Heard<DealEvent>, said: Said<DealEvent>): HeardNow<DealEvent> {
  const own = hearSaid(was, doubts?.dissents ?? {}, said, EVENT_RULES);
  const offers = hearOffers(was.offers, doubts?.offers ?? NONE, said);
  const shown = said.value.offers.map(({ id }) => id);
  const order = hearOrder(was.offers, own.dissents, { shown, listed: offers.listed, nowMs: said.nowMs });
  return {
    value: { ...own.value, offers: order.ids.flatMap((id) => offers.listed.get(id) ?? []) },
    doubted: together([own.doubted, ...offers.doubted, order.doubted]),
    ...doubtsOf({ dissents: order.dissents, offers: offers.doubts }),
  };
}

function together(all: readonly DoubtChanges<string>[]): DoubtChanges<string> {
  return {
    began: all.flatMap(({ began }) => began),
    confirmed: all.flatMap(({ confirmed }) => confirmed),
    refuted: all.flatMap(({ refuted }) => refuted),
  };
}

/** The offers that an event lists, and the doubts about all that it ever listed, by their ids. */
function hearOffers(
  was: readonly EventOffer[],
  doubts: ReadonlyMap<string, OfferDoubts>,
  said: Said<DealEvent>,
): { listed: Map<string, EventOffer>; doubts: Map<string, OfferDoubts>; doubted: DoubtChanges<string>[] } {
  const believed = new Map(was.map((offer) => [offer.id, offer]));
  const shown = new Map(said.value.offers.map((offer) => [offer.id, offer]));
  const known = new Set([...believed.keys(), ...doubts.keys()]);
  const presenceOf = (id: string) => doubts.get(id)?.presence ?? LISTED;
  const missing = [...known].filter((id) => !shown.has(id)).map((id) => ({ id, presence: presenceOf(id) }));
  const sights = sightsOfMissing(missing, said.unreadable.has('offers') ? UNREAD : said.lost);
  const found = {
    listed: new Map<string, EventOffer>(),
    doubts: new Map<string, OfferDoubts>(),
    doubted: [] as DoubtChanges<string>[],
  };
  let gone = 0;
  // Those that are listed come before those that went earlier.
  for (const id of new Set([...known, ...shown.keys()])) {
    const presence = known.has(id) ? presenceAfter(presenceOf(id), sights.get(id) ?? 'shown') : LISTED;
    const before = doubts.get(id)?.dissents ?? {};
    const { value, dissents, doubted } = hearOffer(believed.get(id), before, shown.get(id), said);
    if (doubted) found.doubted.push(doubtsAs(doubted, (field) => `offers.${field}`));
    if (presence.isListed && value) found.listed.set(id, value);
    else if (!presence.isListed) gone += 1;
    if (!presence.isListed && gone > MOST_GONE) continue;
    if (presence !== LISTED || Object.keys(dissents).length > 0) found.doubts.set(id, { presence, dissents });
  }
  return found;
}

/** A list of which nothing could be read. */
const UNREAD: LostItems = { ids: [], nameless: Number.POSITIVE_INFINITY };

/** What is believed of one offer. One that could be read only in part stays as it was. */
function hearOffer(
  was: EventOffer | undefined,
  dissents: Dissents,
  shown: EventOffer | undefined,
  { lost, nowMs }: Said<DealEvent>,
): { value: EventOffer | undefined; dissents: Dissents; doubted?: DoubtChanges<string> } {
  if (!was) return { value: shown, dissents: {} };
  if (!shown || lost?.ids.includes(was.id)) return { value: was, dissents };
  const fields = lost?.fields?.get(was.id);
  const said = { value: shown, unreadable: fields ? new Set(fields) : ALL_READ, nowMs };
  return hearSaid(was, dissents, said, EVENT_OFFER_RULES);
}

/** The order of the listed offers: another order needs a second answer. A new or missing offer stands after the one before it. */
function hearOrder(
  was: readonly EventOffer[],
  dissents: Dissents,
  { shown, listed, nowMs }: { shown: readonly string[]; listed: ReadonlyMap<string, unknown>; nowMs: number },
): { ids: readonly string[]; dissents: Dissents; doubted: DoubtChanges<string> } {
  const before = was.map(({ id }) => id).filter((id) => listed.has(id));
  const now = shown.filter((id) => listed.has(id));
  const said = { value: { ids: withMissing(now, before) }, unreadable: ALL_READ, nowMs };
  const heard = hearSaid({ ids: withMissing(before, now) }, dissents, said, ORDER_RULES);
  return { ids: heard.value.ids, dissents: heard.dissents, doubted: heard.doubted };
}

const ORDER_RULES: FieldRules<{ ids: readonly string[] }> = {
  ids: { isSame: isDeepStrictEqual, isBelievedAtOnce: () => false },
};

/** The ids, with those that another order has besides, each after the one that it follows there. */
function withMissing(ids: readonly string[], others: readonly string[]): string[] {
  const all = [...ids];
  const placed = new Set(ids);
  for (const [place, id] of others.entries()) {
    if (placed.has(id)) continue;
    const previous = others[place - 1];
    all.splice(previous === undefined ? 0 : all.indexOf(previous) + 1, 0, id);
  }
  return all;
}
