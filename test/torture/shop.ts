import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogContent, FeedContent } from '../../packages/catalog-service/src/index.ts';
import { createRecorded } from '../../packages/catalog-service/src/index.ts';
import type { Clock } from '../../src/shared/clock.ts';
import { type FeedFault, spoilFeed } from '../helpers/feed-faults.ts';

/** A catalog with one feed, to which offers that never end are added, and with events as they are set. */
export interface Shop {
  content: CatalogContent;
  addOffer(): void;
  /** @param events in the specification's own form */
  showEvents(events: readonly unknown[]): void;
  /** Lets the next answer of the feed show less than there is; `onServed` is called when it has. */
  spoilNextAnswer(fault: FeedFault, random: () => number, onServed: () => void): void;
  /** The number of answers that are still to be spoilt. */
  pendingFaults(): number;
  /** The number of requests that the catalog has admitted so far, whatever they asked for and came to. */
  requests(): number;
  /** The address of every offer, by which it is known in a post. */
  addresses: () => string[];
}

export const FEED = 'Home';
/** The most items that are missing or malformed at once, and the number of newest ones among them: only those can be lost. */
const MOST_HIT = 3;
const NEWEST = 12;
/**
 * So many whole answers are between two that show less, as some of them do not arrive: what two answers in a row lack is
 * rightly taken for gone.
 */
const WHOLE_BETWEEN = 3;

/**
 * @param directory an empty folder
 * @param onRequest called whenever the feed is asked for
 */
export function createShop(directory: string, clock: Clock, onRequest = () => {}): Shop {
  const items: { Url: string }[] = [];
  let wholeSince = 0;
  let requests = 0;
  const faults: ((feed: FeedContent) => FeedContent)[] = [];
  mkdirSync(join(directory, 'feeds'), { recursive: true });

  /** Writes in one step, so that a reader never sees half a list. */
  function write(file: string, content: unknown): void {
    const path = join(directory, file);
    writeFileSync(`${path}.next`, JSON.stringify(content));
    renameSync(`${path}.next`, path);
  }

  const writeFeed = () => write(`feeds/${FEED}.json`, { Items: items, MarketingName: FEED, TotalPages: 1 });
  writeFeed();
  const recorded = createRecorded({ directory });
  return {
    content: {
      at(nowMs, origin) {
        // The service asks for its content once for each request.
        requests += 1;
        const moment = recorded.at(nowMs, origin);
        const feed: typeof moment.feed = (name) => {
          const whole = moment.feed(name);
          if (name !== FEED) return whole;
          onRequest();
          if (whole.items.length === 0) return whole;
          const spoil = wholeSince >= WHOLE_BETWEEN ? faults.shift() : undefined;
          wholeSince = spoil ? 0 : wholeSince + 1;
          return spoil?.(whole) ?? whole;
        };
        return { ...moment, feed };
      },
    },
    addOffer() {
      const number = items.length + 1;
      const offer = {
        OfferId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
        Title: `Offer ${number}`,
        Url: `https://www.example.com/offers/${number}`,
        StartDate: new Date(clock.now()).toISOString(),
        SalePrice: { Minimum: 1, Maximum: 1 },
      };
      items.push(offer);
      writeFeed();
    },
    showEvents: (events) => write('events.json', events),
    spoilNextAnswer(fault, random, onServed) {
      faults.push(({ marketingName, items: whole }) => {
        onServed();
        return { marketingName, items: spoilFeed(whole, fault, newestOf(whole, random)).items };
      });
    },
    pendingFaults: () => faults.length,
    requests: () => requests,
    addresses: () => items.map(({ Url }) => Url),
  };
}

/** Picks a few of the items that were added last. */
function newestOf(items: readonly object[], random: () => number): (item: object) => boolean {
  const newest = items.slice(-NEWEST);
  const picked = Array.from({ length: 1 + Math.floor(random() * MOST_HIT) }, () => {
    return newest[Math.floor(random() * newest.length)];
  });
  return (item) => picked.includes(item);
}
