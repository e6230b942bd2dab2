import type { Deliverer } from '../src/announcements/delivery/deliverer.ts';
import type { Hindsight } from '../src/announcements/hindsight/hindsight.ts';
import type { Poster } from '../src/announcements/poster.ts';
import type { Catalog } from '../src/catalog/catalog.ts';
import type { Clock } from '../src/clock.ts';
import type { ChatCommand, MessageCommand } from '../src/discord/command.ts';
import type { OfferBook } from '../src/offers/offer-book.ts';
import type { OfferSearch } from '../src/offers/search.ts';
import type { DeliveryStore } from '../src/store/deliveries.ts';
import type { Store } from '../src/store/store.ts';
import type { SubscriptionStore } from '../src/store/subscriptions.ts';

/** The parts of the bot that commands work with. */
export interface Shared {
  catalog: Catalog;
  offers: OfferBook;
  search: OfferSearch;
  subscriptions: SubscriptionStore;
  deliveries: Pick<DeliveryStore, 'findRollUp' | 'ended' | 'pending' | 'pendingRollUp'>;
  poster: Poster;
  deliverer: Pick<Deliverer, 'retry' | 'status' | 'limitOf'>;
  /** This Dealbell, and since when it runs: epoch milliseconds. */
  about: { version: string; startedAtMs: number };
  /** Why nothing can be written down; null while it can. */
  stateTrouble: Store['trouble'];
  hindsight: Hindsight;
  /** The names of the feeds that the catalog has, as they are spelled. */
  feeds: readonly string[];
  /** How many subscriptions a server may have. */
  mostSubscriptions: number;
  clock: Clock;
}

export type Command = ChatCommand<Shared>;
export type MessageMenuCommand = MessageCommand<Shared>;
