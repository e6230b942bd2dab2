import { type Clock, systemClock } from '../../shared/clock.ts';
import { type Backend, type OnOperation, openBackend } from '../../shared/storage/backend.ts';
import { type Lease, type LeaseParts, takeLease } from '../../shared/storage/lease.ts';
import { isOnPostgres } from '../../shared/storage/state-place.ts';
import type { SpendingStore } from '../catalog/catalog.ts';
import { aboutTable, readAbout, requireReadable } from './about.ts';
import { type AuditStore, openAudits } from './audits.ts';
import { copyAside } from './backup.ts';
import { type DeliveryStore, openDeliveries } from './deliveries.ts';
import { type EditStore, openEdits } from './edits.ts';
import { type ImportStore, openImports } from './imports.ts';
import { type KnownStore, openKnown } from './known.ts';
import { type LookStore, openLooks } from './looks.ts';
import { migrate, STATE_VERSION } from './migrations.ts';
import { type NewestMessageStore, openNewestMessages } from './newest-messages.ts';
import { type OfferStore, openOffers, openProducts, type ProductStore } from './offers.ts';
import { openPaces, type PaceStore } from './paces.ts';
import { openPeople, type PeopleStore } from './people.ts';
import { openPostingPause, type PostingPauseStore } from './posting-pause.ts';
import { openPosts, type PostStore } from './posts.ts';
import { openPrices, type PriceStore } from './prices.ts';
import { openPublications, type PublicationStore } from './publications.ts';
import { openResources, type ResourceStore } from './resources.ts';
import { openSpending } from './spending.ts';
import { openSubscriptions, type SubscriptionStore } from './subscriptions.ts';

/** The bot's whole state. */
export interface Store {
  subscriptions: SubscriptionStore;
  people: PeopleStore;
  looks: LookStore;
  imports: ImportStore;
  audits: AuditStore;
  postingPause: PostingPauseStore;
  resources: ResourceStore;
  known: KnownStore;
  offers: OfferStore;
  products: ProductStore;
  prices: PriceStore;
  deliveries: DeliveryStore;
  posts: PostStore;
  edits: EditStore;
  publications: PublicationStore;
  paces: PaceStore;
  newestMessages: NewestMessageStore;
  spending: SpendingStore;
  /** True until `markSetUp`: the first set-up of this state is still to be done. */
  isNew: boolean;
  markSetUp(): Promise<void>;
  /** Why writing fails; null while writes succeed. */
  writeProblem: Backend['writeProblem'];
  /**
   * Resolves when this process may act on the state; rejects with a StateInUseError when another process has taken it
   * over.
   */
  confirm: () => Promise<void>;
  /** The number of this process's taking of the lease: see `Lease.epoch`; 0 without an owner. */
  epoch: number;
  /** From when on something may be posted, by the monotonic clock: see `Lease.clearFromMs`. */
  clearFromMs: number;
  /** Makes a backup: see `Backend.copyTo`. */
  copyTo: Backend['copyTo'];
  close(): Promise<void>;
}

/** The owner of a state that other processes may want to write as well. */
export interface StateOwner extends LeaseParts {
  /** The program's own version. */
  dealbell: string;
  onOperation?: OnOperation;
}

/**
 * Opens the state and reads the parts that are kept in memory.
 * @param owner takes the state's lease; without an owner, no other process may have the state open
 * @throws StateInUseError where another process holds the lease
 * @throws StoreError where the state can't be opened or read, or is newer than this program; it is left unchanged
 */
export async function openStore(
  stateUrl: string,
  clock: Pick<Clock, 'now' | 'monotonicMs'> = systemClock,
  owner: StateOwner | null = null,
): Promise<Store> {
  const backend = openBackend(stateUrl, owner ?? undefined);
  let lease: Lease | null = null;
  try {
    requireReadable(await readAbout(backend));
    lease = owner ? await takeLease(backend.lease, owner) : null;
    // Read again: the holder that this process waited for may have set the state up, or migrated it.
    const stored = await readAbout(backend);
    requireReadable(stored);
    const dealbell = owner?.dealbell ?? '';
    if (stored) {
      await migrate(backend, { version: stored.version, dealbell }, async (version) => {
        const step = { from: version, to: STATE_VERSION };
        if (isOnPostgres(stateUrl)) {
          // A database server has backups of its own: see docs/operating.md.
          owner?.log.warn(step, 'converting the state without a copy: only a pg_dump from before can undo it');
          return;
        }
        const copy = await copyAside(backend, stateUrl, `version-${version + 1}`, clock.now());
        owner?.log.info({ ...step, copy }, 'converting the state, of which a copy was made');
      });
    }
    return {
      isNew: stored === undefined,
      markSetUp: () => aboutTable(backend).set('state', { version: STATE_VERSION, dealbell }),
      copyTo: backend.copyTo,
      ...(await openTables(backend, clock)),
      confirm: async () => lease?.confirm(),
      epoch: lease?.epoch ?? 0,
      clearFromMs: lease?.clearFromMs ?? 0,
      async close() {
        try {
          await lease?.release();
        } finally {
          await backend.close();
        }
      },
    };
  } catch (error) {
    await lease?.release().catch(() => undefined);
    await backend.close();
    throw error;
  }
}

async function openTables(backend: Backend, clock: Pick<Clock, 'now' | 'monotonicMs'>) {
  return {
    subscriptions: await openSubscriptions(backend),
    people: await openPeople(backend),
    looks: await openLooks(backend),
    imports: openImports(backend),
    audits: await openAudits(backend),
    postingPause: await openPostingPause(backend),
    resources: await openResources(backend),
    known: openKnown(backend),
    offers: openOffers(backend),
    products: openProducts(backend),
    prices: openPrices(backend),
    deliveries: await openDeliveries(backend),
    posts: openPosts(backend),
    edits: await openEdits(backend),
    publications: await openPublications(backend),
    paces: await openPaces(backend, clock),
    newestMessages: await openNewestMessages(backend),
    spending: openSpending(backend),
    writeProblem: backend.writeProblem,
  };
}
