import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Judgement, judge, refusing } from '../../../src/announcements/match/judge.ts';
import { Audience, type News } from '../../../src/announcements/match/match.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { filterOf } from '../../../src/deals/filter-of.ts';
import { settingsWith } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { createLog } from '../../../src/shared/log.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { someFilter, someOffer } from '../../deals/filter/filters.ts';
import { ONLY_FEATURED } from '../../helpers/only-featured.ts';
import { anOffer, aSubscription, NOW_MS, newOfferOf } from '../../helpers/things.ts';

const SETTINGS = settingsWith([ONLY_FEATURED], []);

function judged(
  announcement: Announcement,
  subscription: Subscription,
  known: Pick<News, 'undecided' | 'decided' | 'sinceMs'> = {},
): Judgement {
  return judge(announcement, subscription, { ...known, filter: filterOf(subscription, SETTINGS), atMs: NOW_MS });
}

const kettle = newOfferOf(anOffer(1));

test.each<[Judgement['is'], Partial<Subscription>]>([
  ['before-subscription', { createdAtMs: NOW_MS + 1, kinds: [] }],
  ['kind-not-wanted', { kinds: [], filter: 'price:<' }],
  ['filter-unreadable', { filter: 'price:<' }],
  ['undecided', { filter: 'category:PC price:<1' }],
  ['decided-before', { filter: 'samovar' }],
  ['filtered', { filter: 'site:home samovar', pausedBy: 'person' }],
  ['paused', { filter: 'site:home', pausedBy: 'person' }],
  ['wanted', { filter: 'site:home' }],
])('the first reason that holds is told: %s', (is, settings) => {
  const known = { undecided: ['categories'], decided: ['site'], sinceMs: NOW_MS };
  const home = newOfferOf(anOffer(1, { site: 'home' }));
  expect(judged(home, aSubscription('s', settings), known).is).toBe(is);
});

test('fields that are awaited are named as the filter names them, each once', () => {
  const subscription = aSubscription('s', { filter: 'price:<50 off:>10 price:>1 kettle category:PC' });
  expect(judged(kettle, subscription, { undecided: ['salePrice', 'categories'] })).toEqual({
    is: 'undecided',
    fields: ['price', 'off', 'category'],
  });
});

const FIELDS = ['salePrice', 'categories', 'isFeatured', 'title', 'observed'];
const fields = fc.option(fc.uniqueArray(fc.constantFrom(...FIELDS), { maxLength: 2 }), { nil: undefined });
const moment = fc.constantFrom(NOW_MS - HOUR_MS, NOW_MS);
const someAnnouncement: fc.Arbitrary<Announcement> = fc
  .record({ item: someOffer, before: fc.option(fc.integer({ min: 10, max: 100 })) })
  .map(({ item, before }) =>
    before === null
      ? newOfferOf(item)
      : { kind: 'price-drop', subject: item.id, occurrence: '', item, before: { minimum: before, maximum: before } },
  );
const someSubscription = fc.record({
  filter: fc.oneof(someFilter, fc.constant('price:<')),
  isFeaturedOnly: fc.boolean(),
  kinds: fc.subarray<Subscription['kinds'][number]>(['new-offer', 'price-drop']),
  source: fc.constantFrom('Home', 'HOME', 'Tools').map((feed) => ({ kind: 'feed' as const, feed })),
  pausedBy: fc.constantFrom(null, null, 'person' as const),
  createdAtMs: moment,
});

test('what the index selects is exactly what the judge wants, and what it calls filtered a setting refuses', async () => {
  const found = new Set<Judgement['is']>();
  const property = fc.asyncProperty(
    fc.array(someSubscription, { maxLength: 20 }),
    someAnnouncement,
    fc.record({ undecided: fields, decided: fields, sinceMs: fc.option(moment, { nil: undefined }) }),
    async (settings, announcement, known) => {
      const subscriptions = settings.map((one, index) => aSubscription(String(index), one));
      const audience = new Audience(
        { all: () => subscriptions, onChange: () => undefined },
        SETTINGS,
        createLog('silent'),
      );
      const matches = await audience.of(
        [{ announcements: [announcement], resources: ['feed:home'], ...known }],
        NOW_MS,
        { clock: systemClock },
      );
      const wanted = subscriptions.filter((subscription) => {
        const { is } = judged(announcement, subscription, known);
        const isRefused = refusing(announcement, subscription, SETTINGS, NOW_MS).length > 0;
        if (is === 'filtered' || is === 'wanted') expect(isRefused).toBe(is === 'filtered');
        found.add(is);
        return is === 'wanted' && subscription.source.kind === 'feed' && subscription.source.feed !== 'Tools';
      });
      expect(matches.map(({ subscription }) => subscription.id).toSorted()).toEqual(
        wanted.map(({ id }) => id).toSorted(),
      );
    },
  );
  await fc.assert(property, { numRuns: 300 });
  expect([...found].toSorted()).toEqual([
    'before-subscription',
    'decided-before',
    'filter-unreadable',
    'filtered',
    'kind-not-wanted',
    'paused',
    'undecided',
    'unsuited',
    'wanted',
  ]);
});
