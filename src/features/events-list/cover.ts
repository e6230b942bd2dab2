import { COLORS, escaped } from '../../discord/pictures/svg.ts';

/** Pixels, as Discord recommends for the picture of an entry of the Events list. */
const WIDTH = 800;
const HEIGHT = 320;
const LEFT = 48;
const STRIPE = '#5865f2';
const TYPE = { size: 30, baseline: 74 };
const TITLE = { size: 50, baseline: 146, step: 58, mostLetters: 26, mostLines: 2 };
const PRICE = { size: 44, baseline: 274 };
/** What the font has no letters for. */
const UNWRITABLE = /[^\u0020-\u007E\u00A0-\u017F\u2010-\u2026\u20AC\u2122]/g;

/**
 * An SVG of what an event is called, its type and its lowest price. A title in another script than Latin is left out.
 * @param price as a reader sees it; null where none is known
 */
export function eventCover({ title, type, price }: { title: string; type: string; price: string | null }): string {
  const readable = title.replace(UNWRITABLE, '').replace(/\s+/g, ' ').trim();
  const lines = readable.length * 2 < title.length ? [] : wrapped(readable);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="${COLORS.ground}"/>`,
    `<rect width="12" height="${HEIGHT}" fill="${STRIPE}"/>`,
    written(type.replace(UNWRITABLE, ''), TYPE, COLORS.quiet),
    ...lines.map((line, index) =>
      written(line, { size: TITLE.size, baseline: TITLE.baseline + index * TITLE.step }, COLORS.text),
    ),
    price === null ? '' : written(price.replace(UNWRITABLE, ' '), PRICE, COLORS.low),
    '</svg>',
  ].join('');
}

function written(text: string, { size, baseline }: { size: number; baseline: number }, color: string): string {
  return `<text x="${LEFT}" y="${baseline}" font-size="${size}" fill="${color}">${escaped(text)}</text>`;
}

/** Whole words, as many as a line has room for; the last line ends with an ellipsis where there are more. */
function wrapped(text: string): string[] {
  const { mostLetters, mostLines } = TITLE;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < mostLetters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word.length > mostLetters ? `${word.slice(0, mostLetters - 1)}…` : word);
  }
  const shown = lines.slice(0, mostLines);
  const last = shown.at(-1);
  if (lines.length > mostLines && last !== undefined) shown[shown.length - 1] = `${last.slice(0, mostLetters - 1)}…`;
  return shown;
}
