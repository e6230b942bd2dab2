import { existsSync, mkdirSync } from 'node:fs';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { StoreError } from '../../shared/errors.ts';
import { type Backend, openBackend } from '../../shared/storage/backend.ts';
import { type Lease, type LeaseParts, takeLease } from '../../shared/storage/lease.ts';
import { PARTIAL } from '../../shared/storage/state-file.ts';
import { requireFileState } from '../../shared/storage/state-place.ts';
import { isDamage } from '../../shared/storage/store-errors.ts';
import type { SpendingStore, SpentRecord } from '../catalog/catalog.ts';
import { isReadable, readAbout, requireReadable } from './about.ts';
import { migrate } from './migrations.ts';
import { openSpending } from './spending.ts';

/** How many copies are kept of states that a restore or a migration has replaced. */
const KEPT_ASIDE = 3;

/** A database's file, and the files that SQLite keeps beside one that is in use. */
const ENDINGS = ['', '-wal', '-shm'];

/**
 * Records of what the bot did after the backup was made. It was done, whatever the backup knows of it: its rows in the replaced
 * state stay, so that nothing is posted again and no limit is exceeded.
 */
const DONE = ['ledger', 'roll_ups', 'posts', 'edits', 'publications', 'paces'];

type InterfaceName = Parameters<SpendingStore['load']>[0];
const INTERFACES: readonly InterfaceName[] = ['portal', 'v2'];

/** The path of a state's file. */
const fileOf = (stateUrl: string) => stateUrl.slice('sqlite://'.length);

/** The path of a copy that is made now. Its name tells its time (UTC), so that names sort by it. */
function copyPath(folder: string, prefix: string, nowMs: number): string {
  return join(folder, `${prefix}-${new Date(nowMs).toISOString().replaceAll(':', '-')}.sqlite`);
}

/** The prefix of backups' names. */
const BACKUP = 'dealbell';

/** The path of a backup that is made now. */
export const backupPath = (folder: string, nowMs: number) => copyPath(folder, BACKUP, nowMs);

/** When the newest backup was made: epoch milliseconds; null where there is none. */
export const newestBackupMs = (folder: string) => newestCopyMs(folder, BACKUP);

/** Makes a backup, and deletes all but the newest ones. Returns its path. */
export async function rotateBackups(
  state: Pick<Backend, 'copyTo'>,
  { folder, keep }: { folder: string; keep: number },
  nowMs: number,
): Promise<string> {
  const path = backupPath(folder, nowMs);
  await state.copyTo(path);
  await pruneCopies(folder, BACKUP, keep);
  return path;
}

/** Deletes all copies of that prefix but the newest ones, by the times in their names, and what is left of cut off ones. */
async function pruneCopies(folder: string, prefix: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).sort();
  const copies = names.filter((name) => isCopy(name, prefix));
  const newest = copies.at(-1) ?? '';
  const cutOff = names.filter((name) => name.endsWith(PARTIAL) && isCopy(name.slice(0, -PARTIAL.length), prefix));
  const old = [...copies.slice(0, Math.max(0, copies.length - keep)), ...cutOff.filter((name) => name < newest)];
  for (const name of old) for (const ending of ENDINGS) await rm(join(folder, name + ending), { force: true });
}

/** When the newest copy of that prefix was made, by its name: epoch milliseconds; null where there is none. */
async function newestCopyMs(folder: string, prefix: string): Promise<number | null> {
  const names = await readdir(folder).catch(() => []);
  const name = names
    .filter((one) => isCopy(one, prefix))
    .sort()
    .at(-1);
  const time = name?.slice(prefix.length + 1, -'.sqlite'.length).replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:');
  return time === undefined ? null : Date.parse(time);
}

function isCopy(name: string, prefix: string): boolean {
  const time = name.slice(prefix.length, -'.sqlite'.length);
  return name.startsWith(prefix) && name.endsWith('.sqlite') && /^-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/.test(time);
}

/** Copies a state beside itself before something replaces it. Returns the copy's path; three of a kind are kept. */
export async function copyAside(
  backend: Pick<Backend, 'copyTo'>,
  stateUrl: string,
  why: string,
  nowMs: number,
): Promise<string> {
  const file = fileOf(stateUrl);
  const prefix = `${basename(file)}.before-${why}`;
  const path = copyPath(dirname(file), prefix, nowMs);
  await backend.copyTo(path);
  await pruneCopies(dirname(file), prefix, KEPT_ASIDE);
  return path;
}

/**
 * Copies a state to a new file, whether or not a bot is using it.
 * @throws StoreError where there is no such state, it is empty, or the file exists already
 */
export async function backUp(stateUrl: string, path: string): Promise<void> {
  requireFileState(stateUrl);
  requireFile(fileOf(stateUrl), 'There is no state to back up');
  const backend = openBackend(stateUrl);
  try {
    if (!(await readAbout(backend)))
      throw new StoreError(`There is no state to back up: ${fileOf(stateUrl)} is empty.`);
    await backend.copyTo(path);
  } finally {
    await backend.close();
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
  if (resolve(path) === resolve(fileOf(stateUrl))) throw new StoreError(`${path} is the state itself.`);
  const source = `${fileOf(stateUrl)}.restoring-${process.pid}`;
  try {
    mkdirSync(dirname(resolve(source)), { recursive: true });
    // Read from a copy, because opening a file changes it.
    await copyWithLog(path, source);
    await prepare(source, path, owner.dealbell);
    const replaced = await takeReplaced(stateUrl, owner);
    try {
      return await replaceBy(source, stateUrl, replaced, owner);
    } finally {
      await replaced.lease.release();
      await replaced.backend.close();
    }
  } finally {
    await removeState(source);
  }
}

/** The state that is replaced. */
interface Replaced {
  backend: Backend;
  lease: Lease;
  /** Where a damaged one was moved; null where it could be read, or was not there. */
  damagedPath: string | null;
}

async function replaceBy(
  source: string,
  stateUrl: string,
  { backend, damagedPath }: Replaced,
  { clock, dealbell }: Pick<LeaseParts, 'clock'> & { dealbell: string },
): Promise<Restored> {
  const about = await readAbout(backend);
  if (about === undefined) {
    await backend.replaceWith(source, []);
    return { asidePath: damagedPath, isMerged: false };
  }
  const asidePath = await copyAside(backend, stateUrl, 'restore', clock.now());
  // Rows of a newer program's state would be misread.
  const isMerged = isReadable(about);
  if (isMerged) {
    await migrate(backend, { version: about.version, dealbell }, async () => asidePath);
    await addSpent(source, await spendingOf(backend));
  }
  await backend.replaceWith(source, isMerged ? DONE : []);
  return { asidePath, isMerged };
}

/** Takes the lease of the state that is replaced. One that is damaged is moved aside, and an empty one taken instead. */
async function takeReplaced(stateUrl: string, owner: LeaseParts): Promise<Replaced> {
  const { clock } = owner;
  const file = fileOf(stateUrl);
  const backend = openBackend(stateUrl, owner);
  let lease: Lease | null = null;
  try {
    lease = await takeLease(backend.lease, owner);
    await backend.verify();
    return { backend, lease, damagedPath: null };
  } catch (error) {
    await lease?.release().catch(() => undefined);
    await backend.close();
    if (!isDamage(error)) throw error;
  }
  const prefix = `${basename(file)}.damaged`;
  const damagedPath = copyPath(dirname(file), prefix, clock.now());
  for (const ending of ENDINGS) if (existsSync(file + ending)) await rename(file + ending, damagedPath + ending);
  await pruneCopies(dirname(file), prefix, KEPT_ASIDE);
  const fresh = openBackend(stateUrl, owner);
  return { backend: fresh, lease: await takeLease(fresh.lease, owner), damagedPath };
}

/**
 * Brings a copy of a backup to this program's version.
 * @param name the backup's, for errors
 * @throws StoreError where it is no state that this program reads
 */
async function prepare(source: string, name: string, dealbell: string): Promise<void> {
  const backend = openBackend(`sqlite://${source}`);
  try {
    await backend.verify();
    const about = await readAbout(backend);
    if (!about) throw new StoreError(`${name} is no backup of a Dealbell state.`);
    requireReadable(about);
    await migrate(backend, { version: about.version, dealbell }, async () => undefined);
  } catch (error) {
    if (isDamage(error))
      throw new StoreError(`${name} is damaged, or no backup of a Dealbell state.`, { cause: error });
    throw error;
  } finally {
    await backend.close();
  }
}

/** Adds the requests that were made after the backup, so that no quota is spent twice. */
async function addSpent(source: string, spent: ReadonlyMap<InterfaceName, SpentRecord>): Promise<void> {
  const backend = openBackend(`sqlite://${source}`);
  try {
    const spending = openSpending(backend);
    for (const [name, record] of spent) {
      await spending.save(name, laterSpent(await spending.load(name), record));
    }
  } finally {
    await backend.close();
  }
}

async function spendingOf(backend: Backend): Promise<Map<InterfaceName, SpentRecord>> {
  const spending = openSpending(backend);
  const records = new Map<InterfaceName, SpentRecord>();
  for (const name of INTERFACES) {
    const record = await spending.load(name);
    if (record) records.set(name, record);
  }
  return records;
}

/** The record of the later day; of the same day, the one with more requests. */
function laterSpent(one: SpentRecord | null, other: SpentRecord): SpentRecord {
  if (!one) return other;
  if (one.day !== other.day) return one.day > other.day ? one : other;
  return one.spent >= other.spent ? one : other;
}

/** Copies a database's file, with the write-ahead log of one that was copied by hand while it was in use. */
async function copyWithLog(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  if (existsSync(`${from}-wal`)) await copyFile(`${from}-wal`, `${to}-wal`);
}

async function removeState(path: string): Promise<void> {
  for (const ending of ENDINGS) await rm(path + ending, { force: true });
}

function requireFile(path: string, problem: string): void {
  if (!existsSync(path)) throw new StoreError(`${problem}: ${path} does not exist.`);
}
