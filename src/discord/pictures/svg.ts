/** A picture is dark on its own ground in any theme: text on it has a contrast of 7 or more. */
export const COLORS = {
  ground: '#1e1f22',
  text: '#f2f3f5',
  quiet: '#b5bac1',
  low: '#7ee2a8',
} as const;

/** A text as it stands in an SVG. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
