import type { Backend } from '../../shared/storage/backend.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Announcement } from '../deals/announcement.ts';
import type { StockPoint } from '../deals/stock-history.ts';
import { rowReader } from './rows.ts';

/** Values that only the process that leads has in memory. Other processes show them in their answers. */
export interface Published {
  quota: ReturnType<Catalog['quota']>;
  /** The last attempt to poll each resource. */
  attempts: Readonly<Record<string, { atMs: number; hasFailed: boolean } | null>>;
  /** The ids of the registered commands, by name. */
  commands: Readonly<Record<string, string>>;
  /** How the stock of offers fell, by the offers' ids. */
  stock: Readonly<Record<string, readonly StockPoint[]>>;
  events: readonly Announcement[];
  dealcasts: readonly Announcement[];
  polls: readonly Announcement[];
  monkeychats: readonly Announcement[];
}

export type PublishedName = keyof Published;

/** The published values, all in memory. */
export interface PublishedStore {
  /** undefined where the value has not been published. */
  get<N extends PublishedName>(name: N): Published[N] | undefined;
  save(values: Partial<Published>): Promise<void>;
  /** Reads values anew that another process has published. */
  refresh(names: readonly string[]): Promise<void>;
}

interface PublishedRow {
  version: 1;
  value: Published[PublishedName];
}

/** Only states that several processes share have its table. */
export async function openPublished(backend: Backend): Promise<PublishedStore> {
  const table = backend.table<PublishedRow>('published', { read: rowReader<PublishedRow>([1], {}) });
  const values = new Map<string, unknown>();
  for await (const [name, { value }] of table.entries()) values.set(name, value);

  return {
    get: <N extends PublishedName>(name: N) => values.get(name) as Published[N] | undefined,
    async save(published) {
      const entries = Object.entries(published);
      await table.setMany(entries.map(([name, value]) => [name, { version: 1, value }]));
      for (const [name, value] of entries) values.set(name, value);
    },
    async refresh(names) {
      const rows = await table.getMany(names);
      for (const [index, name] of names.entries()) values.set(name, rows[index]?.value);
    },
  };
}
