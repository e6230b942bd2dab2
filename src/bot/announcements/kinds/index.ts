import type { Announcement, AnnouncementKind } from '../../deals/announcement.ts';
import type { OfferChange } from '../../deals/change.ts';
import { announcementCard } from '../../discord/cards/announcement-card.ts';
import type { AnnouncementContext } from '../../discord/cards/context.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { endingSoon } from './ending-soon.ts';
import { eventStarted } from './event-started.ts';
import type { Kind, OfferKind, ThingKind } from './kind.ts';
import { newDealcast } from './new-dealcast.ts';
import { newMonkeychat } from './new-monkeychat.ts';
import { newOffer } from './new-offer.ts';
import { newPoll } from './new-poll.ts';
import { priceDrop } from './price-drop.ts';
import { relisted } from './relisted.ts';
import { restocked } from './restocked.ts';

/** What can be told of an offer. */
const OFFER_KINDS = {
  'new-offer': newOffer,
  relisted,
  'price-drop': priceDrop,
  restocked,
  'ending-soon': endingSoon,
} satisfies { [K in AnnouncementKind]?: OfferKind<K> };

/** What is told when it is there. */
export const THING_KINDS = {
  'event-started': eventStarted,
  'new-dealcast': newDealcast,
  'new-poll': newPoll,
  'new-monkeychat': newMonkeychat,
} satisfies { [K in Exclude<AnnouncementKind, keyof typeof OFFER_KINDS>]: ThingKind<K> };

/** What there is to tell of a change. */
export function announcementsOf(change: OfferChange): Announcement[] {
  return Object.values(OFFER_KINDS).flatMap((kind) => kind.announce(change) ?? []);
}

export function isLive(announcement: Announcement, nowMs: number): boolean {
  const kinds: { readonly [K in AnnouncementKind]: Kind<K> } = { ...OFFER_KINDS, ...THING_KINDS };
  return (kinds[announcement.kind] as Kind<AnnouncementKind>).isLive(announcement, nowMs);
}

/** Whether the time of a thing has come. */
export function hasStarted(announcement: Announcement, nowMs: number): boolean {
  return thingKind(announcement)?.hasStarted(announcement.item, nowMs) ?? true;
}

/** What a post shows of a thing: it is made anew when this changes. */
export function faceOf(announcement: Announcement, nowMs: number): string {
  return thingKind(announcement)?.face(announcement.item, nowMs) ?? '';
}

export function cardOf(announcement: Announcement, context: AnnouncementContext): Card {
  return announcementCard(announcement, context);
}

/** An announcement's `kind` picks the entry that takes its `item`; the compiler can't follow that through the table. */
function thingKind({ kind }: Announcement): ThingKind<AnnouncementKind> | undefined {
  const kinds: { readonly [K in AnnouncementKind]?: ThingKind<K> } = THING_KINDS;
  return kinds[kind] as ThingKind<AnnouncementKind> | undefined;
}
