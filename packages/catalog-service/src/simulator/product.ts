import { createRandom, type Random } from '../random.ts';
import { type Category, type Kind, VARIANTS } from './categories.ts';
import type { Listing } from './listing.ts';

export interface Variant {
  id: string;
  asin: string;
  title: string;
  attributes: { Key: string; Value: string }[];
  listPrice: number;
  /** The price before any drop. */
  salePrice: number;
}

/** The thing on offer: the same for every listing of the product, except for the ids of its variants. */
export interface Product {
  kind: Kind;
  brand: string;
  trait: string;
  title: string;
  /** Part of a URL, without the counter of a relist. */
  slug: string;
  subtitle: string | null;
  condition: string | null;
  categories: string[];
  variants: [Variant, ...Variant[]];
  isListPriceKnown: boolean;
  isFulfilledByPartner: boolean;
  isAvailableOnMobileAppOnly: boolean;
  picture: string;
}

const CONDITIONS = [
  { condition: null, mark: '', weight: 0.68 },
  { condition: 'New', mark: '', weight: 0.12 },
  { condition: 'Refurbished', mark: '(Refurbished) ', weight: 0.08 },
  { condition: 'Factory Reconditioned', mark: '', weight: 0.06 },
  { condition: 'Open Box', mark: '(Open Box) ', weight: 0.06 },
] as const;

/** Cached products by listing: simulators share a product only where they share the listing. */
const products = new WeakMap<Listing, Product>();

export function productOf(listing: Listing): Product {
  const known = products.get(listing);
  if (known) return known;
  const product = createProduct(listing);
  products.set(listing, product);
  return product;
}

function createProduct(listing: Listing): Product {
  const { category, product, isClearance } = listing;
  const random = createRandom(product);
  const kind = random.pick(category.kinds);
  const brand = random.pick(category.brands);
  const trait = random.pick(kind.traits);
  const { condition, mark } = conditionOf(random, category);
  const name = nameOf(random, category, kind, brand, trait);
  const hue = random.int(0, 35) * 10;
  return {
    kind,
    brand,
    trait,
    title: `${mark}${name}`,
    slug: slugOf(`${mark}${name}`),
    subtitle: random.chance(0.15) ? `${trait} and ready for anything` : null,
    condition,
    categories: categoriesOf(category, kind, isClearance),
    variants: variantsOf(random, listing, kind, name),
    isListPriceKnown: random.chance(0.8),
    isFulfilledByPartner: random.chance(0.4),
    isAvailableOnMobileAppOnly: random.chance(0.02),
    picture: `${kind.icon}-${hue}`,
  };
}

function nameOf(random: Random, category: Category, kind: Kind, brand: string, trait: string): string {
  const line = category.lineOf(random);
  // A shirt is named after the text printed on it.
  return category.feed === 'Shirts' ? `"${line} ${trait}" ${kind.noun}` : `${brand} ${line} ${trait} ${kind.noun}`;
}

function conditionOf(random: Random, category: Category): { condition: string | null; mark: string } {
  if (category.feed === 'Shirts' || category.feed === 'Gourmet') return CONDITIONS[0];
  let left = random.next();
  return (
    CONDITIONS.find(({ weight }) => {
      left -= weight;
      return left < 0;
    }) ?? CONDITIONS[0]
  );
}

function categoriesOf({ code, feed }: Category, { subcategory }: Kind, isClearance: boolean): string[] {
  const own = [code, `${code}/${subcategory}`];
  return isClearance ? [...own, 'Sellout', `Sellout/${feed}`] : own;
}

function variantsOf(random: Random, listing: Listing, kind: Kind, name: string): [Variant, ...Variant[]] {
  const [least, most] = kind.prices;
  const listPrice = Math.floor(least + random.next() ** 2 * (most - least)) + 0.99;
  const share = 0.25 + random.next() * 0.55;
  const step = random.chance(0.5) ? 0.12 : 0;
  const ids = createRandom(listing.key, 'items');
  const variant = (place: number, title: string, attributes: Variant['attributes']): Variant => {
    const list = ninetyNine(listPrice * (1 + place * step));
    return {
      id: ids.uuid(),
      asin: `B0${random.int(0, 0xffffffff).toString(36).toUpperCase().padStart(8, '0').slice(0, 8)}`,
      title,
      attributes,
      listPrice: list,
      salePrice: Math.min(list, ninetyNine(list * share)),
    };
  };
  if (!kind.variants) return [variant(0, name, [])];
  const key = kind.variants;
  const [first, ...others] = VARIANTS[key].slice(0, random.int(2, VARIANTS[key].length));
  const named = (place: number, value: string) => variant(place, `${name} - ${value}`, [{ Key: key, Value: value }]);
  return [named(0, first ?? ''), ...others.map((value, index) => named(index + 1, value))];
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** The nearest price that ends in .99, at least 0.99. */
export function ninetyNine(amount: number): number {
  return Math.max(0, Math.round(amount) - 1) + 0.99;
}
