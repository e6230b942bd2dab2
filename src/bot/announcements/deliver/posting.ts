import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Announcement } from '../../deals/announcement.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { Courier, NewMessage, PostOutcome } from '../../discord/courier.ts';
import type { MessagePlace } from '../../discord/outcome.ts';
import type { Ending, RollUp, RollUpMember } from '../../store/deliveries.ts';
import type { Delivery, DeliveryMatch } from '../../store/delivery.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import { isLive } from '../kinds/index.ts';
import type { Troubles } from './channel-problems.ts';
import type { Result, Task } from './channel-work.ts';
import { activeSubscriptions, type DeliveryOptions, mergeOptions } from './delivery-options.ts';
import type { Editing } from './editing.ts';
import { faceOf, type Showing } from './message-renderer.ts';
import { createOpenTries } from './open-tries.ts';
import { type HourlyLimit, nextStep, type Step } from './plan.ts';
import { openings, outOfQuiet } from './quiet-hours.ts';
import { rollUpOf } from './roll-up.ts';

/** Times that are computed anew may differ by a rounding. */
const SAME_MOMENT_MS = 1_000;

const DONE: Result = { kind: 'done' };
/** Goes on at once, without a word from Discord on whether the channel takes posts: its failures stay counted. */
const AGAIN: Result = { kind: 'again' };

/** Empties the outbox of a channel. */
export interface Posting extends Task {
  doubt(channelId: string): void;
  /** The channel is no more: what waits for it ends at its next step. */
  abandon(channelId: string): void;
  /** How the channel's hourly limit holds back what is due; null where it does not. */
  limitOf(channelId: string): ReachedLimit | null;
}

interface Place {
  guildId: string;
  channelId: string;
}

export type ReachedLimit = NonNullable<Extract<Step, { do: 'wait' }>['limit']>;

export interface PostingParts {
  store: Pick<Store, 'deliveries' | 'subscriptions' | 'posts' | 'edits' | 'publications' | 'paces' | 'newestMessages'>;
  editing: Editing;
  troubles: Troubles;
  currentState: Pick<CurrentState, 'of'>;
  showing: Showing;
  courier: Courier;
  clock: Clock;
  log: Log;
}

export function createPosting(parts: PostingParts): Posting {
  const { store, editing, troubles, currentState, showing, courier, clock, log } = parts;
  const { deliveries, subscriptions, posts, edits, publications, paces, newestMessages } = store;
  /**
   * Channels of which the ledger knows all that the bot has posted there. Each is read before its first post in a run: a
   * former run may have posted what it could not write down, and the state may be an older copy. It is read again after a
   * try whose outcome nobody knows.
   */
  const reconciled = new Set<string>();
  const paceOf = (channelId: string) => `post/${channelId}`;
  const openTries = createOpenTries(deliveries, paces, paceOf, clock);
  const abandoned = new Set<string>();
  /** When each channel whose limit was logged may post again. */
  const loggedLimits = new Map<string, number>();

  function planOf(channelId: string): Step {
    const nowMs = clock.now();
    const openMsOf = openings(subscriptions, nowMs);
    const pending = outOfQuiet(deliveries.pending(channelId), openMsOf, nowMs);
    const rollUp = deliveries.pendingRollUp(channelId);
    return nextStep({
      pending,
      rollUp,
      isRollUpOpen: (rollUp?.members ?? []).every(({ matches }) => openMsOf(matches) <= nowMs),
      mostPerHour: mostPerHour(pending, rollUp, nowMs),
      posted: paces.of(paceOf(channelId), nowMs).filter(({ id }) => !deliveries.isPending(id)),
      mayArrive: openTries.mayArrive(channelId),
      nowMs,
    });
  }

  /** The smallest of those whose announcements are due. Where nobody wants them any more they cost no post. */
  function mostPerHour(pending: readonly Delivery[], rollUp: RollUp | undefined, nowMs: number): number {
    const due = pending.filter(({ dueAtMs }) => dueAtMs <= nowMs);
    const ids = new Set([...due, ...(rollUp?.members ?? [])].flatMap(({ matches }) => matches.map(idOf)));
    const caps = [...ids].map((id) => subscriptions.get(id)?.mostPerHour ?? Number.POSITIVE_INFINITY);
    return Math.max(
      1,
      caps.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    );
  }

  /** Records what is in the channel already. */
  async function reconcile(channelId: string): Promise<Result> {
    const pending = deliveries.pending(channelId);
    const rollUp = deliveries.pendingRollUp(channelId);
    const startedMs = clock.monotonicMs();
    const outcome = await courier.findPosted(channelId, newestMessages.of(channelId));
    const guildId = (rollUp ?? pending[0])?.guildId ?? '';
    switch (outcome.kind) {
      case 'found':
        break;
      case 'gone':
        return giveUp({ guildId, channelId }, outcome.reason);
      case 'blocked':
        await troubles.note({ guildId, channelId }, outcome.reason, false);
        return outcome;
      case 'later':
        return outcome;
      case 'missing':
      case 'refused':
      case 'unknown':
        log.warn({ channel: channelId, reason: outcome.reason }, 'the channel could not be read');
        return { kind: 'unknown' };
    }
    if (outcome.isCutOff) log.warn({ channel: channelId }, 'only the newest messages of a channel could be read');
    for (const delivery of pending) {
      const place = outcome.posted.get(delivery.id);
      if (place)
        await record(delivery, place, delivery.announcement, null, wishesAt(delivery.matches, triedAt(delivery)));
    }
    const place = rollUp && outcome.posted.get(rollUp.id);
    if (place) await recordRollUp(rollUp, place, new Set());
    await deliveries.noteFound(channelId, outcome.posted, clock.now());
    // Only now is every one of them in the ledger.
    for (const { messageId } of outcome.posted.values()) await newestMessages.note(channelId, messageId);
    reconciled.add(channelId);
    openTries.read(channelId, startedMs);
    return AGAIN;
  }

  /** When something was last tried, as far as that is known: its roles were those of that moment. */
  function triedAt({ id, channelId }: Delivery): number {
    const nowMs = clock.now();
    return paces.of(paceOf(channelId), nowMs).find((time) => time.id === id)?.atMs ?? nowMs;
  }

  const wishesAt = (matches: readonly DeliveryMatch[], atMs: number) =>
    mergeOptions(activeSubscriptions(matches, subscriptions), atMs);

  /** One try. */
  async function post(delivery: Delivery): Promise<Result> {
    const { id, guildId, channelId } = delivery;
    const announcement = currentState.of(delivery.announcement);
    const found = (await deliveries.foundPlaces([id])).get(id);
    if (found) {
      await record(delivery, found, announcement, null, wishesAt(delivery.matches, triedAt(delivery)));
      return DONE;
    }
    if (!(await stillWanted(delivery, announcement))) return AGAIN;
    const nowMs = clock.now();
    const wishes = wishesAt(delivery.matches, nowMs);
    const message = {
      ...addressOf(delivery, wishes),
      title: showing.title(announcement, guildId),
    };
    const card = cardOrNull(id, () => showing.card(announcement, { ...delivery, deliveryId: id }, nowMs));
    const outcome = await send(message, card, (refused) => showing.plain(announcement, refused, guildId));
    if (outcome.kind !== 'sent') return failed(delivery, outcome, (ending) => deliveries.end(delivery, ending));
    await clearTroubles(delivery, delivery.matches);
    await record(delivery, outcome.place, announcement, card && faceOf(card), wishes);
    await newestMessages.note(channelId, outcome.place.messageId);
    log.info({ delivery: id, channel: channelId, kind: announcement.kind }, 'announced');
    return DONE;
  }

  /** Ends what is over, and takes out what nobody wants any more. */
  async function stillWanted(delivery: Delivery, announcement: Announcement): Promise<boolean> {
    const about = { delivery: delivery.id, kind: announcement.kind };
    if (activeSubscriptions(delivery.matches, subscriptions).length === 0) {
      log.info(about, 'unsubscribed or paused before it could be posted');
      await deliveries.withdraw(delivery);
    } else if (!isLive(announcement, clock.now())) {
      log.info(about, 'over before it could be posted');
      await deliveries.end(delivery, unposted('over'));
    } else return true;
    await paces.forget(paceOf(delivery.channelId), delivery.id);
    openTries.end(delivery.channelId, delivery.id);
    return false;
  }

  /** One try of a roll-up of those that are still live and wanted. It is made only now, so nothing gathers while a channel rests. */
  async function postTogether(gathered: readonly Delivery[], limit: HourlyLimit | null): Promise<Result> {
    const live: Delivery[] = [];
    const found = await deliveries.foundPlaces(gathered.map(({ id }) => id));
    for (const delivery of gathered) {
      const announcement = currentState.of(delivery.announcement);
      const place = found.get(delivery.id);
      if (place) await record(delivery, place, announcement, null, wishesAt(delivery.matches, triedAt(delivery)));
      else if (await stillWanted(delivery, announcement)) live.push(delivery);
    }
    const [first, ...others] = live;
    if (!first) return AGAIN;
    // One alone needs no roll-up.
    if (others.length === 0) return post(first);
    const rollUp = rollUpOf([first, ...others]);
    await deliveries.rollUp(rollUp);
    return postRollUp(rollUp, limit);
  }

  async function dissolve(rollUp: RollUp): Promise<Result> {
    await paces.forget(paceOf(rollUp.channelId), rollUp.id);
    await deliveries.dissolve(rollUp);
    return AGAIN;
  }

  async function postRollUp(rollUp: RollUp, limit: HourlyLimit | null): Promise<Result> {
    const { id, guildId, channelId, members } = rollUp;
    const found = (await deliveries.foundPlaces([id])).get(id);
    if (found) {
      await recordRollUp(rollUp, found, new Set());
      return DONE;
    }
    const nowMs = clock.now();
    const shown = members
      .map((member) => ({ ...member, announcement: currentState.of(member.announcement) }))
      .filter(({ announcement, matches }) => isLive(announcement, nowMs) && isWanted(matches));
    const isShown = new Set(shown.map(({ deliveryId }) => deliveryId));
    const missed = members.filter(({ deliveryId }) => !isShown.has(deliveryId));
    const over = new Set(missed.flatMap(({ deliveryId, alsoTells }) => [deliveryId, ...alsoTells]));
    if (shown.length === 0) {
      log.info({ delivery: id, channel: channelId }, 'all of a roll-up is over');
      await deliveries.endRollUp(rollUp, unposted('over'), over);
      await paces.forget(paceOf(channelId), id);
      openTries.end(channelId, id);
      return AGAIN;
    }
    const announcements = shown.map(({ announcement }) => announcement);
    const wanted = shown.flatMap(({ matches }) => matches);
    const message = {
      ...addressOf(rollUp, wishesAt(wanted, nowMs)),
      title: showing.rollUpTitle(announcements, guildId),
    };
    const card = cardOrNull(id, () => showing.rollUp(rollUp, announcements, limit, nowMs));
    const outcome = await send(message, card, null);
    if (outcome.kind !== 'sent') {
      return failed(rollUp, outcome, (ending) => deliveries.endRollUp(rollUp, ending, over));
    }
    await clearTroubles(rollUp, wanted);
    await recordRollUp(rollUp, outcome.place, over);
    await newestMessages.note(channelId, outcome.place.messageId);
    log.info({ delivery: id, channel: channelId, count: shown.length }, 'announced together');
    return DONE;
  }

  const isWanted = (matches: RollUpMember['matches']) => activeSubscriptions(matches, subscriptions).length > 0;

  /** A card that Discord refuses has a second try as a plain one; one that can't be made is one that Discord can't take. */
  async function send(
    message: Omit<NewMessage, 'card'>,
    card: Card | null,
    plain: ((refused: Card) => Card) | null,
  ): Promise<PostOutcome> {
    if (!card) return { kind: 'refused', reason: 'no card could be made' };
    const { deliveryId, channelId } = message;
    // Counted before it is tried, so that no crash makes more posts of an hour's most.
    await paces.note(paceOf(channelId), deliveryId, clock.now());
    openTries.begin(channelId, deliveryId);
    const outcome = await courier.post({ ...message, card });
    if (outcome.kind !== 'refused' || !plain) return outcome;
    log.error({ delivery: deliveryId, reason: outcome.reason }, 'Discord refuses the card: a plain one is tried');
    return courier.post({ ...message, card: plain(card) });
  }

  function cardOrNull(id: string, make: () => Card): Card | null {
    try {
      return make();
    } catch (error) {
      log.error({ err: error, delivery: id }, 'no card could be made');
      return null;
    }
  }

  /** What it means for the channel that something was not posted. */
  async function failed(
    { id, guildId, channelId }: Delivery | RollUp,
    outcome: Exclude<PostOutcome, { kind: 'sent' }>,
    end: (ending: Ending) => Promise<void>,
  ): Promise<Result> {
    log.warn({ delivery: id, channel: channelId, outcome: outcome.kind, reason: outcome.reason }, 'not posted');
    if (outcome.kind !== 'unknown') openTries.end(channelId, id);
    switch (outcome.kind) {
      case 'gone':
        return giveUp({ guildId, channelId }, outcome.reason);
      case 'blocked':
        await troubles.note({ guildId, channelId }, outcome.reason, false);
        return outcome;
      case 'later':
        return outcome;
      case 'missing':
      case 'refused':
        await end(unposted('refused'));
        await paces.forget(paceOf(channelId), id);
        return DONE;
      case 'unknown':
        reconciled.delete(channelId);
        return outcome;
    }
  }

  /** The channel is no more, and nothing will ever be posted there. */
  async function giveUp(place: Place, reason: string): Promise<Result> {
    await troubles.note(place, reason, true);
    return endAll(place.channelId);
  }

  /** Ends what waits for a channel that is no more, the work on its posts included. */
  async function endAll(channelId: string): Promise<Result> {
    const rollUp = deliveries.pendingRollUp(channelId);
    if (rollUp) await deliveries.endRollUp(rollUp, unposted('gone'), new Set());
    for (const delivery of deliveries.pending(channelId)) await deliveries.end(delivery, unposted('gone'));
    for (const publication of publications.pending(channelId)) await publications.end(publication);
    for (const edit of edits.pending(channelId)) await edits.end(edit);
    reconciled.delete(channelId);
    openTries.read(channelId, Number.POSITIVE_INFINITY);
    abandoned.delete(channelId);
    return DONE;
  }

  /** There are few to look through, and mostly none has any. */
  async function clearTroubles(place: Delivery | RollUp, matches: RollUpMember['matches']): Promise<void> {
    if (activeSubscriptions(matches, subscriptions).some(({ problem }) => problem !== null))
      await troubles.clear(place);
  }

  /**
   * It stands there: known as a post, then queued to be published and edited where that is due, and only then ended. Cut off
   * anywhere between, it is found in the channel and recorded again.
   */
  async function record(
    delivery: Delivery,
    place: MessagePlace,
    announcement: Announcement,
    face: string | null,
    wishes: DeliveryOptions,
  ): Promise<void> {
    const { id, guildId, channelId, matches } = delivery;
    const post: Post = {
      version: 1,
      deliveryId: id,
      guildId,
      channelId,
      messageChannelId: place.channelId,
      messageId: place.messageId,
      announcement,
      matches,
      mentionRoleIds: wishes.mentionRoleIds,
      isPublished: wishes.isPublished,
      face,
      postedAtMs: clock.now(),
    };
    await posts.save(post);
    await publish(place, channelId, wishes);
    await editing.check(post);
    await deliveries.end(delivery, posted(place));
    openTries.end(channelId, id);
  }

  /** @param over the ids of what it does not tell any more */
  async function recordRollUp(rollUp: RollUp, place: MessagePlace, over: ReadonlySet<string>): Promise<void> {
    const matches = rollUp.members.flatMap((member) => member.matches);
    await publish(place, rollUp.channelId, wishesAt(matches, clock.now()));
    await deliveries.endRollUp(rollUp, posted(place), over);
    openTries.end(rollUp.channelId, rollUp.id);
  }

  async function publish(place: MessagePlace, channelId: string, { isPublished }: DeliveryOptions): Promise<void> {
    if (!isPublished) return;
    await publications.add([{ version: 1, channelId, messageId: place.messageId, queuedAtMs: clock.now() }]);
  }

  const posted = ({ channelId, messageId }: MessagePlace): Ending => ({
    outcome: 'posted',
    messageChannelId: channelId,
    messageId,
    endedAtMs: clock.now(),
  });
  const unposted = (outcome: Exclude<Ending['outcome'], 'posted'>): Ending => ({
    outcome,
    messageChannelId: null,
    messageId: null,
    endedAtMs: clock.now(),
  });

  /** Once for each time that it is reached. */
  function logLimit(channelId: string, limit: ReachedLimit | null): void {
    if (!limit) loggedLimits.delete(channelId);
    else if (Math.abs((loggedLimits.get(channelId) ?? 0) - limit.nextPostAtMs) > SAME_MOMENT_MS) {
      const { mostPerHour: most, waiting, nextPostAtMs } = limit;
      loggedLimits.set(channelId, nextPostAtMs);
      log.info(
        { channel: channelId, mostPerHour: most, waiting, nextPostAt: new Date(nextPostAtMs).toISOString() },
        'hourly limit reached',
      );
    }
  }

  return {
    dueAtMs(channelId) {
      if (abandoned.has(channelId)) return 0;
      const step = planOf(channelId);
      logLimit(channelId, step.do === 'wait' ? step.limit : null);
      return step.do === 'wait' ? step.untilMs : 0;
    },
    async step(channelId) {
      if (abandoned.has(channelId)) return endAll(channelId);
      if (!reconciled.has(channelId) || openTries.needReading(channelId)) return reconcile(channelId);
      const step = planOf(channelId);
      switch (step.do) {
        case 'post':
          return post(step.delivery);
        case 'post-together':
          return postTogether(step.deliveries, step.limit);
        case 'repeat-roll-up':
          return postRollUp(step.rollUp, null);
        case 'dissolve':
          return dissolve(step.rollUp);
        case 'wait':
          return AGAIN;
      }
    },
    doubt: (channelId) => reconciled.delete(channelId),
    abandon: (channelId) => abandoned.add(channelId),
    limitOf(channelId) {
      const step = planOf(channelId);
      return step.do === 'wait' ? step.limit : null;
    },
  };
}

const idOf = ({ subscriptionId }: { subscriptionId: string }) => subscriptionId;

function addressOf({ id, guildId, channelId }: Delivery | RollUp, { mentionRoleIds, tagIds }: DeliveryOptions) {
  return { deliveryId: id, guildId, channelId, mentionRoleIds, tagIds };
}
