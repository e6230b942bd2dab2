import type { CommandServices } from '../../commands/shared.ts';
import { newestBackupMs, rotateBackups } from '../store/backup.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './context.ts';

/** Schedules backups where `BACKUP_CRON` asks for them, whatever Discord and the catalog do. */
export async function startBackups(
  { config, clock, schedule, log, metrics, onStop }: AppContext,
  store: Store,
): Promise<void> {
  const { cron } = config.backup;
  if (cron === null) return;
  const backups = backupsOf({ config, clock, log, metrics }, store);
  const newestMs = await backups.newestMs();
  if (newestMs !== null) metrics.lastBackup.set(newestMs / 1000);
  const job = schedule('backup', cron, () => backups.make().then(() => undefined), log);
  onStop(() => job.stop());
}

/** Makes backups in the folder that is set, and deletes all but the newest. */
export function backupsOf(
  { config, clock, log, metrics }: Pick<AppContext, 'config' | 'clock' | 'log' | 'metrics'>,
  store: Store,
): CommandServices['backups'] {
  const { folder, keep } = config.backup;
  return {
    async make() {
      const file = await rotateBackups(store, { folder, keep }, clock.now());
      metrics.lastBackup.set(clock.now() / 1000);
      log.info({ file }, 'a backup was made');
      return file;
    },
    newestMs: () => newestBackupMs(folder),
  };
}
