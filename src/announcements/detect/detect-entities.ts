import type { Unreadable } from '../../catalog/catalog.ts';
import type { DoubtCounts } from '../../catalog/doubt-counts.ts';
import type { Announcement, EntityKey, EntityUpdate } from '../../deals/announcement.ts';
import { isLargeShare } from '../../deals/change.ts';
import { type DoubtChanges, doubtsAs } from '../../deals/doubts.ts';
import { doubtedIn } from '../../deals/entity-belief.ts';
import type { DealEvent } from '../../deals/event.ts';
import { type EventSales, type Sight as SalesSight, salesAfter } from '../../deals/event-sales.ts';
import { hasEnded } from '../../deals/life.ts';
import { LISTED, type Presence, presenceAfter, type Sight, sightsOfMissing } from '../../deals/presence.ts';
import type { ResourceKey } from '../../deals/subscription.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { KnownRecord } from '../../store/catalog-records.ts';
import type { Records } from '../../store/store.ts';
import type { CurrentState, EntityState } from '../current-state.ts';
import {
  entityKey,
  fingerprintOf,
  hasStarted,
  heardAgain,
  isAlike,
  isLive,
  isOther,
  knownAs,
  partsOf,
} from '../kinds/index.ts';
import type { DetectionResult } from './detection-result.ts';

/** How long an ended event is remembered. */
const REMEMBERED_MS = 2 * DAY_MS;
/** A new entity is taken in as it is, even if over or partly unreadable, once this many answers have shown it. */
const DECIDED_AFTER = 3;
/** The fields that decide whether, and to whom, an entity is announced. */
const DECIDING = ['site', 'startDateMs', 'endDateMs'];

type States = ReadonlyMap<EntityKey, EntityState>;

/** The result of comparing entities with their records: the posts to update, the records to save and the new states. */
interface Review {
  updates: EntityUpdate[];
  changed: Map<string, KnownRecord>;
  seen: EntityState[];
}

/** An entity that an answer shows. */
interface Shown {
  /** By what the answer names it: an event may have got another id since it was seen first. */
  name: string;
  /** Its state before the answer, maybe under another subject; undefined where it is new. */
  was: EntityState | undefined;
  /** Its state after the answer, as far as the answer is believed. */
  now: EntityState;
  /** Whether a field that decides about it could not be read. */
  isUnclear: boolean;
  /** The fields about which doubts began or ended. */
  doubted: DoubtChanges<string> | null;
}

/** Detects new, missing and changed entities in the non-feed resources: events, dealcasts, polls, monkeychats. */
export interface EntityDetector {
  /** Compares an answer with the known entities. `isFirstSight`: this is the resource's first answer, which holds no news. */
  inResource(
    resource: ResourceKey,
    answer: { value: readonly Announcement[]; unreadable?: Unreadable | undefined },
    isFirstSight: boolean,
    nowMs: number,
  ): Promise<DetectionResult>;
  /** Detects changes that need no answer: events whose end has passed. */
  byNow(nowMs: number): Promise<DetectionResult>;
}

export function createEntityDetector(
  { known, resources, eventSales }: Records,
  currentState: CurrentState,
  doubtCounts: DoubtCounts,
): EntityDetector {
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
      changed.set(name, { ...(record ?? { firstSeenMs: nowMs, face: '' }), lastSeenMs: nowMs });
    }
    return { unseen: [...parts].flatMap(([name, part]) => (records.has(name) ? [] : [part])), changed };
  }

  /** New records for the unreadable entities of the resource's first answer, so that they are not news once they can be read. */
  async function thereBefore(resource: ResourceKey, ids: readonly string[], nowMs: number) {
    const records = await known.among(resource, ids);
    const unknown = ids.filter((id) => !records.has(id));
    return new Map(
      unknown.map((id): [string, KnownRecord] => [id, { firstSeenMs: nowMs, lastSeenMs: nowMs, face: '' }]),
    );
  }

  return {
    async inResource(resource, { value, unreadable }, isFirstSight, nowMs) {
      const before = await currentState.entities(resource);
      const names = [...value.map(({ subject }) => subject), ...(unreadable?.ids ?? [])];
      const named = await known.among(resource, names);
      const { shown, missing } = compared(value, before, { unreadable, named, nowMs });
      const records = await known.among(
        resource,
        shown.map(({ now }) => now.announcement.subject),
      );
      const isIn = (one: Shown) => isTakenIn(one, records.get(one.now.announcement.subject), isFirstSight, nowMs);
      const here = shown.filter(isIn).map(({ was, name, now }) => {
        return { was, name, now: takenIn(now, records.get(now.announcement.subject)) };
      });
      const waiting = shown.filter((one) => !isIn(one)).map(({ now }) => now);
      const unseen = here
        .filter(({ was, now }) => !now.record && !isRenamed(was, now))
        .map(({ now }) => now.announcement);
      const listed = here
        .map(({ now }) => now)
        .filter(isListed)
        .map(({ announcement }) => announcement);
      const parts = await partsIn(resource, listed, nowMs);
      const { updates, changed, seen } = review(
        [...here.map(({ now }) => now), ...missing.filter(({ answers }) => answers === undefined)],
        before,
        nowMs,
      );
      const previousMs = resources.get(resource)?.polledAtMs ?? null;
      const sold = soldIn(here, missing, unreadable, eventSales.get, { previousMs, nowMs });
      const unread = await thereBefore(resource, isFirstSight ? (unreadable?.ids ?? []) : [], nowMs);
      const news = (isFirstSight ? [] : [...unseen, ...parts.unseen]).filter((one) => isLive(one, nowMs));
      const others = resource === 'events' ? otherNames(here, named, nowMs) : [];
      const recorded = asNews(new Map([...unread, ...others, ...changed, ...parts.changed]), news);
      return {
        news: news.map((announcement) => ({ announcements: [announcement], resources: [resource] })),
        offers: [],
        live: () => listed.filter((announcement) => isLive(announcement, nowMs)),
        isDoubtful: isDoubtful(before, missing, nowMs),
        updates,
        startedAtMs: unseen.map(({ item }) => ('startDateMs' in item ? item.startDateMs : null)),
        save(changes) {
          known.save(changes, resource, recorded);
          for (const [eventId, sales] of sold) eventSales.set(changes, eventId, sales);
          changes.afterwards(() => {
            const left = [...before.values()].filter((state) => isForgotten(state, shown, missing));
            for (const doubted of [...shown.flatMap((one) => one.doubted ?? []), ...left.flatMap(refutedOf)]) {
              doubtCounts.note(
                doubtsAs(doubted, (field) => ({ resource, field })),
                'answer',
              );
            }
            const toCome = missing.filter(({ answers }) => answers !== undefined);
            currentState.setEntities(resource, [...seen, ...waiting, ...toCome], true);
            if (resource === 'events') currentState.stock.note(eventsIn(seen), nowMs);
          });
        },
      };
    },

    async byNow(nowMs) {
      const events = [...(await currentState.entities('events')).values()];
      const toCome = events.filter(({ answers }) => answers !== undefined);
      const begun = events.filter(({ answers }) => answers === undefined);
      const { updates, changed, seen } = review(begun, await currentState.entities('events'), nowMs);
      return {
        news: [],
        offers: [],
        live: () =>
          seen
            .filter(isListed)
            .map(({ announcement }) => announcement)
            .filter((announcement) => isLive(announcement, nowMs)),
        isDoubtful: null,
        updates,
        startedAtMs: [],
        save(changes) {
          known.save(changes, 'events', changed);
          changes.afterwards(() => currentState.setEntities('events', [...seen, ...toCome], false));
        },
      };
    },
  };
}

/** Marks the records of what is news (`wasNews`). */
function asNews(
  records: ReadonlyMap<string, KnownRecord>,
  news: readonly Announcement[],
): ReadonlyMap<string, KnownRecord> {
  const newsSubjects = new Set(news.map(knownAs));
  return new Map(
    [...records].map(([name, record]) => [name, newsSubjects.has(name) ? { ...record, wasNews: true } : record]),
  );
}

/** Whether an entity is neither shown by an answer nor known after it. */
function isForgotten(state: EntityState, shown: readonly Shown[], missing: readonly EntityState[]): boolean {
  const key = entityKey(state.announcement);
  return !shown.some(({ was }) => was === state) && !missing.some((other) => entityKey(other.announcement) === key);
}

/** The doubts about an entity that is forgotten, all of them as refuted. */
function refutedOf({ doubts }: EntityState): DoubtChanges<string>[] {
  return doubts ? [{ began: [], confirmed: [], refuted: doubtedIn(doubts) }] : [];
}

function eventsIn(states: readonly EntityState[]): DealEvent[] {
  return states.filter(isListed).flatMap(({ announcement }) => eventOf(announcement) ?? []);
}

function eventOf(announcement: Announcement): DealEvent | null {
  return announcement.kind === 'event-started' ? announcement.item : null;
}

/**
 * The sales of each event whose sales changed with an answer, by the event's id. Events that are over are skipped, because
 * their offers leave them without being sold.
 */
function soldIn(
  here: readonly Pick<Shown, 'name' | 'now'>[],
  missing: readonly EntityState[],
  unreadable: Unreadable | undefined,
  before: (eventId: string) => EventSales | undefined,
  sight: Omit<SalesSight, 'isWhole'>,
): Map<string, EventSales> {
  const isRead = (name: string) =>
    unreadable?.fields?.get(name)?.includes('offers') !== true && unreadable?.offers?.get(name) === undefined;
  const shown = here.flatMap(({ name, now }) => eventsIn([now]).map((event) => ({ event, isWhole: isRead(name) })));
  const lacked = eventsIn(missing.filter(({ answers }) => answers === undefined));
  const all = [...shown, ...lacked.map((event) => ({ event, isWhole: false }))];
  const sold = new Map<string, EventSales>();
  for (const { event, isWhole } of all) {
    if (hasEnded(event, sight.nowMs)) continue;
    const was = before(event.id);
    const is = salesAfter(was, event, { ...sight, isWhole });
    if (is !== was) sold.set(event.id, is);
  }
  return sold;
}

function presenceOf({ presence = LISTED }: EntityState): Presence {
  return presence;
}

function isListed(state: EntityState): boolean {
  return presenceOf(state).isListed;
}

/** The records of events' further ids, which are written once a day. */
function otherNames(
  here: readonly Pick<Shown, 'name' | 'now'>[],
  named: ReadonlyMap<string, KnownRecord>,
  nowMs: number,
): [name: string, record: KnownRecord][] {
  return here.flatMap(({ name, now }): [string, KnownRecord][] => {
    const { subject: sameAs } = now.announcement;
    const record = named.get(name);
    if (name === sameAs || (record?.sameAs === sameAs && nowMs - record.lastSeenMs < DAY_MS)) return [];
    return [[name, { firstSeenMs: nowMs, face: '', ...record, lastSeenMs: nowMs, sameAs }]];
  });
}

/**
 * The states of the entities that an answer shows, and of the missing ones that are still remembered.
 * @param named the records by what the answer names
 */
function compared(
  value: readonly Announcement[],
  before: States,
  {
    unreadable,
    named,
    nowMs,
  }: { unreadable: Unreadable | undefined; named: ReadonlyMap<string, KnownRecord>; nowMs: number },
): { shown: Shown[]; missing: EntityState[] } {
  const shownKeys = new Set(value.map(entityKey));
  const lacked = new Map([...before].filter(([key]) => !shownKeys.has(key)));
  const stateNamed = ({ subject }: Announcement) => {
    const sameAs = named.get(subject)?.sameAs;
    return [...lacked.values()].find(({ announcement }) => announcement.subject === sameAs);
  };
  const shown = value.map((says): Shown => {
    const was =
      before.get(entityKey(says)) ??
      stateNamed(says) ??
      [...lacked.values()].find((one) => isAlike(one.gone?.was ?? one.announcement, says));
    if (was) lacked.delete(entityKey(was.announcement));
    const fields = unreadable?.fields?.get(says.subject) ?? [];
    const isUnclear = fields.some((field) => DECIDING.includes(field));
    const lost = unreadable?.offers?.get(says.subject);
    const said = { unreadable: new Set(fields), ...(lost ? { lost } : {}), nowMs };
    return { was, name: says.subject, isUnclear, ...stateAfter(was, says, said) };
  });
  const nameOf = new Map([...named].flatMap(([name, { sameAs }]) => (sameAs ? [[sameAs, name] as const] : [])));
  const absent = [...lacked.values()].map((state) => {
    const { subject } = state.announcement;
    return { state, id: nameOf.get(subject) ?? subject, presence: presenceOf(state) };
  });
  const sights = sightsOfMissing(absent, unreadable);
  const missing = absent.flatMap(({ state, id }) => withoutAnswer(state, sights.get(id) ?? 'missing', nowMs) ?? []);
  return { shown, missing };
}

/** The state of an entity after an answer that shows it. */
function stateAfter(
  was: EntityState | undefined,
  says: Announcement,
  said: Parameters<typeof heardAgain>[2],
): Pick<Shown, 'now' | 'doubted'> {
  if (!was) return { now: { announcement: says, record: undefined, answers: 1 }, doubted: null };
  const presence = presenceAfter(presenceOf(was), 'shown');
  const { heard, doubted } = heardAgain(was, says, said);
  const now = {
    ...heard,
    record: was.record,
    ...(presence === LISTED ? {} : { presence }),
    ...(was.gone && !presence.isListed ? { gone: was.gone } : {}),
    ...(was.answers === undefined ? {} : { answers: was.answers + 1 }),
  };
  return { now, doubted };
}

/**
 * Whether an entity that has begun is taken in, and so is news or known from now on. A new one that is over, or has an
 * unreadable field of `DECIDING`, waits for its third answer, because the first may be wrong.
 */
function isTakenIn(
  { was, now: { announcement, answers = 0 }, isUnclear }: Shown,
  record: KnownRecord | undefined,
  isFirstSight: boolean,
  nowMs: number,
): boolean {
  if (!hasStarted(announcement, nowMs)) return false;
  if (record || isFirstSight || (was && was.answers === undefined)) return true;
  return answers >= DECIDED_AFTER || (!isUnclear && isLive(announcement, nowMs));
}

function takenIn(state: EntityState, record: KnownRecord | undefined): EntityState {
  const { answers: _, ...rest } = state;
  return { ...rest, record };
}

/** Whether an entity that was taken in has another subject and is still the same. */
function isRenamed(was: EntityState | undefined, { announcement }: EntityState): boolean {
  if (!was || was.answers !== undefined || was.announcement.subject === announcement.subject) return false;
  return !isOther(was.announcement, announcement);
}

/** Whether so many live entities are missing for the first time that a second poll should follow soon. */
function isDoubtful(before: States, missing: readonly EntityState[], nowMs: number): boolean {
  const live = [...before.values()].filter(({ announcement }) => isLive(announcement, nowMs));
  const missed = missing.filter((state) => {
    const was = before.get(entityKey(state.announcement));
    return isListed(state) && presenceOf(state).isDoubted && was && !presenceOf(was).isDoubted;
  });
  return isLargeShare(missed.length, live.length);
}

/**
 * Compares entities with their records and their earlier states.
 * @param before the earlier states: after a restart, what is posted may be older than the record
 */
function review(entities: readonly EntityState[], before: States, nowMs: number): Review {
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
    const now: KnownRecord = { ...(record ?? { firstSeenMs: nowMs }), lastSeenMs: nowMs, face };
    result.changed.set(announcement.subject, now);
    result.seen.push({ ...entity, record: now });
  }
  return result;
}

/** The state of an entity that is missing from an answer; null where it is to be forgotten. */
function withoutAnswer(state: EntityState, sight: Sight, nowMs: number): EntityState | null {
  const { announcement, record, gone = { was: announcement, sinceMs: nowMs } } = state;
  const presence = presenceAfter(presenceOf(state), sight);
  if (presence.isListed) return { ...state, presence };
  const ended = state.answers === undefined ? endedBy(announcement, nowMs) : null;
  return ended && { announcement: ended, record, presence, gone };
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
