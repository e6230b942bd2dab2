import { MessageFlags } from 'discord-api-types/v10';
import type { LocalDiscord, PageMessage } from '../../packages/local-discord/src/index.ts';
import type { Finding } from '../model/channel.ts';
import { isAnnouncement, linksIn, readPost } from '../model/reading.ts';
import { World } from '../model/world.ts';
import { channelNamed } from './places.ts';

/** Reads what arrives at local Discord, and compares it with what has to, by the model of the world. */
export interface Tally {
  /** What is wrong if nothing more arrives, a line each; empty where all is well. What is lost or doubled is a line per place. */
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
  /** The announcements of a place, made since then by Discord's clock, that are not published. */
  unpublished(place: string, sinceMs: number): PageMessage[];
  /** Opens the list of every roll-up as a person does, page by page. From then on the lists are compared, too. */
  openLists(): Promise<void>;
  close(): Promise<void>;
}

interface TallyParts {
  discord: LocalDiscord;
  /** The channels that follow, by their names. A forum's posts are in threads. */
  places: readonly string[];
  /** The address of every offer that there is; none ever ends. */
  addresses: () => readonly string[];
  /** The right time, Discord's: epoch milliseconds. */
  now: () => number;
}

/** https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
const FORUM = 15;
const FEED = 'feed';
const LIVE = { first: 'new', product: null, isSoldOut: false, endsAtMs: Infinity, price: 1 } as const;

export function createTally({ discord, places, addresses, now }: TallyParts): Tally {
  const world = new World();
  const channels = places.map((name) => channelNamed(discord, name));
  const directId = discord.directChannel(discord.people.ada.id).id;
  const announcements = new Map<string, { place: string; message: PageMessage }>();
  const gone = new Set<string>();
  let served = -1;
  const moment = () => ({ trueMs: now(), botMs: now() });

  for (const channel of places) {
    const anything = { kinds: ['new'], leastDrop: 0, hasExamples: false, wants: () => true } as const;
    world.follow({ channel, follows: { resource: FEED }, dueAtMs: (nowMs) => nowMs, ...anything });
  }

  /** Takes note of the offers that were added, before anything that comes of them. */
  function serve(): void {
    const all = addresses();
    if (all.length === served) return;
    served = all.length;
    const entities = all.map((url) => ({ id: url, url, ...LIVE }));
    world.serve({ resource: FEED, entities }, moment());
  }

  /** A forum's posts are in threads, and nothing else here has any. */
  function placeOf(channelId: string): string | undefined {
    if (channelId === directId) return undefined;
    return (channels.find(({ id }) => id === channelId) ?? channels.find(({ type }) => type === FORUM))?.name;
  }

  serve();
  const stopListening = discord.onUpdate((update) => {
    if (update.type !== 'message' || !isAnnouncement(update.message)) return;
    const { message } = update;
    const place = placeOf(message.channel_id);
    if (place === undefined) return;
    serve();
    const posted = readPost(message);
    world.show(place, posted, moment());
    if (!announcements.has(message.id)) world.channel(place).post(posted, now());
    announcements.set(message.id, { place, message });
  });

  function findings(): Finding[] {
    serve();
    return world.findings();
  }

  /** Every page of the list that a combined post opens. */
  async function openList(place: string, message: PageMessage): Promise<void> {
    const posted = readPost(message);
    if (posted.count === null) return;
    const listed = new Set<string>();
    let button = { channelId: message.channel_id, messageId: message.id, customId: customIdIn(message, 'roll-up:') };
    for (let page = 2; button.customId !== null; page += 1) {
      const { channelId, messageId, customId } = button;
      const pressed = { personId: discord.people.ben.id, values: [], channelId, messageId, customId };
      const answer = (await discord.useComponent(pressed)).message;
      if (!answer) break;
      for (const url of linksIn(answer)) if (addresses().includes(url)) listed.add(url);
      const next = customIdIn(answer, 'next>roll-up-page:');
      const isNext = next?.endsWith(`:${page}`) === true;
      button = { channelId: answer.channel_id, messageId: answer.id, customId: isNext ? next : null };
    }
    world.list(place, posted, listed);
  }

  return {
    async problems() {
      return problemsOf(findings());
    },
    async excuse(place) {
      serve();
      world.channel(place).excuse();
    },
    async closePlace(place) {
      serve();
      gone.add(place);
      world.leave(place);
    },
    posts: () => announcements.size,
    postedAtMs(place) {
      const here = [...announcements.values()].filter((one) => one.place === place);
      return here.map(({ message }) => Date.parse(message.timestamp)).sort((a, b) => a - b);
    },
    unpublished(place, sinceMs) {
      const { id } = channelNamed(discord, place);
      return discord
        .messages(id)
        .filter((message) => isAnnouncement(message) && Date.parse(message.timestamp) >= sinceMs)
        .filter(({ flags = 0 }) => (flags & MessageFlags.Crossposted) === 0);
    },
    isComplete: async () => !findings().some(({ is }) => is === 'lost'),
    async openLists() {
      for (const { place, message } of announcements.values()) {
        // Nobody can open what stood in a channel that is gone.
        if (!gone.has(place)) await openList(place, message);
      }
    },
    async close() {
      stopListening();
    },
  };
}

/** The first `custom_id` in a message that begins so; null where none does. */
function customIdIn({ components }: PageMessage, start: string): string | null {
  return new RegExp(`"custom_id":"(${start}[^"]+)"`).exec(JSON.stringify(components))?.[1] ?? null;
}

/** A line for each place where something is lost or doubled, and one for whatever else is wrong. */
function problemsOf(findings: readonly Finding[]): string[] {
  const places = [...new Set(findings.map(({ channel }) => channel))];
  return places.flatMap((place) => {
    const here = findings.filter(({ channel }) => channel === place);
    const which = (what: Finding['is']) => here.filter(({ is }) => is === what).map(({ url }) => url);
    const [lost, twice] = [which('lost'), which('twice')];
    const others = here.filter(({ is }) => is !== 'lost' && is !== 'twice').map(lineOf);
    if (lost.length + twice.length === 0) return others;
    return [`#${place}: lost: ${lost.join(' ') || 'none'}; posted twice: ${twice.join(' ') || 'none'}`, ...others];
  });
}

export function lineOf({ is, channel, url, why }: Finding): string {
  return `#${channel}: ${is}: ${[url, why].filter(Boolean).join(' ')}.`;
}
