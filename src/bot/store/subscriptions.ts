import PQueue from 'p-queue';
import type { Backend } from '../../shared/storage/backend.ts';
import { newSubscription } from '../announcements/kinds/of-source.ts';
import type { Source, Subscription } from '../deals/subscription.ts';
import { rowReader } from './rows.ts';

/** What was kept before subscriptions had filters, kinds and times. */
interface FirstSubscription
  extends Pick<Subscription, 'id' | 'guildId' | 'channelId' | 'createdBy' | 'createdAtMs' | 'catchUp' | 'problem'> {
  version: 1;
  source: { kind: 'feed'; feed: string } | { kind: 'events' } | { kind: 'dealcasts' };
  isPaused: boolean;
}

/** The subscriptions: all of them in memory, every change written through before it shows. */
export interface SubscriptionStore {
  all(): Subscription[];
  get(id: string): Subscription | undefined;
  ofGuild(guildId: string): Subscription[];
  /** @param check looks at the others right before it is saved; what it throws rejects, and nothing is saved */
  save(subscription: Subscription, check?: () => void): Promise<void>;
  /** Changes one if it is still there; nothing brings back what was removed meanwhile. */
  update(id: string, change: (subscription: Subscription) => Subscription): Promise<void>;
  remove(id: string): Promise<void>;
  /** Tells of every change from here on, once it is kept; `undefined` stands for what was removed. */
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

/** undefined where it is none. */
function read(row: unknown): SubscriptionRow | undefined {
  const subscription = readRow(row);
  return subscription?.version === 2 ? readSecond(row) : subscription;
}

export async function openSubscriptions(backend: Backend): Promise<SubscriptionStore> {
  const table = backend.table<SubscriptionRow>('subscriptions', { read, isDurable: true });
  const subscriptions = new Map<string, Subscription>();
  for await (const [id, record] of table.entries()) subscriptions.set(id, upgraded(record));
  const listeners: ((id: string, subscription: Subscription | undefined) => void)[] = [];
  /** One change at a time, so that two that read the same record don't undo each other. */
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
