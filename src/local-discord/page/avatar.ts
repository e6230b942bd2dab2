/** Discord's colours of default avatars. */
const COLOURS = ['#5865f2', '#3ba55c', '#d9822b', '#ed4245', '#eb459e', '#747f8d'];

/** A coloured circle with initials, as a data URI: no picture is loaded from outside. Same id, same colour. */
export function avatarOf(id: string, name: string): string {
  const colour = COLOURS[[...id].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 997, 7) % COLOURS.length];
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80"><rect width="80" height="80" fill="${colour}"/>` +
    `<text x="40" y="41" fill="#fff" font-family="sans-serif" font-size="34" font-weight="600" text-anchor="middle" ` +
    `dominant-baseline="central">${escapeXml(initialsOf(name))}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** The first letters of the first two words. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s_-]+/).filter((word) => word !== '');
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
