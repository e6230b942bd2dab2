import type { Announcement } from '../deals/announcement.ts';
import type { Backend } from './backend.ts';

/** One announcement on its way to one channel. */
export interface Delivery {
  version: 2;
  /** The same for the same announcement and channel, whenever and however often it is computed. */
  id: string;
  guildId: string;
  channelId: string;
  /** Whose wish it is. */
  matches: DeliveryMatch[];
  announcement: Announcement;
  createdAtMs: number;
  /** Place among those of the same moment. */
  sequence: number;
  /** Not to be posted before this moment: epoch milliseconds. */
  dueAtMs: number;
  /** Whether it waits to be posted together with others, in a digest. */
  isDigest: boolean;
  /** Whether it was found after a long gap between two looks: many such become one post of what is still live. */
  isLate: boolean;
}

/** A subscription that wants an announcement, and the terms of its filter that say so, for people to read. */
export interface DeliveryMatch {
  subscriptionId: string;
  terms: string[];
}

/** What was kept before deliveries had a time and said what matched. */
interface FirstDelivery extends Omit<Delivery, 'version' | 'matches' | 'dueAtMs' | 'isDigest' | 'isLate'> {
  version: 1;
  subscriptionIds: string[];
}

/** How a delivery ended. */
export interface LedgerEntry {
  version: 1;
  channelId: string;
  /** null where it was given up: the channel is gone, or it was over before it could be posted. */
  messageId: string | null;
  endedAtMs: number;
}

/**
 * Deliveries: the outbox holds what is still to be posted, the ledger what has been. An id that is in the ledger never
 * enters the outbox again. Between the two writes of `end` a delivery is in both; opening clears that up.
 */
export interface DeliveryStore {
  /** The channels that something is to be posted to. */
  channels(): string[];
  /** What is to be posted to a channel, oldest first. */
  pending(channelId: string): readonly Delivery[];
  /** Puts in what is neither pending nor in the ledger, all or nothing. Returns what was put in. */
  add(deliveries: readonly Delivery[]): Promise<Delivery[]>;
  /** Into the ledger, then out of the outbox. */
  end(id: string, entry: LedgerEntry): Promise<void>;
  /** Out of the outbox, as if it had never been put in: nobody wants it any more, and it has not been posted. */
  withdraw(delivery: Delivery): Promise<void>;
}

export async function openDeliveries(backend: Backend): Promise<DeliveryStore> {
  const outbox = backend.table<Delivery | FirstDelivery>('outbox');
  const ledger = backend.table<LedgerEntry>('ledger');

  async function inLedger(ids: readonly string[]): Promise<Set<string>> {
    const entries = await ledger.getMany(ids);
    return new Set(ids.filter((_, index) => entries[index] !== undefined));
  }

  const stored = new Map<string, Delivery>();
  for await (const [id, delivery] of outbox.entries()) stored.set(id, upgraded(delivery));
  const ended = await inLedger([...stored.keys()]);
  await outbox.deleteMany([...ended]);

  const pending = new Map<string, Delivery>();
  const byChannel = new Map<string, Delivery[]>();
  remember([...stored.values()].filter(({ id }) => !ended.has(id)));

  function remember(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      pending.set(delivery.id, delivery);
      byChannel.set(delivery.channelId, [...(byChannel.get(delivery.channelId) ?? []), delivery]);
    }
    for (const channelId of new Set(deliveries.map((delivery) => delivery.channelId))) {
      byChannel.get(channelId)?.sort((a, b) => a.createdAtMs - b.createdAtMs || a.sequence - b.sequence);
    }
  }

  async function addNow(deliveries: readonly Delivery[]): Promise<Delivery[]> {
    const unique = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    // The outbox is looked at first: only what is in it can move to the ledger, so nothing slips by between the two looks.
    const candidates = [...unique.values()].filter(({ id }) => !pending.has(id));
    const done = await inLedger(candidates.map(({ id }) => id));
    const fresh = candidates.filter(({ id }) => !done.has(id));
    await outbox.setMany(fresh.map((delivery) => [delivery.id, delivery]));
    remember(fresh);
    return fresh;
  }

  async function takeOut(id: string, channelId: string): Promise<void> {
    await outbox.delete(id);
    pending.delete(id);
    const rest = (byChannel.get(channelId) ?? []).filter((delivery) => delivery.id !== id);
    if (rest.length > 0) byChannel.set(channelId, rest);
    else byChannel.delete(channelId);
  }

  // One addition at a time: another's could otherwise be added, posted and ended between the two looks above.
  let turn: Promise<unknown> = Promise.resolve();

  return {
    channels: () => [...byChannel.keys()],
    pending: (channelId) => byChannel.get(channelId) ?? [],
    add(deliveries) {
      const added = turn.then(() => addNow(deliveries));
      turn = added.catch(() => undefined);
      return added;
    },
    async end(id, entry) {
      await ledger.set(id, entry);
      await takeOut(id, entry.channelId);
    },
    withdraw: ({ id, channelId }) => takeOut(id, channelId),
  };
}

function upgraded(record: Delivery | FirstDelivery): Delivery {
  if (record.version === 2) return record;
  const { subscriptionIds, ...kept } = record;
  return {
    ...kept,
    version: 2,
    matches: subscriptionIds.map((subscriptionId) => ({ subscriptionId, terms: [] })),
    announcement: { ...kept.announcement, occurrence: '' },
    dueAtMs: kept.createdAtMs,
    isDigest: false,
    isLate: false,
  };
}
