import { newestBackupMs, rotateBackups } from '../bot/store/backup.ts';
import type { Store } from '../bot/store/store.ts';
import type { AppContext } from './context.ts';

/** Schedules backups where `BACKUP_CRON` asks for them, whatever Discord and the catalog do. */
export async function startBackups(
  { config, clock, schedule, log, metrics, onStop }: AppContext,
  store: Store,
): Promise<void> {
  const { cron, folder, keep } = config.backup;
  if (cron === null) return;
  const newestMs = await newestBackupMs(folder);
  if (newestMs !== null) metrics.lastBackup.set(newestMs / 1000);
  async function run(): Promise<void> {
    const file = await rotateBackups(store, { folder, keep }, clock.now());
    metrics.lastBackup.set(clock.now() / 1000);
    log.info({ file }, 'a backup was made');
  }
  const job = schedule('backup', cron, run, log);
  onStop(() => job.stop());
}
