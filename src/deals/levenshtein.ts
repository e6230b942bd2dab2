/** The Levenshtein distance: the fewest insertions, deletions and substitutions that turn one text into the other. */
export function levenshtein(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of one.split('').entries()) {
    let diagonal = index;
    const next = [index + 1];
    for (const [column, above] of row.slice(1).entries()) {
      const changed = diagonal + (other[column] === letter ? 0 : 1);
      next.push(Math.min(changed, above + 1, (next.at(-1) ?? 0) + 1));
      diagonal = above;
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
