import PQueue from 'p-queue';
import type { Backend, Table } from '../../shared/storage/backend.ts';
import type { Subscription } from '../deals/subscription.ts';
import { rowReader, sweep } from './rows.ts';
import { readSubscription, readWatch, rowOf } from './subscription-rows.ts';

/**
 * The subscriptions of servers, and the watches of people. All are in memory, and every change is written through before
 * it shows.
 */
export interface SubscriptionStore {
  all(): Subscription[];
  /** Subscriptions of servers alone, without watches. */
  ofServers(): Subscription[];
  get(id: string): Subscription | undefined;
  /** Subscriptions of a server or, by `placeOfPerson`, the watches of a person. */
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
  /**
   * Saves and removes many subscriptions of servers at once: all or none, whatever is cut off.
   * @param decide called right before, so that it decides on what is stored by then; what it throws rejects, and nothing
   *   is done
   */
  apply(decide: () => SubscriptionChanges): Promise<void>;
  /** Forgets the removed subscriptions that can't be restored any more. */
  sweep(nowMs: number): Promise<void>;
  /** Calls the listener after every later change is stored. */
  onChange(listener: SubscriptionListener): void;
}

/**
 * Hears of a change.
 * @param subscription `undefined` where it was removed
 * @param before as it was until then; `undefined` where it is new
 */
type SubscriptionListener = (
  id: string,
  subscription: Subscription | undefined,
  before: Subscription | undefined,
) => void;

export interface SubscriptionChanges {
  saved: readonly Subscription[];
  /** The ids of those to remove. */
  removed: readonly string[];
}

/** How long a removal can be undone: longer than anyone keeps the answer with the button on their screen. */
export const RESTORABLE_MS = 24 * 3_600_000;

interface RemovedRow {
  version: 1;
  subscription: Subscription;
  removedAtMs: number;
}

const readRemovedRow = rowReader<RemovedRow>([1], { subscription: 'object', removedAtMs: 'number' });

function readRemoved(row: unknown): RemovedRow | undefined {
  const removed = readRemovedRow(row);
  const subscription = removed && readSubscription(removed.subscription);
  return subscription && { ...removed, subscription };
}

export async function openSubscriptions(backend: Backend): Promise<SubscriptionStore> {
  const table = backend.table<Subscription>('subscriptions', { read: readSubscription, write: rowOf, isDurable: true });
  const removedTable = backend.table<RemovedRow>('removed_subscriptions', { read: readRemoved, isDurable: true });
  // A table of their own: an earlier version would post a watch's whole feed to the person.
  const watches = backend.table<Subscription>('watches', { read: readWatch, write: rowOf, isDurable: true });
  const subscriptions = await readAll([table, watches]);
  const tableOf = (subscription: Subscription | undefined) => (subscription?.watch ? watches : table);
  const listeners: SubscriptionListener[] = [];
  /** One change at a time, so that two changes of the same record don't overwrite each other. */
  const changes = new PQueue({ concurrency: 1 });

  async function write(subscription: Subscription): Promise<void> {
    await tableOf(subscription).set(subscription.id, subscription);
    emit(subscription.id, subscriptions.set(subscription));
  }
  async function erase(id: string): Promise<void> {
    await tableOf(subscriptions.get(id)).delete(id);
    emit(id, subscriptions.delete(id));
  }
  function emit(id: string, before: Subscription | undefined): void {
    for (const listener of listeners) listener(id, subscriptions.get(id), before);
  }
  const restorable = (id: string, nowMs: number) => restorableIn(removedTable, id, nowMs);

  return {
    all: () => subscriptions.all(),
    ofServers: () => subscriptions.all().filter(({ watch }) => watch === undefined),
    get: (id) => subscriptions.get(id),
    ofGuild: (guildId) => subscriptions.ofGuild(guildId),
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
        const subscription = subscriptions.get(id) ? undefined : await restorable(id, nowMs);
        if (!subscription) return;
        check();
        await write({ ...subscription, changedAtMs: nowMs });
        await removedTable.delete(id);
      }),
    apply: (decide) =>
      changes.add(async () => {
        const { saved, removed } = decide();
        await backend.change('subscriptions', { set: saved.map((one) => [one.id, rowOf(one)]), deleted: removed });
        const before = subscriptions.byIds([...removed, ...saved.map((one) => one.id)]);
        for (const one of saved) subscriptions.set(one);
        for (const id of removed) subscriptions.delete(id);
        for (const [id, was] of before) emit(id, was);
      }),
    sweep: (nowMs) => changes.add(() => sweep(removedTable, (row) => isForgotten(row, nowMs))),
    onChange: (listener) => void listeners.push(listener),
  };
}

async function readAll(tables: readonly Table<Subscription>[]): Promise<Subscriptions> {
  const subscriptions = new Subscriptions();
  const share = sharing();
  for (const table of tables) {
    for await (const page of table.pages()) for (const [, record] of page) subscriptions.load(share(record));
  }
  return subscriptions;
}

async function restorableIn(
  removedTable: Table<RemovedRow>,
  id: string,
  nowMs: number,
): Promise<Subscription | undefined> {
  const row = await removedTable.get(id);
  return row && !isForgotten(row, nowMs) ? row.subscription : undefined;
}

/** Returns a function that gives records their equal parts in common: a million of them take half the memory so. */
function sharing(): (record: Subscription) => Subscription {
  const filters = new Map<string, string>();
  const kinds = sharer<Subscription['kinds']>();
  const tags = sharer<string[]>();
  const sources = sharer<Subscription['source']>();
  const timings = sharer<Subscription['timing']>();
  return (record) => {
    const { filter, source, timing } = record;
    const known = filters.get(filter);
    if (known === undefined) filters.set(filter, filter);
    else record.filter = known;
    record.source = sources(source.kind === 'feed' ? source.feed : source.kind, source);
    record.kinds = kinds(record.source, record.kinds);
    record.tagIds = tags(record.tagIds.length, record.tagIds);
    record.timing = timings(timing.timeZone, timing);
    return record;
  };
}

/**
 * Returns a function that answers with the first equal part that it was given. The last one of a group is compared first,
 * because a comparison takes a fraction of the time of a look-up by text.
 */
function sharer<P extends object>(): (group: unknown, part: P) => P {
  const byText = new Map<string, P>();
  const last = new Map<unknown, P>();
  return (group, part) => {
    const likely = last.get(group);
    if (likely && isSame(likely, part)) return likely;
    const text = JSON.stringify(part);
    const shared = byText.get(text) ?? part;
    byText.set(text, shared);
    last.set(group, shared);
    return shared;
  };
}

/** Whether two values that were read from JSON are equal. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((value, index) => isSame(value, b[index]));
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => isSame(a[key as keyof object], b[key as keyof object]))
  );
}

function isForgotten({ removedAtMs }: RemovedRow, nowMs: number): boolean {
  // A moment in the future tells nothing: the clock has been set back since.
  return Math.abs(nowMs - removedAtMs) > RESTORABLE_MS;
}

/** The subscriptions by id and, because a person's watches are looked up at each of their messages, by place. */
class Subscriptions {
  readonly #byId = new Map<string, Subscription>();
  readonly #byGuild = new Map<string, Subscription[]>();

  get(id: string): Subscription | undefined {
    return this.#byId.get(id);
  }

  /** The subscriptions of these ids: undefined where there is none. */
  byIds(ids: readonly string[]): Map<string, Subscription | undefined> {
    return new Map(ids.map((id) => [id, this.#byId.get(id)]));
  }

  all(): Subscription[] {
    return [...this.#byId.values()];
  }

  ofGuild(guildId: string): Subscription[] {
    return [...(this.#byGuild.get(guildId) ?? [])];
  }

  /** Adds one that has been read, which shares the ids of its server and of the person with another one of the server. */
  load(subscription: Subscription): void {
    const { id, guildId, createdBy } = subscription;
    if (this.#byId.has(id)) this.delete(id);
    this.#byId.set(id, subscription);
    const ofGuild = this.#byGuild.get(guildId);
    const [neighbour] = ofGuild ?? [];
    if (!ofGuild || !neighbour) {
      this.#byGuild.set(guildId, [subscription]);
      return;
    }
    subscription.guildId = neighbour.guildId;
    if (neighbour.createdBy === createdBy) subscription.createdBy = neighbour.createdBy;
    ofGuild.push(subscription);
  }

  /** Returns what it replaces. */
  set(subscription: Subscription): Subscription | undefined {
    const { id, guildId } = subscription;
    const before = this.#byId.get(id);
    if (before && before.guildId !== guildId) this.delete(id);
    this.#byId.set(id, subscription);
    const ofGuild = this.#byGuild.get(guildId);
    if (!ofGuild) this.#byGuild.set(guildId, [subscription]);
    else if (before?.guildId === guildId) ofGuild[ofGuild.indexOf(before)] = subscription;
    else ofGuild.push(subscription);
    return before;
  }

  /** Returns what it deletes. */
  delete(id: string): Subscription | undefined {
    const subscription = this.#byId.get(id);
    if (!subscription) return undefined;
    this.#byId.delete(id);
    const { guildId } = subscription;
    const others = this.ofGuild(guildId).filter((one) => one !== subscription);
    if (others.length > 0) this.#byGuild.set(guildId, others);
    else this.#byGuild.delete(guildId);
    return subscription;
  }
}
