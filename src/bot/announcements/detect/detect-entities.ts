import type { Unreadable } from '../../catalog/catalog.ts';
import type { Announcement, EntityKey, ThingUpdate } from '../../deals/announcement.ts';
import { isLargeShare } from '../../deals/change.ts';
import { withLostOffers } from '../../deals/event.ts';
import { hasEnded } from '../../deals/life.ts';
import type { ResourceKey } from '../../deals/subscription.ts';
import type { KnownRecord } from '../../store/known.ts';
import type { Store } from '../../store/store.ts';
import type { CurrentState, EntityState } from '../current-state.ts';
import { entityKey, fingerprintOf, hasStarted, isLive, knownAs, partsOf } from '../kinds/index.ts';
import type { DetectionResult } from './detection-result.ts';

const DAY_MS = 24 * 3_600_000;
/** What was last seen so long ago is news if it is ever seen again. */
const KEPT_MS = 90 * DAY_MS;
/** An event that is over is remembered for so long. */
const REMEMBERED_MS = 2 * DAY_MS;

/** What the posts of some things have to show from now on, and what is to be kept of them. */
interface Review {
  updates: ThingUpdate[];
  changed: Map<string, KnownRecord>;
  seen: EntityState[];
}

/** Finds what has come, gone and changed in resources that hold no offers: events, dealcasts, polls, monkeychats. */
export interface EntityDetector {
  /** Compares an answer with what is known. `isFirstSight`: nothing of it is news. */
  inResource(
    resource: ResourceKey,
    answer: { value: readonly Announcement[]; unreadable?: Unreadable | undefined },
    isFirstSight: boolean,
    nowMs: number,
  ): Promise<DetectionResult>;
  /** What time alone has done: events that are over. */
  byNow(nowMs: number): Promise<DetectionResult>;
  /** Forgets what was last seen long ago. */
  sweep(nowMs: number): Promise<void>;
}

export function createEntityDetector(known: Store['known'], currentState: CurrentState): EntityDetector {
  /** What is news of the parts of things, and what is to be kept of those: under a name of their own, whatever becomes of them. */
  async function partsIn(resource: ResourceKey, things: readonly Announcement[], nowMs: number) {
    const parts = new Map(things.flatMap(partsOf).map((part) => [knownAs(part), part]));
    const records = await known.among(resource, [...parts.keys()]);
    const changed = new Map<string, KnownRecord>();
    for (const name of parts.keys()) {
      const record = records.get(name);
      if (record && nowMs - record.lastSeenMs < DAY_MS) continue;
      changed.set(name, { version: 2, firstSeenMs: record?.firstSeenMs ?? nowMs, lastSeenMs: nowMs, face: '' });
    }
    return { unseen: [...parts].flatMap(([name, part]) => (records.has(name) ? [] : [part])), changed };
  }

  return {
    async inResource(resource, { value, unreadable }, isFirstSight, nowMs) {
      const before = await currentState.entities(resource);
      const announcements = value.map((announcement) => whole(announcement, before, unreadable));
      const started = announcements.filter((announcement) => hasStarted(announcement, nowMs));
      const subjects = started.map(({ subject }) => subject);
      const records = await known.among(resource, subjects);
      const unseen = started.filter(({ subject }) => !records.has(subject));
      const parts = await partsIn(resource, started, nowMs);
      const gone = missingFrom(announcements, before, unreadable, nowMs);
      const here = started.map((announcement) => ({ announcement, record: records.get(announcement.subject) }));
      const { updates, changed, seen } = review([...here, ...gone], before, nowMs);
      return {
        news: (isFirstSight ? [] : [...unseen, ...parts.unseen])
          .filter((announcement) => isLive(announcement, nowMs))
          .map((announcement) => ({ announcement, resources: [resource] })),
        live: () => started.filter((announcement) => isLive(announcement, nowMs)),
        isDoubtful: isDoubtful(before, gone, nowMs),
        offers: [],
        updates,
        startedAtMs: unseen.map(({ item }) => ('startDateMs' in item ? item.startDateMs : null)),
        async commit() {
          await known.save(resource, new Map([...changed, ...parts.changed]));
          currentState.setEntities(resource, seen, true);
        },
      };
    },

    async byNow(nowMs) {
      const events = await currentState.entities('events');
      const { updates, changed, seen } = review([...events.values()], events, nowMs);
      return {
        news: [],
        live: () => [],
        isDoubtful: null,
        offers: [],
        updates,
        startedAtMs: [],
        async commit() {
          await known.save('events', changed);
          currentState.setEntities('events', seen, false);
        },
      };
    },

    sweep: (nowMs) => known.sweep(nowMs - KEPT_MS),
  };
}

/** What was there before and is not in the answer, as far as anything is to be known of it. */
function missingFrom(
  announcements: readonly Announcement[],
  before: ReadonlyMap<EntityKey, EntityState>,
  unreadable: Unreadable | undefined,
  nowMs: number,
): EntityState[] {
  const shown = new Set(announcements.map(entityKey));
  const missing = [...before].filter(([thing]) => !shown.has(thing));
  return missing.flatMap(([, seen]) => withoutAnswer(seen, unreadable, nowMs) ?? []);
}

/** Whether so much is missing for the first time that a second look should come soon. */
function isDoubtful(before: ReadonlyMap<EntityKey, EntityState>, gone: readonly EntityState[], nowMs: number): boolean {
  const live = [...before.values()].filter(({ announcement }) => isLive(announcement, nowMs));
  const missed = gone.filter(
    ({ announcement, isMissed }) => isMissed && !before.get(entityKey(announcement))?.isMissed,
  );
  return isLargeShare(missed.length, live.length);
}

/** @param before what they were: what was not committed before a restart may stand in posts, and not be so any more */
function review(things: readonly EntityState[], before: ReadonlyMap<EntityKey, EntityState>, nowMs: number): Review {
  const result: Review = { updates: [], changed: new Map(), seen: [] };
  for (const thing of things) {
    const { announcement, record } = thing;
    const face = fingerprintOf(announcement, nowMs);
    const told = before.get(entityKey(announcement))?.announcement;
    const isSame = record?.face === face && (!told || fingerprintOf(told, nowMs) === face);
    if (isSame && nowMs - record.lastSeenMs < DAY_MS) {
      result.seen.push(thing);
      continue;
    }
    // A record from before faces were kept does not tell what its posts show.
    if (record && record.face !== null && !isSame) {
      result.updates.push({ thing: entityKey(announcement), item: announcement.item });
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
  before: ReadonlyMap<EntityKey, EntityState>,
  unreadable: Unreadable | undefined,
): Announcement {
  const lost = unreadable?.offers?.get(announcement.subject);
  const was = lost && before.get(entityKey(announcement))?.announcement;
  if (!lost || announcement.kind !== 'event-started' || was?.kind !== 'event-started') return announcement;
  return { ...announcement, item: withLostOffers(announcement.item, was.item, lost) };
}

/**
 * What is known of a thing that an answer does not show; null where nothing is to be known of it any more. It is as it
 * was where it may be what could not be read, and an event the first time that it is missing: one answer may be wrong.
 */
function withoutAnswer(seen: EntityState, unreadable: Unreadable | undefined, nowMs: number): EntityState | null {
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
