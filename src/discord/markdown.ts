import { htmlToMarkdown, withoutUnseen } from './html-markdown.ts';
import { clamp, LIMITS } from './limits.ts';

/**
 * Escapes foreign text for Discord's Markdown: no formatting, mention, timestamp or link remains. A backslash precedes
 * every ASCII punctuation mark with a meaning; Discord never shows it.
 * @see https://discord.com/developers/docs/reference#message-formatting
 */
function escapeMarkdown(text: string): string {
  return text.replace(MEANINGFUL, '\\$&');
}

/**
 * The special characters, the colon of an address, and the dot after a number at the start of a line. The lookbehind
 * starts at a dot only: from every digit, it would take time quadratic in a number's length.
 */
const MEANINGFUL = /[\\*_~`|<>[\]()#@+-]|:(?=\/\/)|\.(?<=^\s*\d+\.)/gm;

/** Escapes foreign text as one line; white space is collapsed. */
export function escapeLine(text: string): string {
  return escapeMarkdown(
    withoutUnseen(text)
      .replace(/\s{2,}|[^\S ]/g, ' ')
      .trim(),
  );
}

/** Foreign text as inline code, unescaped. A backtick would end the code, so it is replaced with a similar character. */
export function inlineCode(text: string): string {
  return `\`${withoutBackticks(text.replace(/\s+/g, ' '))}\``;
}

/** The same as a code block. */
export function codeBlock(text: string): string {
  return `\`\`\`\n${withoutBackticks(text)}\n\`\`\``;
}

function withoutBackticks(text: string): string {
  return text.replaceAll('`', 'ˋ');
}

/** The address if a card may link to it, in a form that can't end a Markdown link early; else null. */
export function safeUrl(address: string | null): string | null {
  return address !== null && URL.canParse(address) ? safeHref(new URL(address)) : null;
}

function safeHref(url: URL): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  const href = url.href.replaceAll('(', '%28').replaceAll(')', '%29');
  return href.length <= LIMITS.mediaUrl ? href : null;
}

/** A masked link, or only the label where there is no safe address. Takes foreign text for the label. */
export function link(label: string, address: string | null): string {
  const url = safeUrl(address);
  // An invisible label would show the bare address.
  const shown = escapeLine(label) || '…';
  return url === null || url.length > LIMITS.textUrl ? shown : `[${shown}](<${url}>)`;
}

/**
 * Cuts Markdown to at most `most` characters: after a line where possible, else after a word, and never inside a link
 * or between a backslash and the escaped character.
 */
export function clampMarkdown(markdown: string, most: number): string {
  if (markdown.length <= most) return markdown;
  const lineEnd = markdown.lastIndexOf('\n', most - 2);
  if (lineEnd > most / 2) return `${markdown.slice(0, lineEnd).trimEnd()}\n…`;
  const uncut = markdown.slice(0, most - 1);
  const openLink = openLinkIn(uncut);
  const head = openLink === null ? uncut : uncut.slice(0, openLink);
  const lastSpace = head.lastIndexOf(' ');
  const cut = lastSpace > head.length * 0.8 ? head.slice(0, lastSpace) : head;
  return `${cut.replace(/(?:\\|[\uD800-\uDBFF])$/, '').trimEnd()}…`;
}

/** The most characters of HTML that are read: more than any card shows. */
const MOST_HTML = 20_000;

/**
 * Converts foreign HTML to Discord Markdown: text is escaped, links are http(s) only, empty paragraphs are removed.
 * @param base address for relative links; without one they become plain text
 */
export function markdownOf(html: string, base: string | null): string {
  const from = base ?? undefined;
  return htmlToMarkdown(html.slice(0, MOST_HTML), {
    escape: escapeMarkdown,
    resolve(address) {
      const url = address !== null && URL.canParse(address, from) ? safeHref(new URL(address, from)) : null;
      return url === null || url.length > LIMITS.textUrl ? null : url;
    },
  });
}

/** The start of a link that `markdown` does not close; null where there is none. Brackets in text are escaped. */
function openLinkIn(markdown: string): number | null {
  let last = -1;
  for (const { 0: found, index } of markdown.matchAll(/\\.|\[/gs)) if (found === '[') last = index;
  return last < 0 || markdown.includes('>)', last) ? null : last;
}

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

/** White space, control characters, halves of characters, and what XML 1.0 has no place for. */
const GAP = /[\s\p{Cc}\p{Cs}\uFFFE\uFFFF]+/gu;

/** The catalog's text as one line of plain text, of so many characters at most. @public for features */
export function plainLine(text: string, most: number): string {
  return clamp(text.replace(GAP, ' ').trim(), most);
}
