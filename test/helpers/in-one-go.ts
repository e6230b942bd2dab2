/** The result of work that yields after each step, without a pause. */
export function inOneGo<R>(work: Generator<void, R>): R {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
