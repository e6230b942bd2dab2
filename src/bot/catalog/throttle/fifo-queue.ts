/** Holes at the front that are not worth closing. */
const FEW = 1024;

/**
 * First come first served, and anybody may leave from anywhere. All of it takes constant time on the average, so a call
 * costs the same in a long line as in a short one. An array with holes, where a chain of links would be followed by the
 * garbage collector one by one: that made a call in a long line cost a tenth more.
 */
export class Line<T> {
  /** null for one who has left. */
  readonly #places: (T | null)[] = [];
  /** Nobody waits before this index. */
  #head = 0;
  /** The number of the place at index 0. */
  #offset = 0;

  /** Answers the number of the place, for `leave`. */
  enter(one: T): number {
    return this.#offset + this.#places.push(one) - 1;
  }

  /** @param number of a place that has not been left */
  leave(number: number): void {
    this.#places[number - this.#offset] = null;
  }

  first(): T | null {
    const places = this.#places;
    for (; this.#head < places.length; this.#head += 1) {
      const one = places[this.#head];
      if (one) {
        if (this.#head > FEW && this.#head * 2 > places.length) this.#closeUp();
        return one;
      }
    }
    if (this.#head > 0) this.#closeUp();
    return null;
  }

  /** Everybody, in order. */
  waiting(): T[] {
    return this.#places.filter((one) => one !== null);
  }

  #closeUp(): void {
    this.#places.splice(0, this.#head);
    this.#offset += this.#head;
    this.#head = 0;
  }
}
