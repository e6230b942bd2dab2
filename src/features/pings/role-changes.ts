import { message } from '../../discord/i18n/translator.ts';
import { UserError } from '../../shared/errors.ts';

/** The most changes that one person makes in so many milliseconds. */
const MOST_CHANGES = 10;
const PER_MS = 10_000;
/** Above this many people, those who changed nothing lately are dropped. */
const MOST_KEPT = 1_000;

/** Counts what each person changes. */
export class RoleChanges {
  /** The moments of each person's changes in the last ten seconds, oldest first: epoch milliseconds. */
  readonly #changes = new Map<string, readonly number[]>();

  /** @throws UserError where that makes more than ten changes in ten seconds; then none is counted */
  count(personId: string, more: number, nowMs: number): void {
    const isLate = (atMs: number) => atMs > nowMs - PER_MS && atMs <= nowMs;
    const lately = (this.#changes.get(personId) ?? []).filter(isLate);
    if (lately.length + more > MOST_CHANGES) throw new UserError(message('takePings.tooFast', { most: MOST_CHANGES }));
    this.#changes.set(personId, [...lately, ...Array.from({ length: more }, () => nowMs)]);
    if (this.#changes.size <= MOST_KEPT) return;
    for (const [id, moments] of this.#changes) if (!moments.some(isLate)) this.#changes.delete(id);
  }
}
