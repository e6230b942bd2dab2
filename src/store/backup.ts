import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { StoreError } from '../shared/errors.ts';
import { addSpent } from './catalog-records.ts';
import { bringOutboxUpTo } from './deliveries.ts';
import { migrate } from './migrations.ts';
import { isEmpty, type OpenedState, openState, readAbout, withLease } from './open-state.ts';
import { openBotUser } from './server-records.ts';
import type { Backend } from './table/backend.ts';
import { isDamage } from './table/failures.ts';
import type { LeaseParts } from './table/lease.ts';
import {
  ENDINGS,
  isThere,
  OWNERS_FILE,
  OWNERS_FOLDER,
  PARTIAL,
  placeOf,
  requireFileState,
} from './table/state-place.ts';

/** How many copies are kept of states that a restore or a migration has replaced. */
const KEPT_ASIDE = 3;

/**
 * The kinds that record what the bot did. Their rows in the replaced state stay, because the backup lacks what was done after
 * it was made: so nothing is posted again and no limit is exceeded.
 */
const DONE = ['ledger', 'roll-up', 'post', 'edit', 'removal', 'publication', 'pin', 'unpublished', 'pace'];

/** The prefix of backups' names; several bots can have theirs in one folder. null: the bot has never logged in. */
const backupPrefix = (botId: string | null) => (botId === null ? 'dealbell' : `dealbell-${botId}`);
/** The name of a backup, whichever bot's it is, up to its time. */
const ANY_BACKUP = /^dealbell(-\d+)?(?=-\d{4}-\d\d-)/;
/** The most backups that are named where somebody names their folder. */
const MOST_NAMED = 10;
/** What follows the prefix in a copy's name: its time (UTC), so that names sort by it. */
const COPY_TIME = /^-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.sqlite$/;

function copyPath(folder: string, prefix: string, nowMs: number): string {
  return join(folder, `${prefix}-${new Date(nowMs).toISOString().replaceAll(':', '-')}.sqlite`);
}

/** When a copy of that prefix was made, by its name: epoch milliseconds; null where it is no name of such a copy. */
function copiedAtMs(name: string, prefix: string): number | null {
  const match = name.startsWith(prefix) ? COPY_TIME.exec(name.slice(prefix.length)) : null;
  return match && Date.parse(`${match[1]}:${match[2]}:${match[3]}`);
}

/** The backups of one bot in a folder. */
export interface BackupsOfBot {
  folder: string;
  /** The bot's id on Discord; null where it has never logged in. */
  botId: string | null;
}

/** When the bot's newest backup was made: epoch milliseconds; null where there is none. */
export async function newestBackupMs({ folder, botId }: BackupsOfBot): Promise<number | null> {
  const names = await readdir(folder).catch(() => []);
  const times = names.flatMap((name) => copiedAtMs(name, backupPrefix(botId)) ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

/** Makes a backup, and deletes all but the bot's newest ones. Returns its path. */
export function rotateBackups(
  state: Pick<Backend, 'copyTo'>,
  { folder, botId, keep }: BackupsOfBot & { keep: number },
  nowMs: number,
): Promise<string> {
  return rotateCopies(state, { folder, prefix: backupPrefix(botId), keep }, nowMs);
}

/** Copies a state beside itself before something replaces it. Returns the copy's path; three of a kind are kept. */
export function copyAside(
  state: Pick<Backend, 'copyTo'>,
  stateUrl: string,
  why: string,
  nowMs: number,
): Promise<string> {
  const file = placeOf(stateUrl);
  const prefix = `${basename(file)}.before-${why}`;
  return rotateCopies(state, { folder: dirname(file), prefix, keep: KEPT_ASIDE }, nowMs);
}

interface Copies {
  folder: string;
  prefix: string;
  keep: number;
}

async function rotateCopies(state: Pick<Backend, 'copyTo'>, copies: Copies, nowMs: number): Promise<string> {
  const path = copyPath(copies.folder, copies.prefix, nowMs);
  await state.copyTo(path);
  await pruneCopies(copies);
  return path;
}

/** Deletes all copies but the newest ones, by the times in their names, and what is left of cut off ones. */
async function pruneCopies({ folder, prefix, keep }: Copies): Promise<void> {
  const isCopy = (name: string) => copiedAtMs(name, prefix) !== null;
  const names = (await readdir(folder)).sort();
  const copies = names.filter(isCopy);
  const newest = copies.at(-1) ?? '';
  const cutOff = names.filter((name) => name.endsWith(PARTIAL) && isCopy(name.slice(0, -PARTIAL.length)));
  const old = [...copies.slice(0, Math.max(0, copies.length - keep)), ...cutOff.filter((name) => name < newest)];
  for (const name of old) await removeState(join(folder, name));
}

/**
 * Copies a state to a new file, whether or not a bot is using it. Returns the file's path.
 * @param to the file, or the folder in which it gets a backup's name with the present time
 * @throws StoreError where there is no such state, it is empty, or the file exists already
 */
export async function backUp(stateUrl: string, to: string | { folder: string; nowMs: number }): Promise<string> {
  requireFileState(stateUrl);
  const file = placeOf(stateUrl);
  requireFile(file, 'There is no state to back up');
  const opened = openState(stateUrl);
  try {
    if (!(await readAbout(opened))) throw new StoreError(`There is no state to back up: ${file} is empty.`);
    const { id } = await openBotUser(opened.state);
    const path = typeof to === 'string' ? to : copyPath(to.folder, backupPrefix(id()), to.nowMs);
    await opened.backend.copyTo(path);
    return path;
  } finally {
    await opened.backend.close();
  }
}

/** The result of a restore. */
export interface Restored {
  /** Where the replaced state is; null where there was none. */
  asidePath: string | null;
  /** Whether the replaced state could be read: what it knew of posts and requests is kept. */
  isMerged: boolean;
}

/**
 * Replaces a state by a backup, all or nothing. The backup's file is left as it is.
 * @throws StateInUseError where a process holds the state
 * @throws StoreError where the backup can't be read, or is newer than this program; the state is left as it is
 */
export async function restore(
  stateUrl: string,
  path: string,
  owner: LeaseParts & { dealbell: string },
): Promise<Restored> {
  requireFileState(stateUrl);
  requireFile(path, 'There is no backup');
  if (statSync(path).isDirectory()) throw await namesInstead(path);
  const file = placeOf(stateUrl);
  if (resolve(path) === resolve(file)) throw new StoreError(`${path} is the state itself.`);
  const source = `${file}.restoring-${process.pid}`;
  mkdirSync(dirname(resolve(source)), { recursive: true, mode: OWNERS_FOLDER });
  try {
    // Read from a copy, because opening a file changes it.
    await copyWithLog(path, source);
    const copy = openState(`sqlite://${source}`);
    try {
      await bringUpToDate(copy, path, owner.dealbell);
      const damagedPath = await moveDamaged(stateUrl, owner);
      return await withLease(stateUrl, owner, async (replaced) => {
        const { asidePath, isMerged } = await mergeReplaced(replaced, copy, { stateUrl, ...owner });
        await replaced.backend.replaceWith(source, isMerged ? DONE : []);
        return { asidePath: asidePath ?? damagedPath, isMerged };
      });
    } finally {
      await copy.backend.close();
    }
  } finally {
    await removeState(source);
  }
}

/**
 * Brings a copy of a backup to this program's version.
 * @param name the backup's, for errors
 * @throws StoreError where it is no state that this program reads
 */
async function bringUpToDate(copy: OpenedState, name: string, dealbell: string): Promise<void> {
  try {
    await copy.backend.verify();
    const about = await readAbout(copy, name);
    if (!about) throw new StoreError(`${name} is no backup of a Dealbell state.`);
    await migrate(copy, { about, dealbell }, async () => undefined);
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new StoreError(`${name} is damaged, or no backup of a Dealbell state.`, { cause: error });
  }
}

/** Moves a damaged state aside. Returns where to; null where it is whole, or not there. */
async function moveDamaged(stateUrl: string, owner: LeaseParts): Promise<string | null> {
  try {
    await withLease(stateUrl, owner, ({ backend }) => backend.verify());
    return null;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  const file = placeOf(stateUrl);
  const [folder, prefix] = [dirname(file), `${basename(file)}.damaged`];
  const path = copyPath(folder, prefix, owner.clock.now());
  for (const ending of ENDINGS) if (existsSync(file + ending)) await rename(file + ending, path + ending);
  await pruneCopies({ folder, prefix, keep: KEPT_ASIDE });
  return path;
}

/**
 * Copies the state that is replaced, and adds to the backup's copy what was done since, so that no quota is spent twice
 * and nothing is posted twice. Where the replaced state can't be read, nothing can be added.
 */
async function mergeReplaced(
  replaced: OpenedState,
  copy: OpenedState,
  { stateUrl, clock, dealbell }: Pick<LeaseParts, 'clock'> & { stateUrl: string; dealbell: string },
): Promise<Restored> {
  // Rows of another form would be misread.
  const about = await readAbout(replaced).catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error;
    return null;
  });
  if (!about && (await isEmpty(replaced.backend))) return { asidePath: null, isMerged: false };
  const asidePath = await copyAside(replaced.backend, stateUrl, 'restore', clock.now());
  if (!about) return { asidePath, isMerged: false };
  await migrate(replaced, { about, dealbell }, async () => asidePath);
  await addSpent(replaced.state, copy.state);
  await bringOutboxUpTo(replaced.state, copy.state);
  return { asidePath, isMerged: true };
}

/** Copies a database's file, with the write-ahead log of one that was copied by hand while it was in use. */
async function copyWithLog(from: string, to: string): Promise<void> {
  for (const ending of ['', '-wal']) {
    if (ending !== '' && !existsSync(from + ending)) continue;
    await writeFile(to + ending, createReadStream(from + ending), { mode: OWNERS_FILE });
  }
}

async function removeState(path: string): Promise<void> {
  for (const ending of ENDINGS) await rm(path + ending, { force: true });
}

/** The error where somebody names a folder: its newest backups. */
async function namesInstead(folder: string): Promise<StoreError> {
  const timeOf = (name: string) => copiedAtMs(name, ANY_BACKUP.exec(name)?.[0] ?? name);
  const backups = (await readdir(folder)).flatMap((name) => {
    const madeAtMs = timeOf(name);
    return madeAtMs === null ? [] : [{ name, madeAtMs }];
  });
  if (backups.length === 0) return new StoreError(`There is no backup in ${folder}.`);
  const newest = backups.toSorted((a, b) => b.madeAtMs - a.madeAtMs).slice(0, MOST_NAMED);
  const paths = newest.map(({ name }) => join(folder, name));
  return new StoreError(
    [
      `${folder} is a folder. Name one of its backups, the newest first (dealbell-<the bot's id>-<time>):`,
      ...paths,
    ].join('\n  '),
  );
}

function requireFile(path: string, problem: string): void {
  if (!isThere(path)) throw new StoreError(`${problem}: ${path} does not exist.`);
}
