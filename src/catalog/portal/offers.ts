import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OfferDetail } from '../../deals/offer.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Catalog, Lane } from '../catalog.ts';
import { Demand } from '../demand.ts';
import { CatalogHttpError, CatalogSchemaError } from '../errors.ts';
import {
  isNone,
  readAmount,
  readFlag,
  readFlagOrNull,
  readHtml,
  readLink,
  readPercentage,
  readText,
  readTitle,
  readUuid,
} from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { namedByLink, readItem, readPhoto, readShippingMethod } from '../parts.ts';
import type { ResponseCache } from '../response-cache.ts';
import { type FieldReader, listOf, type Reader, readerOf, required } from '../table.ts';
import type { Transport } from '../transport.ts';
import { checkedId, idIn, type Parsed, parseOne, requestOne } from '../wire.ts';

/** Specification: "Portal: Offer (full detail)". */
const readOffer = namedByLink(
  readerOf<OfferDetail>({
    id: required(readUuid),
    eventId: readText,
    title: required(readTitle),
    fullTitle: readText,
    subtitle: readText,
    teaser: readHtml,
    url: readLink,
    features: readHtml,
    specs: readHtml,
    snippet: readHtml,
    writeUpIntro: readHtml,
    writeUpBody: readHtml,
    extendedWarranty: readHtml,
    purchaseLimit: readAmount,
    percentageRemaining: { name: 'PercentageRemainingBlurred', read: readPercentage },
    isDealOff: readFlag,
    isSoldOut: readFlag,
    isOfferLiveNow: readFlagOrNull,
    items: allOf(readItem),
    photos: listOf(readPhoto),
    shippingMethods: listOf(readShippingMethod),
  }),
);

/** The items state the prices: without a list of all of them, the answer says nothing about these. */
function allOf<T>(read: Reader<T>): FieldReader<T[]> {
  const readList = listOf(read);
  return (value, field, unread, report) => {
    if (isNone(value)) unread(field);
    return readList(value, field, unread, (problem) => {
      unread(field);
      report(problem);
    });
  };
}

/** An offer, null where it no longer exists, or the error where it can't be read. */
type Found = Parsed<OfferDetail | null> | CatalogSchemaError;

/** Specification: "Other portal limits", POST /getoffers. */
const MAX_IDS = 25;

/** How long a person's request waits for others, to travel with them: milliseconds. The bot asks for all of its at once. */
const GATHER_MS = 5;

interface Wanted {
  id: string;
  demand: Demand;
  settle(found: Found): void;
  fail(error: unknown): void;
}

export function createOffers(portal: Transport, cache: ResponseCache, clock: Clock): Catalog['offers'] {
  const batches = new OfferBatches(portal, clock);
  return {
    async get(givenId, options) {
      const id = checkedId(givenId);
      return cache.get('offer', id, options, (demand) => batches.get(id, demand));
    },
  };
}

/**
 * Combines requests for offer details that come within a few milliseconds into one. After a 500 or 504, which large
 * batches provoke, a batch is retried in halves, and later batches stay small until a few have succeeded.
 */
class OfferBatches {
  readonly #portal: Transport;
  readonly #clock: Clock;
  #gathering: Wanted[] = [];
  #maxIds = MAX_IDS;

  constructor(portal: Transport, clock: Clock) {
    this.#portal = portal;
    this.#clock = clock;
  }

  /** One offer with all details, or null where it no longer exists. */
  get(id: string, demand: Demand): Promise<Parsed<OfferDetail | null>> {
    return new Promise((resolve, reject) => {
      const settle = (found: Found) => (found instanceof Error ? reject(found) : resolve(found));
      this.#gathering.push({ id, demand, settle, fail: reject });
      if (this.#gathering.length === 1) void this.#dispatch(demand.lane);
    });
  }

  async #dispatch(lane: Lane): Promise<void> {
    await (lane === 'interactive' ? this.#clock.sleep(GATHER_MS) : nextTurn());
    const wanted = this.#gathering;
    this.#gathering = [];
    while (wanted.length > 0) void this.#ask(wanted.splice(0, this.#maxIds));
  }

  async #ask(wanted: readonly Wanted[]): Promise<void> {
    const demand = new Demand();
    for (const one of wanted) demand.follow(one.demand);
    try {
      const [only] = wanted;
      if (only && wanted.length === 1) {
        // GET {developer_url}/offers/{offerid}
        only.settle(await requestOne(this.#portal, `/offers/${only.id}`, demand, 'offer', readOffer));
        return;
      }
      const find = await this.#requestAll(wanted, demand);
      for (const one of wanted) one.settle(find(one.id));
    } catch (error) {
      if (wanted.length > 1 && isTooMuch(error)) {
        const half = Math.ceil(wanted.length / 2);
        this.#maxIds = Math.min(this.#maxIds, half);
        await Promise.all([this.#ask(wanted.slice(0, half)), this.#ask(wanted.slice(half))]);
        return;
      }
      for (const one of wanted) one.fail(error);
    }
  }

  /**
   * POST {developer_url}/getoffers: at most 25 ids. Ids of offers that no longer exist are silently left out of the
   * answer.
   */
  async #requestAll(wanted: readonly Wanted[], demand: Demand): Promise<(id: string) => Found> {
    const body = wanted.map(({ id }) => id);
    const find = findOffers(await this.#portal.request({ path: '/getoffers', body, isTooMuch }, demand));
    if (body.length === this.#maxIds) this.#maxIds = Math.min(MAX_IDS, this.#maxIds + 1);
    return find;
  }
}

/** Whether the status is one with which a live deployment answers batches that are too large. */
function isTooMuch(error: unknown): boolean {
  return error instanceof CatalogHttpError && (error.status === 500 || error.status === 504);
}

/** Finds an offer in an answer by its id. A malformed offer is not taken for a missing one. */
function findOffers(json: unknown): (id: string) => Found {
  if (!Array.isArray(json)) throw new CatalogSchemaError("The catalog's answer is no list of offers.");
  const found = new Map<string, Found>();
  let nameless: CatalogSchemaError | null = null;
  for (const item of json.slice(0, LIMITS.entities) as unknown[]) {
    const id = idIn(item);
    try {
      const offer = parseOne(item, 'offer', readOffer);
      if (!found.has(offer.value.id)) found.set(offer.value.id, offer);
    } catch (error) {
      if (!(error instanceof CatalogSchemaError)) throw error;
      if (id === null) nameless = error;
      else if (!found.has(id)) found.set(id, error);
    }
  }
  return (id) => found.get(id) ?? nameless ?? { value: null, problems: [] };
}
