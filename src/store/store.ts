import type { SpendingStore } from '../catalog/catalog.ts';
import { type Clock, systemClock } from '../clock.ts';
import { openBackend } from './backend.ts';
import { type DeliveryStore, openDeliveries } from './deliveries.ts';
import { type EditStore, openEdits } from './edits.ts';
import { type KnownStore, openKnown } from './known.ts';
import { type OfferStore, openOffers, openProducts, type ProductStore } from './offers.ts';
import { openPaces, type PaceStore } from './paces.ts';
import { openPosts, type PostStore } from './posts.ts';
import { openPublications, type PublicationStore } from './publications.ts';
import { openResources, type ResourceStore } from './resources.ts';
import { openSpending } from './spending.ts';
import { openSubscriptions, type SubscriptionStore } from './subscriptions.ts';

/** The bot's whole state. */
export interface Store {
  subscriptions: SubscriptionStore;
  resources: ResourceStore;
  known: KnownStore;
  offers: OfferStore;
  products: ProductStore;
  deliveries: DeliveryStore;
  posts: PostStore;
  edits: EditStore;
  publications: PublicationStore;
  paces: PaceStore;
  spending: SpendingStore;
  /** True until `markSetUp`: nothing has been set up in this state yet. */
  isNew: boolean;
  markSetUp(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the state and reads what is kept in memory.
 * @throws StoreError where it can't be opened or read; what is there is left as it is
 */
export async function openStore(
  stateUrl: string,
  clock: Pick<Clock, 'now' | 'monotonicMs'> = systemClock,
): Promise<Store> {
  const backend = openBackend(stateUrl);
  const about = backend.table<{ version: 1 }>('about');
  return {
    isNew: (await about.get('state')) === undefined,
    markSetUp: () => about.set('state', { version: 1 }),
    subscriptions: await openSubscriptions(backend),
    resources: await openResources(backend),
    known: openKnown(backend),
    offers: openOffers(backend),
    products: openProducts(backend),
    deliveries: await openDeliveries(backend),
    posts: openPosts(backend),
    edits: await openEdits(backend),
    publications: await openPublications(backend),
    paces: await openPaces(backend, clock),
    spending: openSpending(backend),
    close: () => backend.close(),
  };
}
