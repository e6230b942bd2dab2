import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DemoPlace } from '../../local-discord/src/index.ts';
import type { SetUp } from './measurement.ts';
import type { BotSettings } from './protocol.ts';

/** The state's usual name: its files have plain names. */
const USUAL_NAME = 'dealbell';

/** The path of a file beside the bot's state, for that state alone: several states may be in a folder. */
export function besideState({ folder, name }: Pick<BotSettings, 'folder' | 'name'>, file: string): string {
  return join(folder, name === USUAL_NAME ? file : `${name}-${file}`);
}

/** The clock's lead, which the demo keeps over a restart: without it the bot's records would lie in the future. */
export interface Kept {
  /** How far the demo's time is ahead of the machine's: milliseconds. */
  aheadMs: number;
  channelIds: Partial<Record<DemoPlace, string>>;
  /** The subscriptions as the demo has made them; null until the bot has told them. */
  setUp: SetUp | null;
}

/** Reads what was kept in a file; nothing where there is none, or none that can be read. */
export function readKept(path: string): Kept {
  try {
    const { aheadMs, channelIds, setUp } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Kept>;
    return {
      aheadMs: Number.isFinite(aheadMs) ? Number(aheadMs) : 0,
      channelIds: { ...channelIds },
      setUp: setUp ?? null,
    };
  } catch {
    return { aheadMs: 0, channelIds: {}, setUp: null };
  }
}

/** Writes it so that a kill leaves either the former file or the new one. */
export function writeKept(path: string, kept: Kept): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify(kept));
  renameSync(`${path}.new`, path);
}
