import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CatalogContent, type FeedContent, type FeedName, keepText } from './content.ts';
import { recordedItemId, recordedOffer } from './recorded-offer.ts';

export interface RecordedOptions {
  /** Holds `feeds/<Name>.json`, `events.json`, `dealcasts.json`, `polls.json`, `monkeychats.json`; any may be missing. */
  directory: string;
  /** Epoch milliseconds to which the newest StartDate is moved; every other date moves by the same amount. */
  freshAtMs?: number;
}

/** A recorded answer cannot be read. */
class RecordingError extends Error {}

const LISTS = ['events.json', 'dealcasts.json', 'polls.json', 'monkeychats.json'] as const;

interface Recording {
  version: string;
  value: object;
}

/** Serves recorded answers exactly as they were recorded. Changed and new files are picked up. */
export function createRecorded({ directory, freshAtMs }: RecordedOptions): CatalogContent {
  const recordings = new Map<string, Recording>();
  const shiftMs = freshAtMs === undefined ? 0 : shiftTo(freshAtMs, [...feedFiles(directory), ...LISTS].map(pathOf));

  function pathOf(file: string): string {
    return join(directory, file);
  }

  function read<T extends object>(file: string, isKind: (value: unknown) => value is T): T | undefined {
    const stats = statSync(pathOf(file), { throwIfNoEntry: false });
    if (!stats) return undefined;
    const version = `${stats.mtimeMs} ${stats.size}`;
    const known = recordings.get(file);
    if (known?.version === version && isKind(known.value)) return known.value;
    const text = moveDates(readFileSync(pathOf(file), 'utf8'), shiftMs);
    const value = parse(file, text);
    if (!isKind(value)) throw new RecordingError(`The recording ${file} doesn't have the expected content.`);
    recordings.set(file, { version, value: keepText(value, text) });
    return value;
  }

  const list = (file: (typeof LISTS)[number]) => read(file, isList) ?? EMPTY;
  const feedItems = () => feedFiles(directory).flatMap((file) => itemsOf(read(file, isFeed)));

  function feed(name: FeedName): FeedContent {
    const file = feedFiles(directory).find((known) => known.toLowerCase() === `feeds/${name}.json`.toLowerCase());
    const whole = file === undefined ? undefined : read(file, isFeed);
    const marketingName = whole && 'MarketingName' in whole ? String(whole.MarketingName) : name;
    return { marketingName, items: itemsOf(whole), ...(whole && { asItStands: whole }) };
  }

  return {
    at: () => ({
      feed,
      offer(id) {
        const item = feedItems().find((candidate) => recordedItemId(candidate) === id);
        return item && recordedOffer(item);
      },
      events: () => list('events.json'),
      event: (id) => list('events.json').find((event) => idOf(event) === id),
      eventOffer: (id) =>
        list('events.json')
          .flatMap(offersOf)
          .find((offer) => idOf(offer) === id),
      dealcasts: () => list('dealcasts.json'),
      polls: () => list('polls.json'),
      monkeychats: () => list('monkeychats.json'),
    }),
  };
}

const EMPTY: readonly object[] = [];

function feedFiles(directory: string): string[] {
  try {
    return readdirSync(join(directory, 'feeds'))
      .filter((file) => file.endsWith('.json'))
      .map((file) => `feeds/${file}`);
  } catch {
    // Without a folder `feeds` there are no feeds. The start has checked that `directory` itself exists.
    return [];
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RecordingError(`The recording ${file} is not JSON.`, { cause });
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isList = (value: unknown): value is object[] => Array.isArray(value) && value.every(isObject);
/** Feeds are recorded as a page, or as a bare list of items. */
const isFeed = (value: unknown): value is object => isList(value) || (isObject(value) && !Array.isArray(value));

function itemsOf(feed: object | undefined): readonly object[] {
  if (isList(feed)) return feed;
  return feed && 'Items' in feed && isList(feed.Items) ? feed.Items : EMPTY;
}

function offersOf(event: object): readonly object[] {
  return 'Offers' in event && isList(event.Offers) ? event.Offers : EMPTY;
}

function idOf(value: object): string | undefined {
  return 'Id' in value && typeof value.Id === 'string' ? value.Id.toLowerCase() : undefined;
}

const DATE = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?"/g;
const START_DATE = /"StartDate"\s*:\s*"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?"/g;

/**
 * Milliseconds from the newest StartDate in those files to `nowMs`, rounded down to whole seconds; 0 when there is
 * none.
 */
function shiftTo(nowMs: number, paths: readonly string[]): number {
  const startsMs = paths
    .filter((path) => statSync(path, { throwIfNoEntry: false }))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(START_DATE)])
    .map(([, date, zone = 'Z']) => Date.parse(`${date}${zone}`));
  const newestMs = startsMs.reduce((newest, startMs) => Math.max(newest, startMs), Number.NEGATIVE_INFINITY);
  return Number.isFinite(newestMs) ? Math.floor((nowMs - newestMs) / 1000) * 1000 : 0;
}

/** Moves every string that is a date and time by `shiftMs`; its form, fraction and zone stay as they are. */
function moveDates(text: string, shiftMs: number): string {
  if (shiftMs === 0) return text;
  return text.replace(DATE, (whole, date: string, fraction = '', zone = '') => {
    const movedMs = Date.parse(`${date}Z`) + shiftMs;
    return Number.isFinite(movedMs) ? `"${new Date(movedMs).toISOString().slice(0, 19)}${fraction}${zone}"` : whole;
  });
}
