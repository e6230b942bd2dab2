import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { AddressUnavailableError, ConfigError } from '../../shared/errors.ts';
import { isOnServer } from '../../store/table/state-place.ts';
import type { Config } from '../config.ts';
import { refusedPlace } from '../server.ts';
import type { SetupCheck } from '../setup-report.ts';

/** How long what listens at a port may take to say who it is, in milliseconds. */
const ANSWERS_WITHIN_MS = 2_000;

/**
 * Makes a new folder in the nearest one that exists on the way to another, and returns its path.
 * @throws NodeJS.ErrnoException where that can't be written
 */
export function folderOnTheWayTo(path: string): string {
  let folder = resolve(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return mkdtempSync(join(folder, '.dealbell-check-'));
}

/** Whether backups can be written where the settings say. Leaves nothing behind. */
export function checkBackupFolder({ stateUrl, backup: { folder, cron } }: Config): SetupCheck {
  if (isOnServer(stateUrl)) {
    return { part: 'backup', result: 'skipped', detail: 'A PostgreSQL database is backed up with pg_dump.' };
  }
  try {
    rmSync(folderOnTheWayTo(folder), { recursive: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    const detail = `Backups can't be written to ${folder}${code}. Set BACKUP_FOLDER to a folder that this user can write.`;
    return { part: 'backup', result: 'failed', detail };
  }
  const schedule = cron === null ? " None are made by schedule: BACKUP_CRON isn't set." : '';
  return { part: 'backup', result: 'ok', detail: `Backups can be written to ${folder}.${schedule}` };
}

/**
 * Whether the bot can listen at its ports. One of a Dealbell that runs already is in use, as it should be.
 * @param isStateInUse whether a Dealbell uses this state now
 */
export async function checkPorts({ host, port, metricsPort }: Config, isStateInUse: boolean): Promise<SetupCheck[]> {
  const servers = [
    { setting: 'PORT', port, path: '/livez', mark: '"reasons"' },
    { setting: 'METRICS_PORT', port: metricsPort, path: '/metrics', mark: 'dealbell_build_info' },
  ] as const;
  const checks: SetupCheck[] = [];
  for (const { setting, port: number, path, mark } of servers) {
    // 0 is any port that is free.
    if (number === null || number === 0) continue;
    const problem = await problemOfPort(host, number, setting);
    const isOwn = problem !== null && isStateInUse && (await answerAt(host, number, path)).includes(mark);
    const free = `${setting} ${number} on HOST ${host} is ${isOwn ? 'in use by the running Dealbell' : 'free'}.`;
    checks.push({
      part: 'port',
      result: problem === null || isOwn ? 'ok' : 'failed',
      detail: isOwn ? free : (problem ?? free),
    });
  }
  return checks;
}

/** Why nothing can listen there, with the remedy; null where something can. */
async function problemOfPort(host: string, port: number, setting: 'PORT' | 'METRICS_PORT'): Promise<string | null> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening').catch(refusedPlace({ host, port }, setting));
    return null;
  } catch (error) {
    if (error instanceof AddressUnavailableError) return error.message;
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.join(' ');
  } finally {
    server.close();
  }
}

/** What is served there; an empty text where nothing is, or not in time. */
async function answerAt(host: string, port: number, path: string): Promise<string> {
  const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const reached = everywhere[host] ?? host;
  const address = `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}${path}`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    return await response.text();
  } catch {
    return '';
  }
}
