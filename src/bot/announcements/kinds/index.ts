import type { LocalizedText } from '../../../shared/errors.ts';
import type { Announcement, AnnouncementKind, EntityKey } from '../../deals/announcement.ts';
import type { OfferChange } from '../../deals/change.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { almostGone } from './almost-gone.ts';
import { endingSoon } from './ending-soon.ts';
import { eventStarted } from './event-started.ts';
import type { EntityKind, Kind, Shown } from './kind.ts';
import { newDealcast } from './new-dealcast.ts';
import { newMonkeychat } from './new-monkeychat.ts';
import { newOffer } from './new-offer.ts';
import { newPoll } from './new-poll.ts';
import { priceDrop } from './price-drop.ts';
import { relisted } from './relisted.ts';
import { restocked } from './restocked.ts';

/**
 * Every kind of announcement there is. Their order is their rank: of what one look finds of one entity, the first stands for
 * the others, so it has to be live for at least as long as they are (a price may rise again while an offer is still new or
 * back). People are shown them in the same order.
 */
export const KINDS = {
  'new-offer': newOffer,
  relisted,
  restocked,
  'price-drop': priceDrop,
  'ending-soon': endingSoon,
  'event-started': eventStarted,
  'almost-gone': almostGone,
  'new-dealcast': newDealcast,
  'new-poll': newPoll,
  'new-monkeychat': newMonkeychat,
} satisfies { readonly [K in AnnouncementKind]: Kind<K> };

export const ANNOUNCEMENT_KINDS = Object.keys(KINDS) as readonly AnnouncementKind[];
const ALL_KINDS: readonly { [K in AnnouncementKind]: Kind<K> }[AnnouncementKind][] = Object.values(KINDS);

/** An announcement's `kind` picks the entry that takes it; the compiler can't follow that through the table. */
export function kindOf({ kind }: Pick<Announcement, 'kind'>): Kind<AnnouncementKind> {
  return KINDS[kind] as Kind<AnnouncementKind>;
}

/** Its place among the others: 0 for the kind that stands for all of them. */
export function rankOf({ kind }: Pick<Announcement, 'kind'>): number {
  return ANNOUNCEMENT_KINDS.indexOf(kind);
}

/** What there is to tell of a change. */
export function announcementsOf(change: OfferChange): Announcement[] {
  return ALL_KINDS.flatMap((kind) => (kind.tells === 'change' ? (kind.announce(change) ?? []) : []));
}

/** What there is to tell of the parts of an entity, which `announcement` shows. */
export function partsOf(announcement: Announcement): Announcement[] {
  const { as, item } = shownOf(announcement);
  if (as !== 'event') return [];
  return ALL_KINDS.flatMap((kind): Announcement[] => (kind.tells === 'part' ? kind.announceParts(item) : []));
}

/** The part of its entity that it tells of; null where it tells of the whole. */
export function partOf({ kind, subject }: Announcement): string | null {
  return kindOf({ kind }).tells === 'part' ? subject : null;
}

/** The name under which its resource knows it. */
export function knownAs({ kind, subject }: Announcement): string {
  return kindOf({ kind }).tells === 'part' ? `${kind}/${subject}` : subject;
}

/** What `/why` says of an offer in which nothing of the kind was seen; null where that is no reason. */
export function unnoticed(name: AnnouncementKind): LocalizedText | null {
  const kind = kindOf({ kind: name });
  return kind.tells === 'part' ? kind.unnoticed : null;
}

/** The entity that an announcement tells of, whatever happened to it. */
export function entityKey(announcement: Announcement): EntityKey {
  const kind = kindOf(announcement);
  return `${kind.entity}:${kind.entityId?.(announcement) ?? announcement.subject}`;
}

/** Each thing or part of one once, as it was told last, in the order in which they were first told. */
export function onePerThing(announcements: readonly Announcement[]): Announcement[] {
  const keyed = announcements.map(
    (announcement) => [`${entityKey(announcement)} ${partOf(announcement) ?? ''}`, announcement] as const,
  );
  return [...new Map(keyed).values()];
}

/** What it adds to the card of what it shows: safe Markdown; null for nothing. */
export function leadOf(announcement: Announcement, translator: Translator): string | null {
  return kindOf(announcement).lead?.(announcement, translator) ?? null;
}

/** What people see of it. */
export function shownOf(announcement: Announcement): Shown {
  return kindOf(announcement).shown(announcement);
}

/** What an announcement tells, in a word or two: "Price drop", "Poll". */
export function describeKind(kind: AnnouncementKind, translator: Translator): string {
  return translator.t(KINDS[kind].badge);
}

export function isLive(announcement: Announcement, nowMs: number): boolean {
  return kindOf(announcement).isLive(announcement, nowMs);
}

/** Why a subscription that asks for its kind does not want it; null where it does. */
export function unsuitedTo(announcement: Announcement, subscription: Subscription): LocalizedText | null {
  return kindOf(announcement).unsuited?.(announcement, subscription) ?? null;
}

/** Whether the time of a thing has come. */
export function hasStarted(announcement: Announcement, nowMs: number): boolean {
  return entityKindOf(announcement)?.hasStarted(announcement.item, nowMs) ?? true;
}

/** What a post shows of a thing: it is made anew when this changes. */
export function fingerprintOf(announcement: Announcement, nowMs: number): string {
  return entityKindOf(announcement)?.fingerprint(announcement.item, nowMs) ?? '';
}

function entityKindOf(announcement: Announcement): EntityKind<AnnouncementKind> | null {
  const kind = kindOf(announcement);
  return kind.tells === 'entity' ? kind : null;
}
