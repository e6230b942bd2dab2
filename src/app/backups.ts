import { StoreError } from '../shared/errors.ts';
import { newestBackupMs, rotateBackups } from '../store/backup.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './context.ts';

export interface Backups {
  make(): Promise<string>;
  /** When the newest one was made: epoch milliseconds; null for none. */
  newestMs(): Promise<number | null>;
  /** Why the last one failed, in a sentence; null where it didn't. */
  failure(): string | null;
}

/** Schedules backups where `BACKUP_CRON` asks for them, whatever Discord and the catalog do. */
export async function startBackups(context: AppContext, store: Store): Promise<Backups> {
  const { config, schedule, log, metrics, onStop } = context;
  const { cron } = config.backup;
  const backups = backupsOf(context, store);
  if (cron === null) return backups;
  const newestMs = await backups.newestMs();
  metrics.lastBackup.set((newestMs ?? 0) / 1000);
  const job = schedule('backup', cron, () => backups.make().then(() => undefined), log);
  onStop(() => job.stop());
  return backups;
}

/** Makes backups in the folder that is set, and deletes all but the newest. */
function backupsOf({ config, clock, log, metrics }: AppContext, store: Store): Backups {
  const { folder, keep, cron } = config.backup;
  let failure: string | null = null;
  return {
    failure: () => failure,
    async make() {
      const file = await rotateBackups(store, { folder, botId: store.botUser.id(), keep }, clock.now()).catch(
        (error: unknown) => {
          failure = error instanceof StoreError ? error.message : "The backup's folder can't be used.";
          throw error;
        },
      );
      failure = null;
      if (cron !== null) metrics.lastBackup.set(clock.now() / 1000);
      log.info({ file }, 'a backup was made');
      return file;
    },
    newestMs: () => newestBackupMs({ folder, botId: store.botUser.id() }),
  };
}
