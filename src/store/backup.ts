import { existsSync, mkdirSync } from 'node:fs';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { SpendingStore, SpentRecord } from '../catalog/catalog.ts';
import { StoreError } from '../shared/errors.ts';
import { bringOutboxUpTo } from './deliveries.ts';
import { migrate } from './migrations.ts';
import { isEmpty, type OpenedState, openState, readAbout, refuseForeign } from './open-state.ts';
import { openSpending } from './spending.ts';
import type { Backend } from './table/backend.ts';
import { type Lease, type LeaseParts, takeLease } from './table/lease.ts';
import type { State } from './table/state.ts';
import { PARTIAL } from './table/state-file.ts';
import { requireFileState } from './table/state-place.ts';
import { isDamage } from './table/store-errors.ts';

/** How many copies are kept of states that a restore or a migration has replaced. */
const KEPT_ASIDE = 3;

/** A database's file, and the files that SQLite keeps beside one that is in use. */
const ENDINGS = ['', '-wal', '-shm'];

/**
 * Records of what the bot did after the backup was made. It was done, whatever the backup knows of it: its rows in the replaced
 * state stay, so that nothing is posted again and no limit is exceeded.
 */
const DONE = ['ledger', 'roll-up', 'post', 'edit', 'publication', 'pace'];

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
  const opened = openState(stateUrl);
  try {
    if (!(await readAbout(opened))) throw new StoreError(`There is no state to back up: ${fileOf(stateUrl)} is empty.`);
    await opened.backend.copyTo(path);
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
      await replaced.opened.backend.close();
    }
  } finally {
    await removeState(source);
  }
}

/** The state that is replaced. */
interface Replaced {
  opened: OpenedState;
  lease: Lease;
  /** Where a damaged one was moved; null where it could be read, or was not there. */
  damagedPath: string | null;
}

async function replaceBy(
  source: string,
  stateUrl: string,
  { opened, damagedPath }: Replaced,
  { clock, dealbell }: Pick<LeaseParts, 'clock'> & { dealbell: string },
): Promise<Restored> {
  const { backend, state } = opened;
  // Rows of another form would be misread.
  const about = await readAbout(opened).catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error;
    return null;
  });
  if (!about && (await isEmpty(backend))) {
    await backend.replaceWith(source, []);
    return { asidePath: damagedPath, isMerged: false };
  }
  const asidePath = await copyAside(backend, stateUrl, 'restore', clock.now());
  if (about) {
    await migrate(opened, { about, dealbell }, async () => asidePath);
    await addDone(source, state);
  }
  await backend.replaceWith(source, about ? DONE : []);
  return { asidePath, isMerged: about !== null };
}

/** Takes the lease of the state that is replaced. One that is damaged is moved aside, and an empty one taken instead. */
async function takeReplaced(stateUrl: string, owner: LeaseParts): Promise<Replaced> {
  const { clock } = owner;
  const file = fileOf(stateUrl);
  const opened = openState(stateUrl, owner);
  const { backend } = opened;
  let lease: Lease | null = null;
  try {
    await refuseForeign(backend);
    lease = await takeLease(backend.lease, owner);
    await backend.verify();
    return { opened, lease, damagedPath: null };
  } catch (error) {
    await lease?.release().catch(() => undefined);
    await backend.close();
    if (!isDamage(error)) throw error;
  }
  const prefix = `${basename(file)}.damaged`;
  const damagedPath = copyPath(dirname(file), prefix, clock.now());
  for (const ending of ENDINGS) if (existsSync(file + ending)) await rename(file + ending, damagedPath + ending);
  await pruneCopies(dirname(file), prefix, KEPT_ASIDE);
  const fresh = openState(stateUrl, owner);
  return { opened: fresh, lease: await takeLease(fresh.backend.lease, owner), damagedPath };
}

/**
 * Brings a copy of a backup to this program's version.
 * @param name the backup's, for errors
 * @throws StoreError where it is no state that this program reads
 */
async function prepare(source: string, name: string, dealbell: string): Promise<void> {
  const opened = openState(`sqlite://${source}`);
  const { backend } = opened;
  try {
    await backend.verify();
    const about = await readAbout(opened, name);
    if (!about) throw new StoreError(`${name} is no backup of a Dealbell state.`);
    await migrate(opened, { about, dealbell }, async () => undefined);
  } catch (error) {
    if (isDamage(error))
      throw new StoreError(`${name} is damaged, or no backup of a Dealbell state.`, { cause: error });
    throw error;
  } finally {
    await backend.close();
  }
}

/** Has a copy of the backup take notice of what was done since, so that no quota is spent and nothing posted twice. */
async function addDone(source: string, replaced: State): Promise<void> {
  const { backend, state } = openState(`sqlite://${source}`);
  try {
    const spending = openSpending(state);
    for (const [name, record] of await spendingOf(replaced)) {
      await spending.save(name, laterSpent(await spending.load(name), record));
    }
    await bringOutboxUpTo(replaced, state);
  } finally {
    await backend.close();
  }
}

async function spendingOf(state: State): Promise<Map<InterfaceName, SpentRecord>> {
  const spending = openSpending(state);
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
