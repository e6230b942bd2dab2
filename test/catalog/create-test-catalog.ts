import { onTestFinished } from 'vitest';
import type { Catalog, SpendingStore, SpentRecord } from '../../src/catalog/catalog.ts';
import type { Http } from '../../src/catalog/http.ts';
import { createCatalog } from '../../src/catalog/index.ts';
import type { InterfaceOptions, OnReply } from '../../src/catalog/transport.ts';
import { createTestLog, PORTAL_KEY, V2_KEY } from '../helpers/keys.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

/** Spending that is remembered in memory. */
export class MemorySpending implements SpendingStore {
  readonly records = new Map<string, SpentRecord>();

  async load(name: string): Promise<SpentRecord | null> {
    return this.records.get(name) ?? null;
  }

  async save(name: string, record: SpentRecord): Promise<void> {
    this.records.set(name, record);
  }
}

/** Spending that can not be read for as long as a test says so. */
export class LateSpending extends MemorySpending {
  isBroken = true;

  override async load(name: string): Promise<SpentRecord | null> {
    if (this.isBroken) throw new Error('The file is locked.');
    return super.load(name);
  }
}

export interface TestCatalog {
  catalog: Catalog;
  clock: ManualClock;
  spending: SpendingStore;
  /** Everything that was logged so far, at every level. */
  logged: () => string;
}

export interface TestCatalogOptions {
  v2?: Partial<InterfaceOptions>;
  portal?: Partial<InterfaceOptions>;
  clock?: ManualClock;
  spending?: SpendingStore;
  http?: Http;
  onReply?: OnReply;
  random?: () => number;
}

/** A client of the catalog at `url` on a clock of its own; by default each random number is a half. */
export function createTestCatalog(url: string, options: TestCatalogOptions = {}): TestCatalog {
  const { clock = new ManualClock(), spending = new MemorySpending() } = options;
  const lines: string[] = [];
  const limits = { rate: 1, burst: 10, quota: 1000 };
  const catalog = createCatalog({
    v2: { url, key: V2_KEY, ...limits, ...options.v2 },
    portal: { url, key: PORTAL_KEY, ...limits, ...options.portal },
    clock,
    log: createTestLog((line) => lines.push(line)),
    spending,
    random: options.random ?? (() => 0.5),
    ...(options.http && { http: options.http }),
    ...(options.onReply && { onReply: options.onReply }),
  });
  onTestFinished(() => catalog.close());
  return { catalog, clock, spending, logged: () => lines.join('') };
}
