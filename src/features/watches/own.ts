import { randomUUID } from 'node:crypto';
import type { User } from 'discord.js';
import { knownEntities } from '../../../commands/known.ts';
import type { AutocompleteRequest, CommandServices, Request } from '../../../commands/shared.ts';
import { deliveryId } from '../../announcements/kinds/index.ts';
import { newSubscription } from '../../announcements/kinds/of-source.ts';
import { deliveriesOf, putIn } from '../../announcements/outbox/enqueue.ts';
import { asOffer } from '../../deals/event.ts';
import { feedKey, isInFeed, type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import type { Offer } from '../../deals/offer.ts';
import { placeOfPerson } from '../../deals/person.ts';
import { isSameRequest } from '../../deals/same-request.ts';
import { type Pacing, pacingOf, USUAL_PACING_OF_PERSON } from '../../deals/settings.ts';
import type { Source, Subscription } from '../../deals/subscription.ts';
import { message } from '../../discord/i18n/translator.ts';
import { UserError } from '../../shared/errors.ts';
import { idsOf } from '../../store/delivery.ts';
import type { Person } from '../../store/server-records.ts';
import type { Coming, Reached } from './cards.ts';
import { asNotMessaged, firstLookAt, isOfProduct, type Listing, type Look, lookAt } from './reach.ts';
import { listingsUnder, MOST_WATCHES, type Watch, type WatchedProduct, watchedProduct } from './watch.ts';
import { identityOf } from './watch-reached.ts';
import { lastMessage, messageOf, standing, withdrawFormer } from './watched-products.ts';

/** The person's watches, oldest first. */
export function watchesOf({ person, services }: Request | AutocompleteRequest): Subscription[] {
  return services.subscriptions.ofGuild(placeOfPerson(person.id)).toSorted((a, b) => a.createdAtMs - b.createdAtMs);
}

/** Whether the bot can't message the person. */
export function isClosed({ person, services }: Request): boolean {
  return (services.people.get(person.id)?.closed ?? null) !== null;
}

/**
 * One of the person's watches. Another person's counts as missing, so that its existence stays private.
 * @throws UserError where there is none
 */
export function requireWatch(id: string, { person, services }: Request): Subscription {
  const found = services.subscriptions.get(id);
  if (found?.guildId !== placeOfPerson(person.id)) throw new UserError(message('watch.unknown'));
  return found;
}

/**
 * Changes one of the person's watches, and keeps what the bot recorded about it in the meantime. Resolves with the result.
 * @throws UserError where it would wait for the same as another one, or was removed in the meantime
 */
export async function changeWatch(
  before: Subscription,
  alter: (watch: Subscription) => Subscription,
  request: Request,
): Promise<Subscription> {
  const { subscriptions, people, clock } = request.services;
  const changedAtMs = clock.now();
  await subscriptions.update(before.id, (current) => {
    const after = { ...alter(current), changedAtMs };
    const { watch } = after;
    const others = watchesOf(request).filter(({ id }) => id !== after.id);
    if (watch && others.some((other) => isSame(other, { ...after, watch }))) {
      throw new UserError(message('watch.same'));
    }
    return after;
  });
  await people.update(request.person.id, (person) => ({ ...person, usedAtMs: changedAtMs }));
  return requireWatch(before.id, request);
}

/** A watch that was added. */
interface Added {
  watch: Subscription;
  /** The offer that is what the watch waits for already; null where none is. */
  reached: Reached | null;
}

/**
 * Adds a watch for the person; one that waits for the same takes its place, and tells nothing anew at the same price.
 * Resolves with it once it is stored, together with the message that it owes already.
 * @param seen the offer as the person sees it, where no feed lists it
 * @throws UserError where the person has too many, or Discord opens no direct messages with them
 */
export async function addWatch(
  wanted: Pick<Subscription, 'source' | 'filter'> & { watch: Watch },
  request: Request,
  seen: Offer | null = null,
): Promise<Added> {
  const { services } = request;
  const { subscriptions, deliveries, deliverer, offers, clock } = services;
  const same = () => watchesOf(request).find((other) => isSame(other, { ...wanted, channelId: other.channelId }));
  const requireRoom = () => {
    if (!same() && watchesOf(request).length >= MOST_WATCHES) {
      throw new UserError(message('watch.tooMany', { most: MOST_WATCHES }));
    }
  };
  requireRoom();
  const person = await personOf(request);
  const added = await services.transact(async (changes) => {
    requireRoom();
    const nowMs = clock.now();
    const before = same();
    const watch = newWatch({
      ...wanted,
      id: before?.id ?? randomUUID(),
      guildId: placeOfPerson(request.person.id),
      channelId: person.channelId,
      ...pacingOf(person),
      createdBy: request.person.id,
      createdAtMs: nowMs,
    });
    const look = firstLook(wanted.watch, before, listingsOf(wanted.watch, seen, offers), nowMs);
    const stored = look ? standing(watch, look) : watch;
    subscriptions.put(changes, stored);
    const owed = look ? messageOf(stored, look) : [];
    if (before && owed.length > 0) withdrawFormer(changes, deliveries, before);
    await putIn(services, changes, deliveriesOf(owed, nowMs));
    return { watch: stored, by: look?.by?.offer ?? null };
  });
  const { watch, by } = added;
  const reached = by && { offer: by, comes: comingOf(watch, services) };
  deliverer.kick();
  return { watch, reached };
}

type GivenOfWatch = Pick<
  Subscription,
  'id' | 'guildId' | 'channelId' | 'source' | 'createdBy' | 'createdAtMs' | 'filter'
> &
  Pacing &
  Required<Pick<Subscription, 'watch'>>;

/** A new watch. One for new offers also gets those whose product was sold before. */
function newWatch({ watch, filter, ...given }: GivenOfWatch): Subscription {
  return {
    ...newSubscription({ ...given, catchUp: 0 }),
    watch,
    kinds: watch.product ? ['watch-reached'] : ['new-offer', 'relisted'],
    filter,
  };
}

/** The listings of a watched product, and the offer that the person sees, where no feed lists that. */
function listingsOf({ product }: Watch, seen: Offer | null, offers: CommandServices['offers']): readonly Listing[] {
  const known = product ? listingsUnder(product, (key) => offers.listings(key)) : [];
  return seen && !offers.get(seen.id) ? [...known, { offer: seen, overAtMs: null }] : known;
}

/**
 * The first look of a new watch; null where it watches no product. A watch for the same at the same price goes on from where
 * the former one stood.
 */
function firstLook(
  watch: Watch,
  former: Subscription | undefined,
  listings: readonly Listing[],
  nowMs: number,
): Look<Listing> | null {
  if (!isOfProduct(watch)) return null;
  const reach = former?.watch?.reach;
  if (!reach) return firstLookAt(watch, listings, nowMs);
  const before = { ...watch, reach };
  const goesOn = former.pausedBy === null && former.watch?.below === watch.below;
  return goesOn ? lookAt(before, listings, nowMs) : firstLookAt(asNotMessaged(before, nowMs), listings, nowMs);
}

/** When the message that a watch has made, or makes now, comes to the person. */
function comingOf(added: Subscription, services: CommandServices): Coming {
  const { channelId, watch } = added;
  const { deliveries, deliverer, postingPause, clock } = services;
  const sent = lastMessage(added);
  if (!sent || !watch || !isOfProduct(watch)) return { is: 'there' };
  const id = deliveryId(channelId, identityOf(watch.aim, sent));
  const rolledUp = deliveries.pendingRollUp(channelId)?.replaces.includes(id) ?? false;
  const delivery = deliveries.pending(channelId).find((one) => idsOf(one).includes(id));
  if (!delivery && !rolledUp) return { is: 'there' };
  if (postingPause.sinceMs() !== null) return { is: 'paused' };
  const atMs = Math.max(delivery?.dueAtMs ?? 0, deliverer.limitOf(channelId)?.nextPostAtMs ?? 0);
  return atMs > clock.now() ? { is: 'later', atMs } : { is: 'now' };
}
/** Whether two watches wait for the same, at whatever price. */
function isSame(
  one: Subscription,
  other: Pick<Subscription, 'source' | 'filter' | 'channelId'> & { watch: Watch },
): boolean {
  if (one.watch?.aim !== other.watch.aim || one.watch.product?.key !== other.watch.product?.key) return false;
  return other.watch.product !== null || isSameRequest(one, { ...other, kinds: one.kinds }, []);
}

/**
 * The record of a person who changes their watches, with the channel of their direct messages, which is opened here, and
 * their present language.
 * @throws UserError where Discord opens no channel
 */
export async function personOf({ person: user, locale, services }: Request): Promise<Person> {
  const { people, clock } = services;
  const channelId = people.get(user.id)?.channelId ?? (await directChannelOf(user));
  const person: Person = {
    id: user.id,
    ...USUAL_PACING_OF_PERSON,
    closed: null,
    shownWaiting: null,
    ...people.get(user.id),
    channelId,
    locale,
    usedAtMs: clock.now(),
  };
  await people.save(person.id, person);
  return person;
}

async function directChannelOf(user: User): Promise<string> {
  try {
    return (await user.createDM()).id;
  } catch (cause) {
    throw new UserError(message('watch.noMessages'), { cause });
  }
}

/** An offer that can be watched, and the feed that is polled for it. */
export interface Watchable {
  offer: Offer;
  product: WatchedProduct;
  source: Source;
}

/** @throws UserError where the bot does not know the offer, any more or yet */
export function requireWatchable(offerId: string, services: CommandServices): Watchable {
  const known = services.offers.get(offerId);
  const offer = known ? shownOffer(known) : offerOfEvent(offerId, services);
  if (!offer) throw new UserError(message('watch.offerUnknown'));
  return {
    offer,
    product: watchedProduct({ ...known, offer }),
    source: { kind: 'feed', feed: feedFor(known, services.feeds) },
  };
}

/** The feed that a watch follows where the person names none: the first, which has everything where it is "All". */
export function usualFeed([first = '']: readonly string[]): string {
  return first;
}

/** The first feed that lists the offer, or once did; people who watch the same offer share its polls. */
function feedFor(known: KnownOffer | undefined, feeds: readonly string[]): string {
  if (!known) return usualFeed(feeds);
  const listing = feeds.find((feed) => isInFeed(known, feedKey(feed)));
  return listing ?? feeds.find((feed) => feedKey(feed) in known.feeds) ?? usualFeed(feeds);
}

function offerOfEvent(offerId: string, { currentState }: CommandServices): Offer | undefined {
  const events = (knownEntities('events', currentState) ?? []).map(({ item }) => item);
  return events.flatMap((event) =>
    event.offers.filter(({ id }) => id === offerId).map((offer) => asOffer(offer, event)),
  )[0];
}
