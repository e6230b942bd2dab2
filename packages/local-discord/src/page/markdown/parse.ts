import { type Inline, MAX_DEPTH, parseInline } from './inline.ts';

/**
 * Discord's Markdown as a tree of plain objects: https://support.discord.com/hc/en-us/articles/210298617 and
 * https://discord.com/developers/docs/reference#message-formatting. Everything that is not Markdown stays text, so
 * foreign text is never read as HTML; only http and https links become links.
 */
export type Block =
  | { type: 'paragraph'; children: Inline[] }
  | { type: 'heading'; level: 1 | 2 | 3; children: Inline[] }
  | { type: 'subtext'; children: Inline[] }
  | { type: 'quote'; children: Block[] }
  | { type: 'list'; start: number | null; items: Block[][] }
  | { type: 'code-block'; language: string; text: string };

const FENCE = '```';
const LANGUAGE = /^[\w+#.-]+(?=\n)/;
const HEADING = /^(#{1,3}) +(\S.*)$/;
const SUBTEXT = /^-# +(\S.*)$/;
const QUOTE = /^> (.*)$/;
const QUOTE_REST = /^>>> (.*)$/;
const ITEM = /^( *)(?:[-*]|(\d{1,9})\.) +(\S.*)$/;

export function parseMarkdown(source: string): Block[] {
  return parseBlocks(source.replaceAll('\r\n', '\n'), 0);
}

function parseBlocks(source: string, depth: number): Block[] {
  const blocks: Block[] = [];
  let rest = source;
  for (;;) {
    const open = rest.indexOf(FENCE);
    const close = open < 0 ? -1 : rest.indexOf(FENCE, open + FENCE.length);
    if (close < 0) break;
    const inside = rest.slice(open + FENCE.length, close);
    if (inside.trim() === '') break;
    blocks.push(...parseLines(rest.slice(0, open).replace(/\n$/, ''), depth));
    const language = LANGUAGE.exec(inside)?.[0] ?? '';
    const text = inside.slice(language.length).replace(/^\n/, '').replace(/\n+$/, '');
    blocks.push({ type: 'code-block', language, text });
    rest = rest.slice(close + FENCE.length).replace(/^\n/, '');
  }
  blocks.push(...parseLines(rest, depth));
  return blocks;
}

function parseLines(source: string, depth: number): Block[] {
  if (source === '') return [];
  const lines = source.split('\n');
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    const text = paragraph.join('\n');
    if (text.trim() !== '') blocks.push({ type: 'paragraph', children: parseInline(text) });
    paragraph = [];
  };
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = HEADING.exec(line);
    const subtext = SUBTEXT.exec(line);
    if (heading) {
      endParagraph();
      const level = heading[1]?.length === 1 ? 1 : heading[1]?.length === 2 ? 2 : 3;
      blocks.push({ type: 'heading', level, children: parseInline(heading[2] ?? '') });
      at += 1;
    } else if (subtext) {
      endParagraph();
      blocks.push({ type: 'subtext', children: parseInline(subtext[1] ?? '') });
      at += 1;
    } else if (depth < MAX_DEPTH && QUOTE_REST.test(line)) {
      endParagraph();
      const text = [QUOTE_REST.exec(line)?.[1] ?? '', ...lines.slice(at + 1)].join('\n');
      blocks.push({ type: 'quote', children: parseLines(text, MAX_DEPTH) });
      at = lines.length;
    } else if (depth < MAX_DEPTH && QUOTE.test(line)) {
      endParagraph();
      const quoted = takeWhile(lines, at, (next) => QUOTE.test(next));
      // Discord does not nest quotes.
      const text = quoted.map((next) => QUOTE.exec(next)?.[1] ?? '').join('\n');
      blocks.push({ type: 'quote', children: parseLines(text, MAX_DEPTH) });
      at += quoted.length;
    } else if (ITEM.test(line)) {
      endParagraph();
      const listed = takeWhile(lines, at, (next) => ITEM.test(next));
      blocks.push(...parseList(listed, depth));
      at += listed.length;
    } else {
      paragraph.push(line);
      at += 1;
    }
  }
  endParagraph();
  return blocks;
}

/**
 * Parses the lines of one list: an item owns the more deeply indented lines after it. A change of marker starts another
 * list.
 */
function parseList(lines: string[], depth: number): Block[] {
  const lists: Extract<Block, { type: 'list' }>[] = [];
  let at = 0;
  while (at < lines.length) {
    const [, indent = '', number, text = ''] = ITEM.exec(lines[at] ?? '') ?? [];
    const below = takeWhile(lines, at + 1, (next) => indentOf(next) > indent.length);
    const item: Block[] = [{ type: 'paragraph', children: parseInline(text) }];
    if (below.length > 0) {
      if (depth < MAX_DEPTH) item.push(...parseList(below, depth + 1));
      else item.push({ type: 'paragraph', children: parseInline(below.join('\n')) });
    }
    const start = number === undefined ? null : Number(number);
    const last = lists.at(-1);
    if (last && (last.start === null) === (start === null)) last.items.push(item);
    else lists.push({ type: 'list', start, items: [item] });
    at += 1 + below.length;
  }
  return lists;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function takeWhile(lines: string[], from: number, test: (line: string) => boolean): string[] {
  let to = from;
  while (to < lines.length && test(lines[to] ?? '')) to += 1;
  return lines.slice(from, to);
}
