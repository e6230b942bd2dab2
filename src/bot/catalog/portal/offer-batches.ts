import type { Clock } from '../../../shared/clock.ts';
import type { OfferDetail } from '../../deals/offer.ts';
import { Demand } from '../demand.ts';
import { CatalogHttpError } from '../errors.ts';
import type { Transport } from '../transport.ts';
import type { Parsed } from '../wire.ts';
import { type Found, fetchOffer, fetchOffers, isTooMuch } from './offers.ts';

/** Specification: "Other portal limits", POST /getoffers. */
const MAX_IDS = 25;

/** How long the first request of a batch waits for others: milliseconds. */
const GATHER_MS = 5;

interface Wanted {
  id: string;
  demand: Demand;
  settle(found: Found): void;
  fail(error: unknown): void;
}

/**
 * Combines requests for offer details that come within a few milliseconds into one. After a 500 or 504, which large
 * batches provoke, a batch is retried in halves, and later batches stay small until a few have succeeded.
 */
export function createOfferBatches(portal: Transport, clock: Clock) {
  let gathering: Wanted[] = [];
  let maxIds = MAX_IDS;

  async function dispatch(): Promise<void> {
    await clock.sleep(GATHER_MS);
    const wanted = gathering;
    gathering = [];
    while (wanted.length > 0) void ask(wanted.splice(0, maxIds));
  }

  async function ask(wanted: readonly Wanted[]): Promise<void> {
    const demand = new Demand();
    for (const one of wanted) demand.follow(one.demand);
    try {
      const find = await fetchFrom(wanted, demand);
      for (const one of wanted) one.settle(find(one.id));
    } catch (error) {
      if (wanted.length > 1 && isTooMuch(error)) {
        const half = Math.ceil(wanted.length / 2);
        maxIds = Math.min(maxIds, half);
        await Promise.all([ask(wanted.slice(0, half)), ask(wanted.slice(half))]);
        return;
      }
      for (const one of wanted) one.fail(error);
    }
  }

  async function fetchFrom(wanted: readonly Wanted[], demand: Demand): Promise<(id: string) => Found> {
    const [only] = wanted;
    if (only && wanted.length === 1) {
      const offer = await fetchOffer(portal, only.id, demand).catch(nullWhereGone);
      return () => offer;
    }
    const ids = wanted.map(({ id }) => id);
    const find = await fetchOffers(portal, ids, demand);
    if (ids.length === maxIds) maxIds = Math.min(MAX_IDS, maxIds + 1);
    return find;
  }

  return {
    /** One offer with all details, or null where it no longer exists. */
    get(id: string, demand: Demand): Promise<Parsed<OfferDetail | null>> {
      return new Promise((resolve, reject) => {
        const settle = (found: Found) => (found instanceof Error ? reject(found) : resolve(found));
        gathering.push({ id, demand, settle, fail: reject });
        if (gathering.length === 1) void dispatch();
      });
    },
  };
}

/** Turns a 404 into the answer null. */
export function nullWhereGone(error: unknown): Parsed<null> {
  if (error instanceof CatalogHttpError && error.status === 404) return { value: null, problems: [] };
  throw error;
}
