import { expect, test } from 'vitest';
import type { OfferDetail } from '../../src/deals/offer.ts';
import { announcementCard } from '../../src/discord/cards/announcement-card.ts';
import { knownOfferCard } from '../../src/discord/cards/offer-card.ts';
import { offerDetailCard } from '../../src/discord/cards/offer-detail-card.ts';
import { FEATURES } from '../../src/features/index.ts';
import { buttonsOf, expectTakenByDiscord } from '../helpers/discord-form.ts';
import { anOffer, anOfferDetail, NOW_MS, newOfferOf } from '../helpers/things.ts';
import { translatorFor } from '../helpers/translator.ts';

const CONTEXT = {
  translator: translatorFor('en-US'),
  nowMs: NOW_MS,
  offerButtons: FEATURES.flatMap(({ offerButtons }) => offerButtons ?? []),
};
const AGE = { fetchedAtMs: NOW_MS, isStale: false };
const OF_POSTS = { ...CONTEXT, deliveryId: 'd'.repeat(22), matched: [], style: 'compact' } as const;

function labelsOf(card: Parameters<typeof expectTakenByDiscord>[0]) {
  expectTakenByDiscord(card);
  return buttonsOf(card).map(({ label }) => label);
}

test('a post has the buttons of features after its own; one that is over those that still lead somewhere', () => {
  const post = (changes: Parameters<typeof anOffer>[1]) =>
    labelsOf(announcementCard(newOfferOf(anOffer(1, changes)), OF_POSTS));
  expect(post({})).toEqual(['View deal', 'Details', '🔔 Alert me', 'Price history']);
  expect(post({ isSoldOut: true })).toEqual(['Details', '🔔 Alert me']);
  expect(post({ endDateMs: NOW_MS - 1 })).toEqual(['Details']);
});

test("an offer's details have them, too, and the row has room for all", () => {
  const details = (listed: ReturnType<typeof anOffer> | null, openedFrom: string | null, offer: OfferDetail) =>
    labelsOf(
      offerDetailCard({ offer, listed, inEvent: null, age: AGE, section: 'overview', part: 1, openedFrom }, CONTEXT),
    );
  expect(details(anOffer(1), 'p', anOfferDetail(1))).toEqual([
    'View deal',
    'Discussion',
    '🔔 Alert me',
    'Price history',
    '👎 Less like this',
    // A row of their own.
    'It’s gone',
    'Wrong price',
  ]);
  expect(details(null, null, anOfferDetail(1))).toEqual(['View deal', '🔔 Alert me']);
});

test('so does an offer whose details the catalog does not provide', () => {
  const shown = labelsOf(knownOfferCard({ offer: anOffer(1), openedFrom: 'p', reason: '', age: AGE }, CONTEXT));
  expect(shown).toEqual(['View deal', 'Discussion', 'Details', '🔔 Alert me', 'Price history', '👎 Less like this']);
});
