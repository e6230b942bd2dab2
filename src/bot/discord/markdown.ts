import { htmlToMarkdown, withoutUnseen } from './html-markdown.ts';
import { LIMITS } from './limits.ts';

/**
 * Makes foreign text mean only itself in Discord's Markdown: no formatting, no mention, no timestamp, no link.
 * Every ASCII punctuation mark that Discord gives a meaning to gets a backslash, which Discord never shows.
 * @see https://discord.com/developers/docs/reference#message-formatting
 */
function escapeMarkdown(text: string): string {
  return text.replace(MEANINGFUL, '\\$&');
}

/**
 * The marks themselves, the colon of an address, and the dot after a number that begins a line: looked for behind a dot
 * alone, as looking back from every digit takes the square of a number's length.
 */
const MEANINGFUL = /[\\*_~`|<>[\]()#@+-]|:(?=\/\/)|\.(?<=^\s*\d+\.)/gm;

/** One line of foreign text: white space folded, then escaped. */
export function escapeLine(text: string): string {
  return escapeMarkdown(
    withoutUnseen(text)
      .replace(/\s{2,}|[^\S ]/g, ' ')
      .trim(),
  );
}

/** Foreign text as it was written, in a line; a backtick would end it, so it becomes a mark that looks like one. */
export function inlineCode(text: string): string {
  return `\`${withoutBackticks(text.replace(/\s+/g, ' '))}\``;
}

/** The same in a block of fixed width. */
export function codeBlock(text: string): string {
  return `\`\`\`\n${withoutBackticks(text)}\n\`\`\``;
}

function withoutBackticks(text: string): string {
  return text.replaceAll('`', 'ˋ');
}

/** The address if it is one that a card may link to, in a form that ends no Markdown link early; else null. */
export function safeUrl(address: string | null): string | null {
  return address !== null && URL.canParse(address) ? safeHref(new URL(address)) : null;
}

function safeHref(url: URL): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  const href = url.href.replaceAll('(', '%28').replaceAll(')', '%29');
  return href.length <= LIMITS.mediaUrl ? href : null;
}

/** A masked link, or the bare label where there is nothing to link to. Takes foreign text for the label. */
export function link(label: string, address: string | null): string {
  const url = safeUrl(address);
  // A label that nobody sees would leave the address bare.
  const shown = escapeLine(label) || '…';
  return url === null || url.length > LIMITS.textUrl ? shown : `[${shown}](<${url}>)`;
}

/**
 * Cuts Markdown to at most `most` characters: after a whole line where there is one, else after a whole word, and never
 * inside a link or between a backslash and what it escapes.
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

/** Characters of HTML that are read: more than any card shows. */
const MOST_HTML = 20_000;

/**
 * Foreign HTML as Discord Markdown: its text escaped, its links http(s) only, empty paragraphs gone.
 * @param base address that relative links start from; without one they are no links
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

/** Where a link begins that does not end in `markdown`; null where every one does. A bracket of a text has a backslash. */
function openLinkIn(markdown: string): number | null {
  const [last] = [...markdown.matchAll(/\\.|\[/gs)].filter(([found]) => found === '[').slice(-1);
  return last && !markdown.includes('>)', last.index) ? last.index : null;
}
