import { announcementDelayMs } from '../../deals/announcement.ts';
import { nextTryMs, personAt } from '../../deals/person.ts';
import { type AsideMessage, isPlainNext, type ThingsAside } from '../../discord/bad-answers.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { PostOutcome } from '../../discord/courier.ts';
import { messageUrl } from '../../discord/format.ts';
import { type Failure, isAboutChannel, type MessagePlace, unlessUnexplained } from '../../discord/outcome.ts';
import { postKey } from '../../store/channel-records.ts';
import { asNextTry, asTried, type Delivery, type DeliveryMatch, type RollUp, rollUpOf } from '../../store/delivery.ts';
import { postsIn } from '../../store/rate-log.ts';
import type { Changes } from '../../store/table/state.ts';
import type { Fate } from '../current-state.ts';
import { entityKey, scoreOfAnnouncement } from '../kinds/index.ts';
import { AGAIN, type Channel, DONE, type Result, type Task } from './channel.ts';
import { markedBy } from './kept.ts';
import { cardHash, type Messages, type PostingOptions } from './message.ts';
import type { DelivererParts } from './parts.ts';
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
import type { Reading } from './reading.ts';
import type { Recording } from './recording.ts';
import { type ChannelProblems, guildOf } from './servers.ts';
import type { Upkeep } from './upkeep.ts';

/** Recomputed times within this are the same: they may differ by rounding. */
const SAME_MOMENT_MS = 1_000;

/** A message to post: a delivery by itself, or a roll-up. */
interface Outgoing {
  /** As the try has it. */
  waiting: Delivery | RollUp;
  options: PostingOptions;
  title: string;
  /** @throws where it can't be made of what the record holds */
  card: () => Card;
  /** Makes the card that is tried where Discord refuses the first; null for no second try. */
  plain: ((refused: Card) => Card) | null;
  /** The card with all that the post shows besides. */
  whole: (card: Card) => Card;
  /** Adds to the commit of its end that it stands there. @param face the hash of the card that stands there; null for unknown */
  record: (changes: Changes, place: MessagePlace, face: string | null) => void;
  /** What the log says of it. */
  logged: () => Readonly<Record<string, unknown>>;
}

interface PostingParts extends DelivererParts {
  messages: Messages;
  recording: Recording;
  channelProblems: ChannelProblems;
  /** What Discord answers badly: deliveries and roll-ups by id. */
  aside: ThingsAside<AsideMessage | null>;
  reading: Reading;
  upkeep: Upkeep;
}

/** How a try ended, and whether it was with the plain card. */
interface Sent {
  outcome: PostOutcome;
  isPlain: boolean;
}

const UNMADE: Sent = { outcome: { kind: 'refused', reason: 'a card could not be rendered' }, isPlain: false };

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

  step(channel: Channel): Promise<Result> {
    return this.postNext(channel);
  }

  /**
   * Makes a channel's next post: plan → make the card → commit the try → send → commit the end. Whichever of these is the last
   * that happens, the next call finds out what stands in the channel, and goes on from there.
   */
  async postNext(channel: Channel): Promise<Result> {
    const { store, reading, channelProblems, aside, log } = this.#parts;
    if (channel.isGone) return reading.endAll(channel);
    if (channel.isDoubtful) return reading.confirm(channel);
    if (!channel.isReconciled || channel.hasOverdueTry) return reading.reconcile(channel);

    const step = this.#plan(channel);
    if (step.do === 'wait') return AGAIN;
    if (step.do === 'dissolve') return this.#dissolve(step.rollUp);
    const outgoing = await this.#outgoing(channel, step);
    if (!outgoing) return AGAIN;
    const { waiting, title } = outgoing;
    const { id, guildId } = waiting;
    const wasTried = channel.mayArrive().has(id);
    const card = this.#cardOf(outgoing);

    // The try is counted before it is made, so that a crash can't make the channel exceed its hourly limit.
    if (card) {
      await store.commit((changes) => {
        if (!('members' in waiting)) store.deliveries.noteTried(changes, waiting);
        else if (!store.deliveries.isPending(id)) store.deliveries.rollUp(changes, waiting);
        store.rateLog.record(changes, postsIn(channel.id), id);
      });
      channel.beginTry(id);
    }

    const { outcome, isPlain } = card ? await this.#send(outgoing, card) : UNMADE;
    if (outcome.kind !== 'sent') return this.#failed(channel, waiting, outcome, wasTried);
    const { place } = outcome;

    await store.commit((changes) => {
      channelProblems.resolve(changes, waiting);
      // Discord may have answered with the message of an earlier try, which shows what was so then.
      outgoing.record(changes, place, card && !wasTried ? cardHash(card) : null);
      this.#noteNewest(changes, channel, waiting, place);
    });
    const wasAside = aside.end(id, !isPlain && outgoing.plain !== null);
    const link = messageUrl(personAt(guildId) === null ? guildId : '@me', place);
    const said = { delivery: id, channel: channel.id, ...outgoing.logged(), link };
    const isRollUp = 'members' in waiting;
    log.info(said, isRollUp ? 'announced in a roll-up' : 'announced');
    if (wasAside) log.info({ delivery: id, channel: channel.id, title }, 'Discord has taken it after all');
    return DONE;
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
    return nextTryMs(this.#personAt(channelId)?.closed ?? null, nowMs);
  }

  /** The person whose direct messages the channel is; undefined for a server's channel, and where nothing waits. */
  #personAt(channelId: string) {
    const { deliveries, people } = this.#parts.store;
    return people.get(personAt(guildOf(deliveries, channelId) ?? '') ?? '');
  }

  /** Whether a delivery waits on although it is due, because its offer is missing or in doubt: it costs nothing then. */
  isHeld(delivery: Delivery): boolean {
    return this.#fateOf(delivery) === 'held';
  }

  /**
   * Restores what an earlier run knew of a channel: that a person took no messages, and the attempts with an unknown
   * outcome, which were counted before they were made. Those of a process that may still send count as made now, because its
   * clock may differ from this one's.
   */
  restore(channel: Channel): void {
    const { store, clock, clearFromMs = 0 } = this.#parts;
    channel.isDoubtful = this.#personAt(channel.id)?.closed != null;
    const [place, nowMs] = [postsIn(channel.id), clock.now()];
    const tries =
      clock.monotonicMs() < clearFromMs
        ? store.rateLog.all(place).map(({ id }) => ({ id, atMs: nowMs }))
        : store.rateLog.recent(place, nowMs);
    for (const { id, atMs } of tries) if (store.deliveries.isPending(id)) channel.beginTry(id, nowMs - atMs);
  }

  #plan(channel: Channel): Step {
    const { store, clock } = this.#parts;
    const { deliveries, subscriptions, rateLog } = store;
    const nowMs = clock.now();
    const retryMs = this.closedUntilMs(channel.id, nowMs);
    if (retryMs > nowMs) return waitUntil(retryMs);
    return nextStep({
      pending: deliveries.pending(channel.id).filter((delivery) => !this.#waits(channel, delivery)),
      rollUp: deliveries.pendingRollUp(channel.id),
      subscriptions,
      posted: rateLog.recent(postsIn(channel.id), nowMs).filter(({ id }) => !deliveries.isPending(id)),
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
   * Whether a delivery is held, has stepped aside, waits for the edit of the post that it continues, or is not to be posted any
   * more while an attempt to do that may still arrive.
   */
  #waits(channel: Channel, delivery: Delivery): boolean {
    const { store, aside, clock } = this.#parts;
    if (store.edits.get(postKey({ thing: entityKey(delivery.announcement), deliveryId: delivery.id }))) return true;
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

  /** What a step posts; null where nothing of it is to be posted any more, which is recorded. */
  async #outgoing(channel: Channel, step: Exclude<Step, { do: 'wait' | 'dissolve' }>): Promise<Outgoing | null> {
    if (step.do === 'post') return this.#alone(channel, step.delivery);
    if (step.do === 'repeat-roll-up') return this.#together(channel, step.rollUp, null);
    const { deliveries, limit } = step;
    const [first, ...others] = await this.#stillDue(channel, deliveries);
    if (!first) return null;
    // A single delivery needs no roll-up.
    if (others.length === 0) return this.#alone(channel, first);
    const together = [first, ...others] as const;
    // It is made only here, and stored with its first try, so it can't go stale while the channel is paused.
    const reason = reasonOf(together, this.#parts.store.subscriptions, limit !== null);
    return this.#together(channel, rollUpOf(together, reason), limit);
  }

  /** Those of the deliveries that are still to be posted. What was found in the channel, is over or unwanted ends. */
  async #stillDue(channel: Channel, gathered: readonly Delivery[]): Promise<Delivery[]> {
    const { store, recording, currentState } = this.#parts;
    const found = await store.deliveries.foundPlaces(gathered.map(({ id }) => id));
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
    return live;
  }

  async #alone(channel: Channel, delivery: Delivery): Promise<Outgoing | null> {
    const { messages, recording, currentState, clock } = this.#parts;
    const { id: deliveryId, guildId, channelId } = delivery;
    if (await this.#continue(channel, delivery)) return null;
    const at = { deliveryId, guildId, channelId };
    const { appearance: look } = messages.options(guildId, delivery.matches, clock.now());
    const attachments = await messages.attachmentsOf(currentState.of(delivery.announcement), { ...at, look });
    if ((await this.#stillDue(channel, [delivery])).length === 0) return null;
    const nowMs = clock.now();
    const announcement = currentState.of(delivery.announcement);
    const waiting = channel.mayArrive().has(deliveryId) ? asTried(delivery) : asNextTry(delivery);
    const { matches } = waiting;
    const options = messages.options(guildId, matches, nowMs);
    const unmarked = { ...at, matches, look: options.appearance };
    const keeper = messages.keeperOf(announcement, unmarked, nowMs);
    const shown = markedBy(keeper, unmarked, messages.keepers());
    const title = messages.title(announcement, guildId);
    return {
      waiting,
      options,
      title,
      card: () => messages.card(announcement, shown, nowMs),
      plain: (refused) => messages.plain(announcement, refused, guildId),
      whole: (card) => messages.whole(card, attachments, announcement, shown),
      record: (changes, place, face) =>
        recording.post(changes, channel, waiting, { place, announcement, cardHash: face, keeper, options }),
      logged: () => ({ kind: announcement.kind, title, delayMs: announcementDelayMs(announcement, clock.now()) }),
    };
  }

  /**
   * Has the channel's newest post of what a delivery continues show it. A published post stays as it is, because Discord allows
   * few edits of those, and so does one in a forum, whose thread may be locked.
   */
  async #continue(channel: Channel, delivery: Delivery): Promise<boolean> {
    const { store, messages, recording } = this.#parts;
    const key = channel.mayArrive().has(delivery.id) ? null : messages.continuedBy(delivery);
    if (key === null) return false;
    return store.transact(async (changes) => {
      const posts = (await store.posts.about([key])).get(key) ?? [];
      const [newest] = posts
        .filter(({ messageChannelId, isPublished }) => messageChannelId === channel.id && !isPublished)
        .toSorted((one, other) => other.postedAtMs - one.postedAtMs);
      if (newest) recording.continue(changes, newest, delivery);
      return newest !== undefined;
    });
  }

  /** @param limit the hourly limit, where it is the only reason for the roll-up */
  async #together(channel: Channel, rollUp: RollUp, limit: HourlyLimit | null): Promise<Outgoing | null> {
    const { store, messages, recording, clock, log } = this.#parts;
    const { id, channelId, members } = rollUp;
    const found = (await store.deliveries.foundPlaces([id])).get(id);
    if (found) {
      await store.commit((changes) => recording.rollUp(changes, channel, rollUp, found, new Set()));
      return null;
    }
    const nowMs = clock.now();
    // One that is missing by now stays in a roll-up that is repeated: it may stand in the channel already.
    const shown = members.filter((member) => ['live', 'held'].includes(this.#fateOf(member)));
    const missed = members.filter((member) => !shown.includes(member));
    const over = new Set(missed.flatMap(({ deliveryId, alsoTells }) => [deliveryId, ...alsoTells]));
    if (shown.length === 0) {
      log.info({ delivery: id, channel: channelId }, 'every item of a roll-up ended before it could be posted');
      await store.commit((changes) => {
        recording.unposted(changes, rollUp, 'over', over);
        recording.uncount(changes, rollUp);
      });
      return null;
    }
    const content = { ...rollUp, members: shown };
    const options = messages.rollUpOptions(content, nowMs);
    return {
      waiting: rollUp,
      options,
      title: messages.rollUpTitle(content),
      card: () => messages.rollUp(content, limit, options.appearance, nowMs),
      plain: null,
      whole: (card) => card,
      record: (changes, place) => recording.rollUp(changes, channel, rollUp, place, over),
      logged: () => ({ count: shown.length }),
    };
  }

  /** null where it can't be made: that counts as refused. */
  #cardOf({ waiting, card }: Outgoing): Card | null {
    try {
      return card();
    } catch (error) {
      this.#parts.log.error({ err: error, delivery: waiting.id }, 'a card could not be rendered');
      return null;
    }
  }

  /** Where Discord refuses the card, sends the plain card; where it has answered badly for long, that alone. */
  async #send({ waiting, options, title, plain, whole }: Outgoing, card: Card): Promise<Sent> {
    const { courier, aside, log } = this.#parts;
    const { id, guildId, channelId } = waiting;
    const {
      mentionRoleIds,
      concerns,
      tagIds,
      appearance: { isSilent },
    } = options;
    const isForFollowers = this.#parts.isPublishedOnly?.(channelId) ?? false;
    const at = { deliveryId: id, guildId, channelId, isForFollowers };
    const message = { ...at, mentionRoleIds, concerns, tagIds, title, isSilent };
    const send = async (shown: Card) => unlessUnexplained(await courier.post({ ...message, card: shown }));
    if (plain && isPlainNext(aside.countOf(id))) return { outcome: await send(plain(card)), isPlain: true };
    const outcome = await send(whole(card));
    if (outcome.kind !== 'refused' || !plain) return { outcome, isPlain: false };
    log.error({ delivery: id, reason: outcome.reason }, 'Discord rejected the card: retrying with a plain one');
    return { outcome: await send(plain(card)), isPlain: true };
  }

  /** @param isBad whether it was refused or answered badly: then its halves are tried */
  async #dissolve(rollUp: RollUp, isBad = this.#isRollUpAside(rollUp)): Promise<Result> {
    const { store, aside } = this.#parts;
    const { id, members } = rollUp;
    await store.commit((changes) => {
      store.rateLog.forget(changes, postsIn(rollUp.channelId), id);
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

  /** Handles a try that posted nothing, and returns the result for the channel. */
  async #failed(channel: Channel, waiting: Delivery | RollUp, outcome: Failure, wasTried: boolean): Promise<Result> {
    const { store, reading, recording, log } = this.#parts;
    const { id, guildId, channelId } = waiting;
    const isRollUp = 'members' in waiting;
    log.warn({ delivery: id, channel: channelId, outcome: outcome.kind, reason: outcome.reason }, 'not posted');
    // While an earlier try of a roll-up may still arrive, its members must not be posted apart.
    if (outcome.kind === 'unknown' || (outcome.kind === 'refused' && isRollUp && wasTried)) {
      channel.isReconciled = false;
      return this.#answeredBadly(waiting, outcome);
    }
    channel.endTry(id);
    if (isAboutChannel(outcome)) return reading.shut(channel, guildId, outcome);
    if (isRollUp) return this.#dissolve(waiting, true);
    await store.commit((changes) => {
      recording.unposted(changes, waiting, 'refused');
      recording.uncount(changes, waiting);
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
    // People see the deliveries of a roll-up named once these have stepped aside by themselves.
    const { isAside, isFirst } = aside.note(deliveryId, isRollUp ? null : about, !isRollUp);
    if (isFirst) {
      const nextAt = new Date(aside.againAtMs(deliveryId) ?? 0).toISOString();
      const said = { delivery: deliveryId, channel: channelId, title, reason };
      if (isRollUp) log.warn(said, 'Discord keeps answering a roll-up with an error: its halves are tried');
      else log.warn({ ...said, nextAt }, 'Discord keeps answering with an error: others go first');
    }
    return isAside ? DONE : { kind: 'unknown' };
  }
}
