import type { AnnouncementKind, AnnouncementOf } from '../../deals/announcement.ts';
import type { OfferChange } from '../../deals/change.ts';

/** What sets one kind of announcement apart from the others. */
export interface Kind<K extends AnnouncementKind> {
  /** Whether there is still something to tell. What is over is recorded, not announced. */
  isLive(announcement: AnnouncementOf<K>, nowMs: number): boolean;
}

/** A kind that tells what happened to an offer. */
export interface OfferKind<K extends AnnouncementKind> extends Kind<K> {
  /** null where the change is nothing that this kind tells. */
  announce(change: OfferChange): AnnouncementOf<K> | null;
}

/** A kind that tells of a thing that is there: each thing is told once. */
export interface ThingKind<K extends AnnouncementKind> extends Kind<K> {
  announce(item: AnnouncementOf<K>['item']): AnnouncementOf<K>;
  /** Whether its time has come. What has not started is left unseen, and is news when it has. */
  hasStarted(item: AnnouncementOf<K>['item'], nowMs: number): boolean;
  /** What a post shows of it that people would want to be right: a post is made anew when this changes. */
  face(item: AnnouncementOf<K>['item'], nowMs: number): string;
}
