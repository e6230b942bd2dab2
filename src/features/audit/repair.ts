import type { CurrentState } from '../../announcements/current-state.ts';
import type { Deliverer } from '../../announcements/deliver/deliverer.ts';
import { activeSubscriptions } from '../../announcements/deliver/plan.ts';
import { entityKey, subjectOf } from '../../announcements/kinds/index.ts';
import { deliveriesOf, type Match, type OutboxParts, putIn } from '../../announcements/outbox/enqueue.ts';
import { matchedTerms } from '../../deals/filter/index.ts';
import { filterOf } from '../../deals/filter-of.ts';
import type { Setting } from '../../deals/settings.ts';
import type { MessagePlace } from '../../discord/outcome.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { type Delivery, idsOf, type LedgerEntry, type RollUpMember } from '../../store/delivery.ts';
import type { Records } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import type { Audit, Watching } from './audit.ts';
import type { Finding } from './compare.ts';

/** What a repair does: posts what is owed, edits what is untrue, deletes what is too many, records what the ledger lacks. */
export type RepairStep = 'post' | 'edit' | 'delete' | 'record';

/**
 * Why a finding is left as it is. `deleted`: somebody has deleted the post, and it isn't asked for again. `over`: its deal
 * is over. `unwanted`: no active subscription wants it any more. `unknown`: nothing is recorded of what it was. `changed`:
 * it isn't found any more, or something is under way.
 */
export type LeftBecause = 'deleted' | 'over' | 'unwanted' | 'unknown' | 'changed';

/** What became of a finding: a step is queued, and done by the outbox or the upkeep of posts. */
export type Repaired = { finding: Finding } & ({ step: RepairStep } | { left: LeftBecause });

type Became = { step: RepairStep } | { left: LeftBecause };

/** What identifies a finding in a later audit. */
export type FindingKey = Pick<Finding, 'what' | 'channelId' | 'deliveryId'> & { messageId: string | null };

/** What a repair does about a finding; null where it leaves it. @param withDeleted posts again what somebody has deleted */
export function stepFor(what: Finding['what'], withDeleted: boolean): RepairStep | null {
  switch (what) {
    case 'unposted':
      return 'post';
    case 'missing':
      return withDeleted ? 'post' : null;
    case 'untrue':
      return 'edit';
    case 'twice':
    case 'copy':
      return 'delete';
    case 'unrecorded':
      return 'record';
  }
}

export function keyOf({ what, channelId, deliveryId, place }: Finding): FindingKey {
  return { what, channelId, deliveryId, messageId: place?.messageId ?? null };
}

const textOf = ({ what, channelId, deliveryId, messageId }: FindingKey) =>
  JSON.stringify([what, channelId, deliveryId, messageId]);

interface RepairParts {
  store: Records;
  audit: Audit;
  deliverer: Deliverer;
  currentState: CurrentState;
  /** All those that a subscription can have. */
  settings: readonly Setting[];
  clock: Clock;
  log: Log;
}

/** What a delivery was posted with. */
type PostedWith = Pick<RollUpMember, 'deliveryId' | 'announcement' | 'matches' | 'alsoTells'>;

/**
 * Repairs what an audit has found, where another audit of the same channels still finds it. One commit for each channel
 * queues all that is to be done there: the outbox posts, and the upkeep of posts edits and deletes, as they always do. So
 * a repair that was cut off is made again, and does nothing twice.
 */
export class Repair {
  readonly #parts: RepairParts;

  constructor(parts: RepairParts) {
    this.#parts = parts;
  }

  /**
   * Rejects with a StoreError.
   * @param wanted what is to be repaired
   * @param withDeleted posts again what somebody has deleted
   */
  async run(
    wanted: readonly FindingKey[],
    { withDeleted, ...watching }: Watching & { withDeleted: boolean },
  ): Promise<Repaired[]> {
    const { audit, deliverer, log } = this.#parts;
    const isWanted = new Set(wanted.map(textOf));
    const { findings } = await audit.runThrough(new Set(wanted.map(({ channelId }) => channelId)), watching);
    const all: Repaired[] = [];
    for (const channelId of new Set(findings.map((finding) => finding.channelId))) {
      if (watching.signal.aborted) break;
      const own = findings.filter((one) => one.channelId === channelId && isWanted.has(textOf(keyOf(one))));
      const repaired = await this.#inChannel(own, withDeleted);
      all.push(...repaired);
      const steps = repaired.flatMap((one) => ('step' in one ? [one.step] : []));
      if (steps.length > 0) log.info({ channel: channelId, steps }, 'what the audit found is being repaired');
    }
    deliverer.kick();
    return all;
  }

  #inChannel(findings: readonly Finding[], withDeleted: boolean): Promise<Repaired[]> {
    const { store, clock } = this.#parts;
    return store.transact(async (changes) => {
      const repair = new ChannelRepair(this.#parts, changes, clock.now());
      const repaired: Repaired[] = [];
      for (const finding of findings) {
        const isAsked = stepFor(finding.what, withDeleted) !== null;
        repaired.push({ finding, ...(isAsked ? await repair.make(finding) : { left: 'deleted' }) });
      }
      await repair.enqueue();
      return repaired;
    });
  }
}

/** The repair of one channel, in a commit that reads what is so by now. */
class ChannelRepair {
  readonly #parts: RepairParts;
  readonly #changes: Changes;
  readonly #nowMs: number;
  /** The deliveries that go back into the outbox: one stands for several findings where its post holds several. */
  readonly #reopened = new Set<string>();
  readonly #owed: Match[] = [];

  constructor(parts: RepairParts, changes: Changes, nowMs: number) {
    this.#parts = parts;
    this.#changes = changes;
    this.#nowMs = nowMs;
  }

  async make(finding: Finding): Promise<Became> {
    const { deliveries } = this.#parts.store;
    const { what, deliveryId, place, owed } = finding;
    const ended = deliveryId === null ? undefined : await deliveries.ended(deliveryId);
    if (deliveryId !== null && deliveries.isPending(deliveryId)) return { left: 'changed' };
    switch (what) {
      case 'unposted':
        if (ended || !owed) return { left: 'changed' };
        this.#owed.push(...owed.matches.map((match) => this.#withTerms(match)));
        return { step: 'post' };
      case 'missing':
        return ended?.messageId === place?.messageId ? this.#postAgain(finding, ended) : { left: 'changed' };
      case 'untrue':
        return this.#correct(finding);
      case 'twice':
      case 'copy':
        return ended?.messageId === place?.messageId ? { left: 'changed' } : this.#remove(finding);
      case 'unrecorded':
        return this.#record(finding, ended);
    }
  }

  /** Enqueues all that is owed, so that one post tells all of one thing. */
  async enqueue(): Promise<void> {
    const { store, deliverer } = this.#parts;
    const { deliveries, subscriptions } = store;
    const isApart: OutboxParts['isApart'] = (...asked) => deliverer.isApart(...asked);
    const owed = deliveriesOf(this.#owed, this.#nowMs, false, { isApart, mentions: deliverer.mentions });
    await putIn({ deliveries, subscriptions, isApart }, this.#changes, owed);
  }

  #withTerms(match: Match): Match {
    const filter = filterOf(match.subscription, this.#parts.settings);
    const terms = filter ? matchedTerms(filter, subjectOf(match.announcement), this.#nowMs) : [];
    return { ...match, terms };
  }

  async #postAgain(finding: Finding, ended: LedgerEntry | undefined): Promise<Became> {
    const { store, currentState } = this.#parts;
    const posted = await this.#postedWith(finding, ended);
    if (!posted) return { left: 'unknown' };
    if (this.#reopened.has(posted.deliveryId)) return { step: 'post' };
    // It is about to be known that the message is gone.
    const isEdited = store.edits.pending(finding.channelId).some(({ deliveryId }) => deliveryId === posted.deliveryId);
    if (isEdited) return { left: 'changed' };
    if (currentState.fateOf(posted.announcement, this.#nowMs) !== 'live') return { left: 'over' };
    if (activeSubscriptions(posted.matches, store.subscriptions).length === 0) return { left: 'unwanted' };
    this.#reopen(this.#delivered(posted, finding), null);
    if (finding.post) store.posts.forget(this.#changes, finding.post);
    return { step: 'post' };
  }

  async #correct({ post, place }: Finding): Promise<Became> {
    const { store, deliverer } = this.#parts;
    const now = post && (await store.posts.get(entityKey(post.announcement), post.deliveryId));
    if (now?.messageId !== place?.messageId || !now) return { left: 'changed' };
    deliverer.correct(this.#changes, now);
    return { step: 'edit' };
  }

  #remove({ guildId, channelId, place }: Finding): Became {
    if (!place) return { left: 'unknown' };
    const { channelId: messageChannelId, messageId } = place;
    const removal = { guildId, channelId, messageChannelId, messageId, queuedAtMs: this.#nowMs };
    this.#parts.store.removals.add(this.#changes, [removal]);
    return { step: 'delete' };
  }

  /** Records a message that stands. Where it is known what it tells, it is kept up to date from then on. */
  async #record(finding: Finding, ended: LedgerEntry | undefined): Promise<Became> {
    const { deliveries } = this.#parts.store;
    const { channelId, deliveryId, place, owed } = finding;
    if (!place || deliveryId === null) return { left: 'unknown' };
    const posted = await this.#postedWith(finding, ended);
    const [delivery] = posted
      ? [this.#delivered(posted, finding)]
      : deliveriesOf(owed?.matches.map((match) => this.#withTerms(match)) ?? [], this.#nowMs, false, {
          mentions: this.#parts.deliverer.mentions,
        });
    if (delivery) this.#reopen({ ...delivery, dueAtMs: this.#nowMs, isDigest: false }, place);
    else if (ended) return { left: 'unknown' };
    else await deliveries.noteFound(this.#changes, channelId, new Map([[deliveryId, place]]), this.#nowMs);
    return { step: 'record' };
  }

  #reopen(delivery: Delivery, standing: MessagePlace | null): void {
    this.#reopened.add(delivery.id);
    this.#parts.store.deliveries.reopen(this.#changes, delivery, standing);
  }

  /** What a delivery was posted with; null where nothing is recorded of it. */
  async #postedWith({ deliveryId, post }: Finding, ended: LedgerEntry | undefined): Promise<PostedWith | null> {
    if (post) return post;
    const rollUp = ended?.rollUpId ? await this.#parts.store.deliveries.findRollUp(ended.rollUpId) : undefined;
    return (
      rollUp?.members.find((member) => idsOf({ id: member.deliveryId, ...member }).includes(deliveryId ?? '')) ?? null
    );
  }

  #delivered(
    { deliveryId: id, announcement, matches, alsoTells }: PostedWith,
    { guildId, channelId }: Finding,
  ): Delivery {
    const nowMs = this.#nowMs;
    const sequence = this.#reopened.size;
    const about = { id, guildId, channelId, announcement, matches, alsoTells, sequence };
    return { ...about, createdAtMs: nowMs, dueAtMs: nowMs, isDigest: false, isLate: false };
  }
}
