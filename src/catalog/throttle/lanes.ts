import { LANES, type Lane } from '../catalog.ts';

/** One who waits. */
export interface Place<T> {
  readonly value: T;
  /** null after leaving. */
  lane: Lane | null;
  previous: Place<T> | null;
  next: Place<T> | null;
}

interface Line<T> {
  first: Place<T> | null;
  last: Place<T> | null;
}

/**
 * One line per lane, first come first served within each. Entering, changing lanes and leaving from anywhere take
 * constant time (linked lists), so a call costs the same in a long queue as in a short one.
 */
export class Lanes<T> {
  readonly #lines: Record<Lane, Line<T>> = {
    interactive: { first: null, last: null },
    announcement: { first: null, last: null },
    background: { first: null, last: null },
  };

  enter(value: T, lane: Lane): Place<T> {
    const place: Place<T> = { value, lane: null, previous: null, next: null };
    this.#append(place, lane);
    return place;
  }

  /** Goes to the end of another lane. */
  move(place: Place<T>, lane: Lane): void {
    if (place.lane === lane || !this.leave(place)) return;
    this.#append(place, lane);
  }

  /** False where it had left before. */
  leave(place: Place<T>): boolean {
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
  first(): Place<T> | null {
    for (const lane of LANES) {
      const { first } = this.#lines[lane];
      if (first) return first;
    }
    return null;
  }

  /** Everybody who waits in these lanes, in order. */
  waiting(lanes: readonly Lane[] = LANES): Place<T>[] {
    const places: Place<T>[] = [];
    for (const lane of lanes) {
      for (let place = this.#lines[lane].first; place; place = place.next) places.push(place);
    }
    return places;
  }

  #append(place: Place<T>, lane: Lane): void {
    const line = this.#lines[lane];
    place.lane = lane;
    place.previous = line.last;
    if (line.last) line.last.next = place;
    else line.first = place;
    line.last = place;
  }
}
