import { seededRandom } from '../helpers/seeded-random.ts';
import {
  type Event,
  FEEDS,
  type FeedName,
  MISTAKES,
  ODDITIES,
  type Oddity,
  type WatchWish,
  type Wish,
} from './story.ts';

const CATEGORIES = ['HOME', 'PC', 'TOOLS'];
const KINDS: readonly Wish['kinds'][] = [
  ['new-offer', 'relisted', 'price-drop', 'restocked'],
  ['new-offer', 'relisted', 'price-drop', 'restocked', 'ending-soon'],
  ['price-drop', 'restocked'],
  ['new-offer', 'relisted'],
  ['all-time-low'],
];
const CHANNELS = 4;
/** Their numbers follow those of the channels. */
const PEOPLE = 2;
const MOST_OFFERS = 8;
/** Discord forgets a nonce after minutes, and the bot what it tried after an hour. */
const DOWN_MINUTES = [0, 0, 10, 90] as const;
/** How far what offers say of themselves may be behind: seconds. A cache keeps an answer for some time. */
const LAGS = [0, 4, 40, 200, 600, 3600] as const;
/** About half of a story is scenes. */
const SCENE_CHANCE = 0.04;

/** A change of the shop that each feed shows when it does. */
type InFeeds = Extract<Event, { feeds: readonly FeedName[] }>;

interface Listed {
  feeds: readonly FeedName[];
  price: number;
  isSoldOut: boolean;
  product: number;
}

/** A story by chance, the same for the same seed. What changes reaches some feeds later than others, or never. */
export function chanceStory(seed: number, steps: number): Event[] {
  const random = seededRandom(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const pick = <T>(from: readonly [T, ...T[]] | readonly T[]): T => from[upTo(from.length - 1)] as T;
  const isLucky = (chance: number) => random() < chance;
  const feeds = FEEDS.slice(0, 2 + upTo(FEEDS.length - 2));
  const listed = new Map<number, Listed>();
  /** What has reached only some feeds. */
  const lagging: Event[] = [];
  const story: Event[] = [];
  let offers = 0;

  function wish(): Wish {
    return {
      feed: pick(feeds),
      kinds: pick(KINDS),
      leastDrop: pick([1, 10, 25]),
      below: isLucky(0.25) ? pick([30, 60]) : null,
      category: isLucky(0.2) ? pick(CATEGORIES) : null,
      timing: pick(['at once', 'at once', 'hourly', 'quiet for hours'] as const),
      mostPerHour: pick([600, 600, 600, 3]),
      ...(isLucky(0.3) && { isPublished: true }),
      ...(isLucky(0.5) && { rings: pick(['', 'category:HOME', 'price:<40']) }),
    };
  }
  const person = () => CHANNELS + 1 + upTo(PEOPLE - 1);
  function watchWish(): WatchWish {
    return {
      aim: pick(['price', 'price', 'stock', 'low', 'end'] as const),
      below: pick([20, 40, 80]),
      timing: pick(['at once', 'at once', 'quiet for hours'] as const),
    };
  }
  function someFeeds(of: readonly FeedName[]): [FeedName[], FeedName[]] {
    if (of.length < 2 || isLucky(0.5)) return [[...of], []];
    const first = of.filter(() => isLucky(0.5));
    return first.length === 0 ? [[...of], []] : [first, of.filter((feed) => !first.includes(feed))];
  }
  const somewhere = () => upTo(CHANNELS + PEOPLE);
  const kill = (): Event => {
    return { do: 'kill', after: upTo(5), isStored: isLucky(0.5), downMinutes: pick(DOWN_MINUTES) };
  };
  /** Something is in the way of what is news next. */
  function hinder(): void {
    const outcome = pick(['arrives, no answer', 'lost, no answer', 'later', '404'] as const);
    const ways: readonly Event[] = [
      { do: 'next post', channel: somewhere(), outcome },
      { do: 'next post', channel: upTo(2), outcome },
      {
        do: 'next change',
        channel: upTo(2),
        outcome: pick(['arrives, no answer', 'lost, no answer', 'later'] as const),
      },
      { do: 'close', channel: upTo(2) },
      kill(),
    ];
    story.push(pick(ways));
  }
  /** A change that may come to some feeds later. */
  function change(event: InFeeds, of: readonly FeedName[]): void {
    if (isLucky(0.15)) hinder();
    const [now, later] = someFeeds(of);
    story.push({ ...event, feeds: now });
    if (later.length > 0 && isLucky(0.8)) lagging.push({ ...event, feeds: later });
  }
  function list(): void {
    const offer = offers;
    offers += 1;
    const relisted = [...listed.values()].map(({ product }) => product);
    const product = relisted.length > 0 && isLucky(0.2) ? pick(relisted) : offer;
    const of = feeds.filter(() => isLucky(0.6));
    const one = { feeds: of.length > 0 ? of : feeds, price: 10 + upTo(90), isSoldOut: isLucky(0.1), product };
    listed.set(offer, one);
    const category = pick(CATEGORIES);
    const endsInMinutes = isLucky(0.3) ? 30 + upTo(400) : null;
    change({ do: 'list', offer, endsInMinutes, category, ...one, price: isLucky(0.05) ? null : one.price }, one.feeds);
  }
  function changeOne(): void {
    const [offer, one] = pick([...listed]);
    const what = upTo(9);
    if (what < 3) {
      one.price = isLucky(0.6) ? pick([one.price / 2, one.price * 2, 20, 40, 80]) : one.price;
      change(
        { do: 'price', offer, feeds: [], to: isLucky(0.05) ? null : Math.max(5, Math.round(one.price)) },
        one.feeds,
      );
    } else if (what < 7) {
      one.isSoldOut = !one.isSoldOut;
      change({ do: 'stock', offer, feeds: [], isSoldOut: one.isSoldOut }, one.feeds);
    } else if (what === 7) {
      change({ do: 'end', offer, feeds: [], inMinutes: isLucky(0.3) ? null : upTo(300) - 30 }, one.feeds);
    } else if (what === 8) {
      if (isLucky(0.5)) change({ do: 'rename', offer, feeds: [], product: 100 + upTo(3) }, one.feeds);
      else change({ do: 'move', offer, feeds: [], category: pick(CATEGORIES) }, one.feeds);
    } else {
      change({ do: 'unlist', offer, feeds: [] }, one.feeds);
      if (isLucky(0.5)) listed.delete(offer);
      else lagging.push({ do: 'list', offer, endsInMinutes: null, category: pick(CATEGORIES), ...one });
    }
  }

  story.push({ do: 'quota', requests: pick([0, 500, 200_000]) });
  const lag = (): Event => ({ do: 'lag', seconds: pick(LAGS) });
  if (isLucky(0.5)) story.push(lag());
  for (let channel = 0; channel < 3; channel += 1) story.push({ do: 'follow', channel, wish: wish() });
  for (const feed of feeds) story.push({ do: 'poll', feed, answer: 'whole' });
  /** Somebody waits for an offer to be so. */
  function watcher(offer: number, aim: WatchWish['aim'], below: number): [number, Event[]] {
    const channel = person();
    const wish = { aim, below, timing: 'at once' } as const;
    return [
      channel,
      [
        { do: 'unwatch', person: channel },
        { do: 'open', channel },
        { do: 'watch', person: channel, offer, wish },
      ],
    ];
  }
  /** After some days in which all feeds were read, something may cost less than ever. */
  const days = (): Event[] => [
    ...feeds.map((feed): Event => ({ do: 'poll', feed, answer: 'whole' })),
    { do: 'pass', minutes: 80 * 60 },
    ...feeds.map((feed): Event => ({ do: 'poll', feed, answer: 'whole' })),
  ];
  const daysPassAt = isLucky(0.4) ? steps * 0.3 : Infinity;
  let haveDaysPassed = false;
  const poll = (): Event => {
    return { do: 'poll', feed: pick(feeds), answer: isLucky(0.95) ? 'whole' : pick(['error', 'stale'] as const) };
  };
  const whole = (of: readonly FeedName[], times: number): Event[] =>
    Array.from({ length: times }, () => of.map((feed): Event => ({ do: 'poll', feed, answer: 'whole' }))).flat();
  /** A channel that is told of all changes of a feed, from its next answer on. */
  function audience(feed: FeedName, timing: Wish['timing'], leastDrop = 1, more: Partial<Wish> = {}): Event[] {
    const channel = upTo(2);
    const wish: Wish = {
      feed,
      kinds: KINDS[0] ?? [],
      leastDrop,
      below: null,
      category: null,
      timing,
      mostPerHour: 600,
      ...more,
    };
    return [
      { do: 'leave', channel },
      { do: 'open', channel },
      { do: 'follow', channel, wish },
    ];
  }
  /** Somebody whose posts ring a role for a category, and the channel. */
  function ringing(feed: FeedName): [Event[], number] {
    const events = audience(feed, 'at once', 1, { rings: `category:${pick(CATEGORIES)}` });
    const [first] = events as [Extract<Event, { do: 'leave' }>];
    return [events, first.channel];
  }
  /** Changes that follow each other closely, about one offer, of which everything is told: chance alone seldom brings them. */
  function scene(): Event[] {
    const [offer, { feeds: of, product }] = pick([...listed]);
    const [feed] = of as [FeedName];
    const hours: Event = { do: 'pass', minutes: 60 };
    const calm: Event = { do: 'pass', minutes: 400 };
    const price = (to: number): Event => ({ do: 'price', offer, feeds: of, to });
    const stock = (isSoldOut: boolean): Event => ({ do: 'stock', offer, feeds: of, isSoldOut });
    const odd = (how: Oddity, at: FeedName): Event => ({ do: 'odd', feed: at, offer, how });
    const dear = 40 + upTo(40);
    const cheap = Math.round(dear / 2);
    const there: Extract<Event, { do: 'list' }> = {
      do: 'list',
      offer,
      feeds: of,
      product,
      price: dear,
      category: pick(CATEGORIES),
      isSoldOut: false,
      endsInMinutes: null,
    };
    const begin = (timing: Wish['timing'], leastDrop = 1) => [
      ...audience(feed, timing, leastDrop),
      there,
      ...whole(of, 2),
    ];
    const waits = pick(['hourly', 'hourly', 'quiet for hours'] as const);
    const scenes: readonly (() => Event[])[] = [
      // It waits while all feeds lack it.
      () => [
        ...begin(waits),
        price(cheap),
        ...whole([feed], 1),
        ...[...of, ...of].flatMap((at) => [odd('missing', at), ...whole([at], 1)]),
        hours,
        ...whole(of, 2),
      ],
      // The same price again, long after.
      () => [
        ...begin('at once'),
        price(cheap),
        ...whole(of, 2),
        price(dear),
        ...whole(of, 2),
        calm,
        price(cheap),
        ...whole(of, 2),
      ],
      // One answer is dear, and the next is as before, or a little cheaper.
      () => [
        ...begin('at once', pick([1, 25])),
        calm,
        odd('price doubled', feed),
        ...whole([feed], 1),
        ...(isLucky(0.5) ? [price(dear - 4)] : []),
        ...whole(of, 2),
      ],
      // Only a later answer shows whether a role is rung for it.
      () => {
        const alone = offers;
        offers += 1;
        const outcome = pick(['arrives, no answer', 'lost, no answer', 'later'] as const);
        const [follow, channel] = ringing(feed);
        const hindrance: Event = isLucky(0.5) ? { do: 'next change', channel, outcome } : kill();
        return [
          ...follow,
          { ...there, offer: alone, feeds: [feed], product: alone },
          { do: 'odd', feed, offer: alone, how: 'categories absent' },
          ...whole([feed], 1),
          ...(isLucky(0.7) ? [hindrance] : []),
          ...whole([feed], 2),
          hours,
        ];
      },
      // It is posted, and that can't be stored.
      () => [
        ...begin('at once'),
        { do: 'kill', after: 1 + upTo(2), isStored: false, downMinutes: pick(DOWN_MINUTES) },
        price(cheap),
        ...whole([feed], 2),
      ],
      // It is over before it can be told, and then it is so again.
      () => [
        ...begin(waits),
        ...[true, false, true].flatMap((isSoldOut) => [stock(isSoldOut), ...whole(of, 2)]),
        hours,
        stock(false),
        ...whole(of, 2),
      ],
      () => [
        ...begin(waits),
        ...[cheap, dear].flatMap((to) => [price(to), ...whole(of, 2)]),
        hours,
        price(cheap),
        ...whole(of, 2),
      ],
      // What the offer says of itself is behind its feed, which says what is new again and again.
      () => {
        const alone = offers;
        offers += 1;
        const changes = pick([
          [true, dear, false, dear],
          [false, dear * 2, false, Math.round(dear / 4)],
        ] as const);
        const [wasSoldOut, was, isSoldOut, is] = changes;
        const listing = { ...there, offer: alone, feeds: [feed], product: alone } as const;
        return [
          ...audience(feed, pick(['at once', 'at once', 'hourly'] as const)),
          lag(),
          ...(isLucky(0.5) ? [listing, ...whole([feed], 2)] : []),
          { ...listing, isSoldOut: wasSoldOut, price: was },
          ...whole([feed], wasSoldOut ? pick([1, 2]) : 2),
          hours,
          { ...listing, isSoldOut, price: is },
          ...whole([feed], 1),
          ...(isLucky(0.5) ? whole([feed], 1 + upTo(12)) : [{ do: 'pass', minutes: 2 + upTo(20) } as const]),
        ];
      },
      // Two prices reach what a person waits for before a message can be sent.
      () => {
        const [channel, watches] = watcher(offer, 'price', dear - 1);
        const wait: Event = isLucky(0.3) ? { do: 'close', channel } : { do: 'next post', channel, outcome: 'later' };
        const falls = [cheap + 4, cheap].flatMap((to) => [price(to), ...whole([feed], 1)]);
        return [there, ...whole(of, 2), ...watches, wait, ...falls, { do: 'open', channel }, hours, hours];
      },
    ];
    return pick(scenes)();
  }
  const rare: readonly (() => Event)[] = [
    () => ({ do: 'follow', channel: upTo(CHANNELS), wish: wish() }),
    () => ({ do: 'leave', channel: upTo(CHANNELS) }),
    () => ({ do: 'unwatch', person: person() }),
    () => ({ do: 'close', channel: somewhere() }),
    () => ({ do: 'open', channel: somewhere() }),
    kill,
    kill,
    () => ({ do: 'restart' }),
    () => ({ do: 'asking', mistake: pick(MISTAKES) }),
    () => ({ do: 'asking', mistake: pick(MISTAKES) }),
    lag,
    () => ({ do: 'open', channel: upTo(2) }),
  ];
  while (story.length < steps) {
    if (story.length >= daysPassAt && !haveDaysPassed) {
      haveDaysPassed = true;
      story.push(...days());
      const [offer, one] = pick([...listed]) ?? [];
      if (offer === undefined || one === undefined) continue;
      if (isLucky(0.5)) story.push(...watcher(offer, 'low', one.price)[1]);
      one.price = Math.max(5, Math.round(one.price * pick([0.3, 0.5, 0.8])));
      change({ do: 'price', offer, feeds: [], to: one.price }, one.feeds);
      for (const feed of [...one.feeds, ...one.feeds]) story.push({ do: 'poll', feed, answer: 'whole' });
    }
    if (isLucky(SCENE_CHANCE) && listed.size > 0) {
      story.push(...scene());
      continue;
    }
    const luck = random();
    if (luck < 0.5) story.push(poll());
    else if (luck < 0.62 && listed.size > 0) changeOne();
    else if (luck < 0.68) {
      if (listed.size < MOST_OFFERS) list();
    } else if (luck < 0.78) story.push(...lagging.splice(upTo(Math.max(0, lagging.length - 1)), 1));
    else if (luck < 0.86 && offers > 0)
      story.push({ do: 'odd', feed: pick(feeds), offer: upTo(offers - 1), how: pick(ODDITIES) });
    else if (luck < 0.91) story.push({ do: 'pass', minutes: isLucky(0.2) ? 100 + upTo(400) : 1 + upTo(20) });
    else if (luck < 0.93 && offers > 0)
      story.push({ do: 'watch', person: person(), offer: upTo(offers - 1), wish: watchWish() });
    else story.push(pick(rare)());
  }
  return story;
}
