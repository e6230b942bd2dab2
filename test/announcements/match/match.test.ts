import { expect, test } from 'vitest';
import { wants } from '../../../src/announcements/match/match.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { EVENT_TYPES, isWanted, SITE_PREFIXES } from '../../../src/deals/event.ts';
import { anEvent, aSubscription } from '../../helpers/things.ts';

test.each([
  ['home.example.com', 'Daily', true],
  ['Home.example.com', 'daily', true],
  ['HOME.EXAMPLE.COM', 'DAILY', true],
  ['Home', 'Daily', true],
  ['homes.example.com', 'Daily', false],
  ['www.example.com', 'Daily', false],
  [null, 'Daily', false],
  ['home.example.com', 'Ghost', false],
])('an event of %s and type %s is announced where /events shows it: %s', (site, type, isTaken) => {
  const item = anEvent(1, { site, type });
  const announcement: Announcement = { kind: 'event-started', subject: item.id, occurrence: '', item };
  const source = { kind: 'events' as const, sites: ['home' as const, 'sport' as const], types: ['Daily' as const] };
  const subscription = aSubscription('a', { source, kinds: ['event-started'] });
  expect(wants(subscription, announcement)).toBe(isTaken);
  expect(isWanted(item, { site: 'home', type: 'Daily' })).toBe(isTaken);
  const everything = { ...subscription, source: { ...source, sites: [], types: [] } };
  expect(wants(everything, announcement)).toBe(true);
});

test('every site and type that can be subscribed to is announced, whatever its case', () => {
  for (const site of SITE_PREFIXES) {
    for (const type of EVENT_TYPES) {
      const item = anEvent(1, { site: `${site.toUpperCase()}.Example.com`, type: type.toUpperCase() });
      const source = { kind: 'events' as const, sites: [site], types: [type] };
      const subscription = aSubscription('a', { source, kinds: ['event-started'] });
      expect(wants(subscription, { kind: 'event-started', subject: item.id, occurrence: '', item })).toBe(true);
    }
  }
});
