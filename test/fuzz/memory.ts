import { StoreError } from '../../src/shared/errors.ts';
import type { OpenedState } from '../../src/store/open-state.ts';
import { PAGE_ROWS } from '../../src/store/table/database.ts';

type Backend = OpenedState['backend'];

/** A process that uses a state: after its end it neither reads nor writes. */
export interface Life {
  isOver: boolean;
  /** Called with the keys of each write of it that has been stored. */
  onStored: (keys: Iterable<string>) => void;
  /** Ends it at one of its next writes; null while nothing does. */
  end: Ending | null;
}

export interface Ending {
  /** How many writes are done before. */
  after: number;
  /** Whether the write at which it ends is stored. */
  isStored: boolean;
  /** For how long no process runs after it: minutes. */
  downMinutes: number;
}

/** A state in memory, which outlives the processes that use it. Every write is stored as a whole or not at all. */
export class Memory {
  readonly #rows = new Map<string, string>();
  /** How often it has been asked anything. */
  questions = 0;

  /** The state for one process. What only files and several processes need is left out. */
  backend(life: Life): Backend {
    const ask = async <T>(answer: () => T): Promise<T> => {
      this.questions += 1;
      if (life.isOver) throw new StoreError('The process has ended.');
      return answer();
    };
    const among = (isAmong: (key: string) => boolean) =>
      [...this.#rows]
        .filter(([key]) => isAmong(key))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, value]) => ({ key, value }));
    const backend: Partial<Backend> = {
      label: 'memory',
      keyv: {
        on: () => undefined,
        set: () => undefined,
        delete: () => undefined,
        clear: () => undefined,
        get: (key: string) => ask(() => this.#rows.get(key)),
        getMany: (keys: string[]) => ask(() => keys.map((key) => this.#rows.get(key))),
        // Keyv takes any store that can read; nothing is written through it.
      } as unknown as Backend['keyv'],
      page: (after, before) => ask(() => among((key) => key > after && key < before).slice(0, PAGE_ROWS)),
      under: (starts) => ask(() => among((key) => starts.some((start) => key.startsWith(start)))),
      write: (rows) =>
        ask(() => {
          const isLast = life.end !== null && life.end.after <= 0;
          if (life.end) life.end.after -= 1;
          if (!isLast || life.end?.isStored) {
            this.#store(rows);
            life.onStored(rows.keys());
          }
          life.isOver = isLast;
          if (isLast) throw new StoreError('The process has ended.');
        }),
      writeProblem: () => null,
    };
    return backend as Backend;
  }

  #store(rows: ReadonlyMap<string, string | null>): void {
    for (const [key, value] of rows) {
      if (value === null) this.#rows.delete(key);
      else this.#rows.set(key, value);
    }
  }
}
