// What servers, people and the bot's owner have set; subscriptions are in subscriptions.ts.

import { z } from 'zod';
import type { ClosedMessages } from '../deals/person.ts';
import { type Pacing, STORED_PACING, USUAL_PACING_OF_PERSON, withDefaults } from '../deals/settings.ts';
import { inMemory } from './table/records.ts';
import { kind, type State } from './table/state.ts';

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
  /** How many deliveries waited when a command last said that their messages are closed; null before. */
  shownWaiting: number | null;
}

/** The people with subscriptions, by their ids. */
export const PERSON = kind<Person>(
  'person',
  { id: z.string(), channelId: z.string(), locale: z.string(), ...STORED_PACING, usedAtMs: z.number() },
  { complete: (person) => withDefaults(person, USUAL_PACING_OF_PERSON) },
);

/** The bot's user on Discord. */
const BOT_USER = kind('bot-user', { id: z.string() });
const ONLY_USER = 'self';

/** Who the bot is on Discord. It is in memory. */
export async function openBotUser(state: State) {
  const users = await inMemory(state, BOT_USER);
  /** null before the first login. */
  const id = () => users.get(ONLY_USER)?.id ?? null;
  return {
    id,
    async save(next: string): Promise<void> {
      if (next !== id()) await users.save(ONLY_USER, { id: next });
    },
  };
}

/** When the application's owner paused all posting: epoch milliseconds. */
const PAUSE = kind('posting-pause', { sinceMs: z.number() });
const ONLY_PAUSE = 'all';

/** Whether the application's owner has paused all posting. It is in memory. */
export type PostingPauseStore = Awaited<ReturnType<typeof openPostingPause>>;

export async function openPostingPause(state: State) {
  const pauses = await inMemory(state, PAUSE);
  /** Since when posting is paused: epoch milliseconds; null where it is not. */
  const sinceMs = () => pauses.get(ONLY_PAUSE)?.sinceMs ?? null;
  return {
    sinceMs,
    /** A pause that has begun already goes on. */
    begin: (nowMs: number) =>
      state.commit((changes) => pauses.set(changes, ONLY_PAUSE, { sinceMs: sinceMs() ?? nowMs })),
    end: () => pauses.remove(ONLY_PAUSE),
  };
}

export const SERVER_KINDS = [PERSON, BOT_USER, PAUSE];
