import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Announcement } from '../../../src/deals/announcement.ts';
import type { Preview } from '../../../src/deals/preview.ts';
import type { Card } from '../../../src/discord/cards/parts.ts';
import { message } from '../../../src/discord/i18n/translator.ts';
import { followCard, followedCard, followHubCard, type HubView, hubsCard } from '../../../src/features/hubs/cards.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { expectHarmless, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { generatedOffer, nasty } from '../../helpers/generated-things.ts';
import { anOffer, aSubscription, NOW_MS, newOfferOf } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS };
const HUB: HubView = { channelId: '10', name: 'deals', server: 'Bazaar', description: 'The best of Home' };

function weekOf(announcements: readonly Announcement[], changes: Partial<Preview> = {}): Preview {
  return {
    subscription: aSubscription('s', { source: { kind: 'feed', feed: 'Home' } }),
    days: Array.from({ length: 7 }, (_, day) => ({ startMs: NOW_MS + (day - 6) * DAY_MS, count: day })),
    entries: announcements.map((announcement) => ({ announcement, atMs: NOW_MS, isNews: true, roleIds: [] })),
    knownSinceMs: 0,
    lastReadMs: NOW_MS,
    isCutOff: false,
    onlyListed: false,
    isReadable: true,
    ...changes,
  };
}

/** Held against Discord's rules, but for the mentions of the channels of commands and answers. */
function expectOwnMentionsAlone(card: Card): void {
  expectTakenByDiscord(card);
  expectHarmless(JSON.parse(JSON.stringify(card).replaceAll(/<#1\d>/g, '#')));
}

test('whatever the catalog and people write, Discord takes the cards, and nothing of it pings or links', () => {
  const offers = fc.array(generatedOffer, { minLength: 3, maxLength: 3 });
  const locale = fc.constantFrom('en-US', 'de', 'fr', 'es-ES');
  fc.assert(
    fc.property(offers, locale, nasty, nasty, nasty, (items, language, name, server, description) => {
      const context = { translator: translatorFor(language), nowMs: NOW_MS };
      const best = items.map(newOfferOf);
      const hub = { channelId: '10', name, server, description: description.slice(0, 100) };
      const week = { preview: weekOf(best, { isCutOff: true, isReadable: false, knownSinceMs: NOW_MS }), best };
      const hubs = Array.from({ length: 6 }, () => hub);
      expectOwnMentionsAlone(followCard({ hubs, page: 1, weekOf: () => week }, context));
      expectOwnMentionsAlone(followHubCard(hub, week, context));
      for (const isNew of [true, false]) {
        expectOwnMentionsAlone(followedCard(hub, { channelId: '11', isNew }, context));
      }
      const subscriptions = [aSubscription('s', { filter: name, problem: 'forbidden', pausedBy: 'person' })];
      const operated = {
        ...hub,
        subscriptions,
        warnings: [message('hub.unseen'), message('hub.noSubscription')],
        publishing: { waiting: 2, nextAtMs: NOW_MS, because: 'limit' },
        outage: { sinceMs: NOW_MS, untilMs: NOW_MS, waiting: ['a'], posted: 1_000, over: 1_000 },
      } as const;
      const all = Array.from({ length: 5 }, () => operated);
      expectOwnMentionsAlone(hubsCard({ hubs: all, page: 1, lead: '' }, context));
    }),
    { numRuns: 100 },
  );
});

test('a hub that has been watched for a day at most, and has nothing yet, says that it is new', () => {
  const startOfTodayMs = NOW_MS;
  const shown = (preview: Preview) => [
    textOf(followHubCard(HUB, { preview, best: [] }, CONTEXT)),
    textOf(followCard({ hubs: [HUB], page: 1, weekOf: () => ({ preview, best: [] }) }, CONTEXT)),
  ];
  for (const knownSinceMs of [null, startOfTodayMs]) {
    for (const text of shown(weekOf([], { knownSinceMs }))) {
      expect(text).toContain('New: nothing has been watched for it yet.');
      expect(text).not.toMatch(/a day|Announcements per day/);
    }
  }
  for (const preview of [weekOf([], { knownSinceMs: startOfTodayMs - 1 }), weekOf([newOfferOf(anOffer(1))])]) {
    for (const text of shown(preview)) expect(text).not.toContain('New: nothing');
  }
});

test('a hub of which nothing is known yet has no week', () => {
  const nothing = { preview: undefined, best: [] };
  expect(textOf(followHubCard(HUB, nothing, CONTEXT))).toBe(
    '## **#deals** · Bazaar\nThe best of Home\nChoose one of your text channels. You and the bot need the Manage Webhooks permission there.',
  );
  const list = { hubs: [HUB], page: 1, weekOf: () => undefined };
  expect(textOf(followCard(list, CONTEXT))).toContain('**#deals** · Bazaar\nThe best of Home\n-# 1 channel');
});

test('a hub’s week is told by its number, its fullest day and the names of the best', () => {
  const best = [newOfferOf(anOffer(1)), newOfferOf(anOffer(2))];
  const list = { hubs: [HUB], page: 1, weekOf: () => ({ preview: weekOf(best), best }) };
  expect(textOf(followCard(list, CONTEXT))).toContain(
    '-# 2 announcements in the last 7 days, up to 6 a day\n-# Among the best: Kettle 1, Kettle 2',
  );
});
