import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  ANNOUNCEMENT_KINDS,
  describeKind,
  entityKey,
  KINDS,
  kindOf,
  latestPerEntity,
} from '../../../src/announcements/kinds/index.ts';
import { KINDS_OF, newSubscription } from '../../../src/announcements/kinds/of-source.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { resourceOf, type Source } from '../../../src/deals/subscription.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { anOffer, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';

test('every kind is a file of its name and stands in the list', () => {
  const own = ['index.ts', 'kind.ts', 'of-source.ts', 'thing-view.ts'];
  const files = readdirSync('src/announcements/kinds').filter((file) => !own.includes(file));
  expect(files).toEqual(ANNOUNCEMENT_KINDS.map((kind) => `${kind}.ts`).toSorted());
});

test.each(ANNOUNCEMENT_KINDS)('%s makes only announcements of its own name, and has one in every language', (kind) => {
  expect(kindOf({ kind })).toBe(KINDS[kind]);
  const names = ['en-US', 'de', 'fr', 'es-ES'].map((locale) => describeKind(kind, translatorFor(locale)));
  expect(names.every((name) => name !== '' && name !== KINDS[kind].badge)).toBe(true);
});

test('a thing has one name in every kind of announcement that tells of it', () => {
  const item = { id: 'x' };
  const names = ANNOUNCEMENT_KINDS.map((kind) =>
    entityKey({ kind, subject: 'x', occurrence: '', item } as Announcement),
  );
  expect(names).toEqual(ANNOUNCEMENT_KINDS.map((kind) => `${KINDS[kind].entity}:x`));
  expect(entityKey(newOfferOf(anOffer(1)))).toBe(`offer:${uuid(1)}`);
});

test('of several announcements of a thing the last stands, at the place of the first', () => {
  const restocked: Announcement = { kind: 'restocked', subject: uuid(1), occurrence: 'again', item: anOffer(1) };
  const other = newOfferOf(anOffer(2));
  expect(latestPerEntity([newOfferOf(anOffer(1)), other, restocked])).toEqual([restocked, other]);
});

test.each<[Source, string, string[]]>([
  [{ kind: 'feed', feed: 'Home' }, 'feed:Home', ['new-offer', 'relisted', 'restocked', 'price-drop']],
  [{ kind: 'events', sites: ['home'], types: [] }, 'events', ['event-started']],
  [{ kind: 'dealcasts' }, 'dealcasts', ['new-dealcast']],
  [{ kind: 'polls' }, 'polls', ['new-poll']],
  [{ kind: 'monkeychats' }, 'monkeychats', ['new-monkeychat']],
])('what %j brings is told with the kinds that are usual for it', (source, resource, kinds) => {
  expect(resourceOf(source)).toBe(resource);
  const given = { id: 'a', guildId: '1', channelId: '2', source, createdBy: '3', createdAtMs: NOW_MS, catchUp: 4 };
  const made = newSubscription(given);
  expect(made).toEqual({
    target: 'channel',
    kinds,
    filter: '',
    priceDropPercent: 10,
    timing: { mode: 'at-once', dailyAtMinute: 540, timeZone: 'UTC', quiet: null },
    mostPerHour: 30,
    isPublished: false,
    tagIds: [],
    problem: null,
    pausedBy: null,
    ...given,
  });
  expect(KINDS_OF[source.kind].all).toEqual(expect.arrayContaining(kinds));
});
