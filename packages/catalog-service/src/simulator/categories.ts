import type { FeedName } from '../content.ts';
import type { Random } from '../random.ts';
import type { SitePrefix } from '../v2/schemas.ts';

/** The shapes that stand for photos. */
export type Icon =
  | 'headphones'
  | 'screen'
  | 'phone'
  | 'camera'
  | 'laptop'
  | 'box'
  | 'pot'
  | 'lamp'
  | 'bed'
  | 'outdoors'
  | 'bike'
  | 'drill'
  | 'shirt'
  | 'bottle';

/** One kind of product. */
export interface Kind {
  noun: string;
  subcategory: string;
  icon: Icon;
  /** Lowest and highest list price, in US dollars. */
  prices: readonly [number, number];
  /** The attribute by which the items of an offer differ; `null` where there is one item only. */
  variants: keyof typeof VARIANTS | null;
  traits: readonly [string, ...string[]];
}

/** Attributes by which the items of an offer differ. */
export const VARIANTS = {
  Color: ['Black', 'White', 'Navy', 'Graphite', 'Red', 'Sage'],
  Size: ['Small', 'Medium', 'Large', 'X-Large', '2X-Large'],
  Capacity: ['128GB', '256GB', '512GB', '1TB'],
  'Bed Size': ['Twin', 'Full', 'Queen', 'King'],
  'Screen Size': ['43"', '50"', '55"', '65"', '75"'],
} as const;

export interface Category {
  feed: FeedName;
  /** First part of a category path. */
  code: string;
  sitePrefix: SitePrefix;
  brands: readonly [string, ...string[]];
  /** Draws the name of a product line, or for a shirt the text printed on it. */
  lineOf: (random: Random) => string;
  kinds: readonly [Kind, ...Kind[]];
}

const kind = (
  noun: string,
  subcategory: string,
  icon: Icon,
  prices: readonly [number, number],
  variants: Kind['variants'],
  ...traits: [string, ...string[]]
): Kind => ({ noun, subcategory, icon, prices, variants, traits });

const MODELS = ['Aero', 'Core', 'Nova', 'Pro', 'Studio', 'Terra', 'Flex', 'Prime', 'Lite', 'Max'] as const;
const COLLECTIONS = [
  'Willow',
  'Juniper',
  'Harbor',
  'Meadow',
  'Larkspur',
  'Amberley',
  'Fjord',
  'Dover',
  'Isla',
] as const;
const MOODS = ['Polite', 'Sleepy', 'Cosmic', 'Tiny', 'Grumpy', 'Secret', 'Electric', 'Lost', 'Brave', 'Paper'] as const;
const CREATURES = ['Comet', 'Walrus', 'Robot', 'Cat', 'Ghost', 'Whale', 'Toast', 'Cactus', 'Moth', 'Yeti'] as const;

const modelOf = (random: Random) => `${random.pick(MODELS)} ${random.int(2, 99)}`;
const collectionOf = (random: Random) => `${random.pick(COLLECTIONS)} ${random.int(2, 99)}`;
const printOf = (random: Random) =>
  `${random.pick(MOODS)} ${random.pick(CREATURES)} & ${random.pick(MOODS)} ${random.pick(CREATURES)}`;

export const ELECTRONICS: Category = {
  feed: 'Electronics',
  code: 'TECH',
  sitePrefix: 'electronics',
  brands: ['Auralis', 'Voltane', 'Norrvik', 'Lumaray', 'Sonette', 'Pixelhaus', 'Brightwell', 'Tonecraft'],
  lineOf: modelOf,
  kinds: [
    kind(
      'Wireless Headphones',
      'Headphones',
      'headphones',
      [59, 329],
      'Color',
      'Noise Cancelling',
      'Over-Ear',
      '40-Hour',
    ),
    kind('True Wireless Earbuds', 'Headphones', 'headphones', [29, 199], 'Color', 'Sport', 'IPX7', 'Low-Latency'),
    kind('Bluetooth Speaker', 'Portable Audio', 'headphones', [25, 249], 'Color', 'Waterproof', 'Pocket', 'Party'),
    kind('4K Smart TV', 'Televisions & Projectors', 'screen', [249, 1299], 'Screen Size', 'QLED', 'LED', 'Mini-LED'),
    kind('Portable Projector', 'Televisions & Projectors', 'screen', [89, 599], null, '1080p', 'Short-Throw', 'Pico'),
    kind('Smartphone', 'Phones & Accessories', 'phone', [149, 899], 'Capacity', 'Unlocked', '5G', 'Dual-SIM'),
    kind('Braided Watch Band', 'Phones & Accessories', 'phone', [9, 49], 'Size', 'Solo', 'Nylon', 'Reflective'),
    kind('Security Camera', 'Smart Home', 'camera', [29, 199], null, 'Outdoor', '2K', 'Solar'),
    kind('Mirrorless Camera', 'Cameras', 'camera', [399, 1599], null, '24MP', 'Vlogging', 'Weather-Sealed'),
  ],
};

export const COMPUTERS: Category = {
  feed: 'Computers',
  code: 'PC',
  sitePrefix: 'computers',
  brands: ['Corewell', 'Datanook', 'Hexaline', 'Northbyte', 'Keyfold', 'Palisade'],
  lineOf: modelOf,
  kinds: [
    kind('14" Laptop', 'Laptops', 'laptop', [279, 1499], 'Capacity', 'Ultralight', 'Touchscreen', 'Business'),
    kind('Gaming Laptop', 'Laptops', 'laptop', [749, 2299], 'Capacity', '15.6"', '16"', 'RGB'),
    kind('Mini PC', 'Desktops', 'box', [149, 799], 'Capacity', 'Fanless', 'Dual-LAN', 'Quiet'),
    kind('27" Monitor', 'Monitors', 'screen', [129, 699], null, 'QHD', '165Hz', 'Curved', 'USB-C'),
    kind('Mechanical Keyboard', 'Accessories', 'laptop', [39, 189], 'Color', 'Hot-Swap', '75%', 'Wireless'),
    kind('Portable SSD', 'Storage', 'box', [49, 299], 'Capacity', 'Rugged', 'NVMe', 'Pocket'),
    kind('Mesh Wi-Fi System', 'Networking', 'box', [89, 499], null, 'Wi-Fi 6', 'Tri-Band', '3-Pack'),
  ],
};

export const HOME: Category = {
  feed: 'Home',
  code: 'HOME',
  sitePrefix: 'home',
  brands: ['Hearthline', 'Maple & Moss', 'Cotterdale', 'Linenfold', 'Casa Verano', 'Ovenbird', 'Quietwood'],
  lineOf: collectionOf,
  kinds: [
    kind('Nonstick Cookware Set', 'Kitchen & Dining', 'pot', [49, 349], 'Color', '10-Piece', 'Ceramic', 'Induction'),
    kind('Air Fryer', 'Kitchen & Dining', 'pot', [49, 229], 'Color', '6-Quart', 'Dual-Basket', 'Compact'),
    kind('Espresso Machine', 'Kitchen & Dining', 'pot', [99, 699], null, '15-Bar', 'Semi-Automatic', 'Slim'),
    kind('Microfiber Sheet Set', 'Bed & Bath', 'bed', [19, 99], 'Bed Size', 'Cooling', '1800-Thread', 'Deep-Pocket'),
    kind('Memory Foam Mattress', 'Bed & Bath', 'bed', [179, 899], 'Bed Size', '10-Inch', 'Gel', 'Hybrid'),
    kind('Weighted Blanket', 'Bed & Bath', 'bed', [29, 119], 'Color', '15-lb', 'Sherpa', 'Knit'),
    kind('LED Floor Lamp', 'Furniture & Decor', 'lamp', [25, 149], 'Color', 'Dimmable', 'Arc', 'Corner'),
    kind('Area Rug', 'Furniture & Decor', 'bed', [39, 299], null, '5x7', 'Washable', 'Vintage'),
    kind('Handheld Vacuum', 'Floor Care', 'box', [39, 139], null, 'Cordless', 'Wet-Dry', 'Pet-Hair'),
    kind('Robot Vacuum', 'Floor Care', 'box', [129, 799], null, 'Self-Emptying', 'Mopping', 'Mapping'),
    kind('Storage Bench', 'Furniture & Decor', 'box', [59, 219], 'Color', 'Folding', 'Upholstered', 'Entryway'),
  ],
};

export const SPORTS: Category = {
  feed: 'Sports',
  code: 'SPORT',
  sitePrefix: 'sport',
  brands: ['Ridgeway', 'Alpenroute', 'Trailmark', 'Swiftwater', 'Ironpeak', 'Fairlane'],
  lineOf: modelOf,
  kinds: [
    kind('Trail Running Shoes', 'Shoes', 'outdoors', [49, 169], 'Size', "Men's", "Women's", 'Wide-Fit'),
    kind('Rain Jacket', 'Apparel', 'shirt', [39, 229], 'Size', "Men's", "Women's", 'Packable'),
    kind('4-Person Tent', 'Camping', 'outdoors', [79, 349], null, 'Instant', 'Blackout', '3-Season'),
    kind('Adjustable Dumbbell', 'Fitness', 'outdoors', [99, 399], null, '52-lb', 'Quick-Lock', 'Pair'),
    kind('Electric Bike', 'Cycling', 'bike', [599, 1799], 'Color', '500W', 'Folding', 'Step-Through'),
    kind('Hardside Cooler', 'Camping', 'box', [49, 329], 'Color', '45-Quart', 'Wheeled', 'Bear-Resistant'),
    kind('Insulated Bottle', 'Hydration', 'bottle', [14, 49], 'Color', '32-oz', 'Straw-Lid', 'Leakproof'),
    kind('Fleece Pullover', 'Apparel', 'shirt', [24, 119], 'Size', "Men's", "Women's", 'Quarter-Zip'),
  ],
};

export const TOOLS: Category = {
  feed: 'Tools',
  code: 'TOOLS',
  sitePrefix: 'tools',
  brands: ['Hammerfell', 'Boltwright', 'Torquemaster', 'Yardhand', 'Steadfast'],
  lineOf: modelOf,
  kinds: [
    kind('Cordless Drill Kit', 'Power Tools', 'drill', [59, 279], null, '20V', 'Brushless', '2-Battery'),
    kind('Impact Driver', 'Power Tools', 'drill', [49, 219], null, '20V', 'Compact', '3-Speed'),
    kind('Socket Set', 'Hand Tools', 'drill', [29, 199], null, '146-Piece', 'Metric & SAE', 'Chrome'),
    kind('Pressure Washer', 'Lawn & Garden', 'drill', [99, 399], null, '2000 PSI', 'Electric', 'Foam-Cannon'),
    kind('LED Work Light', 'Lighting', 'lamp', [19, 89], null, '5000-Lumen', 'Magnetic', 'Rechargeable'),
    kind('Work Gloves', 'Safety', 'drill', [9, 39], 'Size', '3-Pair', 'Cut-Resistant', 'Leather'),
  ],
};

export const SHIRTS: Category = {
  feed: 'Shirts',
  code: 'SHIRT',
  sitePrefix: 'shirt',
  brands: ['Catnap', 'Midnight Oil', 'Inkwell', 'Slow Sunday', 'Small Hours'],
  lineOf: printOf,
  kinds: [
    kind('T-Shirt', 'Graphic Tees', 'shirt', [15, 29], 'Size', 'in the Garden', 'at the Laundromat', 'After Hours'),
    kind('Pullover Hoodie', 'Hoodies', 'shirt', [29, 49], 'Size', 'on Vacation', 'Under the Sea', 'in Space'),
    kind('Long Sleeve Tee', 'Graphic Tees', 'shirt', [19, 35], 'Size', 'by Moonlight', 'in the Rain', 'and Friends'),
  ],
};

export const GOURMET: Category = {
  feed: 'Gourmet',
  code: 'GROCERY',
  sitePrefix: 'wine',
  brands: ['Old Orchard Row', 'Stonebarn', 'Vale of Juniper', 'Copper Kettle', 'Marisol'],
  lineOf: collectionOf,
  kinds: [
    kind('Cabernet Sauvignon', 'Wine', 'bottle', [49, 229], null, '6-Bottle', 'Reserve', 'Estate'),
    kind('Coffee Sampler', 'Beverages', 'bottle', [19, 79], null, 'Whole-Bean', 'Dark Roast', '4-Pack'),
    kind('Snack Box', 'Snacks', 'box', [15, 59], null, 'Sweet & Salty', '48-Count', 'Gluten-Free'),
    kind('Olive Oil Set', 'Pantry', 'bottle', [24, 89], null, 'Extra-Virgin', '3-Bottle', 'Cold-Pressed'),
  ],
};

export const CATEGORIES = [ELECTRONICS, COMPUTERS, HOME, SPORTS, TOOLS, SHIRTS, GOURMET] as const;
