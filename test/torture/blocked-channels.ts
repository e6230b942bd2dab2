import type { PERMISSION } from '../../packages/local-discord/src/index.ts';
import type { Arena } from './arena.ts';
import type { EventName } from './events.ts';
import { personNamed } from './places.ts';
import type { Tally } from './tally.ts';

/** Places where the bot may not post for a while, or never again, while offers appear. */
export interface BlockedChannels {
  takePermission(): void;
  closeMessages(): void;
  deleteChannel(): Promise<void>;
  removeBot(): void;
  /** Gives back what has been away for long enough. Resolves with a line for each problem. */
  passRound(): Promise<string[]>;
  /** Gives back everything. Resolves with a line for each problem. */
  openAll(): Promise<string[]>;
}

/** The permissions that the bot can lose in a channel: it sees the channel and may not write, may write and not read back, or does not see it. */
const DENIALS: readonly (readonly (keyof typeof PERMISSION)[])[] = [
  ['sendMessages', 'sendMessagesInThreads'],
  ['readMessageHistory'],
  ['viewChannel'],
];
/** Rounds of half an hour to three hours. */
const MOST_ROUNDS = 8;
const MOST_ROUNDS_REMOVED = 3;

export function createBlockedChannels(parts: {
  arena: Arena;
  tally: Tally;
  /** Names of the channels that stay. */
  lasting: readonly string[];
  /** Names of those that are deleted, one after another. */
  passing: string[];
  count: (event: EventName) => void;
  /** Does something while no request goes wrong and the bot's clock is right. */
  undisturbed: <T>(work: () => Promise<T>) => Promise<T>;
}): BlockedChannels {
  const { arena, tally, lasting, passing, count, undisturbed } = parts;
  const { discord, random } = arena;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const isPerson = (name: string) => personNamed(discord, name) !== null;
  /** How many more rounds a place stays blocked. */
  const denied = new Map<string, number>();
  let roundsRemoved = 0;

  function deny(name: string, permissions: (typeof DENIALS)[number]): void {
    const personId = personNamed(discord, name);
    if (personId === null) discord.setPermissions(discord.channel(name).id, { deny: permissions });
    // A person takes no direct messages at all, or takes them.
    else discord.setDirectMessages(personId, permissions.length === 0);
  }

  /** Blocks one of the places for some rounds. */
  function denyOne(names: readonly string[]): void {
    const open = names.filter((name) => !denied.has(name));
    const name = open[upTo(open.length - 1)];
    const permissions = DENIALS[upTo(DENIALS.length - 1)];
    if (name === undefined || !permissions) return;
    denied.set(name, 2 + upTo(MOST_ROUNDS - 2));
    deny(name, permissions);
  }

  function give(name: string): void {
    denied.delete(name);
    deny(name, []);
    count(isPerson(name) ? 'closed' : 'permission');
  }

  function giveAll(): void {
    for (const name of denied.keys()) give(name);
  }

  async function invite(): Promise<string[]> {
    roundsRemoved = 0;
    // The bot looks at a blocked channel again after a minute at the earliest: with one, the run would not come to rest.
    giveAll();
    discord.setMembership('member');
    count('removed');
    arena.leap(60_000);
    // Deliveries that it has not posted by the first poll after its return need not come any more.
    const run = await undisturbed(() => arena.runOnce({ isComplete: false }));
    for (const place of [...lasting, ...passing]) await tally.excuse(place);
    return run.code === 0 ? [] : [`The run after the invitation ended with ${run.code ?? run.signal}, see its log.`];
  }

  return {
    takePermission: () => denyOne(lasting.filter((name) => !isPerson(name))),
    closeMessages: () => denyOne(lasting.filter(isPerson)),
    async deleteChannel() {
      const name = passing.shift();
      if (name === undefined) return;
      await tally.closePlace(name);
      discord.deleteChannel(discord.channel(name).id);
      count('deleted');
    },
    removeBot() {
      roundsRemoved = 1 + upTo(MOST_ROUNDS_REMOVED - 1);
      discord.setMembership('removed');
    },
    async passRound() {
      for (const [name, rounds] of denied) {
        if (rounds > 0) denied.set(name, rounds - 1);
        else give(name);
      }
      if (roundsRemoved === 0) return [];
      roundsRemoved -= 1;
      return roundsRemoved === 0 ? invite() : [];
    },
    async openAll() {
      giveAll();
      return roundsRemoved > 0 ? invite() : [];
    },
  };
}
