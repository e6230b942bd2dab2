/** The first page of it, with an ellipsis where there is more. */
export function excerptOf(markdown: string, most: number): string {
  const [first = '', ...others] = pagesOf(markdown, most - 2);
  return others.length > 0 ? `${first} …` : first;
}

/**
 * Markdown in pages of at most `most` characters each. A page ends after a paragraph or a sentence where one ends in its
 * second half, else after a word, and never inside a link or between a backslash and what it escapes.
 */
export function pagesOf(markdown: string, most: number): string[] {
  const pages: string[] = [];
  let rest = markdown.trim();
  while (rest.length > most) {
    const end = endOfPage(rest, most);
    pages.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === '' ? pages : [...pages, rest];
}

/** Marks and brackets may follow the stop: `"Really?!"` */
const SENTENCE_END = /\n|[.!?…]+["'”’»)\\*_]*(?=\s)/g;

function endOfPage(markdown: string, most: number): number {
  const head = markdown.slice(0, most);
  const sentences = [...head.matchAll(SENTENCE_END)].map(({ index, 0: end }) => index + end.length);
  const spaces = [...head.matchAll(/ /g)].map(({ index }) => index);
  const isInTime = (end: number) => end > most / 2;
  const candidates = [sentences.filter(isInTime), spaces.filter(isInTime), sentences, spaces].map((ends) =>
    ends.reverse(),
  );
  for (const ends of candidates) {
    const end = ends.find((position) => position > 0 && isClosed(head.slice(0, position)));
    if (end !== undefined) return end;
  }
  // One endless word.
  return most - (/(?:^|[^\\])(?:\\\\)*\\$|[\uD800-\uDBFF]$/.test(head) ? 1 : 0);
}

/** Whether every link, bold and cursive that begins in the text ends in it. */
function isClosed(markdown: string): boolean {
  const marks = [...markdown.matchAll(/\\.|\*\*|\*|\[|>\)/gs)].map(([mark]) => mark);
  const count = (mark: string) => marks.filter((other) => other === mark).length;
  return count('**') % 2 === 0 && count('*') % 2 === 0 && count('[') === count('>)') && !markdown.endsWith('\\');
}
