import { type Clock, systemClock } from '../shared/clock.ts';
import { copyAside } from './backup.ts';
import {
  KNOWN,
  openEventSales,
  openKnown,
  openOffers,
  openProducts,
  openResources,
  openSpending,
  PRODUCT,
} from './catalog-records.ts';
import {
  openAudits,
  openEdits,
  openNewestMessages,
  openPins,
  openPublications,
  openRemovals,
  openUnpublished,
  UNPUBLISHED,
} from './channel-records.ts';
import { LEDGER, openDeliveries, ROLL_UP } from './deliveries.ts';
import { type AboutRecord, describe, migrate, STATE_VERSION } from './migrations.ts';
import { beginState, type OpenedState, openState, readAbout } from './open-state.ts';
import { openPaces } from './paces.ts';
import { openPosts } from './posts.ts';
import { openPrices } from './prices.ts';
import { openScheduledEvents } from './scheduled-events.ts';
import {
  IMPORT,
  openAlerts,
  openBotUser,
  openHubs,
  openImports,
  openLooks,
  openPendingRoles,
  openPeople,
  openPingsPanels,
  openPostingPause,
} from './server-records.ts';
import { openSubscriptions, REMOVED_SUBSCRIPTION } from './subscriptions.ts';
import type { BackendParts } from './table/database.ts';
import { type Lease, type LeaseParts, takeLease } from './table/lease.ts';
import type { Changes, OnOperation, State } from './table/state.ts';
import { isOnServer } from './table/state-place.ts';

/** The bot's whole state: see `openStore`. */
export type Store = Awaited<ReturnType<typeof openStore>>;

/** The owner of a state that other processes may want to write as well. */
export interface StateOwner extends LeaseParts, Pick<Partial<BackendParts>, 'networkClock' | 'onAway' | 'isPatient'> {
  /** The program's own version. */
  dealbell: string;
  onOperation?: OnOperation;
}

/**
 * Opens the state and reads the parts that are kept in memory.
 * @param owner takes the state's lease; without an owner, no other process may have the state open
 * @throws StateInUseError where another process holds the lease
 * @throws StoreError where the state can't be opened or read, or is of another form; it is left unchanged
 */
export async function openStore(
  stateUrl: string,
  clock: Pick<Clock, 'now' | 'monotonicMs'> = systemClock,
  owner: StateOwner | null = null,
) {
  const opened = openState(stateUrl, owner ?? undefined);
  const { backend, state } = opened;
  let lease: Lease | null = null;
  try {
    await readAbout(opened);
    lease = owner ? await takeLease(backend.lease, owner) : null;
    // Read again: the holder that this process waited for may have set the state up, or migrated it.
    const about = (await readAbout(opened)) ?? (await beginState(state, owner?.dealbell ?? ''));
    await convert(opened, about, { stateUrl, clock, owner });
    const open = () => openRecords(state, clock);
    // By a slow database this takes minutes, in which the process may be stopped, or have handed the state over.
    const records = await (owner ? unlessAborted(owner.signal, open) : open());
    const redate = () =>
      records.paces.redate().catch((error: unknown) => {
        owner?.log.error({ err: error }, 'could not adjust the hourly limits to the new clock');
      });
    lease?.onRenewed(() => void redate());
    return {
      ...records,
      /** True until `markSetUp`: the first set-up of this state is still to be done. */
      isNew: !about.isSetUp,
      markSetUp: (changes: Changes) => describe(changes, { ...about, version: STATE_VERSION, isSetUp: true }),
      /** Why writing fails; null while writes succeed. */
      writeProblem: backend.writeProblem,
      /** See `Database.scrub`. */
      scrub: () => (lease ? lease.whileBusy(() => backend.scrub()) : backend.scrub()),
      /** Makes a backup: see `Backend.copyTo`. */
      copyTo: (path: string) => backend.copyTo(path),
      /**
       * Resolves when this process may act on the state; rejects with a StateInUseError when another process has taken
       * it over.
       * @param withinMs as for `Lease.confirm`
       */
      confirm: async (withinMs?: number) => lease?.confirm(withinMs),
      /** The number of this process's taking of the lease: see `Lease.epoch`; 0 without an owner. */
      epoch: lease?.epoch ?? 0,
      /** From when on something may be posted, by the monotonic clock: see `Lease.clearFromMs`. */
      clearFromMs: lease?.clearFromMs ?? 0,
      async close(): Promise<void> {
        try {
          await redate();
          await state.settled();
          await lease?.release();
        } finally {
          await backend.close();
        }
      },
    };
  } catch (error) {
    await lease?.release().catch(() => undefined);
    await backend.close();
    owner?.signal.throwIfAborted();
    throw error;
  }
}

/** Settles as `work` does; rejects with the signal's reason where that aborts first. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function convert(
  opened: OpenedState,
  about: AboutRecord,
  { stateUrl, clock, owner }: { stateUrl: string; clock: Pick<Clock, 'now'>; owner: StateOwner | null },
): Promise<void> {
  await migrate(opened, { about, dealbell: owner?.dealbell ?? '' }, async (version) => {
    const step = { from: version, to: STATE_VERSION };
    if (isOnServer(stateUrl)) {
      // A database server has backups of its own: see docs/operating.md.
      owner?.log.warn(step, 'converting the state without a copy: only a pg_dump from before can undo it');
      return;
    }
    const copy = await copyAside(opened.backend, stateUrl, `version-${version + 1}`, clock.now());
    owner?.log.info({ ...step, copy }, 'converting the state, of which a copy was made');
  });
}

/** Opens the records of all kinds, and reads those that are kept in memory. */
export async function openRecords(state: State, clock: Pick<Clock, 'now' | 'monotonicMs'>) {
  const eventSales = await openEventSales(state);
  return {
    /** Stores changes of any records together: see `State`. */
    commit: <R>(decide: (changes: Changes) => R) => state.commit(decide),
    transact: <R>(decide: (changes: Changes) => Promise<R>) => state.transact(decide),
    subscriptions: await openSubscriptions(state),
    people: await openPeople(state),
    looks: await openLooks(state),
    imports: openImports(state),
    pingsPanels: await openPingsPanels(state),
    scheduledEvents: await openScheduledEvents(state),
    pendingRoles: await openPendingRoles(state),
    audits: await openAudits(state),
    postingPause: await openPostingPause(state),
    botUser: await openBotUser(state),
    alerts: await openAlerts(state),
    hubs: await openHubs(state),
    resources: await openResources(state),
    known: openKnown(state),
    eventSales,
    offers: openOffers(state),
    products: openProducts(state),
    prices: openPrices(state),
    deliveries: await openDeliveries(state),
    posts: openPosts(state),
    edits: await openEdits(state),
    publications: await openPublications(state),
    removals: await openRemovals(state),
    pins: await openPins(state),
    unpublished: openUnpublished(state),
    paces: await openPaces(state, clock),
    newestMessages: await openNewestMessages(state),
    spending: openSpending(state),
    /** Forgets what has been kept for long enough; observed prices and posts excepted. */
    async sweep(nowMs: number): Promise<void> {
      await state.sweepOld(LEDGER, nowMs);
      await state.sweepOld(ROLL_UP, nowMs);
      await state.sweepOld(KNOWN, nowMs);
      await state.sweepOld(PRODUCT, nowMs);
      await state.sweepOld(IMPORT, nowMs);
      await state.sweepOld(UNPUBLISHED, nowMs);
      await state.sweepOld(REMOVED_SUBSCRIPTION, nowMs);
      await eventSales.sweep(nowMs);
    },
  };
}
