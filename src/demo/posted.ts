import type { PageMessage } from '../local-discord/server/page-api.ts';

/** The reasons to tell of an offer, as a person tells them apart in a channel: by the symbol that leads a post or a line. */
export type NewsKind = 'new' | 'drop' | 'back';

const SYMBOLS: readonly (readonly [symbol: string, kind: NewsKind])[] = [
  ['🆕', 'new'],
  ['🔁', 'new'],
  ['📉', 'drop'],
  ['📦', 'back'],
];

/** The news of offers in a message. */
export interface Posted {
  /** The address of each offer, and why it is told of. */
  news: { url: string; kind: NewsKind }[];
  /** How many more a combined post tells of than it lists; 0 for any other post. */
  unlisted: number;
}

/** Whether the bot announced it by itself: it is no answer to a command. */
export function isAnnouncement({ author, interaction_metadata: asked, visible_to }: PageMessage): boolean {
  return author.bot === true && !asked && visible_to === null;
}

/** Reads an announcement as a person does, by its texts and links. */
export function readPost(message: PageMessage): Posted {
  const texts = textsIn(message.components ?? []);
  const lines = texts.flatMap((text) => text.split('\n'));
  const [heading = ''] = texts;
  // `## 9 deals in Electronics`, in any language: the post combines so many.
  const count = heading.startsWith('## ') ? Number(/\d+/.exec(heading)?.[0] ?? 0) : 0;
  if (count === 0) {
    const kind = kindOf(lines.find((line) => kindOf(line) !== null) ?? '');
    const url = linkIn(lines.find((line) => linkIn(line) !== null) ?? '');
    return { news: kind !== null && url !== null ? [{ url, kind }] : [], unlisted: 0 };
  }
  const news = lines.flatMap((line) => {
    const [kind, url] = [kindOf(line), linkIn(line)];
    return kind !== null && url !== null ? [{ url, kind }] : [];
  });
  return { news, unlisted: Math.max(0, count - news.length) };
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
