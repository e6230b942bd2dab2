import PQueue from 'p-queue';
import type { Backend } from '../../shared/storage/backend.ts';
import { newSubscription } from '../announcements/kinds/of-source.ts';
import { readLook } from '../deals/look.ts';
import type { Source, Subscription } from '../deals/subscription.ts';
import { rowReader } from './rows.ts';

/** A subscription from before filters, kinds and timing. */
interface FirstSubscription
  extends Pick<Subscription, 'id' | 'guildId' | 'channelId' | 'createdBy' | 'createdAtMs' | 'catchUp' | 'problem'> {
  version: 1;
  source: { kind: 'feed'; feed: string } | { kind: 'events' } | { kind: 'dealcasts' };
  isPaused: boolean;
}

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
  /** Calls the listener after every later change is stored; `undefined` means that the subscription was removed. */
  onChange(listener: (id: string, subscription: Subscription | undefined) => void): void;
}

type SubscriptionRow = Subscription | FirstSubscription;

const readRow = rowReader<SubscriptionRow>([1, 2], {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  source: 'object',
  createdAtMs: 'number',
});
const readSecond = rowReader<Subscription>([2], {
  kinds: 'list',
  filter: 'string',
  timing: 'object',
  mostPerHour: 'number',
  tagIds: 'list',
});

/** undefined where the row is malformed. */
function read(row: unknown): SubscriptionRow | undefined {
  const subscription = readRow(row);
  if (subscription?.version !== 2) return subscription;
  const second = readSecond(row);
  return second?.look ? { ...second, look: readLook(second.look) } : second;
}

export async function openSubscriptions(backend: Backend): Promise<SubscriptionStore> {
  const table = backend.table<SubscriptionRow>('subscriptions', { read, isDurable: true });
  const subscriptions = new Map<string, Subscription>();
  for await (const [id, record] of table.entries()) subscriptions.set(id, upgraded(record));
  const listeners: ((id: string, subscription: Subscription | undefined) => void)[] = [];
  /** One change at a time, so that two changes of the same record don't overwrite each other. */
  const changes = new PQueue({ concurrency: 1 });

  async function write(subscription: Subscription): Promise<void> {
    await table.set(subscription.id, subscription);
    subscriptions.set(subscription.id, subscription);
    emit(subscription.id);
  }
  function emit(id: string): void {
    for (const listener of listeners) listener(id, subscriptions.get(id));
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
    remove: (id) =>
      changes.add(async () => {
        await table.delete(id);
        subscriptions.delete(id);
        emit(id);
      }),
    onChange: (listener) => void listeners.push(listener),
  };
}

function upgraded(record: SubscriptionRow): Subscription {
  if (record.version === 2) return record;
  const { version: _, isPaused, ...kept } = record;
  const source: Source = kept.source.kind === 'events' ? { kind: 'events', sites: [], types: [] } : kept.source;
  return { ...newSubscription({ ...kept, source }), problem: kept.problem, pausedBy: isPaused ? 'gone' : null };
}
