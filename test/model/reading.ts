/** The reasons for a post, as a person tells them apart in a channel: by the symbol that leads a post or a line. */
export type NewsKind = 'new' | 'drop' | 'back' | 'low' | 'ends' | 'reached' | 'event' | 'dealcast';

const SYMBOLS: readonly (readonly [symbol: string, kind: NewsKind])[] = [
  ['🆕', 'new'],
  ['🔁', 'new'],
  ['📉', 'drop'],
  ['📦', 'back'],
  ['🏆', 'low'],
  ['⏰', 'ends'],
  ['🎯', 'reached'],
  ['🎪', 'event'],
  ['🎬', 'dealcast'],
];
/** They lead the line that says that an entity has ended, or is sold out. */
const OVER = ['🏁', '🚫'] as const;

/** A message as Discord gives it to whoever reads the channel. */
export interface Message {
  /** Discord's message type: what people and bots write has 0, what Discord itself says (of a pin, say) another one. */
  type?: number;
  author: { bot?: boolean | undefined };
  /** Set where it answers a command. */
  interaction_metadata?: unknown;
  /** The person to whom alone it is shown. */
  visible_to?: string | null;
  components?: unknown;
}

/** The news that a message tells of offers, events and dealcasts. */
export interface Posted {
  /** The address of each, and why it is told of. */
  news: { url: string; kind: NewsKind }[];
  /** How many more a combined post tells of than it lists; 0 for any other post. */
  unlisted: number;
  /** Whether it combines only such as it lists: offers, events or dealcasts. */
  isOfOneSort: boolean;
  /** The number in the heading of a combined post; null for any other post. */
  count: number | null;
  /** The addresses of those that it says to be over. */
  over: string[];
}

/** Offers, whatever the news of them is, are of one sort. */
export function sortOf(kind: NewsKind): 'offer' | 'event' | 'dealcast' {
  return kind === 'event' || kind === 'dealcast' ? kind : 'offer';
}

/** Whether the bot announced it by itself: it is no answer to a command. */
export function isAnnouncement({ type = 0, author, interaction_metadata: asked, visible_to: only }: Message): boolean {
  return type === 0 && author.bot === true && !asked && (only ?? null) === null;
}

/** The type of the card of a message. Above it stand the roles that are called, and the line of the server's look. */
const CONTAINER = 17;

/** Reads an announcement as a person does, by the texts and links of its card, in any language and look. */
export function readPost({ components }: Pick<Message, 'components'>): Posted {
  const [head = '', ...others] = textsIn(cardsIn(components));
  // What is live begins with why it is told, what is over with its title; other lines may hold foreign text.
  const [first = '', second = ''] = head.split('\n');
  if (first.startsWith('**') && second.startsWith('-# ')) return readCombined(second, others);
  const kind = kindOf(first);
  const url = linkIn(kind === null ? first : second);
  const isOver = kind === null && OVER.some((symbol) => second.startsWith(`${symbol} **`));
  return {
    news: kind !== null && url !== null ? [{ url, kind }] : [],
    unlisted: 0,
    isOfOneSort: true,
    count: null,
    over: isOver && url !== null ? [url] : [],
  };
}

/** @param others the lines, a number of further ones, and what the hourly limit allows, which names a time */
function readCombined(title: string, [list = '', ...others]: readonly string[]): Posted {
  const lines = list.split('\n');
  const news = lines.flatMap((line) => {
    const [kind, url] = [kindOf(line), linkIn(line)];
    return kind !== null && url !== null ? [{ url, kind }] : [];
  });
  const more = others.find((text) => text.startsWith('-# ') && !text.includes('<t:')) ?? '';
  const [further = 0] = numbersIn(more);
  const counts = countsIn(title, lines.length + further);
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { news, unlisted: Math.max(0, count - news.length), isOfOneSort: counts.length === 1, count, over: [] };
}

/**
 * The counts below the heading of a combined post, in any language: `-# 1,200 deals and 6 dealcasts · catching up`. Names of
 * feeds, which may hold numbers, come after them.
 * @param total what the counts come to as far as the rest of the post shows
 */
function countsIn(title: string, total: number): number[] {
  const numbers = numbersIn(title);
  const ends = numbers.map((_, index) => index + 1);
  const end = ends.find((index) => numbers.slice(0, index).reduce((sum, each) => sum + each, 0) === total);
  return numbers.slice(0, end);
}

/** The numbers in a text as any language writes them: `1,200`, `1.200`, `1 200`. */
function numbersIn(text: string): number[] {
  const unescaped = text.replaceAll('\\', '');
  return (unescaped.match(/\d+(?:[.,\s]\d{3})*/g) ?? []).map((digits) => Number(digits.replaceAll(/\D/g, '')));
}

function kindOf(line: string): NewsKind | null {
  return SYMBOLS.find(([symbol]) => line.startsWith(symbol))?.[1] ?? null;
}

/** The live board of a sale, as a person reads it. */
export interface Board {
  /** The event's title; '' where it shows none. */
  title: string;
  /** The percentage that is left of each item that is on sale, by its title. */
  onSale: Map<string, number>;
  /** The titles of those that are listed as gone. */
  gone: Set<string>;
  isOver: boolean;
}

/** Reads a live board as a person does, in any language: an item's title, and below it a gauge; what is gone is struck out. */
export function readBoard({ components }: Pick<Message, 'components'>): Board {
  const board: Board = { title: '', onSale: new Map(), gone: new Set(), isOver: false };
  let item = '';
  for (const line of textsIn(cardsIn(components)).flatMap((text) => text.split('\n'))) {
    board.title ||= /^### (?:~~)?\[?(.+?)(?:\]\(|~~|$)/.exec(line)?.[1] ?? '';
    item = /^\*\*\[(.+?)\]\(/.exec(line)?.[1] ?? item;
    const left = /^[▰▱]+ (\d+)\s?%/.exec(line)?.[1];
    if (left !== undefined) board.onSale.set(item, Number(left));
    const gone = /^~~\[(.+?)\]\(/.exec(line)?.[1];
    if (gone !== undefined) board.gone.add(gone);
    if (line.startsWith('🏁 **')) board.isOver = true;
  }
  return board;
}

/** The addresses that the lines of a message link to, as in the pages of a roll-up's list. */
export function linksIn({ components }: Pick<Message, 'components'>): string[] {
  return textsIn(components).flatMap((text) => text.split('\n').flatMap((line) => linkIn(line) ?? []));
}

function linkIn(line: string): string | null {
  return /\]\(<?(https?:\/\/[^\s)>]+)/.exec(line)?.[1] ?? null;
}

function cardsIn(components: unknown): unknown[] {
  if (!Array.isArray(components)) return [];
  return components.filter((part) => (part as { type?: unknown } | null)?.type === CONTAINER);
}

/** The texts of components, in their order. */
function textsIn(components: unknown): string[] {
  if (Array.isArray(components)) return components.flatMap(textsIn);
  if (typeof components !== 'object' || components === null) return [];
  const own = 'content' in components && typeof components.content === 'string' ? [components.content] : [];
  return [...own, ...('components' in components ? textsIn(components.components) : [])];
}
