import TurndownService from 'turndown';
import { LIMITS } from './limits.ts';

/**
 * Makes foreign text mean only itself in Discord's Markdown: no formatting, no mention, no timestamp, no link.
 * Every ASCII punctuation mark that Discord gives a meaning to gets a backslash, which Discord never shows.
 * @see https://discord.com/developers/docs/reference#message-formatting
 */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\*_~`|<>[\]()#@+-]/g, '\\$&')
    .replaceAll('://', '\\://')
    .replace(/^(\s*\d+)\./gm, '$1\\.');
}

/** One line of foreign text: white space folded, then escaped. */
export function escapeLine(text: string): string {
  return escapeMarkdown(text.replace(/\s+/g, ' ').trim());
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
  const links = [...markdown.matchAll(/\[(?:\\.|[^\]\\])*\]\(<[^>]*>\)/g)];
  const cutLink = links.find(({ index, 0: whole }) => index < most - 1 && index + whole.length > most - 1);
  const head = markdown.slice(0, cutLink?.index ?? most - 1);
  const lastSpace = head.lastIndexOf(' ');
  const cut = lastSpace > head.length * 0.8 ? head.slice(0, lastSpace) : head;
  return `${cut.replace(/(?:\\|[\uD800-\uDBFF])$/, '').trimEnd()}…`;
}

const htmlToMarkdown = new TurndownService({
  headingStyle: 'atx',
  bulletListMarker: '-',
  emDelimiter: '*',
  br: '',
})
  .addRule('link', {
    filter: 'a',
    replacement(content, node) {
      const url = safeUrl(node.getAttribute('href'));
      return url === null || content.trim() === '' ? content : `[${content.trim()}](<${url}>)`;
    },
  })
  // A heading inside a card would outshine the card's own title.
  .addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content) => (content.trim() === '' ? '' : `\n\n**${content.trim()}**\n\n`),
  })
  .addRule('listItem', {
    filter: 'li',
    replacement: (content) => `- ${content.trim().replace(/\n+/g, '\n  ')}\n`,
  })
  .addRule('rule', { filter: 'hr', replacement: () => '\n\n' })
  // Pictures have a place of their own on a card.
  .addRule('picture', { filter: ['img'], replacement: () => '' })
  .remove(['script', 'style', 'iframe', 'object', 'video', 'audio', 'noscript', 'title', 'head']);
htmlToMarkdown.escape = escapeMarkdown;

/** Foreign HTML as Discord Markdown: its text escaped, its links http(s) only, empty paragraphs gone. */
export function markdownOf(html: string): string {
  return htmlToMarkdown
    .turndown(html)
    .replace(/\u00A0/g, ' ')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
