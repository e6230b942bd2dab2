import { markdownOf } from './markdown.ts';

interface Converted {
  base: string | null;
  markdown: string;
}

/** Characters of Markdown that are kept: some hundred long texts. */
const MOST_CHARACTERS = 2_000_000;

/**
 * Converts foreign HTML once, however often it is shown: people turn pages, and many look at one offer. The latest texts
 * are kept.
 * @param most characters of Markdown that are kept
 */
export function createConverter(convert = markdownOf, most = MOST_CHARACTERS): typeof markdownOf {
  const kept = new Map<string, Converted>();
  let characters = 0;

  function forget(html: string): void {
    characters -= kept.get(html)?.markdown.length ?? 0;
    kept.delete(html);
  }

  return (html, base) => {
    const before = kept.get(html);
    const markdown = before?.base === base ? before.markdown : convert(html, base);
    forget(html);
    kept.set(html, { base, markdown });
    characters += markdown.length;
    for (const oldest of kept.keys()) {
      if (characters <= most) break;
      forget(oldest);
    }
    return markdown;
  };
}
