import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnnouncementKind } from '../../../src/deals/announcement.ts';
import type { Decision, DecisionStep, Verdict } from '../../../src/deals/decision.ts';
import type { TermOutcome } from '../../../src/deals/filter/index.ts';
import type { ChoosingSetting } from '../../../src/deals/filter-of.ts';
import { SETTINGS } from '../../../src/deals/settings.ts';
import { message } from '../../../src/discord/i18n/translator.ts';
import { whyCard } from '../../../src/features/why/why-card.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { customIdsOf, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { ONLY_FEATURED } from '../../helpers/only-featured.ts';
import { anOffer, aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS };
const AT = { channelId: '10', messageId: '77' };

function decision(steps: DecisionStep[], changes: Partial<Decision> = {}): Decision {
  const reason = steps.findLast(({ step }) => step === 'happened') ?? steps[0] ?? null;
  const subscription = aSubscription('s');
  return { offerId: uuid(1), offer: anOffer(1), subscription, steps, reason, canPost: false, ...changes };
}

function happened(verdict: Verdict, terms: TermOutcome[] = [], kind: AnnouncementKind = 'new-offer'): DecisionStep {
  return { step: 'happened', kind, atMs: NOW_MS, verdict, terms, mentions: [] };
}

function term(changes: Partial<TermOutcome>): TermOutcome {
  return {
    at: 0,
    length: 1,
    source: 'x',
    name: 'x',
    isNegated: false,
    holds: true,
    isDecisive: true,
    found: null,
    ...changes,
  };
}

const SMALL_DROP: Verdict = {
  is: 'unsuited',
  because: message('unsuited.fellTooLittle', { percent: { percent: 5 }, wanted: { percent: 10 } }),
};
const [FILTER] = SETTINGS;
const FILTERED: Verdict = { is: 'filtered', by: [FILTER] };
const CHOOSING = { ...ONLY_FEATURED, line: 'panel.setting.publish' } as object as ChoosingSetting;
const VERDICTS: Verdict[] = [
  { is: 'posted', atMs: NOW_MS, at: AT, isTogether: false },
  { is: 'posted', atMs: NOW_MS, at: null, isTogether: true },
  { is: 'waiting', for: 'digest', untilMs: NOW_MS },
  { is: 'waiting', for: 'quiet', untilMs: NOW_MS },
  { is: 'waiting', for: 'cap', untilMs: NOW_MS },
  { is: 'waiting', for: 'channel' },
  { is: 'waiting', for: 'turn' },
  { is: 'dropped', because: 'over', atMs: NOW_MS },
  { is: 'dropped', because: 'gone', atMs: NOW_MS },
  { is: 'dropped', because: 'refused', atMs: NOW_MS },
  { is: 'first-sight' },
  { is: 'unfollowed' },
  { is: 'before-subscription', createdAtMs: NOW_MS },
  { is: 'over-when-seen', because: 'sold-out' },
  { is: 'over-when-seen', because: 'ended' },
  { is: 'kind-not-wanted' },
  SMALL_DROP,
  FILTERED,
  { is: 'filtered', by: [FILTER, CHOOSING] },
  { is: 'undecided', fields: ['featured', 'price'] },
  { is: 'filter-unreadable' },
  { is: 'posted-for-others', atMs: NOW_MS, at: AT },
  { is: 'unrecorded' },
];
const STEPS: DecisionStep[] = [
  { step: 'seen', feed: 'Home', atMs: NOW_MS, goneSinceMs: null },
  { step: 'seen', feed: 'Tools', atMs: NOW_MS, goneSinceMs: NOW_MS },
  { step: 'over', because: 'sold-out', atMs: NOW_MS },
  { step: 'over', because: 'ended', atMs: NOW_MS },
  { step: 'over', because: 'left', atMs: NOW_MS },
  { step: 'no-offers' },
  { step: 'unseen', lastReadMs: NOW_MS },
  { step: 'unseen', lastReadMs: null },
  { step: 'cut-off' },
  { step: 'failing', sinceMs: NOW_MS },
  { step: 'quota-spent', resetsAtMs: NOW_MS },
  { step: 'changed', atMs: NOW_MS },
  { step: 'paused', by: 'person' },
  { step: 'paused', by: 'gone' },
  { step: 'blocked', problem: 'cannot-post' },
  { step: 'unpublished', because: 'limit', sinceMs: NOW_MS, nextAtMs: NOW_MS },
  { step: 'unpublished', because: 'permission', sinceMs: NOW_MS, nextAtMs: NOW_MS },
  { step: 'unpublished', because: 'silence', sinceMs: NOW_MS, nextAtMs: NOW_MS },
  { step: 'left-unpublished', because: 'over', sinceMs: NOW_MS, atMs: NOW_MS },
  { step: 'left-unpublished', because: 'too-late', sinceMs: NOW_MS, atMs: NOW_MS },
  { step: 'left-unpublished', because: 'refused', sinceMs: NOW_MS, atMs: NOW_MS },
  { step: 'posted-for-others', kind: 'restocked', atMs: NOW_MS, at: AT },
  { step: 'unnoticed', kind: 'almost-gone' },
  ...VERDICTS.map((verdict) => happened(verdict)),
];

test('the terms of the newest are told with what was found, and the one that failed is marked', () => {
  const terms = [
    term({ name: 'ssd', found: '@everyone SSD' }),
    term({ name: 'price < 50', holds: false, found: '$84.95' }),
    term({ name: 'featured', holds: false, isDecisive: false, found: 'false' }),
    term({ name: 'ends < 24h', isNegated: true }),
  ];
  const told = textOf(whyCard(decision([happened(FILTERED, terms)]), CONTEXT)).split('\n');
  expect(told.slice(3)).toEqual([
    `**Filter results <t:${NOW_MS / 1000}:f>**`,
    '✅ **ssd**: found \\@everyone SSD',
    '❌ **price \\< 50**: found $84.95',
    '➖ **featured**: found false',
    '✅ **\\-ends \\< 24h**: no match',
  ]);
});

test('of a post with others it tells what gives the offer its place', () => {
  const offer = anOffer(1, { salePrice: { minimum: 50, maximum: 50 }, listPrice: { minimum: 100, maximum: 100 } });
  const told = (verdict: Verdict, item = offer) => {
    const step = happened(verdict);
    return textOf(whyCard({ ...decision([step], { reason: step }), offer: item }, CONTEXT));
  };
  const together: Verdict = { is: 'posted', atMs: NOW_MS, at: AT, isTogether: true };
  expect(told(together, { ...offer, isFeatured: true })).toContain(
    '-# Place among others: 30 points · 25 off the list price, which counts half · 5 featured',
  );
  expect(told({ is: 'waiting', for: 'digest', untilMs: NOW_MS })).toContain('Place among others: 25 points');
  expect(told({ ...together, isTogether: false })).not.toContain('Place among');
  expect(told(together, { ...offer, salePrice: null })).not.toContain('Place among');
});

describe.each(['en-US', 'de', 'fr', 'es-ES'])('in %s', (locale) => {
  const context = { ...CONTEXT, translator: translatorFor(locale) };

  test.each(STEPS)('there is a sentence for $step $verdict.is $because $verdict.because $verdict.for', (step) => {
    const card = whyCard(decision([step]), context);
    expectTakenByDiscord(card);
    const [first] = textOf(card).split('\n');
    expect(first).toMatch(/^### (✅|❌|🕒|ℹ️) \S.{10}/u);
    expect(textOf(card)).not.toMatch(/why\.|\{\{/);
  });
});

test.each<[string, DecisionStep, string[]]>([
  ['the filter', happened(FILTERED), ['subscription:filter:s']],
  ['an unreadable filter', happened({ is: 'filter-unreadable' }), ['subscription:filter:s']],
  ['the hourly limit', happened({ is: 'waiting', for: 'cap', untilMs: NOW_MS }), ['subscription:limits:s']],
  ['a digest', happened({ is: 'waiting', for: 'digest', untilMs: NOW_MS }), ['subscription:times:s']],
  ['quiet hours', happened({ is: 'waiting', for: 'quiet', untilMs: NOW_MS }), ['subscription:times:s']],
  ['a small drop', happened(SMALL_DROP, [], 'price-drop'), ['subscription:limits:s']],
  ['its kind', happened({ is: 'kind-not-wanted' }), ['subscription:open:s']],
  ['the channel', happened({ is: 'waiting', for: 'channel' }), ['subscription:open:s']],
  ['its turn', happened({ is: 'waiting', for: 'turn' }), [`why:${uuid(1)}:s`]],
  ['a pause', { step: 'paused', by: 'person' }, ['subscription:resume:s']],
  ['a post', happened({ is: 'posted', atMs: NOW_MS, at: AT, isTogether: false }), []],
])('where the reason is %s, the card leads with it and has the button that changes it', (_, step, ids) => {
  const others: DecisionStep[] = [{ step: 'seen', feed: 'Home', atMs: NOW_MS, goneSinceMs: null }];
  const card = whyCard(decision([...others, step], { reason: step }), CONTEXT);
  expect(customIdsOf(card)).toEqual(ids);
  const postable = whyCard(decision([...others, step], { reason: step, canPost: true }), CONTEXT);
  expect(customIdsOf(postable)).toContain(`post-now:${uuid(1)}:s`);
  const lines = textOf(card).split('\n');
  expect(lines[0]).toMatch(/^### /);
  expect(lines[1]).toContain('Kettle 1');
  expect(lines.at(-1)).toContain('First seen in');
});

test('what the bot does not know is said to be that', () => {
  const told = textOf(whyCard(decision([{ step: 'unseen', lastReadMs: null }], { offer: null }), CONTEXT));
  expect(told).toContain('doesn’t know this offer');
});

test('whatever is in it, Discord takes it', () => {
  const texts = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 200 });
  const terms = fc.array(
    fc.record({ name: texts, found: fc.option(texts), holds: fc.boolean(), isDecisive: fc.boolean() }).map(term),
    { maxLength: 100 },
  );
  const steps = fc.array(
    fc.oneof(
      fc.constantFrom(...STEPS),
      texts.map((feed): DecisionStep => ({ step: 'seen', feed, atMs: NOW_MS, goneSinceMs: null })),
      texts.map((problem): DecisionStep => ({ step: 'blocked', problem })),
      fc.tuple(fc.constantFrom(...VERDICTS), terms).map(([verdict, all]) => happened(verdict, all)),
    ),
    { maxLength: 80 },
  );
  const offers = fc.option(texts.map((title) => anOffer(1, { title, url: `https://a.example/${title}` })));
  fc.assert(
    fc.property(offers, texts, steps, (offer, feed, all) => {
      const subscription = aSubscription('s', { source: { kind: 'feed', feed } });
      expectTakenByDiscord(whyCard(decision(all, { offer, subscription }), CONTEXT));
    }),
    { numRuns: 50, seed: 3 },
  );
});
