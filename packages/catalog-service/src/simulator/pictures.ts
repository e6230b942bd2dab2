import type { Icon } from './categories.ts';

/** Strokes of each shape on a field of 100 by 100. */
const SHAPES: Readonly<Record<Icon, string>> = {
  headphones: 'M22 62V52a28 28 0 0 1 56 0v10M22 58h8v20h-8zM70 58h8v20h-8z',
  screen: 'M16 28h68v42H16zM50 70v10M36 80h28',
  phone: 'M36 16h28a4 4 0 0 1 4 4v60a4 4 0 0 1-4 4H36a4 4 0 0 1-4-4V20a4 4 0 0 1 4-4zM46 76h8',
  camera: 'M16 36h18l6-8h20l6 8h18v40H16zM50 56m-12 0a12 12 0 1 0 24 0a12 12 0 1 0-24 0',
  laptop: 'M26 28h48v34H26zM16 70h68l-6-8H22z',
  box: 'M50 18l30 14v36L50 82 20 68V32zM20 32l30 14 30-14M50 46v36',
  pot: 'M24 44h52v26a8 8 0 0 1-8 8H32a8 8 0 0 1-8-8zM16 50h8M76 50h8M36 36h28M50 36v-8',
  lamp: 'M36 20h28l10 26H26zM50 46v30M34 80h32',
  bed: 'M16 74V34M16 62h68v12M84 62V52a8 8 0 0 0-8-8H38v18M28 50m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0',
  outdoors: 'M16 76L44 28l16 26 8-10 18 32zM68 28m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0',
  bike: 'M28 62m-14 0a14 14 0 1 0 28 0a14 14 0 1 0-28 0M72 62m-14 0a14 14 0 1 0 28 0a14 14 0 1 0-28 0M28 62l14-26h18l12 26M42 36l12 26H28M58 30h8',
  drill: 'M18 30h46v18H18zM64 34h10l10 5-10 5H64M28 48l-6 30h18l4-30',
  shirt: 'M36 20l-22 12 8 16 8-4v36h40V44l8 4 8-16-22-12a14 14 0 0 1-28 0z',
  bottle: 'M44 14h12v18l8 12v38a4 4 0 0 1-4 4H40a4 4 0 0 1-4-4V44l8-12zM36 56h28',
};

/**
 * A plain picture of a product: the shape of its kind on a coloured ground.
 * @param name `<icon>-<hue>`, the hue in degrees
 */
export function pictureOf(name: string): string | undefined {
  const [, icon = '', hue = ''] = /^([a-z]+)-(\d{1,3})$/.exec(name) ?? [];
  const shape = Object.entries(SHAPES).find(([known]) => known === icon)?.[1];
  if (!shape) return undefined;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="600" height="600">
<defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="hsl(${hue} 60% 92%)"/><stop offset="1" stop-color="hsl(${hue} 55% 76%)"/></linearGradient></defs>
<rect width="100" height="100" fill="url(#g)"/><ellipse cx="50" cy="88" rx="30" ry="3.5" fill="hsl(${hue} 40% 55% / .35)"/>
<path d="${shape}" fill="hsl(${hue} 45% 98% / .75)" stroke="hsl(${hue} 45% 32%)" stroke-width="3.2" stroke-linejoin="round" stroke-linecap="round"/>
</svg>
`;
}
