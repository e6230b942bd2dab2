// What servers, people and the bot's owner have set; subscriptions are in subscriptions.ts.

import { z } from 'zod';
import type { ClosedMessages } from '../deals/person.ts';
import { type Pacing, STORED_PACING, USUAL_PACING_OF_PERSON, withDefaults } from '../deals/settings.ts';
import { Records } from './table/records.ts';
import { type Changes, fields, type Kind, type State } from './table/state.ts';

/** A person who has subscriptions, or had some. Their pacing is copied to each of them. */
export interface Person extends Pacing {
  id: string;
  /** The channel of their direct messages with the bot. */
  channelId: string;
  /** Discord's name of their language. */
  locale: string;
  /** When they last changed a subscription or its settings: epoch milliseconds. */
  usedAtMs: number;
  /** null while they take direct messages, as far as the bot knows. */
  closed: ClosedMessages | null;
  /** How many deliveries waited when they were last told that their messages are closed; null before. */
  shownWaiting: number | null;
}

const readPerson = fields<Person>({
  id: z.string(),
  channelId: z.string(),
  locale: z.string(),
  ...STORED_PACING,
  usedAtMs: z.number(),
});

const PERSON: Kind<Person> = {
  name: 'person',
  read(row) {
    const person = readPerson(row);
    return person && withDefaults(person, USUAL_PACING_OF_PERSON);
  },
};

/** The people with subscriptions. All are in memory. */
export async function openPeople(state: State) {
  const people = await Records.load(state, PERSON);
  type Change = (person: Person) => Person;
  return {
    all: () => people.values(),
    get: (id: string) => people.get(id),
    save: (person: Person) => state.commit((changes) => people.set(changes, person.id, person)),
    /** Changes a record if it still exists. */
    update: (id: string, change: Change) => state.commit((changes) => people.update(changes, id, change)),
    /** As `update`, as a part of a commit. */
    change: (changes: Changes, id: string, change: Change) => people.update(changes, id, change),
    delete: (changes: Changes, id: string) => people.delete(changes, id),
  };
}

/** The bot's user on Discord. */
const BOT_USER: Kind<{ id: string }> = { name: 'bot-user', read: fields<{ id: string }>({ id: z.string() }) };
const ONLY_USER = 'self';

/** Who the bot is on Discord. It is in memory. */
export async function openBotUser(state: State) {
  const users = await Records.load(state, BOT_USER);
  /** null before the first login. */
  const id = () => users.get(ONLY_USER)?.id ?? null;
  return {
    id,
    async save(next: string): Promise<void> {
      if (next !== id()) await state.commit((changes) => users.set(changes, ONLY_USER, { id: next }));
    },
  };
}

interface Pause {
  /** When the application's owner paused all posting: epoch milliseconds. */
  sinceMs: number;
}

const PAUSE: Kind<Pause> = { name: 'posting-pause', read: fields<Pause>({ sinceMs: z.number() }) };
const ONLY_PAUSE = 'all';

/** Whether the application's owner has paused all posting. It is in memory. */
export type PostingPauseStore = Awaited<ReturnType<typeof openPostingPause>>;

export async function openPostingPause(state: State) {
  const pauses = await Records.load(state, PAUSE);
  /** Since when posting is paused: epoch milliseconds; null where it is not. */
  const sinceMs = () => pauses.get(ONLY_PAUSE)?.sinceMs ?? null;
  return {
    sinceMs,
    /** A pause that has begun already goes on. */
    begin: (nowMs: number) =>
      state.commit((changes) => pauses.set(changes, ONLY_PAUSE, { sinceMs: sinceMs() ?? nowMs })),
    end: () => state.commit((changes) => pauses.delete(changes, ONLY_PAUSE)),
  };
}

export const SERVER_KINDS = [PERSON, BOT_USER, PAUSE];
