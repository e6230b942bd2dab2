import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { isOver } from '../../../src/deals/life.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { announcementCard, plainCard } from '../../../src/discord/cards/announcement-card.ts';
import { offerChoiceCard } from '../../../src/discord/cards/offer-card.ts';
import type { Card } from '../../../src/discord/cards/parts.ts';
import { WATCHING } from '../../../src/features/watches/add.ts';
import { closedMessagesCard, watchedCard, watchesCard, watchOfferCard } from '../../../src/features/watches/cards.ts';
import { isOfProduct } from '../../../src/features/watches/reach.ts';
import { OFFER_AIMS, type WatchAim } from '../../../src/features/watches/watch.ts';
import { announce, watchReached } from '../../../src/features/watches/watch-reached.ts';
import { expectHarmless } from '../../helpers/discord-form.ts';
import { generatedOffer, maybe, nasty } from '../../helpers/generated-things.ts';
import { sampleSize } from '../../helpers/sampled.ts';
import { aSubscription, NOW_MS, newOfferOf } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';
import { readPost } from '../../model/reading.ts';

type AnnouncementContext = Parameters<typeof announcementCard>[1];

const LOCALES = ['en-US', 'de', 'fr', 'es-ES'];
const AIMS: readonly WatchAim[] = [...OFFER_AIMS, 'new'];
const COMING = [null, { is: 'now' } as const];

/** A watch of the offer's product. */
function watchOf(item: Offer, aim: WatchAim): Subscription {
  const product = { key: item.title, title: item.title, offerId: item.id };
  const watch = { aim, product: aim === 'new' ? null : product, below: aim === 'price' ? 9.5 : null };
  return aSubscription(`${item.id}-${aim}`, { watch, filter: 'ssd price:<50', guildId: placeOfPerson('1') });
}

/** That a watch of it has reached its aim; that it is new, where the watch is for what is new. */
function reachedOf(item: Offer, aim: WatchAim): Announcement {
  const { id: watchId, watch } = watchOf(item, aim);
  if (!watch || !isOfProduct(watch)) return newOfferOf(item);
  const told = { offerId: item.id, atMs: NOW_MS, value: item.salePrice?.minimum ?? null };
  return announce(watch, item, { watchId, told, times: 1 });
}

const ALONE: readonly ((item: Offer, context: AnnouncementContext) => Card)[] = [
  ...AIMS.map((aim) => (item: Offer, context: AnnouncementContext) => announcementCard(reachedOf(item, aim), context)),
  (item, context) => watchOfferCard({ offer: item, own: AIMS.map((aim) => watchOf(item, aim)) }, context),
  ...AIMS.flatMap((aim) =>
    COMING.map((comes) => (item: Offer, context: AnnouncementContext) => {
      const matches = { matching: 3, count: 3, readAtMs: 0 };
      const reached = comes && { offer: item, comes };
      return watchedCard(watchOf(item, aim), { now: item, reached, matches, closed: true }, context);
    }),
  ),
];

const TOGETHER: readonly ((offers: readonly Offer[], context: AnnouncementContext) => Card)[] = [
  (offers, context) => {
    const watches = offers.map((item, index) => watchOf(item, AIMS[index % AIMS.length] ?? 'new'));
    return watchesCard({ watches, page: 1, isClosed: true }, context);
  },
  (offers, { translator }) =>
    closedMessagesCard(
      offers.map(({ title }) => title),
      translator,
    ),
  (offers, context) =>
    offerChoiceCard(
      offers.map((listed) => ({ id: listed.id, title: listed.title, listed })),
      context,
      WATCHING,
    ),
];

const contexts: fc.Arbitrary<AnnouncementContext> = fc
  .record({
    locale: fc.constantFrom(...LOCALES),
    matched: fc.array(nasty, { maxLength: 3 }),
    style: fc.constantFrom('compact', 'large' as const),
    line: maybe(nasty),
    accent: maybe(fc.integer({ min: 0, max: 0xffffff })),
  })
  .map(({ locale, ...look }) => ({
    ...look,
    translator: translatorFor(locale),
    nowMs: NOW_MS,
    deliveryId: 'd'.repeat(22),
    kinds: [watchReached],
    reason: (what, translator) => translator.t('announcement.watched', { what }),
  }));

/** How many offers are looked at, seven by seven: enough for a second page of a list. */
const RUNS = sampleSize(300, 30);

test('of generated offers Discord takes each card of watches', () => {
  const seven = fc.array(generatedOffer, { minLength: 7, maxLength: 7 });
  fc.assert(
    fc.property(seven, contexts, fc.nat(), (offers, context, turn) => {
      offers.forEach((offer, index) => {
        const make = ALONE[(turn + index) % ALONE.length];
        if (make) expectHarmless(make(offer, context));
      });
      const list = TOGETHER[turn % TOGETHER.length];
      if (list) expectHarmless(list(offers, context));
    }),
    { numRuns: RUNS, seed: 20_261_006, endOnFailure: true },
  );
});

test('whatever its look and language, a message of a watch is read as that', () => {
  const url = 'https://www.example.com/a';
  fc.assert(
    fc.property(
      generatedOffer,
      contexts,
      fc.constantFrom(...OFFER_AIMS),
      fc.boolean(),
      (offer, context, aim, isPlain) => {
        const announcement = reachedOf({ ...offer, url }, aim);
        const whole = announcementCard(announcement, { ...context, line: null });
        const card = isPlain ? plainCard(announcement, whole, context) : whole;
        const isOverNow = isOver(offer, NOW_MS) && !isPlain;
        expect(readPost(card)).toMatchObject({
          news: isOverNow ? [] : [{ url, kind: 'reached' }],
          over: isOverNow ? [url] : [],
        });
      },
    ),
    { numRuns: RUNS },
  );
});
