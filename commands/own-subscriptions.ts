import { goesByFilter } from '../src/announcements/kinds/of-source.ts';
import type { EntityKey } from '../src/deals/announcement.ts';
import { placeOfPerson } from '../src/deals/person.ts';
import type { Subscription } from '../src/deals/subscription.ts';
import { requireSubscription } from './options.ts';
import type { PersonalSubscriptions, Request } from './shared.ts';
import { change } from './subscription/save.ts';

// The subscriptions that a person may change: in a server those of the server, in direct messages their own.

/**
 * Where the request comes from, as the `guildId` of subscriptions.
 * @throws UserError in a server that the person may not manage
 */
export function placeOf(request: Request): string {
  return request.server === null ? placeOfPerson(request.person.id) : request.asManager().server;
}

/** The subscriptions of this place. */
export const own = {
  /** @throws UserError where there is none with this id, or the person may not manage the server */
  require(id: string, request: Request): Subscription {
    return personalIn(request)?.require(id, request) ?? requireSubscription(id, request.asManager());
  },
  /**
   * Changes one, and keeps what the bot recorded about it in the meantime. Resolves with the result.
   * @throws UserError where it would duplicate another one, or was removed in the meantime
   */
  change(
    before: Subscription,
    request: Request,
    alter: (subscription: Subscription) => Subscription,
  ): Promise<Subscription> {
    return personalIn(request)?.change(before, alter, request) ?? change(before, alter, request.asManager());
  },
  /**
   * The subscriptions behind an announcement, or a roll-up, of a thing; null where it is not known or stands elsewhere.
   * @throws UserError in a server that the person may not manage
   */
  async behind(thing: EntityKey, announcementId: string, request: Request): Promise<Subscription[] | null> {
    const { explainer, subscriptions } = request.services;
    const place = placeOf(request);
    const posted = await explainer.postedFor(thing, announcementId);
    if (posted?.guildId !== place) return null;
    return posted.subscriptionIds.flatMap((id) => subscriptions.get(id) ?? []).filter((one) => one.guildId === place);
  },
};

/** Whether the person may change the filter of a subscription that an announcement of an offer was made for. */
export async function mayRefilter(offerId: string, announcementId: string, request: Request): Promise<boolean> {
  if (request.server !== null && !request.isManager) return false;
  const found = await own.behind(`offer:${offerId}`, announcementId, request);
  return found?.some(goesByFilter) ?? false;
}

/** null in a server, and where people have no subscriptions. */
function personalIn({ server, services }: Request): PersonalSubscriptions | null {
  return server === null ? services.personal : null;
}
