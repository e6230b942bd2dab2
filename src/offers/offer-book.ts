import type { Answer, CallOptions, Catalog } from '../catalog/catalog.ts';
import type { Feed, Offer } from '../deals/offer.ts';

/** What we know of the live offers: every feed that is read through here leaves its offers behind. */
export interface OfferBook {
  /** A whole feed. Rejects as `Catalog.feeds.get` does. */
  feed(name: string, options: CallOptions): Promise<Answer<Feed>>;
  /** The offer that a link leads to, compared by its path; null where none of the feeds read so far has it. */
  findByLink(link: string): Offer | null;
}

export function createOfferBook(catalog: Pick<Catalog, 'feeds'>): OfferBook {
  const feeds = new Map<string, Map<string, Offer>>();
  return {
    async feed(name, options) {
      const answer = await catalog.feeds.get(name, options);
      const byPath = answer.value.offers.flatMap((offer) => {
        const path = offer.url === null ? null : pathOf(offer.url);
        return path === null ? [] : [[path, offer] as const];
      });
      feeds.set(name.toLowerCase(), new Map(byPath));
      return answer;
    },
    findByLink(link) {
      const path = pathOf(link);
      if (path === null) return null;
      for (const offers of feeds.values()) {
        const offer = offers.get(path);
        if (offer) return offer;
      }
      return null;
    },
  };
}

/** Sites share their offers, so the host does not count; nor do a trailing slash, the query and the case. */
function pathOf(link: string): string | null {
  if (!URL.canParse(link)) return null;
  const path = new URL(link).pathname.replace(/\/+$/, '').toLowerCase();
  return path === '' ? null : path;
}
