import type { RollUp } from '../../src/bot/store/delivery.ts';
import type { LocalDiscord } from '../../src/local-discord/server/local-discord.ts';
import type { PageMessage } from '../../src/local-discord/server/page-api.ts';
import { openBackend } from '../../src/shared/storage/backend.ts';
import { type Arrivals, countArrivals, endedIn, isAnnouncement, rollUpIn } from './arrivals.ts';
import { channelNamed } from './places.ts';
import { problemsOfLists } from './roll-up-lists.ts';

/** Counts what arrives, at local Discord. */
export interface Tally {
  /** The posts that are lost, doubled, wrong in number or untrue, a line per place; empty where all is well. */
  problems(): Promise<string[]>;
  isComplete(): Promise<boolean>;
  /** Nothing that has not arrived in that place by now has to, though it may. */
  excuse(place: string): Promise<void>;
  /** Nothing has to arrive in that place any more: it is gone. */
  closePlace(place: string): Promise<void>;
  /** The number of announcements that have arrived. */
  posts(): number;
  /** The moments of the announcements in a place, by Discord's clock: epoch milliseconds, in order. */
  postedAtMs(place: string): number[];
  /** Opens the list of every roll-up as a person does, page by page. Resolves with a line for each that is not whole. */
  openLists(): Promise<string[]>;
  close(): Promise<void>;
}

interface TallyParts {
  discord: LocalDiscord;
  /** The bot's state: it keeps what a roll-up lists. */
  stateUrl: string;
  /** The channels that follow, by their names. A forum's posts are in threads. */
  places: readonly string[];
  addresses: () => readonly string[];
}

export function createTally({ discord, stateUrl, places, addresses }: TallyParts): Tally {
  const backend = openBackend(stateUrl);
  const rollUps = backend.table<RollUp>('roll_ups');
  const lists = new Map<string, readonly string[]>();
  const announcements = new Map<string, PageMessage>();
  const channels = places.map((name) => channelNamed(discord, name));
  const directId = discord.directChannel(discord.people.ada.id).id;
  const excused = new Map<string, Set<string>>();
  const closed = new Set<string>();
  /** Messages that said of an offer at any time that it is over. */
  const ended = new Set<string>();
  const stopListening = discord.onUpdate((update) => {
    if (update.type === 'message' && isAnnouncement(update.message)) {
      announcements.set(update.message.id, update.message);
      for (const id of endedIn([update.message])) ended.add(id);
    }
  });

  async function readLists(): Promise<void> {
    for (const message of announcements.values()) {
      const id = rollUpIn(message);
      if (id === null || lists.has(id)) continue;
      // The row is written right after the message: a bot that was killed between the two writes it in its next life.
      const record = await rollUps.get(id);
      if (!record) continue;
      lists.set(
        id,
        record.members.map(({ announcement: { item } }) => ('url' in item && item.url) || ''),
      );
    }
  }

  /** A forum's posts are in threads, and nothing else here has any. */
  function messagesIn({ id, type }: { id: string; type: number }): PageMessage[] {
    const isElsewhere = (at: string) => at === directId || channels.some((channel) => channel.id === at);
    return [...announcements.values()].filter(({ channel_id: at }) => (type === FORUM ? !isElsewhere(at) : at === id));
  }

  async function arrivals(): Promise<(Arrivals & { place: string })[]> {
    await readLists();
    return channels.map((channel) => {
      const { name: place } = channel;
      const found = countArrivals(messagesIn(channel), addresses(), lists);
      const isDue = (address: string) => !closed.has(place) && !excused.get(place)?.has(address);
      return { place, ...found, lost: found.lost.filter(isDue) };
    });
  }

  return {
    async problems() {
      const untrue = ended.size === 0 ? [] : [`Said to have ended, which nothing has: ${[...ended].join(' ')}`];
      return [...untrue, ...(await arrivals()).flatMap(problemOf)];
    },
    async excuse(place) {
      const { lost = [] } = (await arrivals()).find((one) => one.place === place) ?? {};
      excused.set(place, new Set([...(excused.get(place) ?? []), ...lost]));
    },
    async closePlace(place) {
      await readLists();
      closed.add(place);
    },
    posts: () => announcements.size,
    postedAtMs(place) {
      const channel = channels.find(({ name }) => name === place);
      const messages = channel ? messagesIn(channel) : [];
      return messages.map(({ timestamp }) => Date.parse(timestamp)).sort((a, b) => a - b);
    },
    isComplete: async () => (await arrivals()).every(({ lost }) => lost.length === 0),
    async openLists() {
      await readLists();
      // Nobody can open what stood in a channel that is gone.
      const goneIds = new Set(channels.filter(({ name }) => closed.has(name ?? '')).map(({ id }) => id));
      const messages = [...announcements.values()].filter(({ channel_id: at }) => !goneIds.has(at));
      return problemsOfLists({ discord, addresses, lists, messages });
    },
    async close() {
      stopListening();
      await backend.close();
    },
  };
}

function problemOf({ place, lost, repeated, wrong }: Arrivals & { place: string }): string[] {
  if (lost.length + repeated.length + wrong.length === 0) return [];
  const parts = { lost, 'posted twice': repeated, 'roll-ups that say another number than they list': wrong };
  const said = Object.entries(parts).map(([what, which]) => `${what}: ${which.join(' ') || 'none'}`);
  return [`#${place}: ${said.join('; ')}`];
}

/** https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
const FORUM = 15;
