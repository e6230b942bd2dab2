import { createHash } from 'node:crypto';
import { type Card, noticeCard } from '../discord/cards/parts.ts';
import { timestamp } from '../discord/format.ts';
import type { Translator } from '../discord/i18n/translator.ts';
import { escapeLine } from '../discord/markdown.ts';
import { ageMs, type Clock } from '../shared/clock.ts';
import { StoreError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Alert, AlertName, AlertStore } from '../store/server-records.ts';
import type { WriteProblem } from '../store/table/failures.ts';

/** How long something has to last until it is told: what ends by itself needs no person. */
const TOLD_AFTER_MS = 10 * 60_000;
/** How long after a message that Discord refused the next try comes. */
const RETRY_MS = 3_600_000;
/** How long posting may be paused until that is worth a message. */
const PAUSED_FOR_MS = 24 * 3_600_000;

/** What can need a person. */
export interface AlertFacts {
  /** Why no poll succeeds; null while polls do. */
  pollsFailBecause: string | null;
  /** When a quota returns of which polling may spend nothing more: epoch milliseconds; null where there is none. */
  quotaResetsAtMs: number | null;
  /** Followed feeds that the catalog says it doesn't have. */
  unknownFeeds: readonly string[];
  /** Fields of the catalog that can't be read, as `Condition in Tools`. */
  unreadable: readonly string[];
  /** Why the last backup failed; null where it didn't. */
  backupFailure: string | null;
  stateProblem: WriteProblem | null;
  /** What the audit last found; null before the first. */
  audit: { twice: number; missing: number; untrue: number } | null;
  pausedSinceMs: number | null;
}

/** What needs a person now, each with what it means and what to do about it, as Markdown. */
export function alertsNow(facts: AlertFacts, nowMs: number, translator: Translator): Map<AlertName, string> {
  const t: Translator['t'] = (...told) => translator.t(...told);
  const { pollsFailBecause, quotaResetsAtMs, unknownFeeds, unreadable } = facts;
  const { backupFailure, stateProblem, audit, pausedSinceMs } = facts;
  const alerts: [AlertName, string | false | null][] = [
    ['catalog', pollsFailBecause && t('alert.catalog.means', { why: escapeLine(pollsFailBecause) })],
    ['quota', quotaResetsAtMs !== null && t('alert.quota.means', { at: timestamp(quotaResetsAtMs, 'f') })],
    ['feed', unknownFeeds.length > 0 && t('alert.feed.means', { feeds: escapeLine(unknownFeeds.join(', ')) })],
    ['drift', unreadable.length > 0 && t('alert.drift.means', { fields: escapeLine(unreadable.join(', ')) })],
    ['backup', backupFailure && t('alert.backup.means', { why: escapeLine(backupFailure) })],
    ['state', stateProblem && t(`status.state.${stateProblem}`)],
    ['audit', audit && audit.twice + audit.missing + audit.untrue > 0 && t('alert.audit.means', audit)],
    [
      'pause',
      pausedSinceMs !== null &&
        ageMs(pausedSinceMs, nowMs) >= PAUSED_FOR_MS &&
        t('alert.pause.means', { at: timestamp(pausedSinceMs, 'f') }),
    ],
  ];
  return new Map(alerts.flatMap(([name, means]) => (means ? [[name, means] as const] : [])));
}

interface OwnerAlertsParts {
  facts: () => AlertFacts;
  store: AlertStore;
  translator: () => Translator;
  /**
   * Sends the owner a message; resolves with whether Discord took it. One with the same nonce within minutes is not
   * sent again.
   */
  send: (card: Card, nonce: string) => Promise<boolean>;
  clock: Clock;
  log: Log;
}

/** Tells the application's owner once what has needed a person for ten minutes, and once when that is over. */
export class OwnerAlerts {
  readonly #parts: OwnerAlertsParts;
  /** Monotonic time from which on the owner is written to again. */
  #writableFromMs = -Infinity;
  /** What the state has, and what it could not take while it can't be written. */
  readonly #alerts: Map<AlertName, Alert>;

  constructor(parts: OwnerAlertsParts) {
    this.#parts = parts;
    this.#alerts = new Map(parts.store.all());
  }

  async tick(): Promise<void> {
    const { facts, translator, clock } = this.#parts;
    const nowMs = clock.now();
    const now = alertsNow(facts(), nowMs, translator());
    for (const [name, means] of now) {
      const known = this.#alerts.get(name);
      if (!known) await this.#save(name, { sinceMs: nowMs, isTold: false });
      else if (!known.isTold && ageMs(known.sinceMs, nowMs) >= TOLD_AFTER_MS) await this.#began(name, known, means);
    }
    for (const [name, known] of this.#alerts) {
      if (!now.has(name) && (!known.isTold || (await this.#ended(name, known)))) await this.#save(name, null);
    }
  }

  async #began(name: AlertName, alert: Alert, means: string): Promise<void> {
    const translator = this.#parts.translator();
    const since = translator.t('alert.since', { at: timestamp(alert.sinceMs, 'f') });
    const isSent = await this.#send(
      `⚠ **${translator.t(`alert.${name}`)}**\n${means}\n-# ${since}`,
      `began/${name}`,
      alert,
    );
    if (isSent) await this.#save(name, { ...alert, isTold: true });
  }

  #ended(name: AlertName, alert: Alert): Promise<boolean> {
    const translator = this.#parts.translator();
    const over = translator.t('alert.over', { what: translator.t(`alert.${name}`) });
    const since = translator.t('alert.lasted', { at: timestamp(alert.sinceMs, 'f') });
    return this.#send(`✅ **${over}**\n-# ${since}`, `ended/${name}`, alert);
  }

  async #send(words: string, what: string, { sinceMs }: Alert): Promise<boolean> {
    const { send, clock, log } = this.#parts;
    if (clock.monotonicMs() < this.#writableFromMs) return false;
    // A process that is killed before it stored that a message was sent sends the same again, which Discord knows.
    const nonce = createHash('sha256').update(`${what}/${sinceMs}`).digest('base64url').slice(0, 24);
    const isSent = await send(noticeCard(words), nonce);
    if (!isSent) {
      this.#writableFromMs = clock.monotonicMs() + RETRY_MS;
      log.warn({ alert: what }, 'the owner could not be told');
    } else log.info({ alert: what }, 'told the owner');
    return isSent;
  }

  async #save(name: AlertName, alert: Alert | null): Promise<void> {
    if (alert) this.#alerts.set(name, alert);
    else this.#alerts.delete(name);
    try {
      await this.#parts.store.save(name, alert);
    } catch (error) {
      // That is an alert of its own, and each further change tries again.
      if (!(error instanceof StoreError)) throw error;
    }
  }
}
