/**
 * Whether an answer's list holds a thing. One answer may lack what is there, or show what is gone, so a second one in a
 * row has to say the same.
 */
export interface Presence {
  isListed: boolean;
  /** Whether the last answer that said anything of it said the opposite. */
  isDoubted: boolean;
  /** In how many answers in a row an item without an identity may have been the thing. */
  hiddenTimes: number;
}

/** What an answer says of a thing: nothing where it is unreadable, and little where a nameless item may be the thing. */
export type Sight = 'shown' | 'missing' | 'hidden' | 'unreadable';

/** What could not be read of a list: the ids of items, and how many items had none. */
export interface LostItems {
  ids: readonly string[];
  /** Infinity where the list went on. */
  nameless: number;
}

/** An item without an identity may be a thing that is missing, in so many answers. */
export const MOST_HIDDEN = 2;

export const LISTED: Presence = { isListed: true, isDoubted: false, hiddenTimes: 0 };
const GONE: Presence = { isListed: false, isDoubted: false, hiddenTimes: 0 };

export function presenceAfter(was: Presence, sight: Sight): Presence {
  switch (sight) {
    case 'unreadable':
      return was;
    case 'hidden':
      return { ...was, hiddenTimes: was.hiddenTimes + 1 };
    case 'shown':
      return was.isListed || was.isDoubted ? LISTED : { ...GONE, isDoubted: true };
    case 'missing':
      return was.isListed && !was.isDoubted ? { ...was, isDoubted: true } : GONE;
  }
}

/** What an answer that does not show these things says of each: nameless items hide the first of those that are listed. */
export function sightsOfMissing(
  missing: readonly { id: string; presence: Presence }[],
  lost: LostItems | undefined,
): ReadonlyMap<string, Sight> {
  let nameless = lost?.nameless ?? 0;
  return new Map(
    missing.map(({ id, presence: { isListed, hiddenTimes } }): [string, Sight] => {
      // A list that was not read to its end proves nothing.
      if (nameless === Number.POSITIVE_INFINITY || lost?.ids.includes(id)) return [id, 'unreadable'];
      if (nameless === 0 || !isListed || hiddenTimes >= MOST_HIDDEN) return [id, 'missing'];
      nameless -= 1;
      return [id, 'hidden'];
    }),
  );
}

/** The items without an identity that a list's first answer held, and that none has shown with one since. */
export interface NamelessAtFirst {
  items: number;
  /** The answers since the first. */
  answers: number;
}

/**
 * What is left of the first answer's nameless items after an answer with so many; null for none, and once they have been so
 * in too many answers.
 * @param before undefined at the first answer
 */
export function namelessAfter(before: NamelessAtFirst | undefined, nameless: number): NamelessAtFirst | null {
  const items = Math.min(before?.items ?? nameless, nameless);
  const answers = before ? before.answers + 1 : 0;
  return items > 0 && Number.isFinite(items) && answers < MOST_HIDDEN ? { items, answers } : null;
}

/** How many of an answer's new things may be nameless items of the first answer: as many as are no longer nameless. */
export function namedSince(before: NamelessAtFirst | undefined, nameless: number): number {
  return before ? Math.max(0, before.items - nameless) : 0;
}
