import type { Announcement, AnnouncementKind, AnnouncementOf, Entity } from '../../deals/announcement.ts';
import type { OfferChange } from '../../deals/change.ts';
import type { Heard, HeardNow, Said } from '../../deals/entity-belief.ts';
import type { DealEvent } from '../../deals/event.ts';
import type { FilterSubject } from '../../deals/filter/index.ts';
import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Source, Subscription } from '../../deals/subscription.ts';
import type { WordKey } from '../../discord/i18n/catalog.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import type { Place, ThingView } from './thing-view.ts';

/** The entity that people see of an announcement: cards render it, lists name it, filters match it. */
export type Shown =
  | { as: 'offer'; item: Offer }
  | { as: 'event'; item: DealEvent }
  | { as: ThingEntity; item: ThingItem; thing: AnyThingKind };

/** All that distinguishes one announcement kind from the others, however it is detected. */
interface AnyKind<K extends AnnouncementKind> {
  /** The source whose subscriptions can ask for the kind. */
  source: Source['kind'];
  /** Whether subscriptions ask for it by default. */
  isDefault: boolean;
  /** The entity whose state its posts follow. */
  entity: Entity;
  /** Returns the id of that entity; absent where the subject is the id. */
  entityId?(announcement: AnnouncementOf<K>): string;
  /** The kind that this one replaces: a channel gets one of the two, once. Absent where there is none. */
  insteadOf?: AnnouncementKind;
  /** The stripe at the card's side: 0xRRGGBB. */
  accent: number;
  /** A name of one or two words: on the card, in menus and in explanations. */
  badge: Badge;
  /** The emoji before the badge at the top of the card, so that colour alone says nothing. */
  symbol: string;
  /** The text that the kind adds to the badge at the top of the card: safe Markdown; null for none. */
  lead?(announcement: AnnouncementOf<K>, translator: Translator): string | null;
  shown(announcement: AnnouncementOf<K>): Shown;
  /** Whether the announcement is still worth making. One that is over is recorded, not announced. */
  isLive(announcement: AnnouncementOf<K>, nowMs: number): boolean;
  /** Why a subscription that asks for the kind does not want this announcement; null where it does. */
  unsuited?(announcement: AnnouncementOf<K>, subscription: Subscription): LocalizedText | null;
  /** What the panel of a subscription says of the kind, besides the settings that are about it alone. */
  note?: LocalizedText;
}

type Badge = Extract<WordKey, `announced.${string}` | `${string}.kind`>;

/** A kind that announces changes of an offer. */
export interface OfferKind<K extends AnnouncementKind> extends AnyKind<K> {
  madeFrom: 'change';
  /** null where the kind does not announce the change. */
  announce(change: OfferChange): AnnouncementOf<K> | null;
}

/** A kind that announces each entity once. */
export interface EntityKind<K extends AnnouncementKind> extends AnyKind<K> {
  madeFrom: 'entity';
  announce(item: AnnouncementOf<K>['item']): AnnouncementOf<K>;
  /** Whether the entity has started. One that has not is left unseen, and is news when it has. */
  hasStarted(item: AnnouncementOf<K>['item'], nowMs: number): boolean;
  /** The facts that a post shows and that have to stay correct: a post is edited when the fingerprint changes. */
  fingerprint(item: AnnouncementOf<K>['item'], nowMs: number): string;
  /** What is believed of an entity after an answer that shows it. */
  hear(
    heard: Heard<AnnouncementOf<K>['item']>,
    said: Said<AnnouncementOf<K>['item']>,
  ): HeardNow<AnnouncementOf<K>['item']>;
  /**
   * Whether two items with different subjects may be one entity, of which an answer shows a naming field wrongly, or another
   * id.
   */
  mayBeSameAs?(one: AnnouncementOf<K>['item'], other: AnnouncementOf<K>['item']): boolean;
  /** Whether an entity has become another one, which is news; absent where that can't be. */
  isOther?(was: AnnouncementOf<K>['item'], is: AnnouncementOf<K>['item']): boolean;
  /** A command shows what was polled at most this long ago without a new request; its card states the age. */
  goodForMs: number;
}

/** The kinds that announce a thing: what the catalog lists besides offers and events. It has no offers and no end */
type NewThing = 'new-dealcast' | 'new-poll' | 'new-monkeychat';
export type ThingEntity = Exclude<Entity, 'offer' | 'event'>;
export type ThingItem = AnnouncementOf<NewThing>['item'];

/** The kind of any thing. */
export type AnyThingKind = ThingKind<NewThing>;

type ButtonWord = Extract<WordKey, `button.${string}`>;

/** A button to a page, which is left out where the page is not known. */
interface PageButton {
  label: ButtonWord;
  url: string | null;
}

/** A kind that announces a thing, with all that its cards and its command show. */
export interface ThingKind<K extends NewThing> extends EntityKind<K> {
  source: Exclude<Source['kind'], 'feed' | 'events'>;
  entity: ThingEntity;
  badge: `${ThingEntity}.kind`;
  /** The facts that filters match. */
  filterSubject(item: AnnouncementOf<K>['item']): FilterSubject;
  /** The order of its command's list; absent: the catalog's. */
  inOrder?(items: readonly AnnouncementOf<K>['item'][]): AnnouncementOf<K>['item'][];
  view(item: AnnouncementOf<K>['item'], place: Place, translator: Translator): ThingView;
  /** The label of the button that opens its own card. */
  opening: ButtonWord;
  /** The buttons of its post; 'opening' stands for the one that opens its own card. */
  postButtons(item: AnnouncementOf<K>['item']): readonly (PageButton | 'opening')[];
  /** The buttons of its own card. */
  cardButtons(item: AnnouncementOf<K>['item']): readonly PageButton[];
  /** Whether its own card says how old it is. */
  statesAge?: true;
}

/** A kind that announces offers of an event: each offer once, however its figures fluctuate. */
export interface PartKind<K extends AnnouncementKind> extends AnyKind<K> {
  madeFrom: 'part';
  /** One announcement for each offer of the event that the kind applies to, with the offer's id as its subject. */
  announceParts(event: DealEvent): AnnouncementOf<K>[];
  /** The reason that is given for an offer in which the kind was not detected. */
  unnoticed: LocalizedText;
}

export type Kind<K extends AnnouncementKind> = OfferKind<K> | EntityKind<K> | PartKind<K>;

/**
 * A kind of a feature's, which makes its announcements itself, each about an offer: a channel gets one of them after all
 * kinds that polls detect. No subscription of a server can ask for it.
 * @example
 * kinds: [{ name: 'greeting', accent: 0x2f80ed, symbol: '👋', badge: 'announced.greeting' }]
 */
export interface FeatureKind extends Pick<AnyKind<AnnouncementKind>, 'accent' | 'badge' | 'symbol' | 'lead'> {
  name: string;
  /** Whether an announcement is worth making while its offer can be bought. Absent: it always is. */
  isLive?(announcement: Announcement, nowMs: number): boolean;
}

type KindOfOffer = { [K in AnnouncementKind]: AnnouncementOf<K> extends { item: Offer } ? K : never }[AnnouncementKind];
type Shared = 'madeFrom' | 'source' | 'entity' | 'shown' | 'isLive';

/** A kind of announcement about an offer of a feed, which is live as long as the offer can be bought. */
export function offerKind<K extends KindOfOffer>(
  own: Omit<OfferKind<K>, Shared> & Partial<Pick<OfferKind<K>, 'isLive'>>,
): OfferKind<K> {
  return {
    madeFrom: 'change',
    source: 'feed',
    entity: 'offer',
    shown: ({ item }) => ({ as: 'offer', item }),
    isLive: ({ item }, nowMs) => !isOver(item, nowMs),
    ...own,
  };
}
