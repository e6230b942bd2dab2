import type { LocalDiscord } from '../../src/local-discord/local-discord.ts';
import type { PageMessage } from '../../src/local-discord/page-api.ts';
import { openBackend } from '../../src/store/backend.ts';
import type { RollUp } from '../../src/store/deliveries.ts';
import { type Arrivals, countArrivals, isAnnouncement, linksIn, rollUpIn } from './arrivals.ts';

/** Counts what arrives, at local Discord. */
export interface Tally {
  /** What is lost, was posted twice or says the wrong number, a line per place; empty where all is well. */
  problems(): Promise<string[]>;
  isComplete(): Promise<boolean>;
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
  const lists = new Map<string, readonly string[] | undefined>();
  const announcements = new Map<string, PageMessage>();
  const stopListening = discord.onUpdate((update) => {
    if (update.type === 'message' && isAnnouncement(update.message)) {
      announcements.set(update.message.id, update.message);
    }
  });

  async function readLists(): Promise<void> {
    for (const message of announcements.values()) {
      const id = rollUpIn(message);
      if (id === null || lists.has(id)) continue;
      const record = await rollUps.get(id);
      lists.set(
        id,
        record?.members.map(({ announcement: { item } }) => ('url' in item && item.url) || ''),
      );
    }
  }

  async function arrivals(): Promise<(Arrivals & { place: string })[]> {
    await readLists();
    const channels = places.map((name) => discord.channel(name));
    return channels.map(({ id, name, type }) => {
      // Nothing but a forum has threads here.
      const isHere = ({ channel_id: at }: PageMessage) =>
        type === FORUM ? channels.every((channel) => channel.id !== at) : at === id;
      const messages = [...announcements.values()].filter(isHere);
      return { place: name, ...countArrivals(messages, addresses(), lists) };
    });
  }

  async function listOf(message: PageMessage, rollUpId: string): Promise<Set<string>> {
    const listed = new Set<string>();
    let place = { channelId: message.channel_id, messageId: message.id, customId: `roll-up:${rollUpId}:1` };
    for (let page = 2; ; page += 1) {
      const answer = (await discord.useComponent({ personId: discord.people.ben.id, values: [], ...place })).message;
      if (!answer) return listed;
      for (const address of linksIn(answer)) if (addresses().includes(address)) listed.add(address);
      const next = `next>roll-up-page:${rollUpId}:${page}`;
      if (!JSON.stringify(answer.components).includes(`"${next}"`)) return listed;
      place = { channelId: answer.channel_id, messageId: answer.id, customId: next };
    }
  }

  return {
    async problems() {
      return (await arrivals()).flatMap(({ place, lost, repeated, wrong }) => {
        if (lost.length + repeated.length + wrong.length === 0) return [];
        const parts = { lost, 'posted twice': repeated, 'roll-ups that say another number than they list': wrong };
        const said = Object.entries(parts).map(([what, which]) => `${what}: ${which.join(' ') || 'none'}`);
        return [`#${place}: ${said.join('; ')}`];
      });
    },
    isComplete: async () => (await arrivals()).every(({ lost }) => lost.length === 0),
    async openLists() {
      await readLists();
      const problems: string[] = [];
      for (const message of announcements.values()) {
        const id = rollUpIn(message);
        if (id === null) continue;
        const list = lists.get(id) ?? [];
        const listed = await listOf(message, id);
        if (listed.size === list.length && list.every((address) => listed.has(address))) continue;
        problems.push(`The roll-up ${id} holds ${list.length} and shows ${listed.size}.`);
      }
      return problems;
    },
    async close() {
      stopListening();
      await backend.close();
    },
  };
}

/** https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
const FORUM = 15;
