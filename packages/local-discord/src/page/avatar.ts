/** Apps get Discord's own colour, people one of the others. */
const APP_COLOUR = '#5865f2';
const COLOURS = ['#3ba55c', '#d9822b', '#ed4245', '#eb459e', '#a052c8'] as const;

/**
 * A coloured circle with initials, as a data URI, because the page loads nothing from outside. The same id always gets
 * the same colour.
 */
export function avatarOf({ id, name, bot }: { id: string; name: string; bot: boolean }): string {
  const colour = bot ? APP_COLOUR : colourOf(id);
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80"><rect width="80" height="80" fill="${colour}"/>` +
    `<text x="40" y="41" fill="#fff" font-family="sans-serif" font-size="34" font-weight="600" text-anchor="middle" ` +
    `dominant-baseline="central">${escapeXml(initialsOf(name))}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function colourOf(id: string): string {
  let sum = 0;
  for (let at = 0; at < id.length; at += 1) sum = (sum * 31 + id.charCodeAt(at)) % 1_000_003;
  return COLOURS[sum % COLOURS.length] ?? COLOURS[0];
}

const letters = new Intl.Segmenter();

/** The first letters of the first two words. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s_-]+/).filter((word) => word !== '');
  return words
    .slice(0, 2)
    .map((word) => Array.from(letters.segment(word))[0]?.segment.toUpperCase() ?? '')
    .join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
