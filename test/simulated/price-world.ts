import type { CatalogContent, CatalogMoment, FeedName } from '../../packages/catalog-service/src/index.ts';

/** An offer as it is sold, whatever the catalog serves of it. */
export interface Listing {
  id: string;
  name: string;
  cents: number;
  isSoldOut: boolean;
  startedAtMs: number;
  feeds: readonly FeedName[];
}

/** A store whose prices move. */
export interface PriceWorld {
  content: CatalogContent;
  /** Lets happen what happens between two ticks. */
  step(nowMs: number): void;
  /** What is sold now. */
  listings(): readonly Listing[];
  /** How often each thing happened. */
  counts: Record<string, number>;
}

/** The part of the ticks, or of the answers, in which something happens to a listing. */
const CHANCES = {
  price: 1 / 60,
  soldOut: 1 / 500,
  back: 1 / 20,
  end: 1 / 600,
  rename: 1 / 4_000,
  twin: 1 / 1_500,
  glitch: 1 / 300,
};
/** A product that nobody sells is sold again. */
const RELISTED = 1 / 200;

export function createPriceWorld(products: number, random: () => number, startMs: number): PriceWorld {
  const counts: Record<string, number> = {};
  const bases = Array.from({ length: products }, () => 500 + Math.floor(random() * 20_000));
  let listings: Listing[] = [];
  let ids = 0;
  let names = products;
  const happens = (what: keyof typeof CHANCES) => {
    const does = random() < CHANCES[what];
    if (does) counts[what] = (counts[what] ?? 0) + 1;
    return does;
  };
  const priceOf = (base: number) => Math.round((base * (60 + Math.floor(random() * 14) * 5)) / 100);
  /** The product whose name a listing was given first; renamed ones keep the prices that they had. */
  const baseOf = new Map<string, number>();

  function list(name: string, base: number, nowMs: number): Listing {
    ids += 1;
    const id = `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
    baseOf.set(id, base);
    const feeds: readonly FeedName[] = random() < 0.5 ? ['All', 'Home'] : ['All'];
    return { id, name, cents: priceOf(base), isSoldOut: false, startedAtMs: nowMs, feeds };
  }

  for (const [product, base] of bases.entries()) listings.push(list(`Product ${product}`, base, startMs));

  function changed(one: Listing): Listing[] {
    if (happens('end')) return [];
    const base = baseOf.get(one.id) ?? 0;
    const cents = happens('price') ? priceOf(base) : one.cents;
    const isSoldOut = one.isSoldOut ? !happens('back') : happens('soldOut');
    let { name } = one;
    if (happens('rename')) {
      names += 1;
      // Now and then it gets the name of another product.
      name = random() < 0.5 ? `Product ${names}` : `Product ${Math.floor(random() * products)}`;
    }
    return [{ ...one, name, cents, isSoldOut }];
  }

  return {
    counts,
    listings: () => listings,
    step(nowMs) {
      const sold = new Set(listings.map(({ name }) => name));
      const twins = listings.flatMap((one) =>
        happens('twin') ? [list(one.name, baseOf.get(one.id) ?? 0, nowMs)] : [],
      );
      listings = [...listings.flatMap(changed), ...twins];
      for (const [product, base] of bases.entries()) {
        if (!sold.has(`Product ${product}`) && random() < RELISTED)
          listings.push(list(`Product ${product}`, base, nowMs));
      }
    },
    content: {
      at: () =>
        ({
          feed: (name: FeedName) => ({
            marketingName: name,
            items: listings.filter(({ feeds }) => feeds.includes(name)).flatMap((one) => served(one, happens, random)),
          }),
          offer: () => undefined,
          events: () => [],
          event: () => undefined,
          eventOffer: () => undefined,
          dealcasts: () => [],
          polls: () => [],
          monkeychats: () => [],
        }) satisfies CatalogMoment,
    },
  };
}

/** What one answer says of a listing: mostly the truth. */
function served(one: Listing, happens: (what: 'glitch') => boolean, random: () => number): object[] {
  const item = {
    OfferId: one.id,
    Title: one.name,
    Url: `https://www.example.com/offers/${one.id}`,
    StartDate: new Date(one.startedAtMs).toISOString(),
    Categories: ['HOME'],
    SalePrice: range(one.cents),
    ListPrice: range(one.cents * 2),
    IsSoldOut: one.isSoldOut,
  };
  if (!happens('glitch')) return [item];
  const odd = [
    { SalePrice: range(one.cents * 10) },
    { SalePrice: range(Math.ceil(one.cents / 20)) },
    { SalePrice: range(Math.round(one.cents * 0.55)) },
    { SalePrice: range(Math.round(one.cents * 1.7)) },
    { SalePrice: range(0) },
    { SalePrice: null },
    { SalePrice: 'soon' },
    { IsSoldOut: !one.isSoldOut },
    { Title: `${one.name} (copy)` },
    null,
  ][Math.floor(random() * 10)];
  return odd === null ? [] : [{ ...item, ...odd }];
}

const range = (cents: number) => ({ Minimum: cents / 100, Maximum: cents / 100 });
