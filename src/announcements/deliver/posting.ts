import { announcementDelayMs } from '../../deals/announcement.ts';
import { nextTryMs, personAt } from '../../deals/person.ts';
import { type AsideMessage, isPlainNext, type ThingsAside } from '../../discord/bad-answers.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { PostOutcome } from '../../discord/courier.ts';
import { messageUrl } from '../../discord/format.ts';
import {
  type ChannelFailure,
  type Failure,
  isAboutChannel,
  type MessagePlace,
  unlessUnexplained,
} from '../../discord/outcome.ts';
import { asNextTry, asTried, type Delivery, type DeliveryMatch, type RollUp, rollUpOf } from '../../store/delivery.ts';
import { postsIn } from '../../store/paces.ts';
import type { Changes } from '../../store/table/state.ts';
import type { Fate } from '../current-state.ts';
import {
  AGAIN,
  type Channel,
  type DelivererParts,
  DONE,
  type PostAttachment,
  type Result,
  type Task,
} from './channel.ts';
import { markedBy } from './kept.ts';
import { cardHash, type Messages, type PostingOptions } from './message.ts';
import {
  activeSubscriptions,
  type HourlyLimit,
  nextStep,
  type PublishingSituation,
  type ReachedLimit,
  reasonOf,
  type Step,
  waitUntil,
} from './plan.ts';
import { publicationKey } from './publishing.ts';
import type { Recording } from './recording.ts';
import { scoreOfAnnouncement } from './score.ts';
import { type ChannelProblems, guildOf } from './servers.ts';
import type { Upkeep } from './upkeep.ts';

/** Recomputed times within this are the same: they may differ by rounding. */
const SAME_MOMENT_MS = 1_000;

/** The address of a post: people's direct messages belong to no server. */
const linkTo = (guildId: string, place: MessagePlace) =>
  messageUrl(personAt(guildId) === null ? guildId : '@me', place);

/** The message to post. */
interface Rendering {
  title: string;
  card: () => Card;
  /** Makes the card that is tried where Discord refuses the first; null for no second try. */
  plain: ((refused: Card) => Card) | null;
  /** The card with all that the post shows besides. */
  whole: (card: Card) => Card;
}

interface PostingParts extends DelivererParts {
  messages: Messages;
  recording: Recording;
  channelProblems: ChannelProblems;
  /** What Discord answers badly: deliveries and roll-ups by id. */
  aside: ThingsAside<AsideMessage | null>;
  upkeep: Upkeep;
}

/** Empties the outbox of a channel. */
export class Posting implements Task {
  readonly #parts: PostingParts;
  /** The halves of roll-ups that were answered badly, by the ids of their members. */
  readonly #groups = new Map<string, string>();

  constructor(parts: PostingParts) {
    this.#parts = parts;
  }

  dueAtMs(channel: Channel): number {
    if (channel.isGone) return 0;
    const step = this.#plan(channel);
    this.#logLimit(channel, step.do === 'wait' ? step.limit : null);
    return step.do === 'wait' ? Math.min(step.untilMs, this.#waitsUntilMs(channel)) : 0;
  }

  async step(channel: Channel): Promise<Result> {
    if (channel.isGone) return this.#endAll(channel);
    if (channel.isDoubtful) return this.#confirm(channel);
    if (!channel.isReconciled || channel.hasOverdueTry) return this.#reconcile(channel);
    const step = this.#plan(channel);
    switch (step.do) {
      case 'post':
        return this.#post(channel, step.delivery);
      case 'post-together':
        return this.#postTogether(channel, step.deliveries, step.limit);
      case 'repeat-roll-up':
        return this.#postRollUp(channel, step.rollUp, null);
      case 'dissolve':
        return this.#dissolve(step.rollUp);
      case 'wait':
        return AGAIN;
    }
  }

  /** How the channel's hourly limit holds back due deliveries; null where it does not. */
  limitOf(channel: Channel): ReachedLimit | null {
    const step = this.#plan(channel);
    return step.do === 'wait' ? step.limit : null;
  }

  /**
   * Until when a person who takes no direct messages is left alone: epoch milliseconds; `nowMs` for anybody else. Kept in
   * the state, because each refused message counts against the bot, and a restart would try all of them again.
   */
  closedUntilMs(channelId: string, nowMs: number): number {
    const { deliveries, people } = this.#parts.store;
    const personId = personAt(guildOf(deliveries, channelId) ?? '');
    return personId ? nextTryMs(people.get(personId)?.closed ?? null, nowMs) : nowMs;
  }

  /** Whether a delivery waits on although it is due, because its offer is missing or in doubt: it costs nothing then. */
  isHeld(delivery: Delivery): boolean {
    return this.#fateOf(delivery) === 'held';
  }

  /**
   * Restores the attempts of an earlier run of which the outcome is not known: they were counted before they were made.
   * Those of a process that may still send count as made now, because its clock may differ from this one's.
   */
  restoreTries(channel: Channel): void {
    const { store, clock, clearFromMs = 0 } = this.#parts;
    const [place, nowMs] = [postsIn(channel.id), clock.now()];
    const tries =
      clock.monotonicMs() < clearFromMs
        ? store.paces.kept(place).map(({ id }) => ({ id, atMs: nowMs }))
        : store.paces.of(place, nowMs);
    for (const { id, atMs } of tries) if (store.deliveries.isPending(id)) channel.beginTry(id, nowMs - atMs);
  }

  #plan(channel: Channel): Step {
    const { store, clock } = this.#parts;
    const { deliveries, subscriptions, paces } = store;
    const nowMs = clock.now();
    const retryMs = this.closedUntilMs(channel.id, nowMs);
    if (retryMs > nowMs) return waitUntil(retryMs);
    return nextStep({
      pending: deliveries.pending(channel.id).filter((delivery) => !this.#waits(channel, delivery)),
      rollUp: deliveries.pendingRollUp(channel.id),
      subscriptions,
      posted: paces.of(postsIn(channel.id), nowMs).filter(({ id }) => !deliveries.isPending(id)),
      mayArrive: channel.mayArrive(),
      isRollUpAside: this.#isRollUpAside(deliveries.pendingRollUp(channel.id)),
      isApart: (delivery) => this.#parts.messages.isApart(delivery),
      groupOf: (id) => (this.#parts.aside.againAtMs(id) === null ? this.#groups.get(id) : id),
      publishing: this.#parts.isPublishedOnly?.(channel.id) ? this.#publishingOf(channel, nowMs) : null,
      nowMs,
    });
  }

  #publishingOf(channel: Channel, nowMs: number): PublishingSituation {
    const { store, upkeep, currentState, clock } = this.#parts;
    const atMs = channel.readyAtMs('publish');
    const isLimited = atMs > nowMs && (channel.pausedBecause('publish') ?? 'later') === 'later';
    const isWaiting = store.publications.pending(channel.id).some((one) => upkeep.againAtMs(publicationKey(one)) === 0);
    return {
      unpublished: isWaiting ? { allowedAtMs: isLimited ? atMs : null } : null,
      isContested: clock.monotonicMs() < channel.contestedUntilMs,
      scoreOf: ({ announcement }) => scoreOfAnnouncement(currentState.of(announcement), currentState.stock, nowMs),
    };
  }

  #isRollUpAside(rollUp: RollUp | undefined): boolean {
    return rollUp !== undefined && this.#parts.aside.againAtMs(rollUp.id) !== null;
  }

  /**
   * Whether a delivery is held, has stepped aside, or is not to be posted any more while an attempt to do that may still
   * arrive.
   */
  #waits(channel: Channel, delivery: Delivery): boolean {
    const { aside, clock } = this.#parts;
    const fate = this.#fateOf(delivery);
    if (fate === 'live') return (aside.againAtMs(delivery.id) ?? 0) > clock.now();
    return fate === 'held' || channel.mayArrive().has(delivery.id);
  }

  /**
   * When a delivery that waits is to be tried again, or looked for where it may have been posted: epoch milliseconds;
   * Infinity for none.
   */
  #waitsUntilMs(channel: Channel): number {
    const { store, aside, clock } = this.#parts;
    const held = store.deliveries.pending(channel.id).filter((delivery) => this.#waits(channel, delivery));
    const againMs = held.flatMap(({ id }) => aside.againAtMs(id) ?? []).filter((atMs) => atMs > clock.now());
    return Math.min(...held.map(({ id }) => channel.settlesAtMs(id)), ...againMs, Number.POSITIVE_INFINITY);
  }

  /** Logs a limit once each time it is reached. */
  #logLimit(channel: Channel, limit: ReachedLimit | null): void {
    if (!limit) channel.loggedLimitMs = 0;
    else if (Math.abs(channel.loggedLimitMs - limit.nextPostAtMs) > SAME_MOMENT_MS) {
      const { mostPerHour, waiting, nextPostAtMs } = limit;
      channel.loggedLimitMs = nextPostAtMs;
      this.#parts.log.info(
        { channel: channel.id, mostPerHour, waiting, nextPostAt: new Date(nextPostAtMs).toISOString() },
        'hourly limit reached',
      );
    }
  }

  /** Reads a channel, and records in the ledger the deliveries that it already contains. */
  async #reconcile(channel: Channel): Promise<Result> {
    const { store, recording, courier, clock, log } = this.#parts;
    const { deliveries, newestMessages } = store;
    const { id: channelId } = channel;
    const startedMs = clock.monotonicMs();
    const outcome = await courier.findPosted(channelId, newestMessages.of(channelId));
    if (isAboutChannel(outcome)) return this.#shut(channel, guildOf(deliveries, channelId) ?? '', outcome);
    if (outcome.kind !== 'found') {
      log.warn({ channel: channelId, reason: outcome.reason }, 'the channel could not be read');
      return { kind: 'unknown' };
    }
    if (outcome.isCutOff) log.warn({ channel: channelId }, 'only the newest messages of a channel were checked');
    const { posted } = outcome;
    await store.transact(async (changes) => {
      for (const delivery of deliveries.pending(channelId)) {
        const place = posted.get(delivery.id);
        if (place) recording.found(changes, channel, delivery, place, delivery.announcement);
      }
      const rollUp = deliveries.pendingRollUp(channelId);
      const place = rollUp && posted.get(rollUp.id);
      if (place) recording.rollUp(changes, channel, rollUp, place, new Set());
      await deliveries.noteFound(changes, channelId, posted, clock.now());
      for (const { messageId } of posted.values()) newestMessages.note(changes, channelId, messageId);
    });
    for (const id of posted.keys()) this.#parts.aside.end(id);
    channel.wasRead(startedMs);
    return AGAIN;
  }

  async #attachmentsOf(delivery: Delivery): Promise<readonly PostAttachment[]> {
    const { messages, currentState, clock } = this.#parts;
    const { id: deliveryId, announcement, guildId, channelId, matches } = delivery;
    const { appearance: look } = messages.options(guildId, matches, clock.now());
    return messages.attachmentsOf(currentState.of(announcement), { deliveryId, guildId, channelId, look });
  }

  /** Makes one attempt to post a single delivery. */
  async #post(channel: Channel, delivery: Delivery): Promise<Result> {
    const { store, messages, recording, channelProblems, currentState, clock, log } = this.#parts;
    const { id, guildId, channelId } = delivery;
    const attachments = await this.#attachmentsOf(delivery);
    const announcement = currentState.of(delivery.announcement);
    const found = (await store.deliveries.foundPlaces([id])).get(id);
    if (found) {
      await store.commit((changes) => recording.found(changes, channel, delivery, found, announcement));
      return DONE;
    }
    if (this.#fateOf(delivery) !== 'live') {
      await store.commit((changes) => this.#drop(changes, delivery));
      return AGAIN;
    }
    const nowMs = clock.now();
    const wasTried = channel.mayArrive().has(id);
    const tried = wasTried ? asTried(delivery) : asNextTry(delivery);
    const { matches } = tried;
    const options = messages.options(guildId, matches, nowMs);
    const unshown = { deliveryId: id, guildId, channelId, matches, look: options.appearance };
    const keeper = messages.keeperOf(announcement, unshown, nowMs);
    const shown = markedBy(keeper, unshown, messages.keepers());
    const title = messages.title(announcement, guildId);
    const { outcome, card, isPlain } = await this.#attempt(channel, tried, options, {
      title,
      card: () => messages.card(announcement, shown, nowMs),
      plain: (refused) => messages.plain(announcement, refused, guildId),
      whole: (card) => messages.whole(card, attachments, announcement, shown),
    });
    if (outcome.kind !== 'sent') return this.#failed(channel, delivery, outcome);
    const { place } = outcome;
    // Discord may have answered with the message of an earlier attempt, which shows what was so then.
    const shownHash = card && !wasTried ? cardHash(card) : null;
    await store.commit((changes) => {
      channelProblems.resolve(changes, delivery);
      recording.post(changes, channel, tried, { place, announcement, cardHash: shownHash, keeper, options });
      this.#noteNewest(changes, channel, delivery, place);
    });
    const wasAside = this.#parts.aside.end(id, !isPlain);
    const delayMs = announcementDelayMs(announcement, clock.now());
    const link = linkTo(guildId, place);
    log.info({ delivery: id, channel: channelId, kind: announcement.kind, title, delayMs, link }, 'announced');
    if (wasAside) log.info({ delivery: id, channel: channelId, title }, 'Discord has taken it after all');
    return DONE;
  }

  /**
   * Makes one attempt to post a roll-up of the deliveries that are still live and wanted. The roll-up is made only here,
   * and stored with its first attempt, so it can't go stale while the channel is paused.
   */
  async #postTogether(channel: Channel, gathered: readonly Delivery[], limit: HourlyLimit | null): Promise<Result> {
    const { store, recording, currentState } = this.#parts;
    const { deliveries, subscriptions } = store;
    const found = await deliveries.foundPlaces(gathered.map(({ id }) => id));
    const live = gathered.filter((delivery) => !found.has(delivery.id) && this.#fateOf(delivery) === 'live');
    if (live.length < gathered.length) {
      await store.commit((changes) => {
        for (const delivery of gathered) {
          const place = found.get(delivery.id);
          if (place) recording.found(changes, channel, delivery, place, currentState.of(delivery.announcement));
          else this.#drop(changes, delivery);
        }
      });
    }
    const [first, ...others] = live;
    if (!first) return AGAIN;
    // A single delivery needs no roll-up.
    if (others.length === 0) return this.#post(channel, first);
    const reason = reasonOf(live, subscriptions, limit !== null);
    return this.#postRollUp(channel, rollUpOf([first, ...others], reason), limit);
  }

  /** @param isBad whether it was refused or answered badly: then its halves are tried */
  async #dissolve(rollUp: RollUp, isBad = this.#isRollUpAside(rollUp)): Promise<Result> {
    const { store, aside } = this.#parts;
    const { id, members } = rollUp;
    await store.commit((changes) => {
      store.paces.forget(changes, postsIn(rollUp.channelId), id);
      store.deliveries.dissolve(changes, rollUp);
    });
    if (!isBad) return AGAIN;
    aside.end(id);
    for (const [index, { deliveryId }] of members.entries()) {
      this.#groups.set(deliveryId, `${id}/${index < members.length / 2 ? 1 : 2}`);
    }
    return AGAIN;
  }

  /**
   * Notes that the ledger is complete up to this post. It is not while another attempt may have arrived before: that is to
   * be found when the channel is read.
   */
  #noteNewest(changes: Changes, channel: Channel, { id }: Delivery | RollUp, { messageId }: MessagePlace): void {
    if (!channel.hasTriesBesides(id)) this.#parts.store.newestMessages.note(changes, channel.id, messageId);
  }

  /** Forgets the halves of roll-ups whose deliveries have ended. */
  sweep(): void {
    const { deliveries } = this.#parts.store;
    for (const id of this.#groups.keys()) if (!deliveries.isPending(id)) this.#groups.delete(id);
  }

  /** @param limit the hourly limit, where it is the only reason for the roll-up */
  async #postRollUp(channel: Channel, rollUp: RollUp, limit: HourlyLimit | null): Promise<Result> {
    const { store, messages, recording, channelProblems, clock, log } = this.#parts;
    const { id, channelId, members } = rollUp;
    const found = (await store.deliveries.foundPlaces([id])).get(id);
    if (found) {
      await store.commit((changes) => recording.rollUp(changes, channel, rollUp, found, new Set()));
      return DONE;
    }
    const nowMs = clock.now();
    // One that is missing by now stays in a roll-up that is repeated: it may stand in the channel already.
    const shown = members.filter((member) => ['live', 'held'].includes(this.#fateOf(member)));
    const isShown = new Set(shown.map(({ deliveryId }) => deliveryId));
    const missed = members.filter(({ deliveryId }) => !isShown.has(deliveryId));
    const over = new Set(missed.flatMap(({ deliveryId, alsoTells }) => [deliveryId, ...alsoTells]));
    if (shown.length === 0) {
      log.info({ delivery: id, channel: channelId }, 'every item of a roll-up ended before it could be posted');
      await store.commit((changes) => {
        recording.unposted(changes, rollUp, 'over', over);
        recording.uncount(changes, rollUp);
      });
      return AGAIN;
    }
    const content = { ...rollUp, members: shown };
    const options = messages.rollUpOptions(content, nowMs);
    const wasTried = channel.mayArrive().has(id);
    const { outcome } = await this.#attempt(channel, rollUp, options, {
      title: messages.rollUpTitle(content),
      card: () => messages.rollUp(content, limit, options.appearance, nowMs),
      plain: null,
      whole: (card) => card,
    });
    // While an earlier try may still arrive, its members must not be posted apart.
    const isOpen = outcome.kind === 'refused' && wasTried;
    if (isOpen) return this.#failed(channel, rollUp, { kind: 'unknown', reason: outcome.reason });
    if (outcome.kind !== 'sent') return this.#failed(channel, rollUp, outcome);
    const { place } = outcome;
    await store.commit((changes) => {
      channelProblems.resolve(changes, rollUp);
      recording.rollUp(changes, channel, rollUp, place, over);
      this.#noteNewest(changes, channel, rollUp, place);
    });
    this.#parts.aside.end(id);
    const link = linkTo(rollUp.guildId, place);
    log.info({ delivery: id, channel: channelId, count: shown.length, link }, 'announced in a roll-up');
    return DONE;
  }

  #isWanted(matches: readonly DeliveryMatch[]): boolean {
    return activeSubscriptions(matches, this.#parts.store.subscriptions).length > 0;
  }

  /** Whether a delivery is still to be posted: nobody may want it any more, or its deal may be over or missing. */
  #fateOf({ announcement, matches }: Pick<Delivery, 'announcement' | 'matches'>): Fate | 'unwanted' {
    const { currentState, clock } = this.#parts;
    return this.#isWanted(matches) ? currentState.fateOf(announcement, clock.now()) : 'unwanted';
  }

  /** Ends a delivery that is over, and withdraws one that nobody wants any more; one that is held waits on. */
  #drop(changes: Changes, delivery: Delivery): void {
    const { store, recording, log } = this.#parts;
    const about = { delivery: delivery.id, kind: delivery.announcement.kind };
    switch (this.#fateOf(delivery)) {
      case 'live':
      case 'held':
        return;
      case 'unwanted':
        store.deliveries.withdraw(changes, delivery);
        changes.afterwards(() => log.info(about, 'unsubscribed or paused before it could be posted'));
        break;
      case 'over':
        recording.unposted(changes, delivery, 'over');
        changes.afterwards(() => log.info(about, 'ended before it could be posted'));
    }
    recording.uncount(changes, delivery);
  }

  /**
   * Makes one attempt to post. Where Discord refuses the card, tries once more with the plain card; where it has answered
   * badly for long, with that alone. A card that can't be rendered counts as refused. A roll-up is stored with its first
   * attempt.
   */
  async #attempt(
    channel: Channel,
    waiting: Delivery | RollUp,
    { mentionRoleIds, concerns, tagIds, appearance: { isSilent } }: PostingOptions,
    { title, card: make, plain, whole }: Rendering,
  ): Promise<{ outcome: PostOutcome; card: Card | null; isPlain: boolean }> {
    const { store, courier, aside, log } = this.#parts;
    const { id, guildId, channelId } = waiting;
    let card: Card;
    try {
      card = make();
    } catch (error) {
      log.error({ err: error, delivery: id }, 'a card could not be rendered');
      return { outcome: { kind: 'refused', reason: 'a card could not be rendered' }, card: null, isPlain: false };
    }
    // The attempt is counted before it is made, so that a crash can't make the channel exceed its hourly limit.
    await store.commit((changes) => {
      if (!('members' in waiting)) store.deliveries.noteTried(changes, waiting);
      else if (!store.deliveries.isPending(id)) store.deliveries.rollUp(changes, waiting);
      store.paces.note(changes, postsIn(channelId), id);
    });
    channel.beginTry(id);
    const message = { deliveryId: id, guildId, channelId, mentionRoleIds, concerns, tagIds, title, isSilent };
    const post = async (shown: Card) => unlessUnexplained(await courier.post({ ...message, card: shown }));
    if (plain && isPlainNext(aside.countOf(id))) return { outcome: await post(plain(card)), card, isPlain: true };
    const outcome = await post(whole(card));
    if (outcome.kind !== 'refused' || !plain) return { outcome, card, isPlain: false };
    log.error({ delivery: id, reason: outcome.reason }, 'Discord rejected the card: retrying with a plain one');
    return { outcome: await post(plain(card)), card, isPlain: true };
  }

  /** Handles an attempt that posted nothing, and returns the result for the channel. */
  async #failed(channel: Channel, waiting: Delivery | RollUp, outcome: Failure): Promise<Result> {
    const { store, recording, log } = this.#parts;
    const { id, guildId, channelId } = waiting;
    log.warn({ delivery: id, channel: channelId, outcome: outcome.kind, reason: outcome.reason }, 'not posted');
    if (outcome.kind !== 'unknown') channel.endTry(id);
    if (isAboutChannel(outcome)) return this.#shut(channel, guildId, outcome);
    if (outcome.kind === 'unknown') {
      channel.isReconciled = false;
      return this.#answeredBadly(waiting, outcome);
    }
    if ('members' in waiting) return this.#dissolve(waiting, true);
    await store.commit((changes) => {
      recording.unposted(changes, waiting, 'refused');
      store.paces.forget(changes, postsIn(channelId), id);
    });
    return DONE;
  }

  /** A message that Discord answers badly while it answers others well steps aside, and the channel goes on at once. */
  #answeredBadly(waiting: Delivery | RollUp, { reason }: { reason: string }): Result {
    const { aside, messages, log } = this.#parts;
    const { id: deliveryId, guildId, channelId } = waiting;
    const isRollUp = 'members' in waiting;
    const title = isRollUp ? messages.rollUpTitle(waiting) : messages.title(waiting.announcement, guildId);
    const subscriptionIds = isRollUp ? [] : waiting.matches.map(({ subscriptionId }) => subscriptionId);
    const about = { what: 'post' as const, deliveryId, guildId, channelId, title, subscriptionIds };
    // People are told of the deliveries in a roll-up once these have stepped aside by themselves.
    const { isAside, isFirst } = aside.note(deliveryId, isRollUp ? null : about, !isRollUp);
    if (isFirst) {
      const nextAt = new Date(aside.againAtMs(deliveryId) ?? 0).toISOString();
      const said = { delivery: deliveryId, channel: channelId, title, reason };
      if (isRollUp) log.warn(said, 'Discord keeps answering a roll-up with an error: its halves are tried');
      else log.warn({ ...said, nextAt }, 'Discord keeps answering with an error: others go first');
    }
    return isAside ? DONE : { kind: 'unknown' };
  }

  /** Asks for a channel that Discord has denied once. What waits for it ends only where Discord denies it again. */
  async #confirm(channel: Channel): Promise<Result> {
    const { store, courier, log } = this.#parts;
    const guildId = guildOf(store.deliveries, channel.id) ?? '';
    const outcome = await courier.confirm(channel.id, guildId);
    if (outcome.kind === 'later') return outcome;
    if (outcome.kind === 'done' || isAboutChannel(outcome)) channel.isDoubtful = false;
    if (isAboutChannel(outcome)) return this.#shut(channel, guildId, outcome);
    if (outcome.kind === 'done') {
      log.info({ channel: channel.id }, 'the channel was found after all');
      return AGAIN;
    }
    log.warn({ channel: channel.id, reason: outcome.reason }, 'could not check whether the channel exists');
    return { kind: 'unknown' };
  }

  /** Handles a channel that takes no posts for now, or never again. A person's direct messages may always open again. */
  async #shut(channel: Channel, guildId: string, outcome: ChannelFailure): Promise<Result> {
    const { channelProblems, log } = this.#parts;
    if (outcome.kind === 'later') return outcome;
    const isPerson = personAt(guildId) !== null;
    if (outcome.kind === 'unfound' && !isPerson) {
      log.warn({ channel: channel.id, reason: outcome.reason }, 'the channel was not found: checking again');
      channel.isDoubtful = true;
      return { kind: 'unknown' };
    }
    const isGone = outcome.kind === 'gone' && !isPerson;
    await channelProblems.report({ guildId, channelId: channel.id }, outcome.reason, isGone);
    return isGone ? this.#endAll(channel) : { kind: 'blocked' };
  }

  /** Ends all pending deliveries, publications and edits of a channel that no longer exists. */
  async #endAll(channel: Channel): Promise<Result> {
    const { store, recording } = this.#parts;
    const { deliveries, publications, edits, removals, pins } = store;
    await store.commit((changes) => {
      const rollUp = deliveries.pendingRollUp(channel.id);
      if (rollUp) recording.unposted(changes, rollUp, 'gone');
      for (const delivery of deliveries.pending(channel.id)) recording.unposted(changes, delivery, 'gone');
      for (const publication of publications.pending(channel.id)) publications.end(changes, publication);
      for (const edit of edits.pending(channel.id)) edits.end(changes, edit);
      for (const removal of removals.pending(channel.id)) removals.end(changes, removal);
      for (const pin of pins.all()) if (pin.channelId === channel.id) pins.forget(changes, pin.messageId);
    });
    channel.forget();
    return DONE;
  }
}
