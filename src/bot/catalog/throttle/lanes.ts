import { LANES, type Lane } from '../catalog.ts';
import { Line } from './fifo-queue.ts';

/** One who can wait in a lane. The fields are set by Lanes alone. */
export interface Place {
  /** null where it does not wait. */
  lane: Lane | null;
  /** Which place of the lane's line it has. */
  number: number;
}

/** One line per lane. Somebody's turn in a lane comes when nobody waits in those before it. */
export class Lanes<T extends Place> {
  readonly #lines: Record<Lane, Line<T>> = {
    interactive: new Line(),
    announcement: new Line(),
    background: new Line(),
  };
  #waiting = 0;

  get isEmpty(): boolean {
    return this.#waiting === 0;
  }

  /** @param place waits nowhere yet */
  enter(place: T, lane: Lane): void {
    this.#waiting += 1;
    place.lane = lane;
    place.number = this.#lines[lane].enter(place);
  }

  /** Goes to the end of another lane. */
  move(place: T, lane: Lane): void {
    if (place.lane !== lane && this.leave(place)) this.enter(place, lane);
  }

  /** False where it had left before. */
  leave(place: T): boolean {
    if (place.lane === null) return false;
    this.#lines[place.lane].leave(place.number);
    place.lane = null;
    this.#waiting -= 1;
    return true;
  }

  /** Whose turn it is. */
  first(): T | null {
    if (this.#waiting === 0) return null;
    const { interactive, announcement, background } = this.#lines;
    return interactive.first() ?? announcement.first() ?? background.first();
  }

  /** Everybody who waits in these lanes, in order. */
  waiting(lanes: readonly Lane[] = LANES): T[] {
    return lanes.flatMap((lane) => this.#lines[lane].waiting());
  }
}
