import fc from 'fast-check';
import type { Dealcast } from '../../src/deals/dealcast.ts';
import { type DealEvent, EVENT_TYPES, type EventOffer, type OfferStats } from '../../src/deals/event.ts';
import type { Monkeychat } from '../../src/deals/monkeychat.ts';
import type { Offer, OfferDetail } from '../../src/deals/offer.ts';
import type { Poll } from '../../src/deals/poll.ts';
import { anyCharacter } from './any-character.ts';
import { anEventOffer, uuid } from './things.ts';

/** Text as nobody means it. */
export const nasty = fc.oneof(
  fc.string({ maxLength: 600 }),
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.constantFrom(
    '@everyone <@1> [x](javascript:alert(1))',
    '<p>'.repeat(200),
    '*'.repeat(5000),
    `[${'a'.repeat(3000)}`,
    '<a href="https://a.example/">x</a> '.repeat(300),
    '\u{1F600}'.repeat(2000),
    '\\'.repeat(999),
  ),
);
const title = nasty.map((text) => text.trim() || 'x');
export const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const address = maybe(
  fc.oneof(
    nasty,
    fc.webUrl({ withQueryParameters: true }),
    fc.constantFrom(`https://a.example/${'p'.repeat(3000)}`, 'javascript:alert(1)', 'https://a.example/)>'),
  ),
);
const dollars = fc.double({ min: 0, max: 1e30, noNaN: true });
const price = maybe(fc.tuple(dollars, dollars).map(([a, b]) => ({ minimum: Math.min(a, b), maximum: Math.max(a, b) })));
const moment = maybe(fc.integer({ min: 0, max: 4e12 }));
const photo = fc.record({
  url: fc.webUrl(),
  width: maybe(fc.nat()),
  height: maybe(fc.nat()),
  caption: maybe(nasty),
  tags: fc.array(fc.constantFrom('gallery', 'fullsize-0', 'thumbnail-0')),
});
const item = fc.record({
  id: fc.constant(uuid(1)),
  title: maybe(nasty),
  salePrice: maybe(dollars),
  listPrice: maybe(dollars),
  asin: maybe(nasty),
  purchaseLimit: maybe(fc.nat()),
  attributes: fc.array(fc.record({ key: nasty, value: nasty }), { maxLength: 3 }),
  photos: fc.array(photo, { maxLength: 1 }),
});
export const generatedOffer: fc.Arbitrary<Offer> = fc.record({
  id: fc.uuid(),
  title,
  subtitle: maybe(nasty),
  condition: maybe(nasty),
  categories: fc.array(nasty, { maxLength: 2 }),
  photo: address,
  url: address,
  forumUrl: address,
  startDateMs: moment,
  endDateMs: moment,
  salePrice: price,
  listPrice: price,
  isSoldOut: fc.boolean(),
  isDealOff: fc.boolean(),
  isFeatured: fc.boolean(),
  isFulfilledByPartner: fc.boolean(),
  isAvailableOnMobileAppOnly: fc.boolean(),
  site: maybe(nasty),
});
export const generatedEvent: fc.Arbitrary<DealEvent> = fc.record({
  id: fc.uuid(),
  type: fc.oneof(title, fc.constantFrom(...EVENT_TYPES)),
  title,
  site: maybe(nasty),
  startDateMs: moment,
  endDateMs: moment,
  offers: fc.array(
    fc
      .record({
        title,
        url: address,
        discussionUrl: address,
        items: fc.array(item, { maxLength: 3 }),
        photos: fc.array(photo, { maxLength: 3 }),
        soldOut: fc.boolean(),
        percentageRemaining: maybe(fc.nat(100)),
        rank: maybe(fc.nat(30)),
        originalStartDateMs: moment,
      })
      .map((changes) => anEventOffer(1, changes)),
    { maxLength: 8 },
  ),
  subtitle: maybe(nasty),
  writeUp: maybe(nasty),
  discussionUrl: address,
  manufacturerText: maybe(nasty),
  photos: fc.array(photo, { maxLength: 3 }),
  text: maybe(nasty),
  url: address,
});
export const generatedDealcast: fc.Arbitrary<Dealcast> = fc.record({
  title,
  site: maybe(nasty),
  startDateMs: moment,
  teaser: maybe(nasty),
  text: maybe(nasty),
  blogUrl: address,
  discussionUrl: address,
  mp4Url: address,
  youTubeUrl: address,
  thumbnail: maybe(photo),
  views: maybe(fc.nat()),
});
export const generatedDetail: fc.Arbitrary<OfferDetail> = fc.record({
  id: fc.uuid(),
  eventId: maybe(fc.uuid()),
  title,
  fullTitle: maybe(title),
  subtitle: maybe(nasty),
  teaser: maybe(nasty),
  url: address,
  features: maybe(nasty),
  specs: maybe(nasty),
  snippet: maybe(nasty),
  writeUpIntro: maybe(nasty),
  writeUpBody: maybe(nasty),
  extendedWarranty: maybe(nasty),
  purchaseLimit: maybe(fc.nat()),
  percentageRemaining: maybe(fc.nat(100)),
  isDealOff: fc.boolean(),
  isSoldOut: fc.boolean(),
  isOfferLiveNow: maybe(fc.boolean()),
  items: fc.oneof(fc.array(item, { maxLength: 12 }), fc.array(item, { minLength: 26, maxLength: 60 })),
  photos: fc.array(photo, { maxLength: 12 }),
  shippingMethods: fc.array(
    fc.record({
      name: title,
      perOrderAmount: maybe(dollars),
      perEventAmount: maybe(dollars),
      perItemAmount: maybe(dollars),
      excludedStates: fc.array(nasty, { maxLength: 3 }),
      excludedPostalCodes: fc.array(nasty, { maxLength: 300 }),
      excludePOBox: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
});
const shares = fc.array(fc.record({ key: nasty, value: fc.double({ noNaN: true }) }), { maxLength: 30 });
const stats: fc.Arbitrary<OfferStats> = fc.record({
  firstSucker: maybe(nasty),
  lastPurchaseMs: moment,
  lastBuyerToDeal: maybe(nasty),
  overallOrderPace: maybe(dollars),
  overallDealsSold: maybe(dollars),
  siteOrderPace: maybe(dollars),
  siteDealsSold: maybe(dollars),
  percentageOfSalesPerDay: shares,
  percentageOfSalesPerHour: shares,
  purchaserExperience: shares,
  purchaserSeniority: shares,
  quantityBreakdown: shares,
  speedToFirstDealMs: maybe(fc.nat()),
  dealsByState: shares,
});

/** An offer as its event tells of it beside what the offer tells itself. */
export const generatedInEvent: fc.Arbitrary<EventOffer> = fc
  .record({
    stats: maybe(stats),
    discussionUrl: address,
    estimatedShipDate: maybe(nasty),
    artist: maybe(fc.record({ name: title, avatar: address, biography: maybe(nasty) })),
    wineryDetails: maybe(nasty),
    qualityPosts: fc.array(
      fc.record({ username: maybe(nasty), text: maybe(nasty), formattedBody: maybe(nasty), postedOnMs: moment }),
      { maxLength: 3 },
    ),
  })
  .map((changes) => anEventOffer(1, changes));

const response = fc.record({ text: title, voteCount: fc.nat() });
export const generatedPoll: fc.Arbitrary<Poll> = fc.record({
  discussionUrl: address,
  site: maybe(nasty),
  questions: fc.array(fc.record({ text: title, responses: fc.array(response, { maxLength: 12 }) }), { maxLength: 7 }),
});

/** The specification shows no fields of them: names that such things have elsewhere, holding whatever comes. */
export const generatedMonkeychat: fc.Arbitrary<Monkeychat> = fc
  .record(
    {
      Id: fc.uuid(),
      Title: fc.oneof(nasty, fc.integer()),
      Text: nasty,
      Site: nasty,
      DiscussionUrl: address,
      Photo: fc.oneof(address, photo),
      StartDate: fc.oneof(
        nasty,
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      ),
      Lines: fc.array(fc.oneof(nasty, fc.record({ Character: nasty, Text: nasty }), fc.jsonValue()), { maxLength: 40 }),
    },
    { requiredKeys: [] },
  )
  .map((raw) => ({ raw }));
