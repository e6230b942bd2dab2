import type { AnnouncementKind, AnnouncementOf } from '../../deals/announcement.ts';
import type { AnnouncementContext } from '../../discord/cards/context.ts';
import type { Card } from '../../discord/cards/parts.ts';

/** All that sets one kind of announcement apart from the others. */
export interface Kind<K extends AnnouncementKind> {
  announce(item: AnnouncementOf<K>['item']): AnnouncementOf<K>;
  /** Whether its time has come. What has not started is left unseen, and is news when it has. */
  hasStarted(item: AnnouncementOf<K>['item'], nowMs: number): boolean;
  /** Whether there is still something to tell. What is over is recorded, not announced. */
  isLive(item: AnnouncementOf<K>['item'], nowMs: number): boolean;
  card(announcement: AnnouncementOf<K>, context: AnnouncementContext): Card;
}
