import type { CurrentState } from '../../announcements/current-state.ts';
import type { Deliverer } from '../../announcements/deliver/deliverer.ts';
import { type Owed, owedTo, withoutTrace } from '../../announcements/explain/owed.ts';
import { isUntrue } from '../../announcements/explain/truth.ts';
import { personAt } from '../../deals/person.ts';
import type { Setting } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { titleOf } from '../../discord/cards/announcement-card.ts';
import type { Courier } from '../../discord/courier.ts';
import type { FoundPosts } from '../../discord/find-posted.ts';
import { messageUrl } from '../../discord/format.ts';
import { translatorFor } from '../../discord/i18n/translator.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import { ageMs, type Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { DAY_MS, HOUR_MS } from '../../shared/time.ts';
import type { PostedDelivery } from '../../store/deliveries.ts';
import { idsOf, type RollUpMember } from '../../store/delivery.ts';
import type { Post } from '../../store/posts.ts';
import type { Records } from '../../store/store.ts';
import { type AuditFigures, compareWithLedger, type Finding, NO_FIGURES, sum, titleIn } from './compare.ts';
import type { AuditedChannel } from './records.ts';

/** The figures of all channels: each one's are those of its last reading. */
export interface AuditResult extends AuditFigures, AuditProgress {
  /** When the last audit ended: epoch milliseconds. */
  atMs: number;
  byServer: ReadonlyMap<string, AuditFigures & AuditProgress>;
}

/** How far the audit is. */
export interface AuditProgress {
  /** The channels that were read in the last seven days, and all. */
  channels: number;
  all: number;
}

/** One audit: the figures of the channels that it asked for. */
export interface AuditRun extends AuditFigures {
  channels: number;
  /** Channels that could not be read. */
  unread: number;
  unreadIds: readonly string[];
  findings: readonly Finding[];
}

/** Somebody who waits for an audit. */
export interface Watching {
  /** Called before each channel is read. */
  onReading: (channelId: string, number: number, of: number) => void;
  /** Ends the audit early, as a stop does. */
  signal: AbortSignal;
}

const WEEK_MS = 7 * DAY_MS;
/** A day more than the week within which each channel is read: nothing is left out where a reading is late. */
const JUDGED_MS = WEEK_MS + DAY_MS;
/** The least age of a post that is judged: a younger one may be on its way to its channel, or an edit of it is. */
const UNTIL_MS = HOUR_MS;
/** A channel is read once a day at most. */
const LEAST_MS = 20 * HOUR_MS;
/**
 * The budget of one audit. Six a day read 5,000 channels in less than a week. With `LIMITS` they make at most 160 × 61
 * requests in four hours, which is one in 70 of those that Discord allows.
 */
const MOST_CHANNELS = 160;
/** One channel's share: 1,000 messages, or 50 posts of a forum. */
const LIMITS = { pages: 10, threads: 50, withTexts: true };
/** The most findings of a channel that are logged one by one. */
const MOST_LOGGED = 20;
/** The epoch of Discord's ids. @see https://discord.com/developers/docs/reference#snowflakes */
const DISCORD_EPOCH_MS = 1_420_070_400_000;
/** Discord's ids have 64 bits. */
const LAST_ID = 1n << 64n;
const ENGLISH = translatorFor('en-US');

export interface AuditParts {
  store: Records;
  courier: Pick<Courier, 'findPosted'>;
  deliverer: Pick<Deliverer, 'currentCard'>;
  offers: Pick<OfferBook, 'all' | 'get'>;
  currentState: Pick<CurrentState, 'seen' | 'fateOf'>;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  clock: Clock;
  log: Log;
  /** Ends an audit early; its figures are those of the channels that were read. */
  signal: AbortSignal;
}

/** A channel to read, and the time of which its posts are judged. */
interface Reading {
  channelId: string;
  guildId: string;
  subscriptions: readonly Subscription[];
  fromMs: number;
  untilMs: number;
  /** Those that are too young to be judged included. */
  posted: readonly PostedDelivery[];
  posts: readonly Post[];
}

/** A finding, before its title and its records are looked up. */
type Found = Pick<Finding, 'what' | 'deliveryId' | 'place'>;

/**
 * Reads channels, and compares them with the ledger, with what is known of offers and subscriptions, and with what their
 * posts have to show. Makes no change in any of them. Its place is stored: those that were read the longest time ago come
 * next, also after a restart.
 */
export class Audit {
  readonly #parts: AuditParts;
  /** The audit that is being made: two at once would read the channels twice. */
  #running: Promise<AuditRun> | null = null;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  /** Reads the channels whose turn it is, and judges what came since the last time. */
  run(): Promise<AuditRun> {
    return this.#once(() => this.#compare(this.#inTurn(LEAST_MS).slice(0, MOST_CHANNELS), 'new'));
  }

  /** Reads those of the longest time ago, however recently that was, and judges all of the time that is judged. */
  runNow(): Promise<AuditRun> {
    return this.#once(() => this.#compare(this.#inTurn().slice(0, MOST_CHANNELS), 'all'));
  }

  /**
   * Reads every channel, one after another, once an audit that is being made has ended.
   * @param wanted only these channels; null for all
   */
  async runThrough(wanted: ReadonlySet<string> | null, watching: Watching): Promise<AuditRun> {
    while (this.#running) await this.#running.catch(() => undefined);
    return this.#once(async () => {
      const channelIds = this.#inTurn().filter((id) => wanted?.has(id) ?? true);
      const runs: AuditRun[] = [];
      for (let start = 0; start < channelIds.length; start += MOST_CHANNELS) {
        // The ledger is read for some channels at a time, so that it isn't old when the last one is read.
        const onReading: Watching['onReading'] = (id, number) =>
          watching.onReading(id, start + number, channelIds.length);
        runs.push(
          await this.#compare(channelIds.slice(start, start + MOST_CHANNELS), 'all', { ...watching, onReading }),
        );
      }
      return {
        ...sum(runs),
        channels: runs.reduce((total, { channels }) => total + channels, 0),
        unread: runs.reduce((total, { unread }) => total + unread, 0),
        unreadIds: runs.flatMap(({ unreadIds }) => unreadIds),
        findings: runs.flatMap(({ findings }) => findings),
      };
    });
  }

  /** null before the first audit, of an earlier run of the program, too. */
  last(): AuditResult | null {
    const { audits } = this.#parts.store;
    const record = audits.last();
    if (!record) return null;
    const nowMs = this.#parts.clock.now();
    const byServer = new Map<string, AuditFigures & AuditProgress>();
    for (const [channelId, guildId] of this.#channels()) {
      const audited = audits.channel(channelId);
      const isRead = audited?.isRead === true && ageMs(audited.atMs, nowMs) < WEEK_MS;
      const own = byServer.get(guildId) ?? { ...NO_FIGURES, channels: 0, all: 0 };
      byServer.set(guildId, {
        ...sum([own, audited ?? NO_FIGURES]),
        channels: own.channels + (isRead ? 1 : 0),
        all: own.all + 1,
      });
    }
    const all = [...byServer.values()];
    const progress = {
      channels: all.reduce((total, { channels }) => total + channels, 0),
      all: all.reduce((total, own) => total + own.all, 0),
    };
    return { ...sum(all), ...progress, atMs: record.atMs, byServer };
  }

  #once(compare: () => Promise<AuditRun>): Promise<AuditRun> {
    this.#running ??= compare().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** @param judged what came since a channel's last reading, or all */
  async #compare(channelIds: readonly string[], judged: 'new' | 'all', watching?: Watching): Promise<AuditRun> {
    const { store, clock, log, signal } = this.#parts;
    const readings = await this.#readings(channelIds, judged);
    const audited = new Map<string, AuditedChannel>();
    const findings: Finding[] = [];
    const figures: AuditFigures[] = [];
    for (const [index, reading] of readings.entries()) {
      if (signal.aborted || watching?.signal.aborted) break;
      watching?.onReading(reading.channelId, index + 1, readings.length);
      const found = await this.#read(reading);
      figures.push(found?.figures ?? NO_FIGURES);
      findings.push(...(found?.findings ?? []));
      this.#logFindings(reading, found?.findings ?? []);
      const { guildId, channelId, fromMs, untilMs } = reading;
      const kept = found ? { ...found.figures, untilMs } : { ...this.#before(channelId), untilMs: fromMs };
      audited.set(channelId, { ...kept, guildId, atMs: clock.now(), isRead: found !== null });
    }
    const unreadIds = [...audited].flatMap(([channelId, { isRead }]) => (isRead ? [] : [channelId]));
    const run = { ...sum(figures), channels: audited.size, unread: unreadIds.length };
    log.info(run, 'the channels were compared with the ledger');
    const all = this.#channels();
    // The figures of servers are summed up from those of their channels.
    await store.audits.save({ ...run, atMs: clock.now(), byServer: [] }, audited, (channelId) => all.has(channelId));
    return { ...run, unreadIds, findings };
  }

  /** The figures of the last time at which the channel could be read. */
  #before(channelId: string): AuditFigures {
    const { owed, there, twice, missing, untrue } = this.#parts.store.audits.channel(channelId) ?? NO_FIGURES;
    return { owed, there, twice, missing, untrue };
  }

  /** The channels of active subscriptions, with their servers. */
  #channels(): Map<string, string> {
    const active = this.#parts.store.subscriptions.all().filter(({ pausedBy }) => pausedBy === null);
    return new Map(active.map(({ channelId, guildId }) => [channelId, guildId]));
  }

  /**
   * The channels: first those that were never read, then those that were read the longest time ago.
   * @param leastMs leaves out those that were read less long ago
   */
  #inTurn(leastMs = Number.NEGATIVE_INFINITY): string[] {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    const lastMs = (audited: AuditedChannel | undefined) => audited?.atMs ?? Number.NEGATIVE_INFINITY;
    return [...this.#channels().keys()]
      .map((channelId) => ({ channelId, audited: store.audits.channel(channelId) }))
      .filter(({ audited }) => !audited || ageMs(audited.atMs, nowMs) >= leastMs)
      .sort((one, other) => lastMs(one.audited) - lastMs(other.audited) || (one.channelId < other.channelId ? -1 : 1))
      .map(({ channelId }) => channelId);
  }

  async #readings(channelIds: readonly string[], judged: 'new' | 'all'): Promise<Reading[]> {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    if (channelIds.length === 0) return [];
    const untilMs = nowMs - UNTIL_MS;
    const posted = await store.deliveries.postedBetween(idAt(nowMs - JUDGED_MS), LAST_ID);
    const posts = await store.posts.inChannels(new Set(channelIds));
    const guildOf = this.#channels();
    return channelIds.map((channelId) => {
      const guildId = guildOf.get(channelId) ?? '';
      const doneMs = (judged === 'new' && store.audits.channel(channelId)?.untilMs) || Number.NEGATIVE_INFINITY;
      // Where the clock was set back, all of it is judged again.
      const fromMs = Math.max(nowMs - JUDGED_MS, doneMs > untilMs ? Number.NEGATIVE_INFINITY : doneMs);
      const fromId = idAt(fromMs);
      return {
        channelId,
        guildId,
        fromMs,
        untilMs,
        subscriptions: store.subscriptions
          .ofGuild(guildId)
          .filter((one) => one.channelId === channelId && one.pausedBy === null),
        posted: (posted.get(channelId) ?? []).filter(({ messageId }) => BigInt(messageId) >= fromId),
        posts: posts.get(channelId) ?? [],
      };
    });
  }

  /** null where the channel can't be read. */
  async #read(reading: Reading): Promise<{ figures: AuditFigures; findings: Finding[] } | null> {
    const { store, courier } = this.#parts;
    const { channelId, guildId, fromMs } = reading;
    const found = await courier.findPosted(channelId, String(idAt(fromMs)), LIMITS);
    if (found.kind !== 'found') return null;
    const compared = compareWithLedger(reading.posted, idAt(reading.untilMs), found);
    const owed = await owedTo(reading.subscriptions, reading, this.#parts);
    // A part of the channel shows nothing of what is not in it.
    const unposted = found.isCutOff ? [] : await withoutTrace(owed, new Set(found.posted.keys()), store);
    const going = new Set(store.removals.pending(channelId).map(({ messageId }) => messageId));
    const all: Found[] = [
      ...compared.findings.filter(({ place }) => !going.has(place?.messageId ?? '')),
      ...unposted.map(({ deliveryId }: Owed) => ({ what: 'unposted' as const, deliveryId, place: null })),
      ...this.#untrueIn(reading, found),
      ...(await this.#unrecordedIn(reading, found, compared.findings)),
    ];
    const findings = await Promise.all(
      all.map(async (one) => ({ guildId, channelId, ...one, ...(await this.#about(one, reading, found, owed)) })),
    );
    const number = (...what: Finding['what'][]) => findings.filter((finding) => what.includes(finding.what)).length;
    return {
      figures: {
        owed: compared.owed + unposted.length,
        there: compared.there,
        twice: number('twice', 'copy'),
        missing: number('missing', 'unposted'),
        untrue: number('untrue', 'unrecorded'),
      },
      findings,
    };
  }

  /** The posts that show what is no longer so, and that no pending edit corrects. */
  #untrueIn({ channelId, posts, untilMs }: Reading, { posted, messages }: FoundPosts) {
    const { store, deliverer } = this.#parts;
    const waiting = new Set(store.edits.pending(channelId).map(({ deliveryId }) => deliveryId));
    const byId = new Map(messages.map((message) => [message.messageId, message]));
    return posts.flatMap((post) => {
      const { deliveryId, messageId, postedAtMs } = post;
      const message = byId.get(messageId);
      if (!message || !posted.has(deliveryId) || waiting.has(deliveryId) || postedAtMs > untilMs) return [];
      if (!isUntrue(message, deliverer.currentCard(post))) return [];
      return [{ what: 'untrue' as const, deliveryId, place: { channelId: message.channelId, messageId } }];
    });
  }

  /**
   * The posts that neither the ledger nor the outbox knows, or of which the ledger knows another message that is gone.
   * @param others what was found else: a message that is too many is no post
   */
  async #unrecordedIn(
    { fromMs, untilMs }: Reading,
    { messages, isCutOff }: FoundPosts,
    others: readonly Found[],
  ): Promise<Found[]> {
    const { deliveries } = this.#parts.store;
    const untilId = idAt(untilMs);
    const tooMany = new Set(others.map(({ place }) => place?.messageId));
    const standing = new Set(messages.map(({ messageId }) => messageId));
    const isGone = (id: string) => !isCutOff && !standing.has(id) && BigInt(id) > idAt(fromMs);
    const unrecorded: Found[] = [];
    for (const { ids, isAnswer, channelId, messageId } of messages) {
      if (isAnswer || BigInt(messageId) >= untilId || tooMany.has(messageId)) continue;
      for (const deliveryId of ids) {
        if (deliveries.isPending(deliveryId)) continue;
        const ended = await deliveries.ended(deliveryId);
        if (ended && (ended.messageId === null || !isGone(ended.messageId))) continue;
        unrecorded.push({ what: 'unrecorded', deliveryId, place: { channelId, messageId } });
      }
    }
    return unrecorded;
  }

  /** What a finding is about, and what is known of that. */
  async #about(
    { deliveryId, place }: Found,
    { posts }: Reading,
    { messages }: FoundPosts,
    allOwed: readonly Owed[],
  ): Promise<Pick<Finding, 'title' | 'post' | 'owed'>> {
    const owed = allOwed.find((one) => one.deliveryId === deliveryId) ?? null;
    // A post stands for other deliveries, too: they have its message.
    const post = posts.find((one) => one.deliveryId === deliveryId || one.messageId === place?.messageId) ?? null;
    const message = messages.find(({ messageId }) => messageId === place?.messageId);
    const announcement = owed?.announcement ?? post?.announcement ?? (await this.#memberOf(deliveryId))?.announcement;
    return { title: announcement ? titleOf(announcement, ENGLISH) : message ? titleIn(message) : null, post, owed };
  }

  /** The member of a roll-up that has a delivery's id. */
  async #memberOf(deliveryId: string | null): Promise<RollUpMember | undefined> {
    const { deliveries } = this.#parts.store;
    const rollUpId = deliveryId === null ? null : (await deliveries.ended(deliveryId))?.rollUpId;
    const rollUp = rollUpId ? await deliveries.findRollUp(rollUpId) : undefined;
    return rollUp?.members.find((member) => idsOf({ id: member.deliveryId, ...member }).includes(deliveryId ?? ''));
  }

  #logFindings({ channelId: channel, guildId }: Reading, findings: readonly Finding[]): void {
    const { log } = this.#parts;
    for (const { what, deliveryId: delivery, place } of findings.slice(0, MOST_LOGGED)) {
      const link = place && messageUrl(personAt(guildId) === null ? guildId : '@me', place);
      log.warn({ what, channel, delivery, message: place?.messageId ?? null, link }, 'the audit found something');
    }
    const more = findings.length - MOST_LOGGED;
    if (more > 0) log.warn({ channel, more }, 'the audit found more in a channel than is logged');
  }
}

/** The first id that Discord gives at a moment. */
function idAt(ms: number): bigint {
  return BigInt(Math.max(0, Math.floor(ms) - DISCORD_EPOCH_MS)) << 22n;
}
