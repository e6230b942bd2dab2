import { createHash } from 'node:crypto';
import { newSubscription } from '../../announcements/kinds/of-source.ts';
import { isSameRequest } from '../../deals/same-request.ts';
import type { Setting } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { SubscriptionChanges, SubscriptionStore } from '../../store/subscriptions.ts';
import { type Entry, entryOf, type FileSettings } from './entry.ts';
import type { Wanted, WantedServer } from './schema.ts';

/** The changes to the subscriptions of the servers that a file names. Those of other servers stay as they are. */
export interface Plan {
  added: Subscription[];
  changed: PlannedChange[];
  removed: Subscription[];
  unchanged: Subscription[];
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  /**
   * Names what would be done, whenever it is computed: two plans with the same digest do the same to the same
   * subscriptions.
   */
  digest: string;
}

export interface PlannedChange {
  before: Subscription;
  after: Subscription;
  /** The settings that differ, by their names in files. */
  fields: string[];
}

export interface PlanOptions {
  nowMs: number;
  /** The person who adds subscriptions; '' where nobody on Discord does. */
  createdBy: string;
  newId: () => string;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  stored: Pick<SubscriptionStore, 'ofGuild' | 'get'>;
}

/** The changes to the subscriptions of one server. */
export interface ServerPlan extends Pick<Plan, 'added' | 'changed' | 'removed' | 'unchanged'> {
  guildId: string;
  /** The server's subscriptions when this was planned. */
  own: readonly Subscription[];
  /** null where nothing is changed. */
  digest: string | null;
}

/**
 * Compares a file with the stored subscriptions. An entry stands for the subscription of its id; where it has none, or
 * that is gone, for one with the same channel and source, one with the same settings first. A subscription that no
 * entry stands for is removed. One that moves to another channel is removed and added, so that what waits for the old
 * channel is dropped.
 */
export function planOf(servers: readonly WantedServer[], options: PlanOptions): Plan {
  return planFrom(
    servers.map((server) => planOfServer(server, options)),
    options,
  );
}

/** The part of `planOf` for one server. */
export function planOfServer({ guildId, subscriptions }: WantedServer, options: PlanOptions): ServerPlan {
  const { nowMs, createdBy, newId, settings, stored } = options;
  const own = stored.ofGuild(guildId);
  const plan: Omit<ServerPlan, 'digest'> = { guildId, own, added: [], changed: [], removed: [], unchanged: [] };
  const matches = matchesOf(subscriptions, own, settings);
  for (const wanted of subscriptions) {
    const before = matches.get(wanted);
    if (!before) {
      // One of another server, or of a person, stays theirs.
      const id = wanted.id !== null && !stored.get(wanted.id) ? wanted.id : newId();
      plan.added.push(added(wanted, own, { id, guildId, createdBy, createdAtMs: nowMs }, settings));
      continue;
    }
    const after = { ...withSettings(before, wanted.settings, settings), changedAtMs: nowMs };
    const fields = differing(entryOf(before, settings), entryOf(after, settings));
    if (fields.length === 0) plan.unchanged.push(before);
    else plan.changed.push({ before, after, fields });
  }
  const kept = new Set(matches.values());
  plan.removed.push(...own.filter((subscription) => !kept.has(subscription)));
  return { ...plan, digest: digestOf(plan, settings) };
}

/** The plan for all servers of which these are the parts. */
export function planFrom(parts: readonly ServerPlan[], { settings }: Pick<PlanOptions, 'settings'>): Plan {
  const plan: Omit<Plan, 'digest'> = { added: [], changed: [], removed: [], unchanged: [], settings };
  for (const { added, changed, removed, unchanged } of parts) {
    plan.added.push(...added);
    plan.changed.push(...changed);
    plan.removed.push(...removed);
    plan.unchanged.push(...unchanged);
  }
  return { ...plan, digest: hashOf(parts.flatMap(({ digest }) => digest ?? [])) };
}

/** Whether a server's subscriptions are what they were when this was planned. */
export function isCurrent({ guildId, own }: ServerPlan, { stored }: Pick<PlanOptions, 'stored'>): boolean {
  const now = stored.ofGuild(guildId);
  return now.length === own.length && now.every((subscription, index) => subscription === own[index]);
}

/** Whether the plan does anything. */
export const isEmpty = ({ added: a, changed: c, removed: r }: Plan) => a.length + c.length + r.length === 0;

/** The channels in which a plan changes what is posted, each with its server. */
export function channelsOf({ added: a, changed: c, removed: r }: Plan): Map<string, string> {
  return new Map([...a, ...c.map(({ before }) => before), ...r].map(({ channelId, guildId }) => [channelId, guildId]));
}

function matchesOf(
  subscriptions: readonly Wanted[],
  own: readonly Subscription[],
  all: readonly Setting[],
): Map<Wanted, Subscription> {
  const matches = new Map<Wanted, Subscription>();
  const taken = new Set<Subscription>();
  const match = (isMatch: (wanted: Wanted, candidate: Subscription) => boolean) => {
    for (const wanted of subscriptions.filter((one) => !matches.has(one))) {
      const found = own.find((candidate) => !taken.has(candidate) && isMatch(wanted, candidate));
      if (!found) continue;
      matches.set(wanted, found);
      taken.add(found);
    }
  };
  const inPlace = ({ settings }: Wanted, { channelId }: Subscription) => settings.channelId === channelId;
  match((wanted, candidate) => wanted.id === candidate.id && inPlace(wanted, candidate));
  match((wanted, candidate) => isSameRequest(wanted.settings, candidate, all));
  match((wanted, candidate) => inPlace(wanted, candidate) && sourceText(wanted.settings) === sourceText(candidate));
  return matches;
}

const sourceText = ({ source }: Pick<FileSettings, 'source'>) => JSON.stringify(sourceWithSortedLists(source));

function sourceWithSortedLists(source: FileSettings['source']): FileSettings['source'] {
  if (source.kind !== 'events') return source;
  return { ...source, types: source.types.toSorted(), sites: source.sites.toSorted() };
}

function added(
  { settings, catchUp }: Wanted,
  own: readonly Subscription[],
  given: Pick<Subscription, 'id' | 'guildId' | 'createdBy' | 'createdAtMs'>,
  all: readonly Setting[],
): Subscription {
  const { channelId, source } = settings;
  const neighbour = own.find((other) => other.channelId === channelId);
  const target = neighbour?.target ?? 'channel';
  return withSettings({ ...newSubscription({ ...given, channelId, source, catchUp }), target }, settings, all);
}

/** The bot's own notes of a subscription stay. */
function withSettings(
  before: Subscription,
  { isPaused, target, ...settings }: FileSettings,
  all: readonly Setting[],
): Subscription {
  // A channel that is gone is not back because a file doesn't pause its subscription.
  const kept = all.flatMap((one) =>
    one.kind === 'field' && one.inFiles.kept
      ? [[one.field, one.inFiles.kept(settings[one.field], before[one.field])] as const]
      : [],
  );
  const unpaused = before.pausedBy === 'gone' ? before.pausedBy : null;
  return {
    ...before,
    ...settings,
    ...Object.fromEntries(kept),
    target: target ?? before.target,
    pausedBy: isPaused ? 'person' : unpaused,
  };
}

function differing(before: Entry, after: Entry): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}

function digestOf({ added: a, changed: c, removed: r }: Omit<ServerPlan, 'digest'>, settings: readonly Setting[]) {
  if (a.length + c.length + r.length === 0) return null;
  const written = (one: Subscription) => entryOf(one, settings);
  return hashOf([
    a.map((one) => [one.guildId, written(one), one.catchUp]),
    c.map(({ before, after }) => [before.id, written(before), written(after)]),
    r.map((one) => [one.id, written(one)]),
  ]);
}

const hashOf = (what: unknown) => createHash('sha256').update(JSON.stringify(what)).digest('base64url').slice(0, 16);

/** The plan's writes. A subscription that moves to another channel is among the removed and the added ones. */
export function changesOf({ added: a, changed: c, removed: r }: Plan): SubscriptionChanges {
  return { saved: [...a, ...c.map(({ after }) => after)], removed: r.map(({ id }) => id) };
}
