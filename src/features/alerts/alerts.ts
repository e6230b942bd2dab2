import { createHash } from 'node:crypto';
import type { Conditions, Need } from '../../app/feature.ts';
import { noticeCard } from '../../discord/cards/parts.ts';
import { timestamp } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { escapeLine } from '../../discord/markdown.ts';
import { ageMs, type Clock } from '../../shared/clock.ts';
import { StoreError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import type { OwnerMessages } from './owner-messages.ts';
import type { Alert, AlertStore } from './records.ts';

/** How long something has to last before an alert: what ends by itself needs no person. */
const TOLD_AFTER_MS = 10 * MINUTE_MS;
/** How long after a message that Discord refused its next try comes, and after one without an answer. */
const RETRY_REFUSED_MS = HOUR_MS;
const RETRY_UNANSWERED_MS = 5 * MINUTE_MS;

/** The messages that an alert names. */
const MOST_NAMED = 3;

/** What of the core can need a person. */
const CORE_NAMES = ['catalog', 'quota', 'feed', 'drift', 'message', 'backup', 'state'] as const;
type CoreName = (typeof CORE_NAMES)[number];

/** The conditions of the core that need a person now, each with what it means and what to do about it, as Markdown. */
function alertsNow(conditions: Conditions, translator: Translator): Map<CoreName, string> {
  const t: Translator['t'] = (...told) => translator.t(...told);
  const { pollsFailBecause, quotaResetsAtMs, unknownFeeds, unreadable } = conditions;
  const { backupFailure, refusedMessages, stateProblem } = conditions;
  const alerts: [CoreName, string | false | null][] = [
    ['catalog', pollsFailBecause && t('alert.catalog.means', { why: escapeLine(pollsFailBecause) })],
    ['quota', quotaResetsAtMs !== null && t('alert.quota.means', { at: timestamp(quotaResetsAtMs, 'f') })],
    ['feed', unknownFeeds.length > 0 && t('alert.feed.means', { feeds: escapeLine(unknownFeeds.join(', ')) })],
    ['drift', unreadable.length > 0 && t('alert.drift.means', { fields: escapeLine(unreadable.join(', ')) })],
    ['message', refusedMessages.length > 0 && t('alert.message.means', { titles: namesOf(refusedMessages) })],
    ['backup', backupFailure && t('alert.backup.means', { why: escapeLine(backupFailure) })],
    ['state', stateProblem && t(`status.state.${stateProblem}`)],
  ];
  return new Map(alerts.flatMap(([name, means]) => (means ? [[name, means] as const] : [])));
}

/** The first of the titles, as safe Markdown. */
function namesOf(titles: readonly string[]): string {
  const named = titles.slice(0, MOST_NAMED).map((title) => escapeLine(title));
  return [...named, ...(titles.length > named.length ? ['…'] : [])].join(' · ');
}

interface OwnerAlertsParts {
  conditions: () => Conditions;
  /** What else can need a person. */
  needs: () => readonly Need[];
  store: AlertStore;
  translator: () => Translator;
  messages: Pick<OwnerMessages, 'send'>;
  clock: Clock;
  log: Log;
}

/** Tells the application's owner once what has needed a person for ten minutes, and once when that is over. */
export class OwnerAlerts {
  readonly #parts: OwnerAlertsParts;
  /** For each alert that could not be sent, the monotonic time from which it is tried again. */
  readonly #triedAgainFromMs = new Map<string, number>();
  /** The alerts that the state has, with those that it could not take while it can't be written. */
  readonly #alerts: Map<string, Alert>;

  constructor(parts: OwnerAlertsParts) {
    this.#parts = parts;
    this.#alerts = new Map(parts.store.entries());
  }

  async tick(): Promise<void> {
    const nowMs = this.#parts.clock.now();
    const now = this.#now();
    for (const [name, means] of now) {
      const known = this.#alerts.get(name);
      if (!known) await this.#save(name, { sinceMs: nowMs, isTold: false });
      else if (!known.isTold && ageMs(known.sinceMs, nowMs) >= TOLD_AFTER_MS) await this.#began(name, known, means);
    }
    for (const [name, known] of this.#alerts) {
      if (!now.has(name) && (!known.isTold || (await this.#ended(name, known)))) await this.#save(name, null);
    }
  }

  #now(): Map<string, string> {
    const { conditions, needs, translator } = this.#parts;
    const ofCore = alertsNow(conditions(), translator());
    const others = needs().map(({ name, means }) => [name, means(translator())] as const);
    return new Map([...ofCore, ...others.flatMap(([name, means]) => (means === null ? [] : [[name, means] as const]))]);
  }

  /** What the alert is called; null for one of a feature that is not here any more. */
  #title(name: string): string | null {
    const translator = this.#parts.translator();
    const ofCore = CORE_NAMES.find((one) => one === name);
    if (ofCore) return translator.t(`alert.${ofCore}`);
    const need = this.#parts.needs().find((one) => one.name === name);
    return need?.title(translator) ?? null;
  }

  async #began(name: string, alert: Alert, means: string): Promise<void> {
    const since = this.#parts.translator().t('alert.since', { at: timestamp(alert.sinceMs, 'f') });
    const words = `⚠ **${this.#title(name)}**\n${means}\n-# ${since}`;
    if (await this.#send(words, 'began', name, alert)) await this.#save(name, { ...alert, isTold: true });
  }

  async #ended(name: string, alert: Alert): Promise<boolean> {
    const title = this.#title(name);
    if (title === null) return false;
    const translator = this.#parts.translator();
    const since = translator.t('alert.lasted', { at: timestamp(alert.sinceMs, 'f') });
    return this.#send(`✅ **${translator.t('alert.over', { what: title })}**\n-# ${since}`, 'ended', name, alert);
  }

  async #send(words: string, what: 'began' | 'ended', name: string, { sinceMs }: Alert): Promise<boolean> {
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

  async #save(name: string, alert: Alert | null): Promise<void> {
    const { store } = this.#parts;
    if (alert) this.#alerts.set(name, alert);
    else this.#alerts.delete(name);
    try {
      await (alert ? store.save(name, alert) : store.remove(name));
    } catch (error) {
      // That is an alert of its own, and each further change tries again.
      if (!(error instanceof StoreError)) throw error;
    }
  }
}
