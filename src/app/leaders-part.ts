import { LeaderNeededError } from '../shared/errors.ts';

/** A part of which this process has only some: using any of the rest throws a LeaderNeededError. */
export function leadersPart<T extends object>(own: Partial<T> = {}): T {
  return new Proxy(own as T, {
    get(part, name, receiver): unknown {
      if (name in part) return Reflect.get(part, name, receiver);
      throw new LeaderNeededError();
    },
  });
}
