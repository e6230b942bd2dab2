/** The choices that the browser keeps over a reload. */
type Kept = 'channel' | 'person' | 'appearance' | 'tour';

/** Reads a kept value; null where there is none, or where the browser keeps nothing. */
export function recall(name: Kept): string | null {
  try {
    return localStorage.getItem(`local-discord.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: Kept, value: string): void {
  try {
    localStorage.setItem(`local-discord.${name}`, value);
  } catch {
    // A browser that is told to keep nothing refuses; the page works without.
  }
}
