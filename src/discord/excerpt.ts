/** The first page, with an ellipsis where there is more. */
export function excerptOf(markdown: string, most: number): string {
  const [first, rest] = firstPageOf(markdown.trim(), most - 2);
  return rest === '' ? first : `${first} …`;
}

/**
 * Splits Markdown into pages of at most `most` characters. A page ends after a paragraph or sentence that ends in its
 * second half, else after a word, and never inside a link or between a backslash and the escaped character.
 */
export function pagesOf(markdown: string, most: number): string[] {
  const pages: string[] = [];
  for (let rest = markdown.trim(); rest !== ''; ) {
    const [page, others] = firstPageOf(rest, most);
    pages.push(page);
    rest = others;
  }
  return pages;
}

/** The first page, and the rest. */
function firstPageOf(markdown: string, most: number): [string, string] {
  if (markdown.length <= most) return [markdown, ''];
  const end = endOfPage(markdown, most);
  return [markdown.slice(0, end).trim(), markdown.slice(end).trim()];
}

const STOPS = '.!?…';
/** Quotes and brackets that may follow a full stop: `"Really?!"` */
const AFTER_STOP = '"\'”’»)*_';

/** Visits each character once. */
function endOfPage(markdown: string, most: number): number {
  const head = markdown.slice(0, most);
  let sentenceEnd = 0;
  let wordEnd = 0;
  let isStopped = false;
  const open = { bold: false, cursive: false, links: 0 };
  for (let at = 0; at < head.length; ) {
    const token = tokenAt(head, at);
    const isClosed = !open.bold && !open.cursive && open.links === 0;
    if (isClosed && token === ' ') wordEnd = at;
    if (isClosed && isStopped && /^\s$/.test(token)) sentenceEnd = at;
    if (isClosed && token === '\n') sentenceEnd = at + 1;
    if (token === '**') open.bold = !open.bold;
    else if (token === '*') open.cursive = !open.cursive;
    else if (token === '[') open.links += 1;
    else if (token === '>)') open.links -= 1;
    const last = token === '>)' ? '>' : token.slice(-1);
    isStopped = STOPS.includes(last) || (isStopped && AFTER_STOP.includes(last));
    at += token.length;
  }
  const inTime = [sentenceEnd, wordEnd].find((end) => end > most / 2);
  const end = inTime ?? (sentenceEnd || wordEnd);
  if (end > 0) return end;
  // A single word fills the page.
  return most - (/(?:^|[^\\])(?:\\\\)*\\$|[\uD800-\uDBFF]$/.test(head) ? 1 : 0);
}

/** A token: a backslash with the escaped character, a two-character mark, or one character. */
function tokenAt(text: string, at: number): string {
  const two = text.slice(at, at + 2);
  return two.startsWith('\\') || two === '**' || two === '>)' ? two : two.slice(0, 1);
}
