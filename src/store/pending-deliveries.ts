import { type Delivery, idsOf, type RollUp } from './delivery.ts';

/** The outbox in memory. */
export class PendingDeliveries {
  /** All pending ids, those that a roll-up replaces included. */
  readonly #ids = new Set<string>();
  readonly #byChannel = new Map<string, Delivery[]>();
  readonly #rollUps = new Map<string, RollUp>();
  /** The members of each channel's roll-up, in their form as individual deliveries. */
  readonly #members = new Map<string, readonly Delivery[]>();

  constructor(deliveries: readonly Delivery[]) {
    this.add(deliveries);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  channels(): string[] {
    return [...new Set([...this.#byChannel.keys(), ...this.#rollUps.keys()])];
  }

  /** The deliveries to be posted individually, first due first. */
  in(channelId: string): readonly Delivery[] {
    return this.#byChannel.get(channelId) ?? [];
  }

  rollUpIn(channelId: string): RollUp | undefined {
    return this.#rollUps.get(channelId);
  }

  /** The members of the channel's roll-up, as the deliveries that they are. */
  membersIn(channelId: string): readonly Delivery[] {
    return this.#members.get(channelId) ?? [];
  }

  findRollUp(id: string): RollUp | undefined {
    return [...this.#rollUps.values()].find((rollUp) => rollUp.id === id);
  }

  /** The channel's pending deliveries, members of its roll-up included, by their ids and those that they stand for. */
  byId(channelId: string): ReadonlyMap<string, Delivery> {
    const all = [...this.in(channelId), ...this.membersIn(channelId)];
    return new Map(all.flatMap((delivery) => idsOf(delivery).map((id) => [id, delivery] as const)));
  }

  add(deliveries: readonly Delivery[]): void {
    const fresh = new Map<string, Delivery[]>();
    for (const delivery of deliveries) {
      for (const id of idsOf(delivery)) this.#ids.add(id);
      const together = fresh.get(delivery.channelId) ?? [];
      fresh.set(delivery.channelId, together);
      together.push(delivery);
    }
    for (const [channelId, together] of fresh) {
      this.#byChannel.set(channelId, [...this.in(channelId), ...together].sort(firstDueFirst));
    }
  }

  /** Replaces pending deliveries. A roll-up that one is a member of stays as it was tried. */
  replace(deliveries: readonly Delivery[]): void {
    const changed = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    const exchange = (one: Delivery) => changed.get(one.id) ?? one;
    for (const channelId of new Set(deliveries.map((delivery) => delivery.channelId))) {
      const [alone, members] = [this.#byChannel.get(channelId), this.#members.get(channelId)];
      if (alone) this.#byChannel.set(channelId, alone.map(exchange).sort(firstDueFirst));
      if (members) this.#members.set(channelId, members.map(exchange));
    }
  }

  /** Makes the roll-up stand for its members. */
  rollUp(rollUp: RollUp): void {
    const { id, channelId, replaces } = rollUp;
    const replaced = new Set(replaces);
    this.#ids.add(id);
    this.#rollUps.set(channelId, rollUp);
    this.#members.set(
      channelId,
      this.in(channelId).filter((delivery) => replaced.has(delivery.id)),
    );
    this.#keep(channelId, replaced);
  }

  /** Makes the members of the channel's roll-up pending on their own again. */
  dissolve(channelId: string): void {
    const members = this.#members.get(channelId) ?? [];
    this.remove(channelId, [this.#rollUps.get(channelId)?.id ?? '']);
    this.add(members);
  }

  remove(channelId: string, gone: readonly string[]): void {
    for (const id of gone) this.#ids.delete(id);
    const rollUp = this.#rollUps.get(channelId);
    if (rollUp && gone.includes(rollUp.id)) {
      this.#rollUps.delete(channelId);
      this.#members.delete(channelId);
    }
    this.#keep(channelId, new Set(gone));
  }

  #keep(channelId: string, without: ReadonlySet<string>): void {
    const rest = this.in(channelId).filter(({ id }) => !without.has(id));
    if (rest.length > 0) this.#byChannel.set(channelId, rest);
    else this.#byChannel.delete(channelId);
  }
}

function firstDueFirst(a: Delivery, b: Delivery): number {
  return a.dueAtMs - b.dueAtMs || a.createdAtMs - b.createdAtMs || a.sequence - b.sequence;
}
