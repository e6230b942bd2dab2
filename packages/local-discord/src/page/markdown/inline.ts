/** Markdown within a line: emphasis, code, links, and Discord's tokens in angle brackets. */
export type Inline =
  | { type: 'text'; text: string }
  | { type: 'break' }
  | { type: 'bold' | 'italic' | 'underline' | 'strike' | 'spoiler'; children: Inline[] }
  | { type: 'code'; text: string }
  | { type: 'link'; href: string; children: Inline[] }
  | { type: 'time'; unixSeconds: number; style: TimeStyle }
  | { type: 'mention'; kind: 'user' | 'role' | 'channel'; id: string }
  | { type: 'everyone'; text: '@everyone' | '@here' }
  | { type: 'command'; name: string; id: string }
  | { type: 'emoji'; name: string };

/** https://discord.com/developers/docs/reference#message-formatting-timestamp-styles */
export type TimeStyle = 't' | 'T' | 'd' | 'D' | 'f' | 'F' | 'R';

/** Deeper nesting than this is shown as it was typed. */
export const MAX_DEPTH = 8;

interface Scope {
  depth: number;
  /** False inside a link's text, where no further links are parsed. */
  links: boolean;
}

export function parseInline(text: string, scope: Scope = { depth: 0, links: true }): Inline[] {
  const nodes: Inline[] = [];
  // A delimiter without a closing one at one place has none further on either. Searching again would be quadratic.
  const unclosed = new Set<string>();
  let plain = '';
  const flush = () => {
    if (plain !== '') nodes.push({ type: 'text', text: plain });
    plain = '';
  };
  let at = 0;
  while (at < text.length) {
    const found = SPECIAL.has(text[at] ?? '') ? readSpecial(text, at, scope, unclosed) : undefined;
    if (found === undefined) {
      plain += text[at];
      at += 1;
    } else {
      if (typeof found.node === 'string') plain += found.node;
      else {
        flush();
        nodes.push(found.node);
      }
      at = found.end;
    }
  }
  flush();
  return nodes;
}

/** A parsed node and the index where it ends. A string is an escaped character that stands for itself. */
interface Found {
  node: Inline | string;
  end: number;
}

const SPECIAL = new Set('\\\n`*_~|[<h@');

function readSpecial(text: string, at: number, scope: Scope, unclosed: Set<string>): Found | undefined {
  switch (text[at]) {
    case '\\':
      return /[^0-9A-Za-z\s]/.test(text[at + 1] ?? '') ? { node: text[at + 1] ?? '', end: at + 2 } : undefined;
    case '\n':
      return { node: { type: 'break' }, end: at + 1 };
    case '`':
      return readCode(text, at, unclosed);
    case '[':
      return scope.links ? readMaskedLink(text, at, scope) : undefined;
    case '<':
      return readAngle(text, at, scope);
    case 'h':
      return scope.links ? readBareLink(text, at) : undefined;
    case '@': {
      const [name] = /^@(?:everyone|here)\b/.exec(text.slice(at, at + 10)) ?? [];
      return name === '@everyone' || name === '@here'
        ? { node: { type: 'everyone', text: name }, end: at + name.length }
        : undefined;
    }
    default:
      return readEmphasis(text, at, scope, unclosed);
  }
}

function readCode(text: string, at: number, unclosed: Set<string>): Found | undefined {
  const ticks = /^`+/.exec(text.slice(at, at + 3))?.[0] ?? '`';
  if (ticks.length > 2 || unclosed.has(ticks)) return undefined;
  const close = text.indexOf(ticks, at + ticks.length);
  if (close < 0) unclosed.add(ticks);
  if (close <= at + ticks.length) return undefined;
  return { node: { type: 'code', text: text.slice(at + ticks.length, close) }, end: close + ticks.length };
}

const EMPHASES = [
  { mark: '**', type: 'bold' },
  { mark: '__', type: 'underline' },
  { mark: '~~', type: 'strike' },
  { mark: '||', type: 'spoiler' },
  { mark: '*', type: 'italic' },
  { mark: '_', type: 'italic' },
] as const;

function readEmphasis(text: string, at: number, scope: Scope, unclosed: Set<string>): Found | undefined {
  if (scope.depth >= MAX_DEPTH) return undefined;
  for (const { mark, type } of EMPHASES) {
    if (!text.startsWith(mark, at) || unclosed.has(mark)) continue;
    // A doubled delimiter that opened nothing does not count as a single one either.
    if (mark.length === 1 && text[at + 1] === mark) continue;
    if (mark === '*' && /\s/.test(text[at + 1] ?? ' ')) continue;
    if (mark === '_' && /\w/.test(text[at - 1] ?? '')) continue;
    const close = findClose(text, at + mark.length, mark);
    if (close < 0) {
      unclosed.add(mark);
      continue;
    }
    if (close === at + mark.length) continue;
    const children = parseInline(text.slice(at + mark.length, close), { ...scope, depth: scope.depth + 1 });
    return { node: { type, children }, end: close + mark.length };
  }
  return undefined;
}

/** The index where `mark` closes. Escapes and code are skipped, and so is the doubled form of a single mark. */
function findClose(text: string, from: number, mark: string): number {
  const sign = mark[0] ?? '';
  let at = from;
  while (at < text.length) {
    if (text[at] === '\\') at += 2;
    else if (text[at] === '`') {
      const close = text.indexOf('`', at + 1);
      at = close < 0 ? at + 1 : close + 1;
    } else if (mark.length === 1 && text.startsWith(sign + sign, at)) at += 2;
    else if (text.startsWith(mark, at) && closes(text, at, mark)) return at;
    else at += 1;
  }
  return -1;
}

function closes(text: string, at: number, mark: string): boolean {
  const after = text[at + mark.length] ?? '';
  if (mark === '*') return !/\s/.test(text[at - 1] ?? ' ');
  if (mark === '_') return !/\w/.test(after);
  return mark === '**' || mark === '__' ? after !== mark[0] : true;
}

/** Parses `[text](url)` or `[text](<url>)`, either with a "title", which is not shown. */
function readMaskedLink(text: string, at: number, scope: Scope): Found | undefined {
  const middle = findLinkMiddle(text, at);
  if (middle < 0) return undefined;
  const target = /^\(\s*(?:<([^<>\s]*)>|((?:[^\s()<>]|\([^\s()<>]*\))*))(?:\s+"[^"\n]*")?\s*\)/.exec(
    text.slice(middle + 1, middle + 2100),
  );
  const href = safeLink(target?.[1] ?? target?.[2] ?? '');
  if (target === null || href === undefined) return undefined;
  const children = parseInline(text.slice(at + 1, middle), { depth: scope.depth + 1, links: false });
  if (children.length === 0) return undefined;
  return { node: { type: 'link', href, children }, end: middle + 1 + target[0].length };
}

/** The index of `](` in the link that begins at `at`, with balanced brackets; -1 if it is not a link. */
function findLinkMiddle(text: string, at: number): number {
  let open = 0;
  // The search is limited to 1000 characters, so that many unclosed brackets stay cheap.
  for (let here = at; here < text.length && here - at < 1000; here += 1) {
    if (text[here] === '\\') here += 1;
    else if (text[here] === '[') open += 1;
    else if (text[here] === ']') {
      open -= 1;
      if (open === 0) return text[here + 1] === '(' ? here : -1;
    }
  }
  return -1;
}

function readBareLink(text: string, at: number): Found | undefined {
  if (/[0-9A-Za-z]/.test(text[at - 1] ?? '')) return undefined;
  const [match] = /^https?:\/\/[^\s<>]+/.exec(text.slice(at, at + 2048)) ?? [];
  if (match === undefined) return undefined;
  let url = match.replace(/[.,:;"'!?*_~|\]]+$/, '');
  while (url.endsWith(')') && count(url, ')') > count(url, '(')) url = url.slice(0, -1);
  const href = safeLink(url);
  return href === undefined
    ? undefined
    : { node: { type: 'link', href, children: [{ type: 'text', text: url }] }, end: at + url.length };
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}

const TIME = /^<t:(-?\d{1,17})(?::([tTdDfFR]))?>/;
const MENTION = /^<(@!?|@&|#)(\d{1,20})>/;
const COMMAND = /^<\/([-_\p{L}\p{N}]{1,32}(?: [-_\p{L}\p{N}]{1,32}){0,2}):(\d{1,20})>/u;
const EMOJI = /^<a?:(\w{2,32}):\d{1,20}>/;
const AUTOLINK = /^<(https?:\/\/[^\s<>]+)>/;
/** The last second that a JavaScript date can hold. */
const LAST_SECOND = 8_640_000_000_000;

/** Parses a token in angle brackets: a timestamp, a mention, a command, an emoji, or a link without preview. */
function readAngle(text: string, at: number, scope: Scope): Found | undefined {
  const head = text.slice(at, at + 2100);
  const time = TIME.exec(head);
  if (time && Math.abs(Number(time[1])) <= LAST_SECOND) {
    const style = TIME_STYLES.find((known) => known === time[2]) ?? 'f';
    return { node: { type: 'time', unixSeconds: Number(time[1]), style }, end: at + time[0].length };
  }
  const mention = MENTION.exec(head);
  if (mention) {
    const kind = mention[1] === '#' ? 'channel' : mention[1] === '@&' ? 'role' : 'user';
    return { node: { type: 'mention', kind, id: mention[2] ?? '' }, end: at + mention[0].length };
  }
  const command = COMMAND.exec(head);
  if (command) {
    return {
      node: { type: 'command', name: command[1] ?? '', id: command[2] ?? '' },
      end: at + command[0].length,
    };
  }
  const emoji = EMOJI.exec(head);
  if (emoji) return { node: { type: 'emoji', name: emoji[1] ?? '' }, end: at + emoji[0].length };
  const link = AUTOLINK.exec(head);
  const href = safeLink(link?.[1] ?? '');
  if (link && href !== undefined && scope.links) {
    const children: Inline[] = [{ type: 'text', text: link[1] ?? '' }];
    return { node: { type: 'link', href, children }, end: at + link[0].length };
  }
  return undefined;
}

const TIME_STYLES: readonly TimeStyle[] = ['t', 'T', 'd', 'D', 'f', 'F', 'R'];

/** Normalizes an http or https address as a browser does; returns undefined for everything else. */
export function safeLink(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
}
