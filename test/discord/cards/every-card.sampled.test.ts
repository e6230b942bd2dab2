import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KINDS, THINGS } from '../../../src/announcements/kinds/index.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import type { Dealcast } from '../../../src/deals/dealcast.ts';
import type { DealEvent } from '../../../src/deals/event.ts';
import { FEED_ORDERS } from '../../../src/deals/feed-order.ts';
import type { Monkeychat } from '../../../src/deals/monkeychat.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import type { Poll } from '../../../src/deals/poll.ts';
import {
  announcementCard,
  inRollUpOrder,
  plainCard,
  type RollUpContent,
  rollUpCard,
  rollUpListCard,
} from '../../../src/discord/cards/announcement-card.ts';
import { eventDetailCard, eventsCard } from '../../../src/discord/cards/event-card.ts';
import { knownOfferCard, offerChoiceCard } from '../../../src/discord/cards/offer-card.ts';
import { type OfferDetailView, offerDetailCard } from '../../../src/discord/cards/offer-detail-card.ts';
import { feedCard, searchCard } from '../../../src/discord/cards/offer-list-cards.ts';
import { actionButton, type Card, noticeCard } from '../../../src/discord/cards/parts.ts';
import { thingDetailCard, thingsCard } from '../../../src/discord/cards/thing-card.ts';
import { OFFER_SECTIONS } from '../../../src/discord/custom-id.ts';
import { message, translatorFor } from '../../../src/discord/i18n/translator.ts';
import { escapeLine } from '../../../src/discord/markdown.ts';
import { readDealcasts, readEvents, readFeed } from '../../catalog/reading.ts';
import { expectHarmless } from '../../helpers/discord-form.ts';
import {
  generatedDealcast,
  generatedDetail,
  generatedEvent,
  generatedInEvent,
  generatedMonkeychat,
  generatedOffer,
  generatedPoll,
  maybe,
  nasty,
} from '../../helpers/generated-things.ts';
import { isInFull } from '../../helpers/sampled.ts';
import { NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';

type AnnouncementContext = Parameters<typeof announcementCard>[1];

const LOCALES = ['en-US', 'de', 'fr', 'es-ES'];
const DELIVERY = 'd'.repeat(22);
const AGE = { fetchedAtMs: NOW_MS, isStale: true, quotaReturnsAtMs: NOW_MS };
const NO_FILTER = { site: null, type: null };

/** One kind of thing, and every card that shows it. */
interface Shown<T> {
  name: string;
  things: fc.Arbitrary<T>;
  /** This many of the ten thousand generated entities are of the kind. */
  count: number;
  /** Cards that show one. */
  alone: readonly ((thing: T, context: AnnouncementContext) => Card)[];
  /** Cards that show some. */
  together: readonly ((things: readonly T[], context: AnnouncementContext) => Card)[];
}

const startOf = (item: DealEvent): Announcement => ({ kind: 'event-started', subject: item.id, occurrence: '', item });
/** Announces the first offer of an event as almost gone, or the event where it has no offer. */
function almostGoneOf(event: DealEvent): Announcement {
  const offers = event.offers.map((offer) => ({ ...offer, soldOut: false, percentageRemaining: 5 }));
  return KINDS['almost-gone'].announceParts({ ...event, offers })[0] ?? startOf(event);
}
const LIMIT = { mostPerHour: 30, nextPostAtMs: NOW_MS };

function heldBy(announcements: readonly Announcement[]): RollUpContent {
  return { announcements: inRollUpOrder(announcements), reason: 'limit', feeds: [titleOf(announcements)] };
}

function titleOf([first]: readonly Announcement[]): string {
  return first && 'title' in first.item ? first.item.title : 'Home';
}

/** Many in one post, one page of the list behind it, and what is left where Discord refuses a card. */
function rollUps<T>(announce: (thing: T) => Announcement): Shown<T>['together'] {
  return [
    (things, context) => rollUpCard({ ...heldBy(things.map(announce)), deliveryId: DELIVERY, limit: LIMIT }, context),
    (things, context) => rollUpListCard({ ...heldBy(things.map(announce)), rollUpId: DELIVERY, page: 2 }, context),
    ([first], context) => {
      if (!first) return noticeCard('Nothing.');
      return plainCard(announce(first), announcementCard(announce(first), context), context);
    },
  ];
}

const OFFERS: Shown<Offer> = {
  name: 'offers',
  things: generatedOffer,
  count: 5_300,
  alone: [
    (item, context) => announcementCard(newOfferOf(item), context),
    (item, context) =>
      announcementCard(
        {
          kind: 'relisted',
          subject: item.id,
          occurrence: '',
          item,
          before: { offerId: uuid(9), salePrice: item.listPrice, endedAtMs: NOW_MS },
        },
        context,
      ),
    (item, context) =>
      announcementCard(
        {
          kind: 'price-drop',
          subject: item.id,
          occurrence: '',
          item,
          before: item.listPrice ?? { minimum: 1, maximum: 1e20 },
        },
        context,
      ),
    (item, context) => announcementCard({ kind: 'restocked', subject: item.id, occurrence: '', item }, context),
    (item, context) => announcementCard({ kind: 'ending-soon', subject: item.id, occurrence: '', item }, context),
    (item, context) =>
      knownOfferCard({ offer: item, openedFrom: DELIVERY, reason: escapeLine(item.title), age: AGE }, context),
  ],
  together: [
    ...rollUps(newOfferOf),
    (offers, context) =>
      offerChoiceCard(
        offers.map((listed) => ({ id: listed.id, title: listed.title, listed })),
        context,
        {
          which: message('offerDetails.which'),
          name: message('offerDetails.which'),
          actionOf: (offerId) => ({ do: 'offer', offerId, deliveryId: null }),
        },
      ),
    ...FEED_ORDERS.map(
      (order) => (offers: readonly Offer[], context: AnnouncementContext) =>
        feedCard(
          {
            feed: 'Home',
            marketingName: offers[0]?.title ?? null,
            offers,
            page: 1,
            age: AGE,
            order,
            filter: (offers[1]?.title ?? '').slice(0, 30),
            canSubscribe: true,
            alert: actionButton('Tell me', { do: 'subscribe', feed: 'Home', filter: '' }),
            meant: offers[2]?.title.slice(0, 30) ?? null,
          },
          context,
        ),
    ),
    (offers, context) =>
      searchCard(
        {
          query: (offers[0]?.title ?? 'x').slice(0, 30),
          isCut: true,
          posted: { feed: 'Home', filter: 'x' },
          alert: actionButton('Tell me', { do: 'subscribe', feed: 'Home', filter: '' }),
          offers,
          order: 'discount',
          filter: (offers[1]?.title ?? '').slice(0, 30),
          page: 2,
          age: AGE,
          coverage: {
            searched: 3,
            all: 60,
            oldestMs: AGE.fetchedAtMs,
            unreadable: offers.map(({ title }) => title),
            hasMore: true,
            quotaReturnsAtMs: AGE.fetchedAtMs,
          },
        },
        context,
      ),
    (offers, context) =>
      offerChoiceCard(
        offers.map((listed, index) => ({
          id: uuid(index),
          title: listed.title,
          listed: index % 2 === 0 ? listed : null,
        })),
        context,
      ),
  ],
};

type InFull = Pick<OfferDetailView, 'offer' | 'listed' | 'inEvent' | 'part'>;

const DETAILS: Shown<InFull> = {
  name: 'offers in full',
  things: fc.record({
    offer: generatedDetail,
    listed: maybe(generatedOffer),
    inEvent: maybe(generatedInEvent),
    part: fc.integer({ min: 1, max: 60 }),
  }),
  count: 700,
  alone: OFFER_SECTIONS.map(
    (section) => (view: InFull, context: AnnouncementContext) =>
      offerDetailCard({ ...view, openedFrom: DELIVERY, section, age: AGE }, context),
  ),
  together: [],
};

const EVENTS: Shown<DealEvent> = {
  name: 'events',
  things: generatedEvent,
  count: 1_200,
  alone: [
    (event, context) => announcementCard(startOf(event), context),
    (event, context) => announcementCard(almostGoneOf(event), context),
    (event, context) => eventDetailCard({ event, page: 1, age: AGE }, context),
    (event, context) => eventDetailCard({ event, page: 2, age: AGE }, context),
  ],
  together: [
    ...rollUps(startOf),
    ...rollUps(almostGoneOf),
    (events, context) => eventsCard({ events, filter: NO_FILTER, page: 1, age: AGE, added: [] }, context),
  ],
};

const DEALCASTS: Shown<Dealcast> = {
  name: 'dealcasts',
  things: generatedDealcast,
  count: 1_000,
  alone: [
    (item, context) => announcementCard(KINDS['new-dealcast'].announce(item), context),
    (item, context) => thingDetailCard(THINGS.dealcasts, { item, age: AGE }, context),
  ],
  together: [
    ...rollUps((item: Dealcast) => KINDS['new-dealcast'].announce(item)),
    (items, context) => thingsCard(THINGS.dealcasts, { items, page: 1, age: AGE }, context),
  ],
};

const POLLS: Shown<Poll> = {
  name: 'polls',
  things: generatedPoll,
  count: 1_000,
  alone: [
    (item, context) => announcementCard(KINDS['new-poll'].announce(item), context),
    (item, context) => thingDetailCard(THINGS.polls, { item, age: AGE }, context),
  ],
  together: [
    ...rollUps((item: Poll) => KINDS['new-poll'].announce(item)),
    (items, context) => thingsCard(THINGS.polls, { items, page: 1, age: AGE }, context),
  ],
};

const MONKEYCHATS: Shown<Monkeychat> = {
  name: 'monkeychats',
  things: generatedMonkeychat,
  count: 800,
  alone: [
    (item, context) => announcementCard(KINDS['new-monkeychat'].announce(item), context),
    (item, context) => thingDetailCard(THINGS.monkeychats, { item, age: AGE }, context),
  ],
  together: [
    ...rollUps((item: Monkeychat) => KINDS['new-monkeychat'].announce(item)),
    (items, context) => thingsCard(THINGS.monkeychats, { items, page: 1, age: AGE }, context),
  ],
};

function contextOf(locale: string, matched: readonly string[], look: Look): AnnouncementContext {
  return { translator: translatorFor(locale), nowMs: NOW_MS, deliveryId: DELIVERY, matched, ...look };
}

type Look = Pick<AnnouncementContext, 'style' | 'line' | 'accent'>;
const looks: fc.Arbitrary<Look> = fc.record({
  style: fc.constantFrom('compact', 'large'),
  line: maybe(nasty),
  accent: maybe(fc.integer({ min: 0, max: 0xffffff })),
});

/** How many of the things are looked at. */
const SHARE = isInFull ? 1 : 1 / 10;
/** Things are looked at seven by seven, enough for a second page of a list. */
const AT_ONCE = 7;

describe('of ten thousand generated things Discord takes', () => {
  /** Each thing on one of the cards for one, and some lists of seven: all cards come up hundreds of times in each language. */
  function takesAll<T>({ name, things, count, alone, together }: Shown<T>): void {
    test(`the cards of ${name}`, () => {
      fc.assert(
        fc.property(
          fc.array(things, { minLength: AT_ONCE, maxLength: AT_ONCE }),
          fc.constantFrom(...LOCALES),
          fc.array(nasty, { maxLength: 3 }),
          looks,
          fc.nat(),
          (seven, locale, matched, look, turn) => {
            const context = contextOf(locale, matched, look);
            seven.forEach((thing, index) => {
              const make = alone[(turn + index) % alone.length];
              if (make) expectHarmless(make(thing, context));
            });
            const list = together[turn % together.length];
            if (list) expectHarmless(list(seven, context));
          },
        ),
        // To look for the smallest of so large things that fail would take minutes.
        { numRuns: Math.ceil((count * SHARE) / AT_ONCE), seed: 20_261_006, endOnFailure: true },
      );
    });
  }
  takesAll(OFFERS);
  takesAll(DETAILS);
  takesAll(EVENTS);
  takesAll(DEALCASTS);
  takesAll(POLLS);
  takesAll(MONKEYCHATS);
});

const RECORDED = new URL('../../../../shared/real-payloads/', import.meta.url);

describe.skipIf(!existsSync(RECORDED)).each(LOCALES)('of everything recorded Discord takes, in %s,', (locale) => {
  const context = contextOf(locale, ['feed Home', 'off >= 40'], { style: 'large', line: 'For everyone' });
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, RECORDED), 'utf8'));

  function takeAll<T>({ alone, together }: Shown<T>, things: readonly T[]): void {
    expect(things).not.toEqual([]);
    for (const thing of things) for (const make of alone) expectHarmless(make(thing, context));
    for (const make of together) expectHarmless(make(things, context));
  }

  test('the cards of feeds', async () => {
    for (const file of readdirSync(new URL('feeds/', RECORDED))) {
      takeAll(OFFERS, (await readFeed(read(`feeds/${file}`))).value.offers);
    }
  });
  test('the cards of events', async () => takeAll(EVENTS, (await readEvents(read('events.json'))).value));
  test('the cards of dealcasts', async () => takeAll(DEALCASTS, (await readDealcasts(read('dealcasts.json'))).value));
});

test('every card that there is is held against Discord’s rules somewhere', () => {
  const here = new URL('./', import.meta.url);
  const sources = new URL('../../../src/discord/cards/', here);
  const tests = readdirSync(here)
    .map((file) => readFileSync(new URL(file, here), 'utf8'))
    .filter((text) => /expect(Harmless|TakenByDiscord)\(/.test(text))
    .join('\n');
  const made = readdirSync(sources)
    .flatMap((file) => [...readFileSync(new URL(file, sources), 'utf8').matchAll(/^export function (\w+Card)\(/gm)])
    .map(([, name = '']) => name);
  expect(made.length).toBeGreaterThan(10);
  // The announcements' own are behind `announcementCard`.
  const announced = ['overCard', 'offerCard', 'eventStartedCard', 'thingPostCard'];
  expect(made.filter((name) => !announced.includes(name) && !tests.includes(`${name}(`))).toEqual([]);
});
