import { DAY_MS, MINUTE_MS } from '../../shared/time.ts';
import type { ScheduledEventRecord } from './records.ts';
import type { EventTimes, OwnEvent } from './scheduled-events.ts';

/** An event that a server's Events list is to show. All times are epoch milliseconds. */
export interface WantedEvent {
  mark: string;
  /** null where it runs and nothing says since when. */
  startMs: number | null;
  /** null where the end isn't known. */
  endMs: number | null;
  /** Stands for what its entry shows. */
  digest: string;
  /** Whether enough is known of it to make an entry. One that is there stays in any case. */
  isSure: boolean;
  /** The ids of the subscriptions whose filter it passes now. */
  wantedBy: readonly string[];
}

/** What is known of a server's Events list, and what it is to be. */
export interface CalendarView {
  wanted: readonly WantedEvent[];
  /** The marks of events of which it isn't known whether they are wanted: their entries stay as they are. */
  undecided: ReadonlySet<string>;
  records: readonly ScheduledEventRecord[];
  /** Discord's ids of entries that stand there besides those of the records. */
  surplus: readonly string[];
  /**
   * The marks of events whose entry Discord has refused lately, or keeps answering with an error; and Discord's ids of such
   * further entries.
   */
  refused: ReadonlySet<string>;
  /** Whether Discord takes no more entries for now. */
  isFull: boolean;
  /** When the list was last read; null where what stands there isn't known. */
  listedAtMs: number | null;
}

/** The next request, or what is to be forgotten without one. */
export type CalendarStep =
  | { do: 'list' }
  | ({ do: 'create'; mark: string; wantedBy: readonly string[] } & EventTimes)
  | ({ do: 'change'; record: ScheduledEventRecord; hasNewFace: boolean } & EventTimes)
  | { do: 'begin'; record: ScheduledEventRecord }
  | { do: 'end'; record: ScheduledEventRecord }
  | { do: 'remove'; record: ScheduledEventRecord }
  | { do: 'remove-surplus'; id: string }
  | { do: 'forget'; record: ScheduledEventRecord };

/** Discord allows 100 in a server that aren't over: most of them are for the server's own people. */
const MOST_ENTRIES = 25;
/** Discord takes no start that has passed, so an event that runs already gets one this far ahead. */
export const AHEAD_MS = MINUTE_MS;
/** An event that is over sooner than this after its entry's start gets none. */
const LEAST_LASTING_MS = MINUTE_MS;
/** Discord begins an entry at its start by itself. So close to it, nothing else is asked for. */
const ITSELF_WITHIN_MS = 5_000;
/** So long after the start it is looked whether Discord has begun it. */
const BEGUN_AFTER_MS = 30_000;
/** An end that isn't known is this far ahead, and moved on when half of it has passed. */
export const OPEN_END_MS = DAY_MS;
/** What an entry shows is changed at most this often; its times at once. */
export const CHANGED_AFTER_MS = 10 * MINUTE_MS;
/** The list is read again: people change it, too, and a request may arrive late. */
export const LISTED_AGAIN_AFTER_MS = DAY_MS;

/**
 * The next step that brings a server's Events list to what it is to be; null where nothing is to be done now. It follows
 * from levels alone: whatever was missed or done twice, the steps lead to the same list.
 */
export function nextStep(view: CalendarView, nowMs: number): CalendarStep | null {
  const { wanted, records, surplus, refused, listedAtMs } = view;
  if (wanted.length + records.length + surplus.length === 0) return null;
  if (listedAtMs === null || nowMs - listedAtMs > LISTED_AGAIN_AFTER_MS) return { do: 'list' };
  const copy = surplus.find((id) => !refused.has(id));
  if (copy !== undefined) return { do: 'remove-surplus', id: copy };
  const byMark = new Map(wanted.map((one) => [one.mark, one]));
  const outdated = records.filter(({ mark }) => !byMark.has(mark) && !view.undecided.has(mark));
  return (
    first(outdated, (record) => (refused.has(record.mark) ? null : removal(record))) ??
    first(records, (record) => {
      const one = byMark.get(record.mark);
      if (!one || record.isDeclined || refused.has(record.mark)) return null;
      return beginning(one, record, listedAtMs, nowMs) ?? change(one, record, nowMs);
    }) ??
    creation(view, nowMs)
  );
}

function removal(record: ScheduledEventRecord): CalendarStep {
  if (record.isDeclined) return { do: 'forget', record };
  return { do: record.isBegun ? 'end' : 'remove', record };
}

/** What makes Discord show an event as running; null where it does, or is about to. */
function beginning(
  { startMs }: WantedEvent,
  record: ScheduledEventRecord,
  listedAtMs: number,
  nowMs: number,
): CalendarStep | null {
  if (record.isBegun || (startMs !== null && startMs > nowMs)) return null;
  if (nowMs < record.startMs - ITSELF_WITHIN_MS) return { do: 'begin', record };
  const lookAtMs = record.startMs + BEGUN_AFTER_MS;
  if (nowMs < lookAtMs) return null;
  return listedAtMs < lookAtMs ? { do: 'list' } : { do: 'begin', record };
}

function change(one: WantedEvent, record: ScheduledEventRecord, nowMs: number): CalendarStep | null {
  const isToCome = !record.isBegun && (one.startMs ?? 0) >= nowMs + AHEAD_MS;
  const startMs = (isToCome ? one.startMs : null) ?? record.startMs;
  const endMs = one.endMs ?? openEnd(Math.max(startMs, nowMs), record.endMs);
  const isMoved = startMs !== record.startMs || endMs !== record.endMs;
  const hasNewFace = one.digest !== record.digest;
  const isFaceDue = hasNewFace && (record.digest === '' || nowMs - record.changedAtMs >= CHANGED_AFTER_MS);
  return isMoved || isFaceDue ? { do: 'change', record, hasNewFace, startMs, endMs } : null;
}

function creation({ wanted, records, refused, isFull }: CalendarView, nowMs: number): CalendarStep | null {
  if (isFull) return null;
  const known = new Set(records.map(({ mark }) => mark));
  if (records.filter(({ isDeclined }) => !isDeclined).length >= MOST_ENTRIES) return null;
  const soonestFirst = wanted.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0));
  return first(soonestFirst, (one) => {
    if (!one.isSure || known.has(one.mark) || refused.has(one.mark)) return null;
    const startMs = Math.max(one.startMs ?? 0, nowMs + AHEAD_MS);
    const endMs = one.endMs ?? startMs + OPEN_END_MS;
    if (endMs - startMs < LEAST_LASTING_MS) return null;
    return { do: 'create', mark: one.mark, wantedBy: one.wantedBy, startMs, endMs };
  });
}

/** The end of an entry whose event has no known one: the one that it has, while that is neither near nor too far. */
function openEnd(fromMs: number, hasMs: number): number {
  const aheadMs = hasMs - fromMs;
  return aheadMs >= OPEN_END_MS / 2 && aheadMs <= OPEN_END_MS + AHEAD_MS ? hasMs : fromMs + OPEN_END_MS;
}

function first<T>(items: readonly T[], stepOf: (item: T) => CalendarStep | null): CalendarStep | null {
  for (const item of items) {
    const step = stepOf(item);
    if (step) return step;
  }
  return null;
}

/** What a list that was just read says of the records. */
export interface Reconciled {
  /** The records that are new or changed. */
  changed: ScheduledEventRecord[];
  forgotten: ScheduledEventRecord[];
  /** Discord's ids of further entries for an event that has one. */
  surplus: string[];
  /** The marks of entries that stand there although Discord has just answered that they don't. */
  contradicted: string[];
}

/**
 * Compares a server's records with its list: what the bot has made and does not know of is adopted, of two for one event
 * the older one counts. An entry that is missing in the list is a moderator's doing once Discord has denied it, too.
 * @param denied the marks of entries of which Discord has answered that they don't exist or are over
 */
export function reconcile(
  guildId: string,
  {
    records,
    events,
    denied,
  }: { records: readonly ScheduledEventRecord[]; events: readonly OwnEvent[]; denied: ReadonlySet<string> },
  nowMs: number,
): Reconciled {
  const byId = new Map(events.map((event) => [event.id, event]));
  const marks = new Set(events.map(({ mark }) => mark));
  const recorded = new Set(records.map(({ id }) => id));
  const result: Reconciled = { changed: [], forgotten: [], surplus: [], contradicted: [] };
  const taken = new Set(records.filter(({ id, isDeclined }) => byId.has(id) || isDeclined).map(({ mark }) => mark));
  for (const record of records) {
    const event = byId.get(record.id);
    const isDenied = denied.has(record.mark);
    if (event && isDenied) result.contradicted.push(record.mark);
    if (event) {
      const isBack = record.isDeclined || event.isBegun !== record.isBegun;
      if (isBack) result.changed.push({ ...record, isBegun: event.isBegun, isDeclined: false });
    } else if (record.isDeclined) continue;
    // Discord ends an entry at its end by itself.
    else if (record.endMs <= nowMs) result.forgotten.push(record);
    else if (isDenied && !marks.has(record.mark)) result.changed.push({ ...record, isDeclined: true });
  }
  for (const { id, mark, isBegun, startMs, endMs } of events.toSorted((a, b) => compareIds(a.id, b.id))) {
    if (mark === null || recorded.has(id)) continue;
    if (taken.has(mark)) result.surplus.push(id);
    else {
      taken.add(mark);
      const known = { guildId, mark, id, startMs, endMs, isBegun };
      const unknown = { digest: '', wantedBy: [], isDeclined: false, madeAtMs: nowMs, changedAtMs: nowMs };
      result.changed.push({ ...known, ...unknown });
    }
  }
  return result;
}

/** Ids are numbers that grow with time. */
function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}
