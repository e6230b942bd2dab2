import PQueue from 'p-queue';
import type { Backend } from '../../shared/storage/backend.ts';
import type { Timing } from '../deals/subscription.ts';
import type { ClosedMessages } from '../deals/watch.ts';
import { rowReader } from './rows.ts';

/** A person who has watches, or had some. */
export interface Person {
  version: 1;
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

/** The people with watches. All are in memory, and every change is written through before it shows. */
export interface PeopleStore {
  all(): Iterable<Person>;
  get(id: string): Person | undefined;
  save(person: Person): Promise<void>;
  /** Changes a record if it still exists. */
  update(id: string, change: (person: Person) => Person): Promise<void>;
  remove(id: string): Promise<void>;
}

const read = rowReader<Person>([1], {
  id: 'string',
  channelId: 'string',
  locale: 'string',
  timing: 'object',
  mostPerHour: 'number',
  usedAtMs: 'number',
});

export async function openPeople(backend: Backend): Promise<PeopleStore> {
  const table = backend.table<Person>('people', { read, isDurable: true });
  const people = new Map<string, Person>();
  for await (const [id, person] of table.entries()) people.set(id, person);
  /** One change at a time, so that two changes of the same record don't overwrite each other. */
  const changes = new PQueue({ concurrency: 1 });

  async function write(person: Person): Promise<void> {
    await table.set(person.id, person);
    people.set(person.id, person);
  }

  return {
    all: () => people.values(),
    get: (id) => people.get(id),
    save: (person) => changes.add(() => write(person)),
    update: (id, change) =>
      changes.add(async () => {
        const person = people.get(id);
        const changed = person && change(person);
        if (changed && changed !== person) await write(changed);
      }),
    remove: (id) =>
      changes.add(async () => {
        await table.delete(id);
        people.delete(id);
      }),
  };
}
