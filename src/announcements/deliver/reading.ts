import { personAt } from '../../deals/person.ts';
import type { AsideMessage, ThingsAside } from '../../discord/bad-answers.ts';
import { type ChannelFailure, isAboutChannel } from '../../discord/outcome.ts';
import { AGAIN, type Channel, DONE, type Result } from './channel.ts';
import type { DelivererParts } from './parts.ts';
import type { Recording } from './recording.ts';
import { type ChannelProblems, guildOf } from './servers.ts';

interface ReadingParts extends DelivererParts {
  recording: Recording;
  channelProblems: ChannelProblems;
  /** What Discord answers badly: deliveries and roll-ups by id. */
  aside: ThingsAside<AsideMessage | null>;
}

/** Finds out what stands in a channel, and whether it takes posts. */
export class Reading {
  readonly #parts: ReadingParts;

  constructor(parts: ReadingParts) {
    this.#parts = parts;
  }

  /** Reads a channel, and records in the ledger the deliveries that it already contains. */
  async reconcile(channel: Channel): Promise<Result> {
    const { store, recording, courier, clock, log } = this.#parts;
    const { deliveries, newestMessages } = store;
    const { id: channelId } = channel;
    const startedMs = clock.monotonicMs();
    const outcome = await courier.findPosted(channelId, newestMessages.of(channelId));
    if (isAboutChannel(outcome)) return this.shut(channel, guildOf(deliveries, channelId) ?? '', outcome);
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

  /**
   * Asks for a channel that Discord has denied once, or for a person's anew. What waits for a server's channel ends only
   * where Discord denies it again.
   */
  async confirm(channel: Channel): Promise<Result> {
    const { store, courier, log } = this.#parts;
    const guildId = guildOf(store.deliveries, channel.id) ?? '';
    const outcome = await courier.confirm(channel.id, guildId);
    if (outcome.kind === 'later') return outcome;
    if (outcome.kind === 'done' || isAboutChannel(outcome)) channel.isDoubtful = false;
    if (isAboutChannel(outcome)) return this.shut(channel, guildId, outcome);
    if (outcome.kind === 'done') {
      if (personAt(guildId) === null) log.info({ channel: channel.id }, 'the channel was found after all');
      return AGAIN;
    }
    log.warn({ channel: channel.id, reason: outcome.reason }, 'could not check whether the channel exists');
    return { kind: 'unknown' };
  }

  /** Handles a channel that takes no posts for now, or never again. A person's direct messages may always open again. */
  async shut(channel: Channel, guildId: string, outcome: ChannelFailure): Promise<Result> {
    const { channelProblems, log } = this.#parts;
    if (outcome.kind === 'later') return outcome;
    const isPerson = personAt(guildId) !== null;
    if (outcome.kind === 'unfound' && !isPerson) {
      log.warn({ channel: channel.id, reason: outcome.reason }, 'the channel was not found: checking again');
      channel.isDoubtful = true;
      return { kind: 'unknown' };
    }
    channel.isDoubtful = isPerson;
    const isGone = outcome.kind === 'gone' && !isPerson;
    await channelProblems.report({ guildId, channelId: channel.id }, outcome.reason, isGone);
    return isGone ? this.endAll(channel) : { kind: 'blocked' };
  }

  /** Ends all pending deliveries, publications and edits of a channel that no longer exists. */
  async endAll(channel: Channel): Promise<Result> {
    const { store, recording } = this.#parts;
    const { deliveries, publications, edits, removals, replies, pins } = store;
    await store.commit((changes) => {
      const rollUp = deliveries.pendingRollUp(channel.id);
      if (rollUp) recording.unposted(changes, rollUp, 'gone');
      for (const delivery of deliveries.pending(channel.id)) recording.unposted(changes, delivery, 'gone');
      for (const publication of publications.pending(channel.id)) publications.end(changes, publication);
      for (const edit of edits.pending(channel.id)) edits.end(changes, edit);
      for (const removal of removals.pending(channel.id)) removals.end(changes, removal);
      for (const reply of replies.pending(channel.id)) replies.end(changes, reply);
      for (const pin of pins.all()) if (pin.channelId === channel.id) pins.end(changes, pin);
    });
    channel.forget();
    return DONE;
  }
}
