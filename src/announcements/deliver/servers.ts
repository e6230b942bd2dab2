import PQueue from 'p-queue';
import { personAt, placeOfPerson, refusedAgain, retentionOf } from '../../deals/person.ts';
import type { DeliveryStore } from '../../store/deliveries.ts';
import type { Changes } from '../../store/table/state.ts';
import type { Channels } from './channel.ts';
import type { DelivererParts } from './parts.ts';

/** A channel with subscriptions. */
interface Place {
  guildId: string;
  channelId: string;
}

/** The problems for which the bot itself pauses subscriptions. */
const GONE = { server: 'server-gone', channel: 'channel-gone' } as const;

/**
 * Records with the subscriptions of a channel why nothing can be posted there, and notifies the people who made them.
 * For a person, records since when they take no direct messages, and when to try again; they are told at their next
 * command.
 */
export class ChannelProblems {
  readonly #parts: DelivererParts;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  /**
   * Records a problem, and then notifies the subscribers once.
   * @param problem the key of a sentence without its `problem.` prefix
   * @param isGone the channel will not come back: its subscriptions are paused
   */
  async report(place: Place, problem: string, isGone: boolean): Promise<void> {
    const { store, courier, translatorOf, clock } = this.#parts;
    const { commit, subscriptions, people } = store;
    const personId = personAt(place.guildId);
    if (personId !== null) {
      const nowMs = clock.now();
      return people.update(personId, (person) => ({ ...person, closed: refusedAgain(person.closed, nowMs) }));
    }
    const concerned = this.#subscriptionsIn(place);
    await commit((changes) => {
      for (const { id, problem: known, pausedBy } of this.#subscriptionsIn(place)) {
        if (known === problem && (!isGone || pausedBy !== null)) continue;
        subscriptions.change(changes, id, (current) => ({
          ...current,
          problem,
          // A subscription that a person paused does not resume by itself.
          pausedBy: current.pausedBy ?? (isGone ? 'gone' : null),
        }));
      }
    });
    // Discord delivers no direct messages to people who share no server with the bot.
    if (problem === GONE.server || concerned.some((subscription) => subscription.problem !== null)) return;
    const translator = translatorOf(place.guildId);
    const why = {
      channel: `<#${place.channelId}>`,
      problem: translator.translate({ key: `problem.${problem}`, values: {} }),
    };
    const sentence = translator.t(isGone ? 'problem.toldGone' : 'problem.told', why);
    for (const createdBy of new Set(concerned.map((subscription) => subscription.createdBy))) {
      // Added by the command line, for nobody on Discord.
      if (createdBy === '') continue;
      await courier.sendDirectMessage(createdBy, sentence);
    }
  }

  /** Clears the problem, in the commit that records a post. */
  resolve(changes: Changes, place: Place): void {
    const { subscriptions, people } = this.#parts.store;
    const personId = personAt(place.guildId);
    if (personId !== null) {
      if (!people.get(personId)?.closed) return;
      people.change(changes, personId, (person) => ({ ...person, closed: null, shownWaiting: null }));
      return;
    }
    for (const { id, problem } of this.#subscriptionsIn(place)) {
      if (problem !== null) subscriptions.change(changes, id, (current) => ({ ...current, problem: null }));
    }
  }

  /** Resumes subscriptions that were paused because the bot had left the server or could not see the channel. */
  resume(guildId: string, isVisible: (channelId: string) => boolean): Promise<void> {
    const { clock } = this.#parts;
    const { commit, subscriptions } = this.#parts.store;
    return commit((changes) => {
      for (const { id, channelId, problem } of subscriptions.ofGuild(guildId)) {
        if (problem !== GONE.server && !(problem === GONE.channel && isVisible(channelId))) continue;
        subscriptions.change(changes, id, (current) => ({
          ...current,
          problem: null,
          pausedBy: current.pausedBy === 'gone' ? null : current.pausedBy,
          ...(current.pausedBy === 'gone' && { resumedAtMs: clock.now() }),
        }));
      }
    });
  }

  #subscriptionsIn({ guildId, channelId }: Place) {
    return this.#parts.store.subscriptions
      .ofGuild(guildId)
      .filter((subscription) => subscription.channelId === channelId);
  }
}

/** The server, or the place of the person, that something waits for in a channel; undefined where nothing waits. */
export function guildOf(deliveries: DeliveryStore, channelId: string): string | undefined {
  return (deliveries.pendingRollUp(channelId) ?? deliveries.pending(channelId)[0])?.guildId;
}

/** Ends and resumes what waits for servers and people, as they come and go. */
export class Servers {
  readonly #parts: DelivererParts;
  readonly #channels: Channels;
  readonly #problems: ChannelProblems;
  /** Gateway events are handled one after another: the bot may leave a server and join it again at once. */
  readonly #events = new PQueue({ concurrency: 1 });

  constructor(parts: DelivererParts, channels: Channels, problems: ChannelProblems) {
    this.#parts = parts;
    this.#channels = channels;
    this.#problems = problems;
  }

  /**
   * The bot has left the server, or channels were deleted: pending deliveries end, and the subscriptions are paused.
   * @param channelIds the deleted channels; null for all of the server's
   */
  left(guildId: string, channelIds: readonly string[] | null): void {
    this.#inTurn(async () => {
      const reason = channelIds === null ? GONE.server : GONE.channel;
      const all = this.#channelsOf(guildId);
      const gone = channelIds === null ? [...all] : channelIds.filter((channelId) => all.has(channelId));
      for (const channelId of gone) {
        await this.#problems.report({ guildId, channelId }, reason, true);
        this.#channels.get(channelId).abandon();
      }
      if (gone.length === 0) return;
      this.#parts.log.warn(
        { guild: guildId, channels: gone.length, reason },
        'paused: the bot or its channels are gone',
      );
    });
  }

  /**
   * The bot is in the server: subscriptions that were paused because it was not, or because their channel was not
   * visible, resume with new announcements.
   * @param isVisible whether the gateway has reported a channel
   */
  joined(guildId: string, isVisible: (channelId: string) => boolean): void {
    this.#inTurn(async () => {
      // Where the channel's deliveries were not ended yet, they are posted after all: ending them now would end new ones too.
      for (const { channelId, problem } of this.#parts.store.subscriptions.ofGuild(guildId))
        if (problem === GONE.server || isVisible(channelId)) this.#channels.get(channelId).reclaim();
      await this.#problems.resume(guildId, isVisible);
    });
  }

  /** Ends all that waits for a channel, and resolves when nothing is under way there. */
  async abandon(channelId: string): Promise<void> {
    const channel = this.#channels.get(channelId);
    channel.abandon();
    await channel.working;
  }

  /**
   * Ends what waits for people who have taken no direct messages for long, pauses their subscriptions, and forgets them at
   * last.
   */
  async sweepPeople(): Promise<void> {
    const { commit, subscriptions, people } = this.#parts.store;
    const nowMs = this.#parts.clock.now();
    for (const person of people.all()) {
      const owned = subscriptions.ofGuild(placeOfPerson(person.id));
      const retention = retentionOf(person, owned.length > 0, nowMs);
      if (retention === 'kept') continue;
      await commit((changes) => {
        for (const { id, pausedBy } of owned) {
          if (retention === 'forgotten') subscriptions.delete(changes, id);
          else if (pausedBy === null) subscriptions.change(changes, id, (one) => ({ ...one, pausedBy: 'gone' }));
        }
        if (retention === 'forgotten') people.delete(changes, person.id);
      });
      await this.abandon(person.channelId);
    }
  }

  /** The servers with subscriptions or pending deliveries. */
  guildIds(): Set<string> {
    const { subscriptions, deliveries } = this.#parts.store;
    const subscribed = subscriptions.all().map((subscription) => subscription.guildId);
    const all = [...subscribed, ...deliveries.channels().flatMap((channelId) => guildOf(deliveries, channelId) ?? [])];
    return new Set(all.filter((guildId) => personAt(guildId) === null));
  }

  /** Resolves when all reported changes are handled. */
  async settled(): Promise<void> {
    await this.#events.onIdle();
  }

  #inTurn(change: () => Promise<void>): void {
    const { log } = this.#parts;
    const kept = this.#events.add(change);
    kept.catch((error: unknown) => log.error({ err: error }, 'could not process a gateway event'));
  }

  #channelsOf(guildId: string): Set<string> {
    const { subscriptions, deliveries } = this.#parts.store;
    const subscribed = subscriptions.ofGuild(guildId).map(({ channelId }) => channelId);
    const owed = deliveries.channels().filter((channelId) => guildOf(deliveries, channelId) === guildId);
    return new Set([...subscribed, ...owed]);
  }
}
