import { type ResourceKey, resourceOf, type Subscription } from '../deals/subscription.ts';
import { personAt } from '../deals/watch.ts';
import type { RecordListener } from './table/records.ts';

/** The active subscriptions by the resource that they follow, kept up to date with each change. */
export class Followers {
  readonly #byResource = new Map<ResourceKey, ResourceFollowers>();

  /** The followed resources with their followers. */
  all(): ReadonlyMap<ResourceKey, ResourceFollowers> {
    return this.#byResource;
  }

  /** undefined where nobody follows the resource. */
  of(resource: ResourceKey): ResourceFollowers | undefined {
    return this.#byResource.get(resource);
  }

  readonly listener: RecordListener<Subscription> = (_, subscription, before) => {
    const was = before && followedBy(before);
    const is = subscription && followedBy(subscription);
    if (before && was && was !== is) {
      const followers = this.#byResource.get(was);
      followers?.delete(before);
      if (followers?.size === 0) this.#byResource.delete(was);
    }
    if (!subscription || !is) return;
    const followers = this.#byResource.get(is) ?? new ResourceFollowers();
    this.#byResource.set(is, followers);
    followers.set(subscription);
  };
}

/** null for a paused subscription. */
function followedBy({ pausedBy, source }: Subscription): ResourceKey | null {
  return pausedBy === null ? resourceOf(source) : null;
}

/** The active subscriptions to one resource. */
export class ResourceFollowers {
  readonly #byId = new Map<string, Subscription>();
  readonly #catchingUp = new Map<string, Subscription>();
  /** null after a change. */
  #weight: number | null = null;

  get size(): number {
    return this.#byId.size;
  }

  /** The subscriptions to which the next answer owes the newest of what is live. */
  catchingUp(): Subscription[] {
    return [...this.#catchingUp.values()];
  }

  /** How much the resource's polls matter, as `weightOf` counts. */
  weight(): number {
    this.#weight ??= weightOf(this.#byId.values());
    return this.#weight;
  }

  set(subscription: Subscription): void {
    this.#weight = null;
    this.#byId.set(subscription.id, subscription);
    if (subscription.catchUp > 0) this.#catchingUp.set(subscription.id, subscription);
    else this.#catchingUp.delete(subscription.id);
  }

  delete({ id }: Subscription): void {
    this.#weight = null;
    this.#byId.delete(id);
    this.#catchingUp.delete(id);
  }
}

/**
 * The weight of a resource's followers: a server with one subscription counts 1, and 1 more for each doubling. A server
 * with thousands of subscriptions weighs about as much as twelve others, and can't take their polls.
 */
function weightOf(followers: Iterable<Pick<Subscription, 'guildId'>>): number {
  const byServer = new Map<string, number>();
  for (const { guildId } of followers) {
    // All people together weigh like one server: anybody can watch, and none of them may take a server's polls.
    const place = personAt(guildId) === null ? guildId : '';
    byServer.set(place, (byServer.get(place) ?? 0) + 1);
  }
  return [...byServer.values()].reduce((sum, count) => sum + 1 + Math.log2(count), 0);
}
