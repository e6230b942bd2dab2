import { isDeepStrictEqual } from 'node:util';
import { readLook } from '../deals/look.ts';
import type { Subscription } from '../deals/subscription.ts';
import { personAt } from '../deals/watch.ts';
import { rowReader } from './rows.ts';

// A row is a subscription without what most subscriptions have in common: it takes half the room so, and is read in two
// thirds of the time.

/** A new optional field has to be listed here, and read in `completed`. */
type LeftOut = Required<
  Omit<
    Subscription,
    | 'version'
    | 'id'
    | 'guildId'
    | 'channelId'
    | 'source'
    | 'kinds'
    | 'watch'
    | 'look'
    | 'createdBy'
    | 'createdAtMs'
    | 'changedAtMs'
  >
>;

/** Rows leave these values out. Stored rows rely on them, so they stay as they are when the defaults of new subscriptions change. */
const LEFT_OUT: LeftOut = {
  target: 'channel',
  filter: '',
  priceDropPercent: 10,
  timing: { mode: 'at-once', dailyAtMinute: 540, timeZone: 'UTC', quiet: null },
  mostPerHour: 30,
  mentionRoleId: null,
  isPublished: false,
  tagIds: [],
  catchUp: 0,
  problem: null,
  pausedBy: null,
};

/** Rows of subscriptions to feeds leave these kinds out as well. Stored rows rely on them, too. */
const KINDS_OF_FEED: Subscription['kinds'] = ['new-offer', 'relisted', 'restocked', 'price-drop'];

/** The row of a subscription. */
export function rowOf(subscription: Subscription): unknown {
  const leftOut: Readonly<Record<string, unknown>> =
    subscription.source.kind === 'feed' ? { ...LEFT_OUT, kinds: KINDS_OF_FEED } : LEFT_OUT;
  const kept = Object.entries(subscription).filter(
    ([name, value]) => !(name in leftOut) || !isDeepStrictEqual(value, leftOut[name]),
  );
  return Object.fromEntries(kept);
}

type Kept = Omit<Subscription, keyof LeftOut | 'kinds'> & Partial<Subscription>;

const readKept = rowReader<Kept>([3], {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  source: 'object',
  createdAtMs: 'number',
});

const readWhole = rowReader<Subscription>([3], {
  kinds: 'list',
  filter: 'string',
  timing: 'object',
  mostPerHour: 'number',
  tagIds: 'list',
});

const readWatching = rowReader<Subscription>([3], { watch: 'object' });

/** undefined where the row is malformed. A look that can't be read is the server's. */
export function readSubscription(row: unknown): Subscription | undefined {
  const kept = readKept(row);
  return kept && readWhole(completed(kept));
}

/** A row of the table of watches: without what it watches, it would match far more than the person wants. */
export function readWatch(row: unknown): Subscription | undefined {
  const watch = readWatching(readSubscription(row));
  return watch && personAt(watch.guildId) !== null ? watch : undefined;
}

/** The function names each field, because to copy whatever there is takes sixty times as long. */
function completed(row: Kept): Subscription | undefined {
  const { version, id, guildId, channelId, source, createdBy, createdAtMs, watch, look, changedAtMs } = row;
  const kinds = row.kinds === undefined && source.kind === 'feed' ? KINDS_OF_FEED : row.kinds;
  if (kinds === undefined) return undefined;
  const {
    target = LEFT_OUT.target,
    filter = LEFT_OUT.filter,
    priceDropPercent = LEFT_OUT.priceDropPercent,
    timing = LEFT_OUT.timing,
    mostPerHour = LEFT_OUT.mostPerHour,
    mentionRoleId = LEFT_OUT.mentionRoleId,
    isPublished = LEFT_OUT.isPublished,
    tagIds = LEFT_OUT.tagIds,
    catchUp = LEFT_OUT.catchUp,
    problem = LEFT_OUT.problem,
    pausedBy = LEFT_OUT.pausedBy,
  } = row;
  const subscription: Subscription = {
    version,
    id,
    guildId,
    channelId,
    target,
    source,
    kinds,
    filter,
    priceDropPercent,
    timing,
    mostPerHour,
    mentionRoleId,
    isPublished,
    tagIds,
    createdBy,
    createdAtMs,
    catchUp,
    problem,
    pausedBy,
  };
  if (watch) subscription.watch = watch;
  if (look) subscription.look = readLook(look);
  if (changedAtMs !== undefined) subscription.changedAtMs = changedAtMs;
  return subscription;
}
