import type { SpendingStore, SpentRecord } from '../catalog.ts';
import { CatalogSpendingError } from '../errors.ts';

/** Reads and writes what one interface has spent. Everything rejects with a CatalogSpendingError. */
export class Spending {
  readonly #name: 'v2' | 'portal';
  readonly #store: SpendingStore;
  readonly #record: () => SpentRecord;
  #writing: Promise<void> = Promise.resolve();
  #nextWrite: Promise<void> | null = null;

  /** @param record tells what is spent at the moment of a write */
  constructor(name: 'v2' | 'portal', store: SpendingStore, record: () => SpentRecord) {
    this.#name = name;
    this.#store = store;
    this.#record = record;
  }

  async load(): Promise<SpentRecord | null> {
    try {
      return await this.#store.load(this.#name);
    } catch (cause) {
      throw new CatalogSpendingError(`What was spent on the catalog's ${this.#name} interface could not be read.`, {
        cause,
      });
    }
  }

  /** Resolves once a write that began after this call is done: one at a time, shared by all who wait for the same. */
  save(): Promise<void> {
    this.#nextWrite ??= this.#writing
      .catch(() => undefined)
      .then(() => {
        this.#nextWrite = null;
        this.#writing = this.#write();
        return this.#writing;
      });
    return this.#nextWrite;
  }

  /** Resolves when every write that was asked for has ended, well or not. */
  async settled(): Promise<void> {
    await (this.#nextWrite ?? this.#writing).catch(() => undefined);
  }

  async #write(): Promise<void> {
    try {
      await this.#store.save(this.#name, this.#record());
    } catch (cause) {
      throw new CatalogSpendingError(`What is spent on the catalog's ${this.#name} interface could not be saved.`, {
        cause,
      });
    }
  }
}
