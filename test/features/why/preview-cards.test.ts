import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Preview } from '../../../src/deals/preview.ts';
import { previewCard } from '../../../src/features/why/preview-cards.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { customIdsOf, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { anOffer, aSubscription, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS };
const FIRST_MS = NOW_MS - 6.5 * DAY_MS;

function aPreview(titles: readonly string[], changes: Partial<Preview> = {}): Preview {
  return {
    subscription: aSubscription(uuid(7)),
    days: [0, 0, 5, 10, 0, 1, titles.length].map((count, index) => ({ startMs: FIRST_MS + index * DAY_MS, count })),
    entries: titles.map((title, index) => ({
      announcement: newOfferOf(anOffer(index, { title })),
      atMs: NOW_MS,
      isNews: true,
      roleIds: [],
    })),
    knownSinceMs: 0,
    lastReadMs: NOW_MS,
    isCutOff: false,
    onlyListed: false,
    isReadable: true,
    ...changes,
  };
}

test('each day has its bar, and the newest come first, with buttons to the others', () => {
  const card = previewCard(aPreview(['a1', 'a2', 'a3', 'a4', 'a5', 'a6']), 1, CONTEXT);
  expect(textOf(card).split('\n').slice(0, 9)).toEqual([
    '## Last 7 days: Home feed',
    'What <#10> would have gotten with the current settings',
    ...[0, 0, 5, 10, 0, 1, 6].map((count, index) => {
      const noon = (FIRST_MS + index * DAY_MS + DAY_MS / 2) / 1000;
      return `${'▰'.repeat(count)}${'▱'.repeat(10 - count)} **${count}** · <t:${noon}:D>`;
    }),
  ]);
  expect(textOf(card)).toMatch(/### \[a1\][\s\S]*-# New offer · <t:\d+:f>[\s\S]*### \[a5\]/);
  expect(textOf(card)).toContain('6 announcements · page 1 of 2 · as of');
  expect(customIdsOf(card)).toContain(`next>preview:${uuid(7)}:2`);
});

test.each<[string, Partial<Preview>]>([
  [`Monitored since <t:${NOW_MS / 1000}:f>; older items only`, { knownSinceMs: NOW_MS }],
  ['Only items that are still live can be shown.', { onlyListed: true, knownSinceMs: NOW_MS }],
  ['hasn’t been checked yet', { knownSinceMs: null, lastReadMs: null }],
  ['there may have been more', { isCutOff: true }],
  ['The filter can’t be read', { isReadable: false }],
  [
    'Posted as a daily digest',
    { subscription: aSubscription('s', { timing: { ...aSubscription('s').timing, mode: 'daily' } }) },
  ],
])('it says how far it is to be believed: %s', (note, changes) => {
  expect(textOf(previewCard(aPreview([], changes), 1, CONTEXT))).toContain(note);
  expect(textOf(previewCard(aPreview([]), 1, CONTEXT))).not.toContain(note);
});

test('a day that was not monitored is told apart from one with nothing', () => {
  const startOfDay = (index: number) => FIRST_MS + index * DAY_MS;
  const told = (knownSinceMs: number | null) =>
    textOf(previewCard(aPreview([], { knownSinceMs }), 1, CONTEXT))
      .split('\n')
      .flatMap((line) => /^[▰▱]{10} (\S.*) · </.exec(line)?.[1] ?? []);
  expect(told(startOfDay(1))).toEqual(['*not monitored*', '**0**', '**5**', '**10**', '**0**', '**1**', '**0**']);
  expect(told(startOfDay(1) - 1)[0], 'a part of it was').toBe('**0**');
  expect(told(null).filter((day) => day === '*not monitored*')).toHaveLength(4);
});

test('nothing is said to be nothing', () => {
  const none = aPreview([]);
  const card = previewCard({ ...none, days: none.days.map((day) => ({ ...day, count: 0 })) }, 3, CONTEXT);
  expectTakenByDiscord(card);
  expect(textOf(card)).toContain('Nothing matched.');
  expect(textOf(card)).not.toContain('▰');
});

test('whatever is in it, Discord takes it, in every language', () => {
  const texts = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(
      fc.array(texts, { maxLength: 12 }),
      texts,
      fc.integer({ min: 1, max: 99_999 }),
      fc.constantFrom('en-US', 'de', 'fr', 'es-ES'),
      fc.boolean(),
      (titles, feed, page, locale, isBad) => {
        const subscription = aSubscription(uuid(7), { source: { kind: 'feed', feed } });
        const bad = { isCutOff: isBad, isReadable: !isBad, knownSinceMs: isBad ? null : NOW_MS };
        const preview = aPreview(titles, { subscription, ...bad });
        expectTakenByDiscord(previewCard(preview, page, { translator: translatorFor(locale), nowMs: NOW_MS }));
      },
    ),
    { numRuns: 50, seed: 5 },
  );
});
