import type { Unreadable } from '../../catalog/catalog.ts';
import type { Announcement, EntityKey, EntityUpdate } from '../../deals/announcement.ts';
import { isLargeShare } from '../../deals/change.ts';
import { type DealEvent, withLostOffers } from '../../deals/event.ts';
import { hasEnded } from '../../deals/life.ts';
import type { ResourceKey } from '../../deals/subscription.ts';
import type { KnownRecord } from '../../store/catalog-records.ts';
import type { Store } from '../../store/store.ts';
import type { CurrentState, EntityState } from '../current-state.ts';
import { entityKey, fingerprintOf, hasStarted, isLive, knownAs, partsOf } from '../kinds/index.ts';
import type { DetectionResult } from './detection-result.ts';

const DAY_MS = 24 * 3_600_000;
/** How long an ended event is remembered. */
const REMEMBERED_MS = 2 * DAY_MS;

/** The result of comparing entities with their records: the posts to update, the records to save and the new states. */
interface Review {
  updates: EntityUpdate[];
  changed: Map<string, KnownRecord>;
  seen: EntityState[];
}

/** Detects new, missing and changed entities in the non-feed resources: events, dealcasts, polls, monkeychats. */
export interface EntityDetector {
  /** Compares an answer with the known entities. `isFirstSight`: none of them is news. */
  inResource(
    resource: ResourceKey,
    answer: { value: readonly Announcement[]; unreadable?: Unreadable | undefined },
    isFirstSight: boolean,
    nowMs: number,
  ): Promise<DetectionResult>;
  /** Detects changes that need no answer: events whose end has passed. */
  byNow(nowMs: number): Promise<DetectionResult>;
}

export function createEntityDetector(known: Store['known'], currentState: CurrentState): EntityDetector {
  /**
   * The unseen parts of these entities, and the records of the parts to save. A part has a record of its own, whatever
   * happens to its entity.
   */
  async function partsIn(resource: ResourceKey, entities: readonly Announcement[], nowMs: number) {
    const parts = new Map(entities.flatMap(partsOf).map((part) => [knownAs(part), part]));
    const records = await known.among(resource, [...parts.keys()]);
    const changed = new Map<string, KnownRecord>();
    for (const name of parts.keys()) {
      const record = records.get(name);
      if (record && nowMs - record.lastSeenMs < DAY_MS) continue;
      changed.set(name, { firstSeenMs: record?.firstSeenMs ?? nowMs, lastSeenMs: nowMs, face: '' });
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
          .map((announcement) => ({ announcements: [announcement], resources: [resource] })),
        offers: [],
        live: () => started.filter((announcement) => isLive(announcement, nowMs)),
        isDoubtful: isDoubtful(before, gone, nowMs),
        updates,
        startedAtMs: unseen.map(({ item }) => ('startDateMs' in item ? item.startDateMs : null)),
        save(changes) {
          known.save(changes, resource, new Map([...changed, ...parts.changed]));
          changes.afterwards(() => {
            currentState.setEntities(resource, seen, true);
            if (resource === 'events') currentState.stock.note(eventsIn(announcements), nowMs);
          });
        },
      };
    },

    async byNow(nowMs) {
      const events = await currentState.entities('events');
      const { updates, changed, seen } = review([...events.values()], events, nowMs);
      return {
        news: [],
        offers: [],
        live: () => [],
        isDoubtful: null,
        updates,
        startedAtMs: [],
        save(changes) {
          known.save(changes, 'events', changed);
          changes.afterwards(() => currentState.setEntities('events', seen, false));
        },
      };
    },
  };
}

function eventsIn(announcements: readonly Announcement[]): DealEvent[] {
  return announcements.flatMap((announcement) => (announcement.kind === 'event-started' ? [announcement.item] : []));
}

/** The states of the entities that were known before and are missing from the answer, without those to forget. */
function missingFrom(
  announcements: readonly Announcement[],
  before: ReadonlyMap<EntityKey, EntityState>,
  unreadable: Unreadable | undefined,
  nowMs: number,
): EntityState[] {
  const shown = new Set(announcements.map(entityKey));
  const missing = [...before].filter(([key]) => !shown.has(key));
  return missing.flatMap(([, seen]) => withoutAnswer(seen, unreadable, nowMs) ?? []);
}

/** Whether so many live entities are missing for the first time that a second poll should follow soon. */
function isDoubtful(before: ReadonlyMap<EntityKey, EntityState>, gone: readonly EntityState[], nowMs: number): boolean {
  const live = [...before.values()].filter(({ announcement }) => isLive(announcement, nowMs));
  const missed = gone.filter(
    ({ announcement, isMissed }) => isMissed && !before.get(entityKey(announcement))?.isMissed,
  );
  return isLargeShare(missed.length, live.length);
}

/**
 * Compares entities with their records and their earlier states.
 * @param before the earlier states: after a restart, what is posted may be older than the record
 */
function review(entities: readonly EntityState[], before: ReadonlyMap<EntityKey, EntityState>, nowMs: number): Review {
  const result: Review = { updates: [], changed: new Map(), seen: [] };
  for (const entity of entities) {
    const { announcement, record } = entity;
    const face = fingerprintOf(announcement, nowMs);
    const previous = before.get(entityKey(announcement))?.announcement;
    const isSame = record?.face === face && (!previous || fingerprintOf(previous, nowMs) === face);
    if (isSame && nowMs - record.lastSeenMs < DAY_MS) {
      result.seen.push(entity);
      continue;
    }
    // An entity without a record may have posts: a state that was restored keeps those that were made after the backup.
    if (!isSame) result.updates.push({ key: entityKey(announcement), item: announcement.item });
    const now: KnownRecord = { firstSeenMs: record?.firstSeenMs ?? nowMs, lastSeenMs: nowMs, face };
    result.changed.set(announcement.subject, now);
    result.seen.push({ ...entity, record: now });
  }
  return result;
}

/** The event, with each offer that could not be read this time in its earlier state. */
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
 * The state of an entity that is missing from an answer; null where it is to be forgotten. It stays unchanged where it
 * may be an unreadable item. A live event is only marked the first time that it is missing, because a single answer may
 * be wrong.
 */
function withoutAnswer(seen: EntityState, unreadable: Unreadable | undefined, nowMs: number): EntityState | null {
  const { announcement, record, isMissed } = seen;
  if (unreadable && (unreadable.nameless > 0 || unreadable.ids.includes(announcement.subject))) return seen;
  const ended = endedBy(announcement, nowMs);
  if (ended && !isMissed && isLive(announcement, nowMs)) return { ...seen, isMissed: true };
  return ended && { announcement: ended, record };
}

/**
 * An event that the catalog no longer lists is over, whatever its end date. null for an entity without an end, and for
 * an event that ended long ago.
 */
function endedBy(announcement: Announcement, nowMs: number): Announcement | null {
  if (announcement.kind !== 'event-started') return null;
  const { item } = announcement;
  if (!hasEnded(item, nowMs)) return { ...announcement, item: { ...item, endDateMs: nowMs } };
  return hasEnded(item, nowMs - REMEMBERED_MS) ? null : announcement;
}
