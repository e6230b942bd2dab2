import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PersonalSubscriptions } from '../../../commands/shared.ts';
import { subjectOfOffer } from '../../../src/deals/filter/index.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { actionButton, type Card } from '../../../src/discord/cards/parts.ts';
import { message } from '../../../src/discord/i18n/translator.ts';
import { act } from '../../../src/features/less-like/actions.ts';
import {
  lessAppliedCard,
  lessCard,
  lessOffersOnlyCard,
  lessUndoneCard,
  lessWhichCard,
} from '../../../src/features/less-like/cards.ts';
import { filterDigest, type LessLike } from '../../../src/features/less-like/proposals.ts';
import { customIdsOf, expectHarmless, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { generatedOffer, nasty } from '../../helpers/generated-things.ts';
import { sampleSize } from '../../helpers/sampled.ts';
import { anOffer, aSubscription, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const none = () => {
  throw new Error('No card asks for it.');
};
/** People's subscriptions as another feature has them. */
const personal: PersonalSubscriptions = {
  nameOf: ({ filter }) => `own ${filter}`,
  reason: none,
  require: none,
  change: none,
  notByFilter: message('less.gone'),
  form: none,
  alertButton: none,
  button: () => actionButton('Own', act({ do: 'less-for', offerId: 'own', subscriptionId: 'own' })),
};
const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS, personal };
const KINDS = ['category', 'brand', 'condition', 'price'] as const;

const pastOf = (offers: readonly Offer[]) =>
  offers.map((item) => ({ announcement: newOfferOf(item), subject: subjectOfOffer(item), atMs: NOW_MS }));

function viewOf(subscription: Subscription, offers: readonly Offer[], changes: Partial<LessLike> = {}): LessLike {
  const preview = {
    subscription,
    days: [{ startMs: NOW_MS, count: offers.length }],
    entries: pastOf(offers).map((entry) => ({ ...entry, isNews: true, roleIds: [] })),
    knownSinceMs: 0,
    lastReadMs: NOW_MS,
    isCutOff: false,
    onlyListed: false,
    isReadable: true,
  };
  return { offer: anOffer(1), preview, proposals: [], ofAll: [], isFull: false, ...changes };
}

const ownFor = (filter: string) => aSubscription(uuid(9), { guildId: placeOfPerson('1'), filter });

/** Held against Discord's rules, but for the mention of the subscription's own channel, and code, which has no meaning. */
function expectOwnMentionAlone(card: Card): void {
  expectTakenByDiscord(card);
  const rest = JSON.stringify(card)
    .replaceAll('<#10>', '#')
    .replaceAll(/(?<!\\)`[^`]*`/g, 'code');
  expectHarmless(JSON.parse(rest));
}

test('whatever the catalog and people write, Discord takes the cards, and nothing of it pings or links', () => {
  const sevenOffers = fc.array(generatedOffer, { minLength: 7, maxLength: 7 });
  const locale = fc.constantFrom('en-US', 'de', 'fr', 'es-ES');
  fc.assert(
    fc.property(sevenOffers, locale, nasty, nasty, fc.boolean(), (offers, language, filter, what, isOwn) => {
      const context = { ...CONTEXT, translator: translatorFor(language) };
      const source = { kind: 'feed', feed: what.slice(0, 60) } as const;
      const subscription = isOwn ? ownFor(filter) : aSubscription(uuid(9), { filter, source });
      const exclusions = KINDS.map((kind) => ({
        kind,
        what: kind === 'price' ? '84.95' : what,
        term: `-${kind}:${what}`,
      }));
      const past = pastOf(offers);
      const proposals = exclusions.map((one) => ({ ...one, filter: one.term, goes: past, stays: past.toReversed() }));
      const view = viewOf(subscription, offers, { proposals, ofAll: exclusions });
      view.preview = { ...view.preview, knownSinceMs: NOW_MS, isCutOff: true };
      expectOwnMentionAlone(lessCard({ ...view, offer: offers[0] ?? anOffer(1) }, 'Changed.', context));
      expectOwnMentionAlone(lessCard(viewOf(subscription, offers), '', context));
      expectOwnMentionAlone(lessAppliedCard(subscription, 1_000, context));
      expectOwnMentionAlone(lessUndoneCard(subscription, context));
      const several = offers.map((_, index) => ({ ...subscription, id: uuid(index) }));
      expectOwnMentionAlone(lessWhichCard(uuid(1), several, context));
    }),
    { numRuns: sampleSize(300, 50) },
  );
});

test('a proposal says what it leaves out, how much it would have dropped, and names three on each side', () => {
  const offers = [1, 2, 3, 4, 5, 6].map((number) => anOffer(number));
  const past = pastOf([...offers.slice(0, 2), ...offers]);
  const proposal = {
    kind: 'price',
    what: '15',
    term: 'price:<15',
    filter: 'kettle price:<15',
    goes: past.slice(0, 6),
    stays: past.slice(6),
  } as const;
  const card = lessCard(viewOf(aSubscription(uuid(9)), offers, { proposals: [proposal] }), '', CONTEXT);
  expect(textOf(card)).toContain('Only under **$15.00** · `price:<15`');
  expect(textOf(card)).toContain('Would have dropped 6 of last week’s 8 posts');
  expect(textOf(card)).toContain('-# Goes: Kettle 1 · Kettle 2 · Kettle 3\n-# Stays: Kettle 5 · Kettle 6');
  expect(customIdsOf(card)).toEqual([
    `less-apply:${uuid(1)}:${uuid(9)}:${filterDigest('kettle price:<15')}`,
    `subscription:open:${uuid(9)}`,
  ]);
});

test.each<[string, Partial<LessLike>, readonly Offer[], string]>([
  ['nothing matched', {}, [], 'Nothing matched in the last 7 days'],
  ['nothing tells it apart', {}, [anOffer(1)], 'Nothing sets this offer apart'],
  ['the filter has no room', { isFull: true }, [anOffer(1)], 'no room for another term'],
  [
    'nothing would be left',
    { ofAll: [{ kind: 'price', what: '20', term: 'price:<20' }] },
    [anOffer(1)],
    'nothing of last week would be left: `price:<20`',
  ],
])('where there is nothing to propose, the card says why: %s', (_, changes, offers, expected) => {
  const card = lessCard(viewOf(aSubscription(uuid(9)), offers, changes), '', CONTEXT);
  expect(textOf(card)).toContain(expected);
  expect(customIdsOf(card)).toEqual([`subscription:open:${uuid(9)}`]);
});

test('of a person’s subscription, the cards lead to all of theirs', () => {
  const own = ownFor('ssd -old');
  for (const card of [lessCard(viewOf(own, []), '', CONTEXT), lessAppliedCard(own, 3, CONTEXT)]) {
    expect(customIdsOf(card)).toContain('less-for:own:own');
    expect(textOf(card)).toContain('🔔 own');
    expect(textOf(card)).not.toContain('<#');
  }
  expect(customIdsOf(lessAppliedCard(own, 3, CONTEXT))).toContain(`less-undo:${uuid(9)}:3:${filterDigest('ssd -old')}`);
});

test.each(['en-US', 'de', 'fr', 'es-ES'])(
  'Discord takes what leads to the settings of many subscriptions: %s',
  (locale) => {
    const many = Array.from({ length: 40 }, (_, index) => aSubscription(uuid(index), { filter: 'x'.repeat(2_000) }));
    expectOwnMentionAlone(lessOffersOnlyCard(many, { ...CONTEXT, translator: translatorFor(locale) }));
  },
);
