import { randomUUID } from 'node:crypto';
import type { User } from 'discord.js';
import { newWatch } from '../../src/announcements/kinds/of-source.ts';
import { asOffer } from '../../src/deals/event.ts';
import { feedKey, isInFeed, type KnownOffer, productKey, shownOffer } from '../../src/deals/known-offer.ts';
import type { Offer } from '../../src/deals/offer.ts';
import { isSameRequest } from '../../src/deals/same-request.ts';
import { pacingOf, USUAL_PACING_OF_PERSON } from '../../src/deals/settings.ts';
import type { Source, Subscription } from '../../src/deals/subscription.ts';
import { MOST_WATCHES, placeOfPerson, type Watch, type WatchedProduct } from '../../src/deals/watch.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { Person } from '../../src/store/server-records.ts';
import { knownEntities } from '../known.ts';
import type { AutocompleteRequest, CommandServices, Request } from '../shared.ts';

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
 * Adds a watch for the person; one that waits for the same takes its place. Resolves with it once it is stored.
 * @throws UserError where the person has too many, or Discord opens no direct messages with them
 */
export async function addWatch(
  wanted: Pick<Subscription, 'source' | 'filter'> & { watch: Watch },
  request: Request,
): Promise<Subscription> {
  const { subscriptions, clock } = request.services;
  const same = () => watchesOf(request).find((other) => isSame(other, { ...wanted, channelId: other.channelId }));
  const requireRoom = () => {
    if (!same() && watchesOf(request).length >= MOST_WATCHES) {
      throw new UserError(message('watch.tooMany', { most: MOST_WATCHES }));
    }
  };
  requireRoom();
  const person = await personOf(request);
  const watch = newWatch({
    ...wanted,
    id: same()?.id ?? randomUUID(),
    guildId: placeOfPerson(request.person.id),
    channelId: person.channelId,
    ...pacingOf(person),
    createdBy: request.person.id,
    createdAtMs: clock.now(),
  });
  await subscriptions.save(watch, requireRoom);
  return watch;
}

/** Whether two watches wait for the same, at whatever price. */
function isSame(
  one: Subscription,
  other: Pick<Subscription, 'source' | 'filter' | 'channelId'> & { watch: Watch },
): boolean {
  if (one.watch?.aim !== other.watch.aim || one.watch.product?.key !== other.watch.product?.key) return false;
  return other.watch.product !== null || isSameRequest(one, { ...other, kinds: one.kinds });
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
  await people.save(person);
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
    product: { key: productKey(offer), title: offer.title, offerId: offer.id },
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
