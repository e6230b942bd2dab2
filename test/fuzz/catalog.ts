import type { Catalog } from '../../src/catalog/catalog.ts';
import { CatalogHttpError } from '../../src/catalog/errors.ts';
import { parseFeed } from '../../src/catalog/portal/feeds.ts';
import { createOffers } from '../../src/catalog/portal/offers.ts';
import { ResponseCache } from '../../src/catalog/response-cache.ts';
import type { Transport } from '../../src/catalog/transport.ts';
import type { Clock } from '../../src/shared/clock.ts';
import type { Log } from '../../src/shared/log.ts';
import { DAY_MS } from '../../src/shared/time.ts';

/** What a feed answers; null where it is not to be asked: what is read when is part of the story. */
export type NextAnswer = readonly unknown[] | 'error' | 'stale' | null;

/** The shop, asked over its interface. */
export interface Surface {
  nextAnswer: () => NextAnswer;
  /** The offers with these ids, on the wire. What can't be bought any more is left out. Throws where the shop fails. */
  offers: (ids: readonly string[]) => unknown[];
  /** Requests a day. */
  quota: () => number;
}

const failed = (status: number) => new CatalogHttpError('The catalog does not answer.', status);

/** The catalog's client for one process, over a shop instead of sockets. */
export function createCatalog({ nextAnswer, offers, quota }: Surface, clock: Clock, log: Log): Catalog {
  let spent = 0;
  const portal = {
    async request({ path, body }: { path: string; body?: readonly string[] }) {
      spent += 1;
      const found = offers(body ?? [path.replace('/offers/', '')]);
      if (body) return found;
      if (found[0] === undefined) throw failed(404);
      return found[0];
    },
  };
  const quotaNow = () => ({ limit: quota(), spent, resetsAtMs: clock.now() + DAY_MS });
  const catalog = {
    feeds: {
      async get() {
        const answer = nextAnswer();
        if (answer === 'error' || answer === null) throw failed(500);
        const isStale = answer === 'stale';
        const { value, problems, unreadable } = await parseFeed({ Items: isStale ? [] : structuredClone([...answer]) });
        return { value, unreadable, fetchedAtMs: clock.now(), isStale, malformed: problems.length };
      },
    },
    // Only this one method of it is used.
    offers: createOffers(portal as unknown as Transport, new ResponseCache({ clock, log }), clock),
    quota: () => ({ portal: quotaNow(), v2: quotaNow() }),
  } satisfies { [K in keyof Catalog]?: Partial<Catalog[K]> };
  return catalog as unknown as Catalog;
}
