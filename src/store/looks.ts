import { type LookSettings, readLook } from '../deals/look.ts';
import { fields, type Kind, OBJECT } from './table/kind.ts';
import { Records } from './table/records.ts';
import type { State } from './table/state.ts';

/** The look of a server's posts. */
interface LookRecord {
  look: LookSettings;
}

/** The servers' looks. All are in memory. */
export interface LookStore {
  /** The server's own settings; empty where it has set none. */
  of(guildId: string): LookSettings;
  /** Changes a server's look, and resolves with the new one. */
  update(guildId: string, change: (before: LookSettings) => LookSettings): Promise<LookSettings>;
}

const readRow = fields<{ look: Record<string, unknown> }>({ look: OBJECT });
const LOOK: Kind<LookRecord> = {
  name: 'look',
  read(row) {
    const record = readRow(row);
    return record && { look: readLook(record.look) };
  },
};

export async function openLooks(state: State): Promise<LookStore> {
  const looks = await Records.load(state, LOOK);
  const of = (guildId: string) => looks.get(guildId)?.look ?? {};
  return {
    of,
    update: (guildId, change) =>
      state.commit((changes) => {
        const look = change(of(guildId));
        if (Object.keys(look).length === 0) looks.delete(changes, guildId);
        else looks.set(changes, guildId, { look });
        return look;
      }),
  };
}
