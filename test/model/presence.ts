/** One way in which the answers of a feed may be understood, of one entity. */
interface Sight {
  isIn: boolean;
  /** Whole answers in a row that lacked it, while it is in. */
  misses: number;
  /** Answers in a row that showed it, while it is out. */
  shows: number;
  /** Answers in a row in which an item without an identity may have been it. */
  hidden: number;
}

/** So many whole answers have to lack what is there, and to show what was gone. */
const ANSWERS = 2;
/** For so many answers an item without an identity may stand for one that is missing. */
const HIDDEN_ANSWERS = 2;

const SHOWN: readonly Sight[] = [{ isIn: true, misses: 0, shows: 0, hidden: 0 }];

/** Whether a feed holds an entity, as its answers show it: all that may be, where they leave it open. */
export class Presence {
  #sights: readonly Sight[] = SHOWN;

  get isSurelyIn(): boolean {
    return this.#sights.every(({ isIn }) => isIn);
  }

  get mayBeIn(): boolean {
    return this.#sights.some(({ isIn }) => isIn);
  }

  /** Whether the last whole answer lacked it. */
  get isMissing(): boolean {
    return this.#sights.some(({ isIn, misses }) => !isIn || misses > 0);
  }

  /** Whether its last whole answer may have shown it. */
  get mayBeShown(): boolean {
    return this.#sights.some(({ isIn, misses, shows }) => (isIn ? misses === 0 : shows > 0));
  }

  show(): void {
    if (this.#sights !== SHOWN) this.#showAgain();
  }

  #showAgain(): void {
    this.#each((sight) => {
      const shows = sight.shows + 1;
      return [sight.isIn || shows >= ANSWERS ? { isIn: true, misses: 0, shows: 0, hidden: 0 } : { ...sight, shows }];
    });
  }

  /** Another feed shows it, which may count as the second witness of its return. */
  showElsewhere(): void {
    this.#each((sight) =>
      sight.isIn || sight.shows === 0 ? [sight] : [sight, { isIn: true, misses: 0, shows: 0, hidden: 0 }],
    );
  }

  /**
   * A whole answer lacks it.
   * @param mayBeHidden whether it may be one of the items without an identity
   * @param isSurelyHidden whether there are as many of those as are missing
   * @param mayBeMass whether so much may be missing with it that the offers themselves are asked before it counts as gone
   */
  miss(mayBeHidden: boolean, isSurelyHidden: boolean, mayBeMass: boolean): void {
    this.#each((sight) => {
      if (!sight.isIn) return mayBeHidden ? [sight, { ...sight, shows: 0 }] : [{ ...sight, shows: 0 }];
      const misses = sight.misses + 1;
      const missed = { ...sight, misses, hidden: sight.hidden + 1, isIn: misses < ANSWERS, shows: 0 };
      const ways = missed.isIn || !mayBeMass ? [missed] : [missed, { ...missed, misses: 1, isIn: true }];
      if (!mayBeHidden || sight.hidden >= HIDDEN_ANSWERS) return ways;
      const hidden = { ...sight, hidden: sight.hidden + 1 };
      return isSurelyHidden ? [hidden] : [hidden, ...ways];
    });
  }

  /** It says itself that it can't be bought: that is enough besides one answer that lacks it. */
  confirmMiss(): void {
    this.#each((sight) => (sight.isIn && sight.misses > 0 ? [sight, { ...sight, isIn: false }] : [sight]));
  }

  /** An answer shows its id, and nothing that can be read. */
  beUnreadable(): void {
    this.#each((sight) => (sight.isIn && sight.misses > 0 ? [sight, { ...sight, misses: 0 }] : [sight]));
  }

  #each(next: (sight: Sight) => Sight[]): void {
    const sights = [...new Map(this.#sights.flatMap(next).map((sight) => [JSON.stringify(sight), sight])).values()];
    const isShown = sights.every(({ isIn, misses, hidden }) => isIn && misses === 0 && hidden === 0);
    this.#sights = isShown ? SHOWN : sights;
  }
}
