import type { CatalogContent, CatalogMoment, FeedContent, FeedName } from '../../catalog-service/src/index.ts';

/** A person's changes to an offer. */
export interface Alteration {
  isSoldOut: boolean;
  isEnded: boolean;
  /** The share of its price that it still costs. */
  priceShare: number;
}

/** A store whose offers a person can change, over a store that runs by itself. */
export interface AlterableStore extends CatalogContent {
  alteration(offerId: string): Alteration;
  alter(offerId: string, alteration: Alteration): void;
}

const UNCHANGED: Alteration = { isSoldOut: false, isEnded: false, priceShare: 1 };

/** The most changed offers that are remembered: a person makes fewer changes in hours. */
const MOST_ALTERED = 500;

type Fields = Readonly<Record<string, unknown>>;

export function alterableStore(base: CatalogContent): AlterableStore {
  const altered = new Map<string, Alteration>();
  /** The present moment as it was altered; anew for each moment of the store and each change. */
  let latest: { of: CatalogMoment; moment: CatalogMoment } | null = null;

  function alteredMoment(of: CatalogMoment): CatalogMoment {
    const feeds = new Map<FeedName, FeedContent>();
    return {
      ...of,
      feed(name) {
        const known = feeds.get(name) ?? alteredFeed(of.feed(name), altered);
        feeds.set(name, known);
        return known;
      },
      offer(id) {
        const found = of.offer(id);
        const change = altered.get(id);
        if (!found || !change) return found;
        return change.isEnded ? undefined : alteredDetail(found as Fields, change);
      },
    };
  }

  return {
    ...base,
    alteration: (offerId) => altered.get(offerId) ?? UNCHANGED,
    alter(offerId, alteration) {
      altered.delete(offerId);
      altered.set(offerId, alteration);
      for (const [oldest] of altered) if (altered.size > MOST_ALTERED) altered.delete(oldest);
      latest = null;
    },
    at(nowMs, origin) {
      const of = base.at(nowMs, origin);
      if (altered.size === 0) return of;
      if (latest?.of !== of) latest = { of, moment: alteredMoment(of) };
      return latest.moment;
    },
  };
}

function alteredFeed(feed: FeedContent, altered: ReadonlyMap<string, Alteration>): FeedContent {
  const items = feed.items.flatMap((item) => {
    const fields = item as Fields;
    const change = altered.get(String(fields['OfferId']));
    if (!change) return [item];
    if (change.isEnded) return [];
    const price = fields['SalePrice'] as { Minimum: number; Maximum: number };
    return [
      {
        ...fields,
        IsSoldOut: fields['IsSoldOut'] === true || change.isSoldOut,
        SalePrice: {
          Minimum: reduced(price.Minimum, change),
          Maximum: reduced(price.Maximum, change),
        },
      },
    ];
  });
  return { ...feed, items };
}

function alteredDetail(offer: Fields, change: Alteration): Fields {
  return {
    ...offer,
    IsSoldOut: offer['IsSoldOut'] === true || change.isSoldOut,
    Items: (offer['Items'] as Fields[]).map((item) => ({
      ...item,
      SalePrice: reduced(Number(item['SalePrice']), change),
    })),
  };
}

/** In whole cents. */
function reduced(price: number, { priceShare }: Alteration): number {
  return Math.round(price * priceShare * 100) / 100;
}
