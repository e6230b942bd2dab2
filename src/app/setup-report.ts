import { amount } from '../shared/amount.ts';

/** The result of one check of the set-up. */
export interface SetupCheck {
  /** The part that was checked; several checks may be about the same. */
  part: 'settings' | 'state' | 'backup' | 'port' | 'portal' | 'v2' | 'discord' | 'clock' | 'channel';
  /** `skipped` where there was nothing to check, or no way to. */
  result: 'ok' | 'failed' | 'skipped';
  /** A sentence or two that hold no secret: what was found, and what to do about a failure. */
  detail: string;
}

/** How far this machine's clock may be from Discord's, whose Date header tells whole seconds. */
const CLOCK_MAY_DIFFER_MS = 10_000;

/**
 * Judges the clock.
 * @param aheadMs by how many milliseconds it is ahead of Discord's; null where Discord answered without a time
 */
export function clockCheck(aheadMs: number | null): SetupCheck {
  if (aheadMs === null) return { part: 'clock', result: 'skipped', detail: 'Discord told no time to compare with.' };
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const difference = `${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} Discord's`;
  if (Math.abs(aheadMs) <= CLOCK_MAY_DIFFER_MS) {
    return { part: 'clock', result: 'ok', detail: `Right to the second or so: ${difference}.` };
  }
  return {
    part: 'clock',
    result: 'failed',
    detail: `This machine's clock is ${difference}. Set it, or let NTP do it: quiet hours, digests and the catalog's day go by it.`,
  };
}

/** Whether nothing has failed. */
export function isWellSetUp(checks: readonly SetupCheck[]): boolean {
  return checks.every(({ result }) => result !== 'failed');
}

/** The report for programs: one JSON object. */
export function setupAsJson(checks: readonly SetupCheck[]): string {
  return JSON.stringify({ ok: isWellSetUp(checks), checks }, null, 2);
}

const MARKS: Readonly<Record<SetupCheck['result'], string>> = { ok: '✓', failed: '✗', skipped: '–' };
const WIDTH = 'settings'.length;

/** The report for people: a line for each check, and what it comes to. */
export function setupAsText(checks: readonly SetupCheck[]): string {
  const lines = checks.map(({ part, result, detail }) => `${MARKS[result]} ${part.padEnd(WIDTH)}  ${detail}`);
  const failed = checks.filter(({ result }) => result === 'failed').length;
  const sum = failed === 0 ? 'Nothing to fix.' : `${amount(failed, 'problem')} to fix.`;
  return [...lines, '', sum].join('\n');
}
