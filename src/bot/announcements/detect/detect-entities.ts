import type { Unreadable } from '../../catalog/catalog.ts';
import type { Announcement, ThingKey, ThingUpdate } from '../../deals/announcement.ts';
import { isLargeShare } from '../../deals/change.ts';
import { withLostOffers } from '../../deals/event.ts';
import { hasEnded } from '../../deals/life.ts';
import type { ResourceKey } from '../../deals/subscription.ts';
import type { KnownRecord } from '../../store/known.ts';
import type { Store } from '../../store/store.ts';
import { faceOf, hasStarted, isLive, thingOf } from '../kinds/index.ts';
import type { Findings } from './detection-result.ts';

const DAY_MS = 24 * 3_600_000;
/** What was last seen so long ago is news if it is ever seen again. */
const KEPT_MS = 90 * DAY_MS;
/** An event that is over is remembered for so long. */
const REMEMBERED_MS = 2 * DAY_MS;

/** A thing and what is known of it: no record where it was never seen. */
interface Seen {
  announcement: Announcement;
  record: KnownRecord | undefined;
  /** Whether the last whole answer came without it. Only a second one in a row proves that it is gone. */
  isMissed?: boolean;
}

/** What the posts of some things have to show from now on, and what is to be kept of them. */
interface Review {
  updates: ThingUpdate[];
  changed: Map<string, KnownRecord>;
  seen: Seen[];
}

/** Finds what has come, gone and changed in resources that hold no offers: events, dealcasts, polls, monkeychats. */
export interface ThingDetector {
  /** Compares an answer with what is known. `isFirstSight`: nothing of it is news. */
  inResource(
    resource: ResourceKey,
    answer: { value: readonly Announcement[]; unreadable?: Unreadable | undefined },
    isFirstSight: boolean,
    nowMs: number,
  ): Promise<Findings>;
  /** What time alone has done: events that are over. */
  byNow(nowMs: number): Promise<Findings>;
  /** A thing as it was last seen; undefined where it was not looked for since the start. */
  current(thing: ThingKey): Announcement['item'] | undefined;
  /** What was there at the last look, in the catalog's order, then what is over since; undefined where none was since the start. */
  seen(resource: ResourceKey): readonly Announcement[] | undefined;
  /** Forgets what was last seen long ago. */
  sweep(nowMs: number): Promise<void>;
}

export function createThingDetector({
  known,
  posts,
  deliveries,
}: Pick<Store, 'known' | 'posts' | 'deliveries'>): ThingDetector {
  /** What was there at the last look, and the events that are over since. */
  const last = new Map<ResourceKey, Map<ThingKey, Seen>>();
  /** The resources that were looked at since the start: what is known of others is not all that they hold. */
  const looked = new Set<ResourceKey>();

  /** The events of the last look. Of those from before the start it takes what is told, or about to be: that has to stay right. */
  async function lastEvents(): Promise<Map<ThingKey, Seen>> {
    const seen = last.get('events');
    if (seen) return seen;
    // The outbox first: what is posted meanwhile is among the posts before it leaves that.
    const told = [...toBeTold(deliveries), ...(await posts.announcements('event'))];
    const events = new Map(
      told.filter(({ kind }) => kind === 'event-started').map((announcement) => [thingOf(announcement), announcement]),
    );
    const records = await known.among(
      'events',
      [...events.values()].map(({ subject }) => subject),
    );
    const kept = new Map(
      [...events].map(([thing, announcement]) => [thing, { announcement, record: records.get(announcement.subject) }]),
    );
    last.set('events', kept);
    return kept;
  }

  return {
    async inResource(resource, { value, unreadable }, isFirstSight, nowMs) {
      const before = resource === 'events' ? await lastEvents() : (last.get(resource) ?? new Map<ThingKey, Seen>());
      const announcements = value.map((announcement) => whole(announcement, before, unreadable));
      const started = announcements.filter((announcement) => hasStarted(announcement, nowMs));
      const subjects = started.map(({ subject }) => subject);
      const records = await known.among(resource, subjects);
      const unseen = started.filter(({ subject }) => !records.has(subject));
      const shown = new Set(announcements.map(thingOf));
      const missing = [...before.values()].filter(({ announcement }) => !shown.has(thingOf(announcement)));
      const gone = missing.flatMap((seen) => withoutAnswer(seen, unreadable, nowMs) ?? []);
      const live = [...before.values()].filter(({ announcement }) => isLive(announcement, nowMs));
      const missed = gone.filter(
        ({ announcement, isMissed }) => isMissed && !before.get(thingOf(announcement))?.isMissed,
      );
      const here = started.map((announcement) => ({ announcement, record: records.get(announcement.subject) }));
      const { updates, changed, seen } = review([...here, ...gone], nowMs);
      return {
        news: (isFirstSight ? [] : unseen)
          .filter((announcement) => isLive(announcement, nowMs))
          .map((announcement) => ({ announcement, resources: [resource] })),
        live: () => started.filter((announcement) => isLive(announcement, nowMs)),
        isDoubtful: isLargeShare(missed.length, live.length),
        updates,
        startedAtMs: unseen.map(({ item }) => ('startDateMs' in item ? item.startDateMs : null)),
        async keep() {
          await known.save(resource, changed);
          last.set(resource, new Map(seen.map((one) => [thingOf(one.announcement), one])));
          looked.add(resource);
        },
      };
    },

    async byNow(nowMs) {
      const events = await lastEvents();
      const { updates, changed, seen } = review([...events.values()], nowMs);
      return {
        news: [],
        live: () => [],
        isDoubtful: null,
        updates,
        startedAtMs: [],
        async keep() {
          await known.save('events', changed);
          for (const one of seen) events.set(thingOf(one.announcement), one);
        },
      };
    },

    current(thing) {
      for (const things of last.values()) {
        const seen = things.get(thing);
        if (seen) return seen.announcement.item;
      }
      return undefined;
    },

    seen(resource) {
      const things = looked.has(resource) ? last.get(resource) : undefined;
      return things && [...things.values()].map(({ announcement }) => announcement);
    },

    sweep: (nowMs) => known.sweep(nowMs - KEPT_MS),
  };
}

/** What is on its way to a channel. */
function toBeTold(deliveries: Store['deliveries']): Announcement[] {
  return deliveries
    .channels()
    .flatMap((channelId) => [...deliveries.pending(channelId), ...(deliveries.pendingRollUp(channelId)?.members ?? [])])
    .map(({ announcement }) => announcement);
}

function review(things: readonly Seen[], nowMs: number): Review {
  const result: Review = { updates: [], changed: new Map(), seen: [] };
  for (const thing of things) {
    const { announcement, record } = thing;
    const face = faceOf(announcement, nowMs);
    const isSame = record?.face === face;
    if (isSame && nowMs - record.lastSeenMs < DAY_MS) {
      result.seen.push(thing);
      continue;
    }
    // A record from before faces were kept does not tell what its posts show.
    if (record && record.face !== null && !isSame) {
      result.updates.push({ thing: thingOf(announcement), item: announcement.item });
    }
    const now: KnownRecord = { version: 2, firstSeenMs: record?.firstSeenMs ?? nowMs, lastSeenMs: nowMs, face };
    result.changed.set(announcement.subject, now);
    result.seen.push({ ...thing, record: now });
  }
  return result;
}

/** An event with the offers that could not be read this time as they were before. */
function whole(
  announcement: Announcement,
  before: ReadonlyMap<ThingKey, Seen>,
  unreadable: Unreadable | undefined,
): Announcement {
  const lost = unreadable?.offers?.get(announcement.subject);
  const was = lost && before.get(thingOf(announcement))?.announcement;
  if (!lost || announcement.kind !== 'event-started' || was?.kind !== 'event-started') return announcement;
  return { ...announcement, item: withLostOffers(announcement.item, was.item, lost) };
}

/**
 * What is known of a thing that an answer does not show; null where nothing is to be known of it any more. It is as it
 * was where it may be what could not be read, and an event the first time that it is missing: one answer may be wrong.
 */
function withoutAnswer(seen: Seen, unreadable: Unreadable | undefined, nowMs: number): Seen | null {
  const { announcement, record, isMissed } = seen;
  if (unreadable?.hasNameless || unreadable?.ids.includes(announcement.subject)) return seen;
  const ended = endedBy(announcement, nowMs);
  if (ended && !isMissed && isLive(announcement, nowMs)) return { ...seen, isMissed: true };
  return ended && { announcement: ended, record };
}

/** An event that the catalog holds no more is over, whatever its end said. null for what has no end, and what was over long ago. */
function endedBy(announcement: Announcement, nowMs: number): Announcement | null {
  if (announcement.kind !== 'event-started') return null;
  const { item } = announcement;
  if (!hasEnded(item, nowMs)) return { ...announcement, item: { ...item, endDateMs: nowMs } };
  return hasEnded(item, nowMs - REMEMBERED_MS) ? null : announcement;
}
