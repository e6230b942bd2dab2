import type { Clock } from '../../clock.ts';
import type { Announcement } from '../../deals/announcement.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { Courier, NewMessage, PostOutcome } from '../../discord/courier.ts';
import type { MessagePlace } from '../../discord/outcome.ts';
import type { Log } from '../../log.ts';
import type { Delivery, Ending, RollUp, RollUpMember } from '../../store/deliveries.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import { isLive } from '../kinds/index.ts';
import type { Result, Task } from './channel-work.ts';
import type { Editing } from './editing.ts';
import type { Freshest } from './freshest.ts';
import { nextStep, type Step } from './plan.ts';
import { rollUpOf } from './roll-up.ts';
import { faceOf, type Showing } from './showing.ts';
import type { Troubles } from './troubles.ts';
import { openFor, type Wishes, wanting, wishesOf } from './wishes.ts';

/** How long a try that nobody knows the outcome of may still arrive: well within what Discord remembers a nonce for. */
const MAY_ARRIVE_MS = 2 * 60_000;

const DONE: Result = { kind: 'done' };

/** Empties the outbox of a channel. */
export interface Posting extends Task {
  doubt(channelId: string): void;
}

export interface PostingParts {
  store: Pick<Store, 'deliveries' | 'subscriptions' | 'posts' | 'publications' | 'paces' | 'newestMessages'>;
  editing: Editing;
  troubles: Troubles;
  freshest: Freshest;
  showing: Showing;
  courier: Courier;
  clock: Clock;
  log: Log;
}

export function createPosting(parts: PostingParts): Posting {
  const { store, editing, troubles, freshest, showing, courier, clock, log } = parts;
  const { deliveries, subscriptions, posts, publications, paces, newestMessages } = store;
  /**
   * Channels of which the ledger knows all that the bot has posted there. Each is read before its first post in a run: a
   * former run may have posted what it could not write down, and the state may be an older copy. It is read again after a
   * try whose outcome nobody knows.
   */
  const reconciled = new Set<string>();
  /** Tries that Discord has said no to: they will not arrive. */
  const turnedDown = new Set<string>();
  const paceOf = (channelId: string) => `post/${channelId}`;

  function planOf(channelId: string): Step {
    const nowMs = clock.now();
    const pending = outOfQuiet(deliveries.pending(channelId), nowMs);
    const rollUp = deliveries.pendingRollUp(channelId);
    const rollUpOpenMs = rollUp ? openFor(wanting(rollUp.members.flatMap(matchesOf), subscriptions), nowMs) : nowMs;
    const tries = paces.of(paceOf(channelId), nowMs);
    const mayArrive = tries.filter(
      ({ id, atMs }) => atMs > nowMs - MAY_ARRIVE_MS && deliveries.isPending(id) && !turnedDown.has(id),
    );
    const step = nextStep({
      pending,
      rollUp: rollUpOpenMs > nowMs ? undefined : rollUp,
      mostPerHour: mostPerHour(pending, rollUp, nowMs),
      posted: tries.filter(({ id }) => !deliveries.isPending(id)),
      mayArrive: new Set(mayArrive.map(({ id }) => id)),
      nowMs,
    });
    const isHeld = step.do === 'wait' && rollUpOpenMs > nowMs;
    return isHeld ? { do: 'wait', untilMs: Math.min(step.untilMs, rollUpOpenMs) } : step;
  }

  /** What should have been posted by now waits for the end of the quiet hours in which it still is not. First due first. */
  function outOfQuiet(pending: readonly Delivery[], nowMs: number): readonly Delivery[] {
    const held = pending.map((delivery) => {
      if (delivery.dueAtMs > nowMs) return delivery;
      const openMs = openFor(wanting(delivery.matches, subscriptions), nowMs);
      return openMs > nowMs ? { ...delivery, dueAtMs: openMs } : delivery;
    });
    return held.some((delivery, index) => delivery !== pending[index])
      ? held.toSorted((one, other) => one.dueAtMs - other.dueAtMs)
      : pending;
  }

  /** The smallest of those whose announcements are due. Where nobody wants them any more they cost no post. */
  function mostPerHour(pending: readonly Delivery[], rollUp: RollUp | undefined, nowMs: number): number {
    const due = pending.filter(({ dueAtMs }) => dueAtMs <= nowMs);
    const ids = new Set([...due, ...(rollUp?.members ?? [])].flatMap(({ matches }) => matches.map(idOf)));
    const caps = [...ids].map((id) => subscriptions.get(id)?.mostPerHour ?? Number.POSITIVE_INFINITY);
    return Math.max(1, Math.min(...caps));
  }

  /** Records what is in the channel already. */
  async function reconcile(channelId: string): Promise<Result> {
    const pending = deliveries.pending(channelId);
    const rollUp = deliveries.pendingRollUp(channelId);
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
      if (place) await record(delivery, place, delivery.announcement, null);
    }
    const place = rollUp && outcome.posted.get(rollUp.id);
    if (place) await recordRollUp(rollUp, place, new Set());
    await deliveries.noteFound(channelId, outcome.posted, clock.now());
    // Only now is every one of them in the ledger.
    for (const { messageId } of outcome.posted.values()) await newestMessages.note(channelId, messageId);
    reconciled.add(channelId);
    return { kind: 'again' };
  }

  /** One try. */
  async function post(delivery: Delivery): Promise<Result> {
    const { id, guildId, channelId } = delivery;
    const announcement = freshest.of(delivery.announcement);
    const found = (await deliveries.foundPlaces([id])).get(id);
    if (found) {
      await record(delivery, found, announcement, null);
      return DONE;
    }
    if (!(await stillWanted(delivery, announcement))) return DONE;
    const nowMs = clock.now();
    const message = {
      ...addressOf(delivery, wishesOf(wanting(delivery.matches, subscriptions))),
      title: showing.title(announcement, guildId),
    };
    const card = cardOrNull(id, () => showing.card(announcement, { ...delivery, deliveryId: id }, nowMs));
    const outcome = await send(message, card, (refused) => showing.plain(announcement, refused, guildId));
    if (outcome.kind !== 'sent') return failed(delivery, outcome, (ending) => deliveries.end(delivery, ending));
    await clearTroubles(delivery, delivery.matches);
    await record(delivery, outcome.place, announcement, card && faceOf(card));
    await newestMessages.note(channelId, outcome.place.messageId);
    log.info({ delivery: id, channel: channelId, kind: announcement.kind }, 'announced');
    return DONE;
  }

  /** Ends what is over, and takes out what nobody wants any more. */
  async function stillWanted(delivery: Delivery, announcement: Announcement): Promise<boolean> {
    const about = { delivery: delivery.id, kind: announcement.kind };
    if (wanting(delivery.matches, subscriptions).length === 0) {
      log.info(about, 'unsubscribed or paused before it could be posted');
      await deliveries.withdraw(delivery);
      return false;
    }
    if (!isLive(announcement, clock.now())) {
      log.info(about, 'over before it could be posted');
      await deliveries.end(delivery, unposted('over'));
      return false;
    }
    return true;
  }

  /** Makes one roll-up of those that are still live and wanted, and of the one that waits already. */
  async function gather(channelId: string, gathered: readonly Delivery[]): Promise<Result> {
    const live: Delivery[] = [];
    const found = await deliveries.foundPlaces(gathered.map(({ id }) => id));
    for (const delivery of gathered) {
      const announcement = freshest.of(delivery.announcement);
      const place = found.get(delivery.id);
      if (place) await record(delivery, place, announcement, null);
      else if (await stillWanted(delivery, announcement)) live.push(delivery);
    }
    const earlier = deliveries.pendingRollUp(channelId);
    const [first, ...others] = live;
    // One alone needs no roll-up.
    if (first && (earlier || others.length > 0)) await deliveries.rollUp(rollUpOf([first, ...others], earlier));
    return DONE;
  }

  async function postRollUp(rollUp: RollUp): Promise<Result> {
    const { id, guildId, channelId, members } = rollUp;
    const found = (await deliveries.foundPlaces([id])).get(id);
    if (found) {
      await recordRollUp(rollUp, found, new Set());
      return DONE;
    }
    const nowMs = clock.now();
    const shown = members
      .map((member) => ({ ...member, announcement: freshest.of(member.announcement) }))
      .filter(({ announcement, matches }) => isLive(announcement, nowMs) && isWanted(matches));
    const isShown = new Set(shown.map(({ deliveryId }) => deliveryId));
    const missed = members.filter(({ deliveryId }) => !isShown.has(deliveryId));
    const over = new Set(missed.flatMap(({ deliveryId, alsoTells }) => [deliveryId, ...alsoTells]));
    if (shown.length === 0) {
      log.info({ delivery: id, channel: channelId }, 'all of a roll-up is over');
      await deliveries.endRollUp(rollUp, unposted('over'), over);
      return DONE;
    }
    const announcements = shown.map(({ announcement }) => announcement);
    const wishes = wishesOf(shown.flatMap(({ matches }) => wanting(matches, subscriptions)));
    const message = { ...addressOf(rollUp, wishes), title: showing.rollUpTitle(announcements, guildId) };
    const card = cardOrNull(id, () => showing.rollUp(rollUp, announcements, nowMs));
    const outcome = await send(message, card, null);
    if (outcome.kind !== 'sent') {
      return failed(rollUp, outcome, (ending) => deliveries.endRollUp(rollUp, ending, over));
    }
    await clearTroubles(
      rollUp,
      shown.flatMap(({ matches }) => matches),
    );
    await recordRollUp(rollUp, outcome.place, over);
    await newestMessages.note(channelId, outcome.place.messageId);
    log.info({ delivery: id, channel: channelId, count: shown.length }, 'announced together');
    return DONE;
  }

  const isWanted = (matches: RollUpMember['matches']) => wanting(matches, subscriptions).length > 0;

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
    turnedDown.delete(deliveryId);
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
    if (outcome.kind !== 'unknown') turnedDown.add(id);
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
        return DONE;
      case 'unknown':
        reconciled.delete(channelId);
        return outcome;
    }
  }

  /** The channel is no more, and nothing will ever be posted there. */
  async function giveUp(place: { guildId: string; channelId: string }, reason: string): Promise<Result> {
    const { channelId } = place;
    await troubles.note(place, reason, true);
    const rollUp = deliveries.pendingRollUp(channelId);
    if (rollUp) await deliveries.endRollUp(rollUp, unposted('gone'), new Set());
    for (const delivery of deliveries.pending(channelId)) await deliveries.end(delivery, unposted('gone'));
    reconciled.delete(channelId);
    return DONE;
  }

  /** There are few to look through, and mostly none has any. */
  async function clearTroubles(place: Delivery | RollUp, matches: RollUpMember['matches']): Promise<void> {
    if (wanting(matches, subscriptions).some(({ problem }) => problem !== null)) await troubles.clear(place);
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
  ): Promise<void> {
    const { id, guildId, channelId, matches } = delivery;
    const wishes = wishesOf(wanting(matches, subscriptions));
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
    turnedDown.delete(id);
  }

  /** @param over the ids of what it does not tell any more */
  async function recordRollUp(rollUp: RollUp, place: MessagePlace, over: ReadonlySet<string>): Promise<void> {
    const matches = rollUp.members.flatMap((member) => member.matches);
    await publish(place, rollUp.channelId, wishesOf(wanting(matches, subscriptions)));
    await deliveries.endRollUp(rollUp, posted(place), over);
    turnedDown.delete(rollUp.id);
  }

  async function publish(place: MessagePlace, channelId: string, { isPublished }: Wishes): Promise<void> {
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

  return {
    dueAtMs(channelId) {
      const step = planOf(channelId);
      return step.do === 'wait' ? step.untilMs : 0;
    },
    async step(channelId) {
      if (!reconciled.has(channelId)) return reconcile(channelId);
      const step = planOf(channelId);
      switch (step.do) {
        case 'post':
          return post(step.delivery);
        case 'post-roll-up':
          return postRollUp(step.rollUp);
        case 'gather':
          return gather(channelId, step.deliveries);
        case 'wait':
          return DONE;
      }
    },
    doubt: (channelId) => reconciled.delete(channelId),
  };
}

const matchesOf = ({ matches }: RollUpMember) => matches;
const idOf = ({ subscriptionId }: { subscriptionId: string }) => subscriptionId;

function addressOf({ id, guildId, channelId }: Delivery | RollUp, { mentionRoleIds, tagIds }: Wishes) {
  return { deliveryId: id, guildId, channelId, mentionRoleIds, tagIds };
}
