import { z } from 'zod';
import type { Backend } from './table/backend.ts';
import { type Changes, kind, pagesOf, type RecordOf, recordIn, type State } from './table/state.ts';

/** A state's description of itself. */
export const ABOUT = kind('about', {
  /** The version of its format. */
  version: z.int().min(1),
  /** The first version of Dealbell that wrote this version of the format. */
  dealbell: z.string(),
  /** Whether the first subscriptions were made. */
  isSetUp: z.boolean(),
});

export type AboutRecord = RecordOf<typeof ABOUT>;

const ABOUT_KEY = 'state';
/** The key of the row without which the other rows are no state. */
export const ABOUT_ROW = `${ABOUT.name}:${ABOUT_KEY}`;

export const aboutOf = (state: State) => state.get(ABOUT, ABOUT_KEY);

export function describe(changes: Changes, about: AboutRecord): void {
  changes.set(ABOUT, ABOUT_KEY, about);
}

/** A change of the stored format. */
export interface Migration {
  /** The version that it leads to, from the one before. */
  to: number;
  /**
   * For each kind that changes, by its name, the new row; the same object where a row stays. A row that can't be read is
   * null.
   */
  changes: Readonly<Record<string, (row: unknown) => unknown>>;
}

/** In order: a state goes through all that come after its version. A released one is never changed again. */
const MIGRATIONS: readonly Migration[] = [];

const FIRST_VERSION = 1;

/**
 * The version of the stored format that this program reads and writes. A migration raises it, with every change that
 * older programs would misread.
 */
export const STATE_VERSION = MIGRATIONS.at(-1)?.to ?? FIRST_VERSION;

/**
 * Brings a state to this program's version, step by step. Each step is one commit that the state's new version is part
 * of, so that one that is cut off was not begun.
 * @param about the state's own description
 * @param dealbell the program's version
 * @param copyAside makes a copy of the state; is called once, before the first step
 */
export async function migrate(
  { backend, state }: { backend: Backend; state: State },
  { about, dealbell }: { about: AboutRecord; dealbell: string },
  copyAside: (version: number) => Promise<unknown>,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const steps = migrations.filter(({ to }) => to > about.version);
  if (steps.length === 0) return;
  await copyAside(about.version);
  for (const { to, changes: byKind } of steps) {
    await state.transact(async (changes) => {
      for (const [name, rowOf] of Object.entries(byKind)) {
        for await (const rows of pagesOf(backend, `${name}:`)) {
          for (const { key, value } of rows) {
            const row = recordIn(value);
            const next = rowOf(row);
            if (next !== row) changes.set({ name, read: rowOf }, key.slice(name.length + 1), next);
          }
        }
      }
      describe(changes, { ...about, version: to, dealbell });
    });
  }
}
