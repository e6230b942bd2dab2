import TurndownService from 'turndown';
import { LIMITS } from './limits.ts';

/**
 * Makes foreign text mean only itself in Discord's Markdown: no formatting, no mention, no timestamp, no link.
 * Every ASCII punctuation mark that Discord gives a meaning to gets a backslash, which Discord never shows.
 * @see https://discord.com/developers/docs/reference#message-formatting
 */
function escapeMarkdown(text: string): string {
  return text.replace(MEANINGFUL, '\\$&');
}

/** The marks themselves, the colon of an address, and the dot after a number that begins a line. */
const MEANINGFUL = /[\\*_~`|<>[\]()#@+-]|:(?=\/\/)|(?<=^\s*\d+)\./gm;

/** One line of foreign text: white space folded, then escaped. */
export function escapeLine(text: string): string {
  return escapeMarkdown(text.replace(/\s{2,}|[^\S ]/g, ' ').trim());
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
  if (address === null || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  const href = url.href.replaceAll('(', '%28').replaceAll(')', '%29');
  return href.length <= LIMITS.mediaUrl ? href : null;
}

/** A masked link, or the bare label where there is nothing to link to. Takes foreign text for the label. */
export function link(label: string, address: string | null): string {
  const url = safeUrl(address);
  return url === null || url.length > LIMITS.textUrl ? escapeLine(label) : `[${escapeLine(label)}](<${url}>)`;
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

/**
 * Foreign HTML as Discord Markdown: its text escaped, its links http(s) only, empty paragraphs gone. Turndown is kept for
 * the walk through the document; what Discord reads differently from other Markdown is told to it here.
 * @param base address that relative links start from; without one they are no links
 */
export function markdownOf(html: string, base: string | null): string {
  const some = html.slice(0, MOST_HTML);
  const markdown = isTooDeep(some)
    ? escapeMarkdown(some.replace(/<[^<>]*>?/g, ' '))
    : turndownFrom(base).turndown(some);
  return markdown
    .replace(/\u00A0/g, ' ')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Where a link begins that does not end in `markdown`; null where every one does. A bracket of a text has a backslash. */
function openLinkIn(markdown: string): number | null {
  const [last] = [...markdown.matchAll(/\\.|\[/gs)].filter(([found]) => found === '[').slice(-1);
  return last && !markdown.includes('>)', last.index) ? last.index : null;
}

/** More than any card shows. */
const MOST_HTML = 20_000;
/** Deeper than anybody nests what people are to read; the walk's time grows with the square of it. */
const MOST_DEPTH = 100;

/** Whether more tags are open at once than `MOST_DEPTH`. Tags that need no end count too: plain text loses little. */
function isTooDeep(html: string): boolean {
  let depth = 0;
  for (const [, end] of html.matchAll(/<(\/?)(?!br|img|hr|input)[a-z]/gi)) {
    depth += end === '' ? 1 : -1;
    if (depth > MOST_DEPTH) return true;
  }
  return false;
}

function turndownFrom(base: string | null): TurndownService {
  const resolve = (address: string | null) => {
    const from = base ?? undefined;
    return safeUrl(address !== null && URL.canParse(address, from) ? new URL(address, from).href : null);
  };
  /** By the element of a list, how many of its items came so far: they come in order. */
  const items = new Map<unknown, number>();
  const turndown = new TurndownService({ headingStyle: 'atx', bulletListMarker: '-', emDelimiter: '*', br: '' })
    .addRule('link', {
      filter: 'a',
      replacement(content, node) {
        const url = resolve(node.getAttribute('href'));
        return url === null || content.trim() === '' ? content : `[${content.trim()}](<${url}>)`;
      },
    })
    // A heading inside a card would outshine the card's own title.
    .addRule('heading', {
      filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'caption'],
      replacement: (content) => (content.trim() === '' ? '' : `\n\n**${content.trim()}**\n\n`),
    })
    .addRule('listItem', {
      filter: 'li',
      replacement(content, { parentElement: list }) {
        const number = (items.get(list) ?? 0) + 1;
        items.set(list, number);
        const marker = list?.nodeName === 'OL' ? `${number}. ` : '- ';
        return `${marker}${content.trim().replace(/\n+/g, `\n${' '.repeat(marker.length)}`)}\n`;
      },
    })
    // Discord knows no tables: a row is a line, its cells side by side.
    .addRule('cell', {
      filter: ['td', 'th'],
      replacement(content, node) {
        const text = content.trim().replace(/\s*\n\s*/g, ' ');
        return `${node.previousElementSibling ? ' | ' : ''}${node.nodeName === 'TH' && text !== '' ? `**${text}**` : text}`;
      },
    })
    .addRule('row', {
      filter: 'tr',
      replacement: (content) => (/^[\s|]*$/.test(content) ? '' : `${content}\n`),
    })
    .addRule('table', {
      filter: ['table', 'thead', 'tbody', 'tfoot'],
      replacement: (content) => `\n\n${content.trim()}\n\n`,
    })
    .addRule('video', {
      filter: 'iframe',
      replacement(_, node) {
        const url = resolve(node.getAttribute('src'));
        return url === null ? '' : `\n\n[Video](<${url}>)\n\n`;
      },
    })
    .addRule('rule', { filter: 'hr', replacement: () => '\n\n' })
    // Pictures have a place of their own on a card.
    .addRule('picture', { filter: 'img', replacement: () => '' })
    .remove(['script', 'style', 'object', 'video', 'audio', 'noscript', 'title', 'head']);
  turndown.escape = escapeMarkdown;
  return turndown;
}
