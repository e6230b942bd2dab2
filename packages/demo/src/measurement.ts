import type { DemoCounters, DemoPlace, LocalDiscord, PageMessage, PageUpdate } from '../../local-discord/src/index.ts';
import { compareSnowflakes } from '../../local-discord/src/index.ts';
import { Counters } from './counters.ts';
import type { NewestOffer } from './newest-offer.ts';
import { WANTED } from './wanted.ts';

/** Commands that change what is announced: what they filter out is no fault of the bot. */
const CHANGES_SETTINGS = /^(subscription (edit|pause|resume|remove)|look)\b/;

/** Whether nothing is in the bot's way in a place; a place that is gone is owed nothing. */
export type Calm = Readonly<Record<DemoPlace, boolean | 'gone'>>;

interface MeasurementParts {
  discord: LocalDiscord;
  newest: NewestOffer;
  /** The demo's time. */
  now: () => number;
  channelIds: Readonly<Record<DemoPlace, string>>;
}

/**
 * Watches what the catalog serves and what happens in the channels of the demo's subscriptions. Begins with what stands in
 * them.
 */
export function createMeasurement({ discord, newest, now, channelIds }: MeasurementParts) {
  const places = new Map<DemoPlace, PlaceWatch>();
  let areSettingsChanged = false;
  let passedAtMs = Date.now();
  for (const place of Object.keys(channelIds) as DemoPlace[]) {
    const id = channelIds[place];
    const standing = standingIn(discord, place, id);
    const counters = new Counters(
      standing,
      WANTED.filter((wanted) => wanted.place === place),
    );
    places.set(place, { id, counters, latestId: standing.at(-1)?.id ?? '0' });
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
    if (CHANGES_SETTINGS.test(of.interaction?.name ?? '')) areSettingsChanged = true;
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
      const total = { owed: 0, posted: 0, waiting: 0, held: 0, twice: 0, lost: 0, edits: 0 };
      for (const { counters } of places.values()) {
        const counts = counters.counts();
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name];
      }
      return { ...total, areSettingsChanged };
    },
  };
}

interface PlaceWatch {
  id: string;
  counters: Counters;
  /** The newest message of the place. */
  latestId: string;
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
