import { z } from 'zod';
import type { Timing } from '../deals/subscription.ts';
import type { ClosedMessages } from '../deals/watch.ts';
import { fields, type Kind, OBJECT } from './table/kind.ts';
import { Records } from './table/records.ts';
import type { Changes, State } from './table/state.ts';

/** A person who has watches, or had some. */
export interface Person {
  id: string;
  /** The channel of their direct messages with the bot. */
  channelId: string;
  /** Discord's name of their language. */
  locale: string;
  /** When messages come, and how many per hour; copied to each of their watches. */
  timing: Timing;
  mostPerHour: number;
  /** When they last changed a watch or its settings: epoch milliseconds. */
  usedAtMs: number;
  /** null while they take direct messages, as far as the bot knows. */
  closed: ClosedMessages | null;
  /** How many deliveries waited when they were last told that their messages are closed; null before. */
  shownWaiting: number | null;
}

/** The people with watches. All are in memory. */
export interface PeopleStore {
  all(): Iterable<Person>;
  get(id: string): Person | undefined;
  save(person: Person): Promise<void>;
  /** Changes a record if it still exists. */
  update(id: string, change: (person: Person) => Person): Promise<void>;
  /** As a part of a commit. */
  change(changes: Changes, id: string, change: (person: Person) => Person): void;
  delete(changes: Changes, id: string): void;
}

const PERSON: Kind<Person> = {
  name: 'person',
  read: fields<Person>({
    id: z.string(),
    channelId: z.string(),
    locale: z.string(),
    timing: OBJECT,
    mostPerHour: z.number(),
    usedAtMs: z.number(),
  }),
};

export async function openPeople(state: State): Promise<PeopleStore> {
  const people = await Records.load(state, PERSON);
  return {
    all: () => people.values(),
    get: (id) => people.get(id),
    save: (person) => state.commit((changes) => people.set(changes, person.id, person)),
    update: (id, change) => state.commit((changes) => people.update(changes, id, change)),
    change: (changes, id, change) => people.update(changes, id, change),
    delete: (changes, id) => people.delete(changes, id),
  };
}
