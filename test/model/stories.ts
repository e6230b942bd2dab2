/** Repetitions that are this close are one story: milliseconds. */
const QUIET_MS = 6 * 3_600_000;

interface Story {
  number: number;
  /** The last repetition, and the last that surely was one. */
  lastMs: number;
  lastSureMs: number;
  /** Whether it may be one with the story before. */
  isOpen: boolean;
  /** Whether it began without being news, and is none until it ends. */
  isSilent: 'no' | 'perhaps' | 'yes';
}

/** The stories of one entity: what comes again and again is told once. */
export class Stories {
  readonly #stories = new Map<string, Story>();

  /**
   * The number of the story that a repetition belongs to, and whether it may belong to the one before.
   * @param changesMs when it may have changed before, which may count as unrest
   */
  tell(
    what: string,
    nowMs: number,
    changesMs: readonly number[],
    isSure: boolean,
  ): { number: number; isOpen: boolean; isSilent: Story['isSilent'] } {
    const story = this.#stories.get(what);
    const lastSureMs = story && !isSure ? story.lastSureMs : nowMs;
    const isOver = !story || nowMs - story.lastSureMs >= QUIET_MS;
    const number = story ? story.number + Number(isOver) : 0;
    const lastMs = story?.lastMs ?? -Infinity;
    const isOpen = isOver ? isUnrest([lastMs, ...changesMs.filter((atMs) => atMs > lastMs), nowMs]) : story.isOpen;
    const isSilent = isOver ? 'no' : story.isSilent;
    this.#stories.set(what, { number, lastMs: nowMs, lastSureMs, isOpen, isSilent });
    return { number, isOpen, isSilent };
  }

  /** It is so without being news, as a price is at first, or one that has risen: nor is it when it comes again. */
  note(what: string, nowMs: number, isSure: boolean): void {
    const story = this.#stories.get(what);
    const isOver = !story || nowMs - story.lastSureMs >= QUIET_MS;
    const number = story ? story.number + Number(isOver) : 0;
    const isSilent: Story['isSilent'] = isSure ? 'yes' : 'perhaps';
    const lastSureMs = isSure ? nowMs : (story?.lastSureMs ?? nowMs);
    const same = isOver ? { isOpen: false, isSilent } : story;
    this.#stories.set(what, { ...same, number, lastMs: nowMs, lastSureMs });
  }
}

/** Whether nothing stayed as it was for long between the first of these moments and the last. */
function isUnrest(momentsMs: readonly number[]): boolean {
  return momentsMs.every((atMs, index) => index === 0 || atMs - (momentsMs[index - 1] ?? atMs) < QUIET_MS);
}
