import { hash } from 'node:crypto';
import type { Announcement, AnnouncementKind, DetectedKind, Entity, EntityKey } from '../../deals/announcement.ts';
import type { OfferChange } from '../../deals/change.ts';
import type { DoubtChanges } from '../../deals/doubts.ts';
import type { Heard, Said } from '../../deals/entity-belief.ts';
import { isAlmostGone } from '../../deals/event.ts';
import { type FilterSubject, subjectOfEvent, subjectOfOffer } from '../../deals/filter/index.ts';
import { hasEnded, isOver } from '../../deals/life.ts';
import { type Score, scoreOf } from '../../deals/score.ts';
import type { StockHistory } from '../../deals/stock-history.ts';
import { isFeed, type ResourceKey, type Source, type Subscription } from '../../deals/subscription.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { allTimeLow } from './all-time-low.ts';
import { almostGone } from './almost-gone.ts';
import { endingSoon } from './ending-soon.ts';
import { eventStarted } from './event-started.ts';
import { type EntityKind, type FeatureKind, type Kind, offerKind, type Shown } from './kind.ts';
import { newDealcast } from './new-dealcast.ts';
import { newMonkeychat } from './new-monkeychat.ts';
import { newOffer } from './new-offer.ts';
import { newPoll } from './new-poll.ts';
import { priceDrop } from './price-drop.ts';
import { relisted } from './relisted.ts';
import { restocked } from './restocked.ts';

/**
 * Every kind that polls detect. Their order is their rank: of the announcements that one poll detects for an entity, the
 * first stands for the others, so it has to be live for at least as long as they are (a price may rise again while an
 * offer is still new or back). Menus show the kinds in the same order.
 */
export const KINDS = {
  'new-offer': newOffer,
  relisted,
  restocked,
  'price-drop': priceDrop,
  'all-time-low': allTimeLow,
  'ending-soon': endingSoon,
  'event-started': eventStarted,
  'almost-gone': almostGone,
  'new-dealcast': newDealcast,
  'new-poll': newPoll,
  'new-monkeychat': newMonkeychat,
} satisfies { readonly [K in DetectedKind]: Kind<K> };

/** The kinds of things, by the resource that lists them. Each gets a command of its own. */
export const THINGS = { dealcasts: newDealcast, polls: newPoll, monkeychats: newMonkeychat } as const;

/** The kind that announces the entities of a resource, each as a whole. */
export const KIND_IN = { events: eventStarted, ...THINGS } as const satisfies Readonly<
  Record<Exclude<Source['kind'], 'feed'>, unknown>
>;

/** A resource that lists no offers. */
export type EntityResource = keyof typeof KIND_IN;

export const ANNOUNCEMENT_KINDS = Object.keys(KINDS) as readonly DetectedKind[];
const ALL_KINDS: readonly { [K in DetectedKind]: Kind<K> }[DetectedKind][] = Object.values(KINDS);

/** Stands for all kinds of features, of which the core knows only that they are about offers. */
const OF_FEATURES = offerKind({
  isDefault: false,
  accent: newOffer.accent,
  badge: newOffer.badge,
  symbol: newOffer.symbol,
  announce: () => null,
});

/** Whether polls detect a kind; else a feature makes its announcements. */
export function isDetected(kind: AnnouncementKind): kind is DetectedKind {
  return Object.hasOwn(KINDS, kind);
}

/**
 * The kind of an announcement. The compiler can't follow that `kind` picks the entry which accepts the announcement.
 */
export function kindOf({ kind }: Pick<Announcement, 'kind'>): Kind<AnnouncementKind> {
  return (isDetected(kind) ? KINDS[kind] : OF_FEATURES) as Kind<AnnouncementKind>;
}

/** The rank of a kind among the others: 0 for the first. Those of features come last. */
export function rankOf({ kind }: Pick<Announcement, 'kind'>): number {
  return isDetected(kind) ? ANNOUNCEMENT_KINDS.indexOf(kind) : ANNOUNCEMENT_KINDS.length;
}

/** The announcements of a change. */
export function announcementsOf(change: OfferChange): Announcement[] {
  const { offer, terms } = change.known;
  // Filters ask about its terms.
  const told = terms ? { ...change, known: { ...change.known, offer: { ...offer, terms } } } : change;
  return ALL_KINDS.flatMap((kind) => (kind.madeFrom === 'change' ? (kind.announce(told) ?? []) : []));
}

/** The announcements about the parts of the entity that `announcement` shows. */
export function partsOf(announcement: Announcement): Announcement[] {
  const { as, item } = shownOf(announcement);
  if (as !== 'event') return [];
  return ALL_KINDS.flatMap((kind): Announcement[] => (kind.madeFrom === 'part' ? kind.announceParts(item) : []));
}

/** The part of its entity that an announcement is about; null where it is about the whole. */
export function partOf({ kind, subject }: Announcement): string | null {
  return kindOf({ kind }).madeFrom === 'part' ? subject : null;
}

/** The subject under which its resource's records know the announcement. */
export function knownAs({ kind, subject }: Announcement): string {
  return kindOf({ kind }).madeFrom === 'part' ? `${kind}/${subject}` : subject;
}

/** The reason that is given for an offer in which the kind was not detected; null where that is no reason. */
export function unnoticed(name: AnnouncementKind): LocalizedText | null {
  const kind = kindOf({ kind: name });
  return kind.madeFrom === 'part' ? kind.unnoticed : null;
}

/** The key of the entity that an announcement is about, regardless of the kind. */
export function entityKey(announcement: Announcement): EntityKey {
  const kind = kindOf(announcement);
  return `${kind.entity}:${kind.entityId?.(announcement) ?? announcement.subject}`;
}

/**
 * The id of an announcement in a channel. It is deterministic: always the same, however many of the channel's
 * subscriptions want the announcement. 22 characters; Discord takes at most 25 as a nonce.
 */
export function deliveryId(
  channelId: string,
  { kind, subject, occurrence }: Pick<Announcement, 'kind' | 'subject' | 'occurrence'>,
): string {
  const identity = [channelId, kindOf({ kind }).insteadOf ?? kind, subject, ...(occurrence === '' ? [] : [occurrence])];
  return hash('sha256', JSON.stringify(identity), 'base64url').slice(0, 22);
}

/** The last announcement about each entity or part, in the order in which they first appear. */
export function latestPerEntity(announcements: readonly Announcement[]): Announcement[] {
  const keyed = announcements.map(
    (announcement) => [`${entityKey(announcement)} ${partOf(announcement) ?? ''}`, announcement] as const,
  );
  return [...new Map(keyed).values()];
}

/**
 * How good what an announcement tells is, among others of the same channel. Whatever is no offer comes rarely and holds
 * many of them: it goes first.
 * @param stock absent where the order has to last, as in `scoreOf`
 */
export function scoreOfAnnouncement(
  announcement: Announcement,
  stock?: Pick<StockHistory, 'sellsOutAtMs'>,
  nowMs = 0,
): Score {
  const { as, item } = shownOf(announcement);
  if (as !== 'offer') return { points: Number.POSITIVE_INFINITY, startDateMs: null };
  const inEvent = 'offers' in announcement.item ? announcement.item.offers.find(({ id }) => id === item.id) : undefined;
  const sales = {
    isAlmostGone: inEvent !== undefined && isAlmostGone(inEvent),
    sellsOutAtMs: stock?.sellsOutAtMs(item.id, nowMs) ?? null,
  };
  return scoreOf(item, sales, nowMs);
}

/** How a kind looks on a card. */
type LookOfKind = Pick<FeatureKind, 'accent' | 'symbol' | 'badge' | 'lead'>;

/** The same of an announcement's kind. @param ofFeatures the kinds of features */
export function lookOfKind({ kind }: Pick<Announcement, 'kind'>, ofFeatures: readonly FeatureKind[] = []): LookOfKind {
  return ofFeatures.find(({ name }) => name === kind) ?? kindOf({ kind });
}

/** Whether an announcement's kind is known: that of a feature which is not here isn't. */
export function isKnownKind({ kind }: Pick<Announcement, 'kind'>, ofFeatures: readonly FeatureKind[] = []): boolean {
  return isDetected(kind) || ofFeatures.some(({ name }) => name === kind);
}

/** `📉 **Price drop** · −12%`: what happened, as the first line of the card. Safe Markdown. */
export function headlineOf(
  announcement: Announcement,
  translator: Translator,
  ofFeatures: readonly FeatureKind[] = [],
): string {
  const kind = lookOfKind(announcement, ofFeatures);
  const lead = kind.lead?.(announcement, translator) ?? null;
  return [`${kind.symbol} **${translator.t(kind.badge)}**`, lead].filter((part) => part !== null).join(' · ');
}

/** The entity that people see of an announcement. */
export function shownOf(announcement: Announcement): Shown {
  return kindOf(announcement).shown(announcement);
}

/** The facts of an announcement that filters match. */
export function subjectOf(announcement: Announcement): FilterSubject {
  const shown = shownOf(announcement);
  if (shown.as === 'offer') return subjectOfOffer(shown.item);
  return shown.as === 'event' ? subjectOfEvent(shown.item) : shown.thing.filterSubject(shown.item);
}

/** The kind's short name: "Price drop", "Poll". */
export function describeKind(kind: AnnouncementKind, translator: Translator): string {
  return translator.t(kindOf({ kind }).badge);
}

/**
 * Whether the deal of an announcement is over: sold out or ended, as its card then shows. An announcement may cease to
 * be live before that: a price that rises again ends a price drop, and the offer stays.
 */
export function isDealOver(announcement: Announcement, nowMs: number): boolean {
  const { as, item } = shownOf(announcement);
  if (as === 'offer') return isOver(item, nowMs);
  return as === 'event' && hasEnded(item, nowMs);
}

/** The same of an entity alone. */
export function isEntityOver(item: Announcement['item'], nowMs: number): boolean {
  return 'isSoldOut' in item ? isOver(item, nowMs) : 'endDateMs' in item && hasEnded(item, nowMs);
}

export function isLive(announcement: Announcement, nowMs: number): boolean {
  return kindOf(announcement).isLive(announcement, nowMs);
}

/** Why a subscription that asks for the kind does not want this announcement; null where it does. */
export function unsuitedTo(announcement: Announcement, subscription: Subscription): LocalizedText | null {
  return kindOf(announcement).unsuited?.(announcement, subscription) ?? null;
}

/** Whether the entity has started. */
export function hasStarted(announcement: Announcement, nowMs: number): boolean {
  return entityKindOf(announcement)?.hasStarted(announcement.item, nowMs) ?? true;
}

/** The fingerprint of the facts that a post shows of an entity: a post is edited when it changes. */
export function fingerprintOf(announcement: Announcement, nowMs: number): string {
  return entityKindOf(announcement)?.fingerprint(announcement.item, nowMs) ?? '';
}

/** An entity that is no offer, as the announcement it would make, and the doubts about it. */
export type HeardEntity = Pick<Heard<unknown>, 'doubts'> & { announcement: Announcement };

const NO_DOUBTS: DoubtChanges<string> = { began: [], confirmed: [], refuted: [] };

/**
 * What is believed of an entity after an answer that shows it as the announcement `says`, and the fields about which doubts
 * began or ended.
 */
export function heardAgain(
  { announcement, doubts }: HeardEntity,
  says: Announcement,
  said: Omit<Said<unknown>, 'value'>,
): { heard: HeardEntity; doubted: DoubtChanges<string> } {
  const kind = entityKindOf(announcement);
  if (!kind) return { heard: { announcement: says }, doubted: NO_DOUBTS };
  const heard = kind.hear({ value: announcement.item, ...(doubts ? { doubts } : {}) }, { ...said, value: says.item });
  return {
    heard: { announcement: announcedBy(kind, heard.value), ...(heard.doubts ? { doubts: heard.doubts } : {}) },
    doubted: heard.doubted,
  };
}

/** Whether two announcements with different subjects may be about one entity: one answer may show a naming field wrongly. */
export function isAlike(one: Announcement, other: Announcement): boolean {
  return one.kind === other.kind && entityKindOf(one)?.mayBeSameAs?.(one.item, other.item) === true;
}

/** Whether an entity has become another one, which is news. */
export function isOther(was: Announcement, is: Announcement): boolean {
  return entityKindOf(was)?.isOther?.(was.item, is.item) === true;
}

/** The entity that a resource lists; null for feeds. */
export function entityOf(resource: ResourceKey): Entity | null {
  return isFeed(resource) ? null : KIND_IN[resource].entity;
}

/** The announcement that an entity of a resource would make. `item` must be one of that resource. */
export function announcementIn(resource: EntityResource, item: Announcement['item']): Announcement {
  return announcedBy(KIND_IN[resource], item);
}

/** The announcement of the whole entity that an announcement is about; null for offers. */
export function wholeOf(announcement: Announcement): Announcement | null {
  const { entity } = kindOf(announcement);
  const kind = Object.values(KIND_IN).find((one) => one.entity === entity);
  return kind ? announcedBy(kind, announcement.item) : null;
}

/** `item` must be of the kind's entity. */
function announcedBy(kind: EntityKind<AnnouncementKind>, item: Announcement['item']): Announcement {
  return kind.announce(item) as Announcement;
}

function entityKindOf(announcement: Announcement): EntityKind<AnnouncementKind> | null {
  const kind = kindOf(announcement);
  return kind.madeFrom === 'entity' ? kind : null;
}
