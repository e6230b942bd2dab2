import type { Announcement, AnnouncementKind } from '../../deals/announcement.ts';
import type { AnnouncementContext } from '../../discord/cards/context.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { eventStarted } from './event-started.ts';
import type { Kind } from './kind.ts';
import { newDealcast } from './new-dealcast.ts';
import { newOffer } from './new-offer.ts';

/** The kinds of announcement that are made. */
export const KINDS = {
  'new-offer': newOffer,
  'event-started': eventStarted,
  'new-dealcast': newDealcast,
} satisfies { [K in AnnouncementKind]?: Kind<K> };

export function hasStarted(announcement: Announcement, nowMs: number): boolean {
  return kindOf(announcement).hasStarted(announcement.item, nowMs);
}

export function isLive(announcement: Announcement, nowMs: number): boolean {
  return kindOf(announcement).isLive(announcement.item, nowMs);
}

export function cardOf(announcement: Announcement, context: AnnouncementContext): Card {
  return kindOf(announcement).card(announcement, context);
}

/** An announcement's `kind` picks the entry that takes its `item`; the compiler can't follow that through the table. */
function kindOf(announcement: Announcement): Kind<AnnouncementKind> {
  const kinds: { readonly [K in AnnouncementKind]?: Kind<K> } = KINDS;
  return kinds[announcement.kind] as Kind<AnnouncementKind>;
}
