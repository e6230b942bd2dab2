import type { LocalizedText } from '../../../shared/errors.ts';
import type { AnnouncementKind, AnnouncementOf, Entity } from '../../deals/announcement.ts';
import type { OfferChange } from '../../deals/change.ts';
import type { Dealcast } from '../../deals/dealcast.ts';
import type { DealEvent } from '../../deals/event.ts';
import type { Monkeychat } from '../../deals/monkeychat.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Poll } from '../../deals/poll.ts';
import type { Source, Subscription } from '../../deals/subscription.ts';
import type { WordKey } from '../../discord/i18n/catalog.ts';
import type { Translator } from '../../discord/i18n/translator.ts';

/** The entity that people see of an announcement: cards render it, lists name it, filters look at it. */
export type Shown =
  | { as: 'offer'; item: Offer }
  | { as: 'event'; item: DealEvent }
  | { as: 'dealcast'; item: Dealcast }
  | { as: 'poll'; item: Poll }
  | { as: 'monkeychat'; item: Monkeychat };

/** All that sets one kind of announcement apart from the others, whatever it is found by. */
interface AnyKind<K extends AnnouncementKind> {
  /** The source whose subscriptions can ask for it. */
  source: Source['kind'];
  /** Whether they ask for it unless they say otherwise. */
  isDefault: boolean;
  /** The entity whose state its posts follow. */
  entity: Entity;
  /** That entity's id; absent where it is the subject. */
  entityId?(announcement: AnnouncementOf<K>): string;
  /** The kind instead of which it comes: a channel gets one of the two, once. Absent where there is none. */
  insteadOf?: AnnouncementKind;
  /** The stripe at the card's side, 0xRRGGBB. */
  accent: number;
  /** What happened, in a word or two: on the card, in menus, in `/why` and in previews. */
  badge: Badge;
  /** What the card says of it beside what it shows: safe Markdown; null for nothing. */
  lead?(announcement: AnnouncementOf<K>, translator: Translator): string | null;
  shown(announcement: AnnouncementOf<K>): Shown;
  /** Whether there is still something to tell. What is over is recorded, not announced. */
  isLive(announcement: AnnouncementOf<K>, nowMs: number): boolean;
  /** Why a subscription that asks for the kind does not want this one, as `/why` says it; null where it wants it. */
  unsuited?(announcement: AnnouncementOf<K>, subscription: Subscription): LocalizedText | null;
  /** What the panel of a subscription says of how it is set. */
  setting?(subscription: Subscription, translator: Translator): string;
}

type Badge = Extract<WordKey, `announced.${string}` | `${string}.kind`>;

/** A kind that tells what happened to an offer. */
export interface OfferKind<K extends AnnouncementKind> extends AnyKind<K> {
  tells: 'change';
  /** null where the change is nothing that this kind tells. */
  announce(change: OfferChange): AnnouncementOf<K> | null;
}

/** A kind that tells of an entity that is there: each is told once. */
export interface EntityKind<K extends AnnouncementKind> extends AnyKind<K> {
  tells: 'entity';
  announce(item: AnnouncementOf<K>['item']): AnnouncementOf<K>;
  /** Whether its time has come. What has not started is left unseen, and is news when it has. */
  hasStarted(item: AnnouncementOf<K>['item'], nowMs: number): boolean;
  /** What a post shows of it that people would want to be right: a post is made anew when this changes. */
  fingerprint(item: AnnouncementOf<K>['item'], nowMs: number): string;
}

/** A kind that tells of one of the offers of an event: of each once, however often its figures go back and forth. */
export interface PartKind<K extends AnnouncementKind> extends AnyKind<K> {
  tells: 'part';
  /** One for each offer of the event of which it tells, with the offer's id as its subject. */
  announceParts(event: DealEvent): AnnouncementOf<K>[];
  /** What `/why` says of an offer in which nothing of the kind was seen. */
  unnoticed: LocalizedText;
}

export type Kind<K extends AnnouncementKind> = OfferKind<K> | EntityKind<K> | PartKind<K>;
