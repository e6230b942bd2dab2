import type { PageMessage } from '../local-discord/server/page-api.ts';

/** The reasons for a post, as a person tells them apart in a channel: by the symbol that leads a post or a line. */
export type NewsKind = 'new' | 'drop' | 'back' | 'event' | 'dealcast';

const SYMBOLS: readonly (readonly [symbol: string, kind: NewsKind])[] = [
  ['🆕', 'new'],
  ['🔁', 'new'],
  ['📉', 'drop'],
  ['📦', 'back'],
  ['🎪', 'event'],
  ['🎬', 'dealcast'],
];

/** The news of offers, events and dealcasts in a message. */
export interface Posted {
  /** The address of each, and why it is told of. */
  news: { url: string; kind: NewsKind }[];
  /** How many more a combined post tells of than it lists; 0 for any other post. */
  unlisted: number;
  /** Whether it combines only such as it lists: offers, events or dealcasts. */
  isOfOneSort: boolean;
}

/** Offers, whatever the news of them is, are of one sort. */
export function sortOf(kind: NewsKind): 'offer' | 'event' | 'dealcast' {
  return kind === 'event' || kind === 'dealcast' ? kind : 'offer';
}

/** Whether the bot announced it by itself: it is no answer to a command. */
export function isAnnouncement({ author, interaction_metadata: asked, visible_to }: PageMessage): boolean {
  return author.bot === true && !asked && visible_to === null;
}

/** Reads an announcement as a person does, by its texts and links. */
export function readPost(message: PageMessage): Posted {
  // The call of a role stands above all else.
  const texts = textsIn(message.components ?? []).filter((text) => !text.startsWith('<@&'));
  const lines = texts.flatMap((text) => text.split('\n'));
  const [heading = ''] = texts;
  const counts = countsIn(heading);
  if (counts.length === 0) {
    const kind = kindOf(lines.find((line) => kindOf(line) !== null) ?? '');
    const url = linkIn(lines.find((line) => linkIn(line) !== null) ?? '');
    return { news: kind !== null && url !== null ? [{ url, kind }] : [], unlisted: 0, isOfOneSort: true };
  }
  const news = lines.flatMap((line) => {
    const [kind, url] = [kindOf(line), linkIn(line)];
    return kind !== null && url !== null ? [{ url, kind }] : [];
  });
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { news, unlisted: Math.max(0, count - news.length), isOfOneSort: counts.length === 1 };
}

/** The numbers in the heading of a combined post, in any language: `## 1,200 deals and 6 dealcasts · catching up`. */
function countsIn(heading: string): number[] {
  if (!heading.startsWith('## ')) return [];
  return (heading.match(/\d+(?:[.,\s]\d{3})*/g) ?? []).map((digits) => Number(digits.replaceAll(/\D/g, '')));
}

function kindOf(line: string): NewsKind | null {
  return SYMBOLS.find(([symbol]) => line.startsWith(symbol))?.[1] ?? null;
}

function linkIn(line: string): string | null {
  return /\]\(<?(https?:\/\/[^\s)>]+)/.exec(line)?.[1] ?? null;
}

/** The texts of components, in their order. */
function textsIn(components: unknown): string[] {
  if (Array.isArray(components)) return components.flatMap(textsIn);
  if (typeof components !== 'object' || components === null) return [];
  const own = 'content' in components && typeof components.content === 'string' ? [components.content] : [];
  return [...own, ...('components' in components ? textsIn(components.components) : [])];
}
