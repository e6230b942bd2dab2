import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';

/** How long the monitor may take to answer. */
const ANSWERS_WITHIN_MS = 10_000;

interface HeartbeatParts {
  /** The monitor's address, a secret in itself; a password in it is sent as a bearer token, by POST. */
  url: string;
  isWell: () => boolean;
  clock: Clock;
  log: Log;
}

/**
 * Asks a monitor's address while all is well, so that it notices when nobody asks any more: Uptime Kuma's push monitors,
 * Healthchecks and Gatus' external endpoints work like that. Where something is wrong, it is silent.
 */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  #hasFailed = false;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
  }

  async beat(): Promise<void> {
    const { url, isWell, clock } = this.#parts;
    if (!isWell()) return;
    const address = new URL(url);
    const token = decodeURIComponent(address.password);
    [address.username, address.password] = ['', ''];
    const late = new AbortController();
    const callOff = clock.after(ANSWERS_WITHIN_MS, () => late.abort());
    try {
      const { ok, status, body } = await fetch(address, {
        signal: late.signal,
        ...(token && { method: 'POST', headers: { authorization: `Bearer ${token}` } }),
      });
      await body?.cancel();
      this.#note({ ok, status });
    } catch {
      this.#note(null);
    } finally {
      callOff();
    }
  }

  /** Neither the address nor an error that names it is logged: whoever has it can keep the monitor quiet. */
  #note(answer: { ok: boolean; status: number } | null): void {
    const isTaken = answer?.ok === true;
    if (!isTaken && !this.#hasFailed) {
      this.#parts.log.warn(
        { problem: answer ? `it answered with ${answer.status}` : 'it did not answer' },
        'the heartbeat was not taken',
      );
    }
    this.#hasFailed = !isTaken;
  }
}
