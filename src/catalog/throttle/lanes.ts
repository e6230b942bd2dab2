import { LANES, type Lane } from '../catalog.ts';

/** One who can wait in a line. Being its own link in the chain, it waits without anything being made for that. */
export interface Place<T> {
  /** Where it waits: set by Lanes alone, null elsewhere. */
  lane: Lane | null;
  previous: T | null;
  next: T | null;
}

interface Line<T> {
  first: T | null;
  last: T | null;
}

/**
 * One line per lane, first come first served within each. Entering, changing lanes and leaving from anywhere take
 * constant time (linked lists), so a call costs the same in a long queue as in a short one.
 */
export class Lanes<T extends Place<T>> {
  readonly #lines: Record<Lane, Line<T>> = {
    interactive: { first: null, last: null },
    announcement: { first: null, last: null },
    background: { first: null, last: null },
  };

  /** @param place waits nowhere yet */
  enter(place: T, lane: Lane): void {
    const line = this.#lines[lane];
    place.lane = lane;
    place.previous = line.last;
    if (line.last) line.last.next = place;
    else line.first = place;
    line.last = place;
  }

  /** Goes to the end of another lane. */
  move(place: T, lane: Lane): void {
    if (place.lane !== lane && this.leave(place)) this.enter(place, lane);
  }

  /** False where it had left before. */
  leave(place: T): boolean {
    if (place.lane === null) return false;
    const line = this.#lines[place.lane];
    if (place.previous) place.previous.next = place.next;
    else line.first = place.next;
    if (place.next) place.next.previous = place.previous;
    else line.last = place.previous;
    place.lane = null;
    place.previous = null;
    place.next = null;
    return true;
  }

  /** Whose turn it is. */
  first(): T | null {
    const { interactive, announcement, background } = this.#lines;
    return interactive.first ?? announcement.first ?? background.first;
  }

  /** Everybody who waits in these lanes, in order. */
  waiting(lanes: readonly Lane[] = LANES): T[] {
    const places: T[] = [];
    for (const lane of lanes) {
      for (let place = this.#lines[lane].first; place; place = place.next) places.push(place);
    }
    return places;
  }
}
