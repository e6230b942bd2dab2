import { createHash } from 'node:crypto';
import { noticeCard } from '../discord/cards/parts.ts';
import { timestamp } from '../discord/format.ts';
import type { Translator } from '../discord/i18n/translator.ts';
import { escapeLine } from '../discord/markdown.ts';
import type { OwnerMessages } from '../discord/owner-messages.ts';
import { ageMs, type Clock } from '../shared/clock.ts';
import { StoreError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Alert, AlertName, AlertStore } from '../store/server-records.ts';
import type { WriteProblem } from '../store/table/failures.ts';

/** How long something has to last until it is told: what ends by itself needs no person. */
const TOLD_AFTER_MS = 10 * 60_000;
/** How long after a message that Discord refused its next try comes, and after one without an answer. */
const RETRY_REFUSED_MS = 3_600_000;
const RETRY_UNANSWERED_MS = 5 * 60_000;
/** How long posting may be paused until that is worth a message. */
const PAUSED_FOR_MS = 24 * 3_600_000;

/** The conditions that can need a person. */
export interface AlertFacts {
  /** Why no poll succeeds; null while polls do. */
  pollsFailBecause: string | null;
  /** When a quota returns of which polling may spend nothing more: epoch milliseconds; null where there is none. */
  quotaResetsAtMs: number | null;
  /** Followed feeds that the catalog says it doesn't have. */
  unknownFeeds: readonly string[];
  /** Fields of the catalog that can't be read, as `Condition (Tools)`. */
  unreadable: readonly string[];
  /** Why the last backup failed; null where it didn't. */
  backupFailure: string | null;
  stateProblem: WriteProblem | null;
  /** The result of the last audit; null before the first. */
  audit: { twice: number; missing: number; untrue: number } | null;
  pausedSinceMs: number | null;
}

/** The conditions that need a person now, each with what it means and what to do about it, as Markdown. */
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
  messages: Pick<OwnerMessages, 'send'>;
  clock: Clock;
  log: Log;
}

/** Tells the application's owner once what has needed a person for ten minutes, and once when that is over. */
export class OwnerAlerts {
  readonly #parts: OwnerAlertsParts;
  /** Of what could not be told: the monotonic time from which on it is tried again. */
  readonly #triedAgainFromMs = new Map<AlertName, number>();
  /** The alerts that the state has, with those that it could not take while it can't be written. */
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
    const words = `⚠ **${translator.t(`alert.${name}`)}**\n${means}\n-# ${since}`;
    if (await this.#send(words, 'began', name, alert)) await this.#save(name, { ...alert, isTold: true });
  }

  #ended(name: AlertName, alert: Alert): Promise<boolean> {
    const translator = this.#parts.translator();
    const over = translator.t('alert.over', { what: translator.t(`alert.${name}`) });
    const since = translator.t('alert.lasted', { at: timestamp(alert.sinceMs, 'f') });
    return this.#send(`✅ **${over}**\n-# ${since}`, 'ended', name, alert);
  }

  async #send(words: string, what: 'began' | 'ended', name: AlertName, { sinceMs }: Alert): Promise<boolean> {
    const { messages, clock, log } = this.#parts;
    if (clock.monotonicMs() < (this.#triedAgainFromMs.get(name) ?? -Infinity)) return false;
    const alert = `${what}/${name}`;
    // A process that is killed before it stored that a message was sent sends the same again, which Discord knows.
    const nonce = createHash('sha256').update(`${alert}/${sinceMs}`).digest('base64url').slice(0, 24);
    const refusal = await messages.send(noticeCard(words), nonce);
    if (refusal) {
      const waitMs = refusal.isRefused ? RETRY_REFUSED_MS : RETRY_UNANSWERED_MS;
      this.#triedAgainFromMs.set(name, clock.monotonicMs() + waitMs);
      log.warn({ alert, err: refusal.error }, 'the owner could not be told');
      return false;
    }
    this.#triedAgainFromMs.delete(name);
    log.info({ alert }, 'told the owner');
    return true;
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
