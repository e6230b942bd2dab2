import PQueue from 'p-queue';
import type { Backend } from '../../shared/storage/backend.ts';
import { readLook } from '../deals/look.ts';
import type { Subscription } from '../deals/subscription.ts';
import { rowReader, sweep } from './rows.ts';

/** The subscriptions. All are in memory, and every change is written through before it shows. */
export interface SubscriptionStore {
  all(): Subscription[];
  get(id: string): Subscription | undefined;
  ofGuild(guildId: string): Subscription[];
  /** @param check inspects the others right before the save; an error that it throws rejects, and nothing is saved */
  save(subscription: Subscription, check?: () => void): Promise<void>;
  /** Changes a subscription if it still exists; one that was removed meanwhile stays removed. */
  update(id: string, change: (subscription: Subscription) => Subscription): Promise<void>;
  remove(id: string): Promise<void>;
  /** Like `remove`, but `restore` can undo it for `RESTORABLE_MS`. */
  removeRestorably(id: string, nowMs: number): Promise<void>;
  /** A removed subscription as it was, as long as it can be restored. */
  restorable(id: string, nowMs: number): Promise<Subscription | undefined>;
  /**
   * Undoes a removal: the subscription has its id and all its settings again. Nothing changes where it exists already,
   * or can't be restored any more.
   * @param check as for `save`
   */
  restore(id: string, nowMs: number, check: () => void): Promise<void>;
  /** Forgets the removed subscriptions that can't be restored any more. */
  sweep(nowMs: number): Promise<void>;
  /** Calls the listener after every later change is stored; `undefined` means that the subscription was removed. */
  onChange(listener: (id: string, subscription: Subscription | undefined) => void): void;
}

/** How long a removal can be undone: longer than anyone keeps the answer with the button on their screen. */
export const RESTORABLE_MS = 24 * 3_600_000;

interface RemovedRow {
  version: 1;
  subscription: Subscription;
  removedAtMs: number;
}

const readRemovedRow = rowReader<RemovedRow>([1], { subscription: 'object', removedAtMs: 'number' });

const readRow = rowReader<Subscription>([2], {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  source: 'object',
  createdAtMs: 'number',
  kinds: 'list',
  filter: 'string',
  timing: 'object',
  mostPerHour: 'number',
  tagIds: 'list',
});

/** undefined where the row is malformed. A look that can't be read is the server's. */
function read(row: unknown): Subscription | undefined {
  const subscription = readRow(row);
  return subscription?.look ? { ...subscription, look: readLook(subscription.look) } : subscription;
}

function readRemoved(row: unknown): RemovedRow | undefined {
  const removed = readRemovedRow(row);
  const subscription = removed && read(removed.subscription);
  return subscription && { ...removed, subscription };
}

export async function openSubscriptions(backend: Backend): Promise<SubscriptionStore> {
  const table = backend.table<Subscription>('subscriptions', { read, isDurable: true });
  const removedTable = backend.table<RemovedRow>('removed_subscriptions', { read: readRemoved, isDurable: true });
  const subscriptions = new Map<string, Subscription>();
  for await (const [id, record] of table.entries()) subscriptions.set(id, record);
  const listeners: ((id: string, subscription: Subscription | undefined) => void)[] = [];
  /** One change at a time, so that two changes of the same record don't overwrite each other. */
  const changes = new PQueue({ concurrency: 1 });

  async function write(subscription: Subscription): Promise<void> {
    await table.set(subscription.id, subscription);
    subscriptions.set(subscription.id, subscription);
    emit(subscription.id);
  }
  async function erase(id: string): Promise<void> {
    await table.delete(id);
    subscriptions.delete(id);
    emit(id);
  }
  function emit(id: string): void {
    for (const listener of listeners) listener(id, subscriptions.get(id));
  }
  async function restorable(id: string, nowMs: number): Promise<Subscription | undefined> {
    const row = await removedTable.get(id);
    return row && !isForgotten(row, nowMs) ? row.subscription : undefined;
  }

  return {
    all: () => [...subscriptions.values()],
    get: (id) => subscriptions.get(id),
    ofGuild: (guildId) => [...subscriptions.values()].filter((subscription) => subscription.guildId === guildId),
    save: (subscription, check) =>
      changes.add(async () => {
        check?.();
        await write(subscription);
      }),
    update: (id, change) =>
      changes.add(async () => {
        const subscription = subscriptions.get(id);
        if (subscription) await write(change(subscription));
      }),
    remove: (id) => changes.add(() => erase(id)),
    removeRestorably: (id, removedAtMs) =>
      changes.add(async () => {
        const subscription = subscriptions.get(id);
        if (!subscription) return;
        // First, so that a crash in between loses nothing: while the subscription exists, the other row means nothing.
        await removedTable.set(id, { version: 1, subscription, removedAtMs });
        await erase(id);
      }),
    restorable,
    restore: (id, nowMs, check) =>
      changes.add(async () => {
        const subscription = subscriptions.has(id) ? undefined : await restorable(id, nowMs);
        if (!subscription) return;
        check();
        await write({ ...subscription, changedAtMs: nowMs });
        await removedTable.delete(id);
      }),
    sweep: (nowMs) => changes.add(() => sweep(removedTable, (row) => isForgotten(row, nowMs))),
    onChange: (listener) => void listeners.push(listener),
  };
}

function isForgotten({ removedAtMs }: RemovedRow, nowMs: number): boolean {
  // A moment in the future tells nothing: the clock has been set back since.
  return Math.abs(nowMs - removedAtMs) > RESTORABLE_MS;
}
