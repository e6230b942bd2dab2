import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DemoPlace } from '../../local-discord/src/index.ts';

/** The clock's lead, which the demo keeps over a restart: without it the bot's records would lie in the future. */
export interface Kept {
  /** How far the demo's time is ahead of the machine's: milliseconds. */
  aheadMs: number;
  channelIds: Partial<Record<DemoPlace, string>>;
}

/** Reads what was kept in a file; nothing where there is none, or none that can be read. */
export function readKept(path: string): Kept {
  try {
    const { aheadMs, channelIds } = JSON.parse(readFileSync(path, 'utf8')) as Kept;
    return { aheadMs: Number.isFinite(aheadMs) ? aheadMs : 0, channelIds: { ...channelIds } };
  } catch {
    return { aheadMs: 0, channelIds: {} };
  }
}

/** Writes it so that a kill leaves either the former file or the new one. */
export function writeKept(path: string, kept: Kept): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify(kept));
  renameSync(`${path}.new`, path);
}
