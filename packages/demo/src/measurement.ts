import type { DemoCounters, DemoPlace, LocalDiscord, PageMessage, PageUpdate } from '../../local-discord/src/index.ts';
import { compareSnowflakes } from '../../local-discord/src/index.ts';
import { Counters } from './counters.ts';
import { MOST_PER_HOUR } from './first-subscriptions.ts';
import type { NewestOffer } from './newest-offer.ts';
import { NAMES } from './places.ts';
import type { BotPlan } from './protocol.ts';
import { WANTED } from './wanted.ts';

/** The subscriptions in each channel, each written as one text. */
export type SetUp = Readonly<Record<string, readonly string[]>>;

/** Whether nothing is in the bot's way in a place; a place that is gone is owed nothing. */
export type Calm = Readonly<Record<DemoPlace, boolean | 'gone'>>;

interface MeasurementParts {
  discord: LocalDiscord;
  newest: NewestOffer;
  /** The demo's time. */
  now: () => number;
  channelIds: Readonly<Record<DemoPlace, string>>;
  /** The subscriptions as the demo has made them; null until they are known. */
  original: SetUp | null;
  /** Keeps them. */
  onOriginal: (original: SetUp) => void;
  /** Is told of each post that counts as a second one: its address, and what it told and when. */
  onTwice: (address: string | null, why: string) => void;
}

/**
 * Watches what the catalog serves and what happens in the channels of the demo's subscriptions. Begins with what stands in
 * them.
 */
export function createMeasurement({
  discord,
  newest,
  now,
  channelIds,
  onOriginal,
  onTwice,
  ...parts
}: MeasurementParts) {
  const places = new Map<DemoPlace, PlaceWatch>();
  let { original } = parts;
  let passedAtMs = Date.now();
  const told = new WeakSet<object>();
  for (const place of Object.keys(channelIds) as DemoPlace[]) {
    const id = channelIds[place];
    const standing = standingIn(discord, place, id);
    const counters = new Counters(
      standing,
      WANTED.filter((wanted) => wanted.place === place),
    );
    places.set(place, { id, counters, latestId: standing.at(-1)?.id ?? '0', isSkipped: false, isLimited: false });
    if (place === 'deals') for (const one of standing) newest.post(one);
  }

  /** The places that a channel belongs to. A post of a forum belongs to the forum. */
  function placesOf(channelId: string): DemoPlace[] {
    const channel = discord.channels().find(({ id }) => id === channelId);
    const parentId = channel && 'parent_id' in channel ? channel.parent_id : null;
    return [...places]
      .filter(([place, { id }]) => id === channelId || (place === 'forum' && id === parentId))
      .map(([place]) => place);
  }

  function message(of: PageMessage): void {
    for (const place of placesOf(of.channel_id)) {
      const watch = places.get(place);
      if (!watch) continue;
      if (compareSnowflakes(of.id, watch.latestId) > 0) {
        watch.latestId = of.id;
        watch.counters.post(of);
        if (place === 'deals') newest.post(of);
      } else if (of.edited_timestamp !== null) watch.counters.edit(of);
    }
  }

  return {
    served(path: string, text: string): void {
      for (const { counters } of places.values()) counters.serve(path, text, now());
    },
    update(update: PageUpdate): void {
      if (update.type === 'message') message(update.message);
    },
    /** Takes the bot's plan, which says what people have set up. */
    plan({ subscriptions }: BotPlan): void {
      const setUp = setUpOf(subscriptions);
      if (!original) {
        original = setUp;
        onOriginal(setUp);
      }
      for (const watch of places.values()) {
        const [first, present] = [original[watch.id] ?? [], setUp[watch.id] ?? []];
        watch.isSkipped = first.some((one) => !present.includes(one));
        const others = present.filter((one) => !first.includes(one));
        watch.isLimited = others.some(isLimiting);
        watch.counters.setUp({
          isSkipped: watch.isSkipped,
          hasOthers: others.length > 0,
          isLimited: watch.isLimited,
        });
      }
    },
    /** Lets the time since the last call pass. */
    pass(calm: Calm): void {
      const nowMs = Date.now();
      for (const [place, { counters }] of places) {
        if (calm[place] === 'gone') counters.cancel();
        counters.pass(calm[place] === true ? nowMs - passedAtMs : 0, now());
      }
      passedAtMs = nowMs;
    },
    counts(): DemoCounters {
      const total = { owed: 0, posted: 0, waiting: 0, held: 0, skipped: 0, twice: 0, lost: 0, edits: 0 };
      for (const { counters } of places.values()) {
        for (const found of counters.twice()) {
          if (!told.has(found)) onTwice(found.url, found.why);
          told.add(found);
        }
        const counts = counters.counts();
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name];
      }
      const namesOf = (is: 'isSkipped' | 'isLimited') =>
        [...places].flatMap(([place, watch]) => (watch[is] ? [NAMES[place]] : []));
      return { ...total, skippedIn: namesOf('isSkipped'), limitedIn: namesOf('isLimited') };
    },
  };
}

interface PlaceWatch {
  id: string;
  counters: Counters;
  /** The newest message of the place. */
  latestId: string;
  /** Whether a person has paused, removed or changed a subscription of the demo. */
  isSkipped: boolean;
  /** Whether one that a person has made or changed allows fewer posts an hour. */
  isLimited: boolean;
}

/** Whether a subscription allows fewer posts an hour than the demo's: so do those of which nothing is written. */
function isLimiting(written: string): boolean {
  const { 'most-per-hour': most = 0, paused = false } = JSON.parse(written) as Record<string, unknown>;
  return paused !== true && Number(most) < MOST_PER_HOUR;
}

function setUpOf(subscriptions: BotPlan['subscriptions']): SetUp {
  const setUp: Record<string, string[]> = {};
  for (const { channel, ...rest } of subscriptions) {
    const place = String(channel);
    setUp[place] = [...(setUp[place] ?? []), JSON.stringify(rest)];
  }
  return setUp;
}

/** The messages of a channel, of a forum those of its posts; oldest first. */
function standingIn(discord: LocalDiscord, place: DemoPlace, id: string): PageMessage[] {
  if (place !== 'forum') return [...discord.messages(id)];
  const posts = discord.channels().filter((channel) => 'parent_id' in channel && channel.parent_id === id);
  return posts
    .flatMap((post) => discord.messages(post.id))
    .toSorted((one, other) => compareSnowflakes(one.id, other.id));
}

export type Measurement = ReturnType<typeof createMeasurement>;
