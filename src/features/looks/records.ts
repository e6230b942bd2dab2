import { type AppearanceLayer, readAppearance } from '../../deals/appearance.ts';
import type { FeatureRecords } from '../../store/store.ts';
import { inMemory } from '../../store/table/records.ts';
import { kind, OBJECT, type State } from '../../store/table/state.ts';

/** The look of a server's posts. */
interface LookRecord {
  look: AppearanceLayer;
}

const LOOK = kind<LookRecord>('look', { look: OBJECT }, { complete: ({ look }) => ({ look: readAppearance(look) }) });

/** The servers' looks. All are in memory. */
async function openLooks(state: State) {
  const looks = await inMemory(state, LOOK);
  /** The server's own settings; empty where it has set none. */
  const of = (guildId: string) => looks.get(guildId)?.look ?? {};
  return {
    of,
    /** Changes a server's look, and resolves with the new one. */
    update: (guildId: string, change: (before: AppearanceLayer) => AppearanceLayer): Promise<AppearanceLayer> =>
      state.commit((changes) => {
        const look = change(of(guildId));
        if (Object.keys(look).length === 0) looks.delete(changes, guildId);
        else looks.set(changes, guildId, { look });
        return look;
      }),
  };
}

export const RECORDS: FeatureRecords = {
  kinds: [LOOK],
  subscriptionFields: { look: readAppearance },
  open: async (state) => ({ looks: await openLooks(state) }),
};

declare module '../../store/store.ts' {
  interface FeatureStores {
    looks: Awaited<ReturnType<typeof openLooks>>;
  }
}
