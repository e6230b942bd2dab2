import { FEED_NAMES, type FeedName } from '../../packages/catalog-service/src/index.ts';
import { newSubscription } from '../../src/announcements/kinds/of-source.ts';
import type { AnnouncementKind } from '../../src/deals/announcement.ts';
import { productKey } from '../../src/deals/known-offer.ts';
import type { Offer } from '../../src/deals/offer.ts';
import { personAt, placeOfPerson } from '../../src/deals/person.ts';
import { type Timing, USUAL_PACING_OF_PERSON } from '../../src/deals/settings.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { aPersonal } from '../helpers/announcing-features.ts';

/** A subscription or a watch, and what its filter means, said a second time and in another way. */
export interface Follower {
  subscription: Subscription;
  feed: FeedName;
  /** The one product that is watched, as `productOf` makes it; null where it is the feed. */
  product: string | null;
  wants: (offer: OfferFacts, nowMs: number) => boolean;
}

/** All of an offer that the filters here ask for. */
export type OfferFacts = Pick<
  Offer,
  'title' | 'subtitle' | 'condition' | 'categories' | 'salePrice' | 'listPrice' | 'endDateMs'
>;

interface Filtered {
  filter: string;
  wants: Follower['wants'];
}

export const TIME_ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Chicago',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Asia/Tokyo',
];
/** Drops are told together with others or alone; what is new is wanted as new and as relisted, or not at all. */
const KINDS: readonly AnnouncementKind[][] = [
  ['new-offer', 'relisted', 'price-drop', 'restocked'],
  ['new-offer', 'relisted'],
  ['price-drop', 'ending-soon'],
  ['new-offer', 'relisted', 'price-drop', 'restocked', 'ending-soon'],
];
/** The server that removes the bot now and then: it has one channel of so many. */
export const SMALL_SERVER = '2';
const CHANNELS_PER_SMALL_SERVER = 12;
const CHANNELS_PER_PERSON = 5;
/** One product is watched for so many subscriptions. */
const SUBSCRIPTIONS_PER_PRODUCT = 4;
/** A channel in which news comes every few minutes. */
export const BUSIEST_CHANNEL = '999';
const WORDS = ['knife', 'shirt', 'laptop', 'wireless', 'coffee', 'led', 'smart', 'cordless', 'refurbished', 'chair'];
const CATEGORIES = ['PC', 'HOME', 'Sellout', 'Sellout/Home', 'TOOLS', 'SPORT', 'GOURMET', 'ELECTRONICS'];

/**
 * People with all kinds of filters, the same for the same `random`; about two subscriptions to three channels' five. Some
 * watch a product of those that are `shown`.
 */
export function createCrowd(count: number, shown: readonly Offer[], random: () => number, nowMs: number): Follower[] {
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const pick = <T>(from: readonly [T, ...T[]] | readonly T[]): T => from[upTo(from.length - 1)] as T;

  function word(): Filtered {
    const wanted = pick(WORDS);
    return { filter: wanted, wants: (offer) => wordsOf(offer).has(wanted) };
  }
  function price(): Filtered {
    const most = 5 + upTo(20);
    return { filter: `price:<${most}`, wants: ({ salePrice }) => salePrice !== null && salePrice.minimum < most };
  }
  function off(): Filtered {
    const least = 70 + upTo(8);
    return { filter: `off:>=${least}`, wants: (offer) => (percentOff(offer) ?? -1) >= least };
  }
  function ends(): Filtered {
    const hours = 12 + upTo(60);
    const wants = ({ endDateMs }: OfferFacts, atMs: number) => endDateMs !== null && endDateMs - atMs < hours * HOUR_MS;
    return { filter: `ends:<${hours}h`, wants };
  }
  function category(): Filtered {
    const path = pick(CATEGORIES);
    const isIn = (one: string) => `${one.toLowerCase()}/`.startsWith(`${path.toLowerCase()}/`);
    return { filter: `category:${path}`, wants: ({ categories }) => categories.some(isIn) };
  }
  const all = (...filters: Filtered[]): Filtered => ({
    filter: filters.map(({ filter }) => filter).join(' '),
    wants: (...given) => filters.every(({ wants }) => wants(...given)),
  });
  const not = ({ filter, wants }: Filtered): Filtered => ({
    filter: `-${filter}`,
    wants: (...given) => !wants(...given),
  });
  const either = (one: Filtered, other: Filtered): Filtered => ({
    filter: `(${one.filter} OR ${other.filter})`,
    wants: (...given) => one.wants(...given) || other.wants(...given),
  });
  const filters: readonly (() => Filtered)[] = [
    () => all(word(), price()),
    () => all(either(word(), word()), off()),
    () => all(price(), off(), not(word())),
    () => all(category(), ends(), off()),
    () => all(word(), category()),
  ];

  function timing(): Timing {
    const mode = pick(['at-once', 'at-once', 'at-once', 'hourly', 'daily'] as const);
    const quiet = random() < 0.3 ? { fromMinute: 1_200 + upTo(180), toMinute: 360 + upTo(120) } : null;
    return { mode, dailyAtMinute: 480 + upTo(900), timeZone: pick(TIME_ZONES), quiet };
  }

  const crowd = Array.from({ length: count }, (_, index) => {
    const feed = pick(FEED_NAMES);
    const { filter, wants } = pick(filters)();
    const channel = upTo(Math.ceil(count * 0.6));
    const subscription = newSubscription({
      id: `s${index}`,
      guildId: placeOf(channel),
      channelId: String(1_000 + channel),
      source: { kind: 'feed', feed },
      createdBy: '100',
      createdAtMs: nowMs,
      catchUp: 0,
    });
    const options = {
      filter,
      kinds: pick(KINDS),
      timing: timing(),
      mostPerHour: pick([2, 5, 30]),
      priceDropPercent: pick([1, 10, 25]),
    };
    const watch =
      personAt(subscription.guildId) === null ? {} : ({ watch: { aim: 'new', product: null, below: null } } as object);
    return { subscription: { ...subscription, ...options, ...watch }, feed, product: null, wants };
  });
  const products = Array.from({ length: Math.ceil(count / SUBSCRIPTIONS_PER_PRODUCT) }, (_, index) => {
    const person = 1 + CHANNELS_PER_PERSON * upTo(Math.floor((count * 0.6) / CHANNELS_PER_PERSON) - 1);
    return watchOf(pick(shown), pick(['price', 'stock', 'low', 'end'] as const), {
      id: `w${index}`,
      channel: person,
      timing: timing(),
      mostPerHour: pick([2, 5, 30]),
      nowMs,
    });
  });
  return [...crowd, ...products, everything(nowMs)];
}

/** The words of the offers that many filters ask about, one after the other. */
const WORDS_OF = new WeakMap<OfferFacts, ReadonlySet<string>>();

function wordsOf(offer: OfferFacts): ReadonlySet<string> {
  const known = WORDS_OF.get(offer);
  if (known) return known;
  const text = `${offer.title} ${offer.subtitle ?? ''}`.toLowerCase();
  const words = new Set(text.split(/[^a-z0-9]+/));
  // Whatever the condition is called, and wherever, it is that word, too.
  if (/\b(?:refurb|renewed|reconditioned|recertified)/.test(`${text} ${offer.condition?.toLowerCase() ?? ''}`)) {
    words.add('refurbished');
  }
  WORDS_OF.set(offer, words);
  return words;
}

/** A name of the product that an offer sells. */
export const productOf = ({ title, condition }: Offer): string => `${title}, ${condition ?? 'new'}`;

/** A person's watch of an offer's product; for a price, of a tenth less than it costs. */
function watchOf(
  offer: Offer,
  aim: string,
  given: { id: string; channel: number; nowMs: number; timing: Timing; mostPerHour: number },
): Follower {
  const below = aim === 'price' && offer.salePrice ? Math.floor(offer.salePrice.minimum * 90) / 100 : null;
  const { id, channel, nowMs, timing, mostPerHour } = given;
  const subscription = aPersonal({
    id,
    guildId: placeOfPerson(String(channel)),
    channelId: String(1_000 + channel),
    source: { kind: 'feed', feed: 'All' },
    createdBy: String(channel),
    createdAtMs: nowMs,
    filter: '',
    ...USUAL_PACING_OF_PERSON,
    timing,
    mostPerHour,
    watch: { aim, below, product: { key: productKey(offer), title: offer.title, offerId: offer.id } },
  });
  const wants = ({ salePrice }: OfferFacts) => below === null || (salePrice !== null && salePrice.minimum <= below);
  return { subscription, feed: 'All', product: productOf(offer), wants };
}

/** Some channels are the direct messages of a person, whose subscriptions are watches. */
function placeOf(channel: number): string {
  if (channel % CHANNELS_PER_PERSON === 1) return placeOfPerson(String(channel));
  return channel % CHANNELS_PER_SMALL_SERVER === 0 ? SMALL_SERVER : '1';
}

/** A channel that wants everything that is new, as it comes. */
function everything(nowMs: number): Follower {
  const feed = 'All';
  const subscription = newSubscription({
    id: 'everything',
    guildId: '1',
    channelId: BUSIEST_CHANNEL,
    source: { kind: 'feed', feed },
    createdBy: '100',
    createdAtMs: nowMs,
    catchUp: 0,
  });
  return {
    subscription: { ...subscription, kinds: ['new-offer', 'relisted'] },
    feed,
    product: null,
    wants: () => true,
  };
}

/** The discount at both ends of the price, the lesser, in whole percent; null where a price is not known. */
function percentOff({ salePrice, listPrice }: OfferFacts): number | null {
  if (!salePrice || !listPrice) return null;
  const off = (sale: number, list: number) =>
    Math.floor((100 * (Math.round(list * 100) - Math.round(sale * 100))) / Math.round(list * 100));
  return Math.min(off(salePrice.minimum, listPrice.minimum), off(salePrice.maximum, listPrice.maximum));
}
