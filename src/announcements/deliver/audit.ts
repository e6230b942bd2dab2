import type { Courier } from '../../discord/courier.ts';
import type { FoundPosts } from '../../discord/find-posted.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { PostedDelivery } from '../../store/deliveries.ts';
import type { Store } from '../../store/store.ts';

/** How the ledger and the channels compare, in announcements. */
export interface AuditFigures {
  /** Posted in the audited time, according to the ledger. */
  owed: number;
  /** The owed posts whose message stands in the channel. */
  there: number;
  /** Announcements that stand in more than one message. */
  twice: number;
  /** Owed and not there: somebody has deleted the message, or it never arrived. */
  missing: number;
}

/** One audit: its figures over all channels, and those of each server. */
export interface AuditResult extends AuditFigures {
  /** When it ended: epoch milliseconds. */
  atMs: number;
  channels: number;
  /** Channels that could not be read. */
  unread: number;
  byServer: ReadonlyMap<string, AuditFigures>;
}

/** The audit covers the day up to an hour ago, so that it takes nothing that is being posted for missing. */
const FROM_MS = 25 * 3_600_000;
const UNTIL_MS = 3_600_000;
/** The budget of one audit. Where there are more channels, each night's are others. */
const MOST_CHANNELS = 100;
/** One channel's share: 300 messages, or 30 posts of a forum. */
const LIMITS = { pages: 3, threads: 30 };
/** The epoch of Discord's ids. @see https://discord.com/developers/docs/reference#snowflakes */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

interface AuditParts {
  store: Pick<Store, 'deliveries' | 'subscriptions' | 'audits'>;
  courier: Pick<Courier, 'findPosted'>;
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** Ends an audit early; its figures are those of the channels that were read. */
  signal: AbortSignal;
}

/** Reads channels and compares them with the ledger. Makes no change in either. */
export class Audit {
  readonly #parts: AuditParts;
  /** The audit that is being made: two at once would read the channels twice. */
  #running: Promise<AuditResult> | null = null;
  /** Where the next audit begins in the list of channels, which goes round. */
  #next = 0;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  run(): Promise<AuditResult> {
    this.#running ??= this.#compareAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** The last audit, of an earlier run of the program, too; null before the first. */
  last(): AuditResult | null {
    const record = this.#parts.store.audits.last();
    return record && { ...record, byServer: new Map(record.byServer) };
  }

  async #compareAll(): Promise<AuditResult> {
    const { store, courier, clock, log, signal } = this.#parts;
    const nowMs = clock.now();
    const [fromId, untilId] = [idAt(nowMs - FROM_MS), idAt(nowMs - UNTIL_MS)];
    const taken = this.#takeChannels();
    const posted = await store.deliveries.postedBetween(fromId, untilId);
    const byServer = new Map<string, AuditFigures>();
    let unread = 0;
    let channels = 0;
    for (const [channelId, guildId] of taken) {
      if (signal.aborted) break;
      channels += 1;
      const outcome = await courier.findPosted(channelId, String(fromId), LIMITS);
      if (outcome.kind !== 'found') {
        unread += 1;
        continue;
      }
      const figures = compare(posted.get(channelId) ?? [], outcome);
      byServer.set(guildId, sum([byServer.get(guildId) ?? NOTHING, figures]));
      if (figures.twice + figures.missing > 0) {
        log.warn({ channel: channelId, ...figures }, 'a channel differs from the ledger');
      }
    }
    const figures = { ...sum([...byServer.values()]), atMs: clock.now(), channels, unread };
    log.info(figures, 'the channels were compared with the ledger');
    await store.audits.save({ ...figures, byServer: [...byServer] });
    return { ...figures, byServer };
  }

  /** The channels of this audit, with their servers. */
  #takeChannels(): [channelId: string, guildId: string][] {
    const subscriptions = this.#parts.store.subscriptions.all().filter(({ pausedBy }) => pausedBy === null);
    const all = [...new Map(subscriptions.map(({ channelId, guildId }) => [channelId, guildId]))].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const from = this.#next % Math.max(1, all.length);
    const taken = [...all.slice(from), ...all.slice(0, from)].slice(0, MOST_CHANNELS);
    this.#next = from + taken.length;
    return taken;
  }
}

const NOTHING: AuditFigures = { owed: 0, there: 0, twice: 0, missing: 0 };

/** The first id that Discord gives at a moment. */
function idAt(ms: number): bigint {
  return BigInt(Math.max(0, Math.floor(ms) - DISCORD_EPOCH_MS)) << 22n;
}

/** Compares what was posted in a channel with what stands there. */
function compare(posted: readonly PostedDelivery[], found: FoundPosts): AuditFigures {
  const messages = new Set([...found.posted.values()].map(({ messageId }) => messageId));
  // Where only a part was read, what is older than it may well be there.
  const oldest = [...messages].reduce<bigint | null>(
    (id, other) => (id === null || BigInt(other) < id ? BigInt(other) : id),
    null,
  );
  const isRead = (messageId: string) => !found.isCutOff || (oldest !== null && BigInt(messageId) >= oldest);
  const owed = posted.filter(({ messageId }) => isRead(messageId));
  const there = owed.filter(({ messageId }) => messages.has(messageId)).length;
  return { owed: owed.length, there, twice: found.repeated.size, missing: owed.length - there };
}

function sum(all: readonly AuditFigures[]): AuditFigures {
  return all.reduce(
    (one, other) => ({
      owed: one.owed + other.owed,
      there: one.there + other.there,
      twice: one.twice + other.twice,
      missing: one.missing + other.missing,
    }),
    NOTHING,
  );
}
