import type { Offer } from './offer.ts';

/** What a price can be for: one of several, or a measure. */
export const UNITS = ['each', 'TB', 'oz', 'lb', 'kg', 'floz', 'gal', 'l'] as const;
export type Unit = (typeof UNITS)[number];

/** What is sold for one price. */
export interface Quantity {
  amount: number;
  unit: Unit;
}

/** US dollars for one of a unit. */
export interface UnitPrice {
  price: number;
  unit: Unit;
}

/** What the units measure, and how much of it each is. */
const SIZES: Readonly<Record<Unit, { of: 'storage' | 'weight' | 'volume' | 'count'; size: number }>> = {
  each: { of: 'count', size: 1 },
  TB: { of: 'storage', size: 1 },
  oz: { of: 'weight', size: 1 },
  lb: { of: 'weight', size: 16 },
  kg: { of: 'weight', size: 35.274 },
  floz: { of: 'volume', size: 1 },
  gal: { of: 'volume', size: 128 },
  l: { of: 'volume', size: 33.814 },
};

/** What one of a unit costs, where title or subtitle tell beyond doubt how much is sold for the offer's one price; else null. */
export function unitPriceOf(offer: Pick<Offer, 'title' | 'subtitle' | 'salePrice'>): UnitPrice | null {
  const { title, subtitle, salePrice } = offer;
  // Variants may hold different quantities.
  if (!salePrice || salePrice.minimum !== salePrice.maximum || salePrice.minimum <= 0) return null;
  const quantity = quantityIn(title) ?? quantityIn(`${title} · ${subtitle ?? ''}`);
  return quantity && { price: salePrice.minimum / quantity.amount, unit: quantity.unit };
}

/** The price for another unit; null where that measures something else. */
export function priceIn({ price, unit }: UnitPrice, other: Unit): number | null {
  const [from, to] = [SIZES[unit], SIZES[other]];
  return from.of === to.of ? (price / from.size) * to.size : null;
}

const MEASURED = ['storage', 'weight', 'volume', 'count'] as const;
/** More than any price. */
const FAR = 1e12;

/** What sorts prices: those of what measures the same stand together, the cheapest first. */
export function rankOf({ price, unit }: UnitPrice): number {
  return MEASURED.indexOf(SIZES[unit].of) * FAR + price / SIZES[unit].size;
}

const NUMBER = String.raw`\d{1,6}(?:,\d{3})?(?:\.\d{1,3})?`;
const TIMES = String.raw`\s?[x×]\s?`;
/** Several of the same, and what each holds: `6 × 12 oz`. */
const MEASURE = new RegExp(
  String.raw`(?<![\d.,$/-])(?:(\d{1,4})${TIMES})?(${NUMBER})[\s-]?(tb|gb|fl\.? ?oz|fluid ounces?|oz|ounces?|lbs?|pounds?|kg|g|grams?|ml|l|lit(?:er|re)s?|gal|gallons?)\b\.?(?:${TIMES}(\d{1,4})(?![\d.,]*\w))?( each| per (?:bag|bar|bottle|box|can|pack|pouch))?`,
  'gi',
);
const COUNTED = 'packs?|pk|count|ct|rolls|pods|capsules|wipes|cans|bottles|bars|bulbs|batteries';
/** How many there are: `24-pack`, `300 ct`, `pack of 6`. */
const COUNT = new RegExp(
  String.raw`(?<![\d.,$/-])(\d{1,6}(?:,\d{3})?)[\s-]?(?:${COUNTED})\b\.?|\b(?:pack|case|box|set|lot) of (\d{1,4})\b`,
  'gi',
);
/** Several quantities to choose from, or one of something that only comes with it, and carats, which are written as counts are. */
const DOUBT = new RegExp(
  [
    String.raw`\b(?:up to|buy) \d`,
    String.raw`\b(?:your choice|choose|choice of|pick (?:your|from|one)|bundle|bonus|assorted sizes|mystery|refills? for|holds|capacity|per serving)\b`,
    String.raw`\d\S* (?:or|to|and|&|\+) \d`,
    String.raw`\d[a-z]{0,3} ?[/–—-] ?\d{1,5}[\s-]?(?:pack|pk|count|ct|tb|gb|oz|lbs?)\b`,
    String.raw`(?:\b(?:with|includ\w+|plus|and)|w/|\+) (?:\S+ ){0,2}\d{1,6}[\s-]?(?:${COUNTED})\b`,
    String.raw`\b(?:carats?|diamonds?|moissanite|sapphires?|gemstones?|c\.?t\.?t\.?w)\b`,
  ].join('|'),
  'i',
);

/** What keeps data, and what only has something that does. */
const DRIVE =
  /\b(?:ssd|hdd|nvme|hard drives?|solid state|microsd\w*|micro sd\w*|sd(?:hc|xc)? (?:card|memory)|sdxc|memory cards?|(?:flash|thumb|usb|external|internal|portable|pen) drives?|cf ?express)\b/i;
const DEVICE =
  /\b(?:laptops?|notebooks?|desktops?|pcs?|computers?|all-in-one|aio|tablets?|ipad|macbook|imac|mac mini|chromebook|surface|thinkpad|phones?|iphone|galaxy s\d+|pixel|console|xbox|playstation|ps[45](?! ?compatible)|switch|steam deck|kindle|camera|dash ?cam|camcorder|drone|nas|dvr|nvr|ram|ddr[345]|core i\d|ryzen|windows|vr|headset|player|recorder|watch|enclosure|dock|reader|case|adapter)\b/i;

/** What is used up, and what only holds or weighs so much. */
const CONSUMABLE =
  /\b(?:coffee|espresso|beans|tea|cocoa|chocolates?|cand(?:y|ies)|gummies|jerky|nuts|almonds|cashews|peanuts|pistachios|trail mix|snacks?|chips|popcorn|cookies|crackers|pretzels|cereal|granola|oats|oatmeal|rice|pasta|flour|sugar|salt|seasoning|spices?|honey|syrup|oil|vinegar|sauce|salsa|ketchup|mustard|butter|soup|broth|tuna|salmon|juice|soda|seltzer|sparkling water|drinks?|energy drink|kombucha|wine|protein|whey|creatine|collagen|pre-?workout|detergent|bleach|fabric softener|dish soap|soap|body wash|shampoo|conditioner|lotion|moisturizer|sunscreen|sanitizer|mouthwash|cleaner|disinfectant|polish|wax|glue|paint|ink|motor oil|coolant|antifreeze|washer fluid|fertilizer|potting (?:mix|soil)|mulch|seeds?|bird ?seed|(?:dog|cat|pet|puppy|kitten) (?:food|treats?)|kibble|treats|litter|charcoal|pellets|epsom)\b/i;
const CONTAINER =
  /\b(?:tumblers?|mugs?|flasks?|pitchers?|jugs?|carafes?|kettles?|pots?|pans?|skillets?|blenders?|processors?|fryers?|cookers?|makers?|machines?|grinders?|brewers?|press|dispensers?|sprayers?|containers?|jars?|canisters?|glass(?:es)?|cups?|bowls?|coolers?|backpacks?|bags? for|feeders?|fountains?|box(?:es)? for|holders?|racks?|storage|bins?|trays?|molds?|warmers?|frothers?|growlers?|decanters?|shakers?|scales?|grills?|smokers?|diffusers?|infusers?|poppers?|applicators?|guns?|brush(?:es)?|rollers?|organizers?|water bottles?|sets?|kits?)\b/i;

const UNIT_OF: readonly [RegExp, Unit, number][] = [
  [/^tb/, 'TB', 1],
  [/^gb/, 'TB', 0.001],
  [/^fl/, 'floz', 1],
  [/^o/, 'oz', 1],
  [/^(?:lb|pound)/, 'lb', 1],
  [/^kg/, 'kg', 1],
  [/^gal/, 'gal', 1],
  [/^g/, 'kg', 0.001],
  [/^ml/, 'l', 0.001],
  [/^l/, 'l', 1],
];

/** Two readings of the same that differ by no more are one in two units. */
const NEARLY = 0.03;

/** How much of it a title says is sold together; null where it says nothing, or could mean two things. */
export function quantityIn(title: string): Quantity | null {
  const text = title.slice(0, MOST_READ);
  if (DOUBT.test(text)) return null;
  const counts = new Set([...text.matchAll(COUNT)].map(([, first, second]) => numberOf(first ?? second)));
  counts.delete(1);
  if (counts.size > 1) return null;
  const [count = 1] = counts;
  const measures = [...text.matchAll(MEASURE)].flatMap((found) => measureIn(found, text) ?? []);
  const kept = measures.filter(({ unit }) => isMeant(unit, text));
  const total = kept.length > 0 ? agreed(kept.map((one) => totalOf(one, count))) : null;
  if (total) return total;
  const isOneOfSeveral = count > 1 && kept.every(({ times }) => times === 1);
  return isOneOfSeveral ? { amount: count, unit: 'each' } : null;
}

const MOST_READ = 300;

interface Measure extends Quantity {
  /** How many of them there are by the text beside it; 1 where it doesn't say. */
  times: number;
  /** Whether it says that each holds so much. */
  isOfEach: boolean;
}

function measureIn(found: RegExpExecArray, text: string): Measure | null {
  const [whole, before, number, name = '', after, each] = found;
  const [, unit, factor] = UNIT_OF.find(([form]) => form.test(name.toLowerCase())) ?? [];
  if (!unit || factor === undefined) return null;
  const isOf = /\b(?:pack|pk|ct|count|case|cans|bottles)\)?(?: of|,? [x×]) $/i.test(text.slice(0, found.index));
  const times = numberOf(before ?? after ?? '1');
  // A rate, as GB/s, is no quantity.
  if (text.slice(found.index + whole.length).startsWith('/')) return null;
  return { amount: numberOf(number) * factor, unit, times, isOfEach: each !== undefined || isOf };
}

/** All of a measure that is sold together; null where that is not certain. */
function totalOf({ amount, unit, times, isOfEach }: Measure, count: number): Quantity | null {
  if (times > 1) return count === 1 || count === times ? { amount: amount * times, unit } : null;
  if (count === 1) return { amount, unit };
  // Drives are never told by what several hold together.
  return isOfEach || unit === 'TB' ? { amount: amount * count, unit } : null;
}

/** The first of some quantities where all say the same; else null. */
function agreed(quantities: readonly (Quantity | null)[]): Quantity | null {
  const [first] = quantities;
  if (!first) return null;
  const isSame = (one: Quantity | null) => {
    const other = one && baseOf(one) / baseOf(first);
    return other !== null && Math.abs(other - 1) <= NEARLY;
  };
  return first.amount > 0 && quantities.every(isSame) ? first : null;
}

/** Ounces by weight and by volume are told apart by words alone, which titles often leave out. */
const baseOf = ({ amount, unit }: Quantity) => amount * SIZES[unit].size;

/** Whether a measure is what one buys: of a drive, or of what is used up. */
function isMeant(unit: Unit, text: string): boolean {
  return SIZES[unit].of === 'storage'
    ? DRIVE.test(text) && !DEVICE.test(text)
    : CONSUMABLE.test(text) && !CONTAINER.test(text);
}

function numberOf(digits = ''): number {
  return Number(digits.replaceAll(',', ''));
}
