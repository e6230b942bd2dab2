import PQueue from 'p-queue';
import { z } from 'zod';
import type { Backend } from '../../shared/storage/backend.ts';
import { type LookSettings, readLook } from '../deals/look.ts';

/** The look of a server's posts. */
interface LookRow {
  version: 1;
  look: LookSettings;
}

/** The servers' looks. All are in memory, and every change is written through before it shows. */
export interface LookStore {
  /** The server's own settings; empty where it has set none. */
  of(guildId: string): LookSettings;
  /** Changes a server's look, and resolves with the new one. */
  update(guildId: string, change: (before: LookSettings) => LookSettings): Promise<LookSettings>;
}

const ROW = z.object({ version: z.literal(1), look: z.record(z.string(), z.unknown()) });

function read(row: unknown): LookRow | undefined {
  const { data } = ROW.safeParse(row);
  return data && { version: 1, look: readLook(data.look) };
}

export async function openLooks(backend: Backend): Promise<LookStore> {
  const table = backend.table<LookRow>('looks', { read, isDurable: true });
  const looks = new Map<string, LookSettings>();
  for await (const [guildId, { look }] of table.entries()) looks.set(guildId, look);
  /** One change at a time, so that two changes of the same look don't overwrite each other. */
  const changes = new PQueue({ concurrency: 1 });
  const of = (guildId: string) => looks.get(guildId) ?? {};

  return {
    of,
    update: (guildId, change) =>
      changes.add(async () => {
        const look = change(of(guildId));
        if (Object.keys(look).length === 0) {
          await table.delete(guildId);
          looks.delete(guildId);
        } else {
          await table.set(guildId, { version: 1, look });
          looks.set(guildId, look);
        }
        return look;
      }),
  };
}
