import { expect, test } from 'vitest';
import { KINDS } from '../../src/announcements/kinds/index.ts';
import { type Announcement, announcementDelayMs } from '../../src/deals/announcement.ts';
import { aDealcast, anEvent, anOffer, NOW_MS, newOfferOf } from '../helpers/things.ts';

const item = anOffer(1, { startDateMs: NOW_MS });

test.each<[string, Announcement]>([
  ['an offer', newOfferOf(item)],
  ['an event', KINDS['event-started'].announce(anEvent(1, { startDateMs: NOW_MS }))],
  ['a dealcast', KINDS['new-dealcast'].announce(aDealcast(1, { startDateMs: NOW_MS }))],
])('%s is late by the time since its start, and never early', (_, announcement) => {
  expect(announcementDelayMs(announcement, NOW_MS + 1_234)).toBe(1_234);
  expect(announcementDelayMs(announcement, NOW_MS)).toBe(0);
  expect(announcementDelayMs(announcement, NOW_MS - 1)).toBe(0);
});

test.each<[string, Announcement]>([
  ['states no start', newOfferOf(anOffer(1, { startDateMs: null }))],
  ['is of a kind without one', KINDS['new-monkeychat'].announce({ raw: { Id: 1 } })],
  ['was there before', { kind: 'restocked', subject: item.id, occurrence: '', item }],
])('what %s has no delay', (_, announcement) => {
  expect(announcementDelayMs(announcement, NOW_MS + 1_234)).toBeNull();
});
