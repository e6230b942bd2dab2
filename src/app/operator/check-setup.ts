import { setMaxListeners } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Catalog, QuotaStatus } from '../../catalog/catalog.ts';
import { CatalogHttpError } from '../../catalog/errors.ts';
import { createCatalog } from '../../catalog/index.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { connect } from '../../discord/client.ts';
import { createTranslators, translatorFor } from '../../discord/i18n/translator.ts';
import { inspectAccount, nameOf, problemOfChannel } from '../../discord/inspect.ts';
import { amount } from '../../shared/amount.ts';
import { type Clock, within } from '../../shared/clock.ts';
import { AppError, StateInUseError, StoreError } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import { openSpending } from '../../store/catalog-records.ts';
import { STATE_VERSION } from '../../store/migrations.ts';
import { beginState, type OpenedState, openState, readAbout } from '../../store/open-state.ts';
import { type FeatureStores, openOfFeatures, openSubscriptionsOf } from '../../store/store.ts';
import { type Lease, takeLease } from '../../store/table/lease.ts';
import { isOnServer, isThere, placeOf } from '../../store/table/state-place.ts';
import type { Config } from '../config.ts';
import { envFileRead } from '../env-file.ts';
import type { Feature } from '../feature.ts';
import { clockCheck, type SetupCheck } from '../setup-report.ts';
import { checkBackupFolder, checkPorts, folderOnTheWayTo } from './check-places.ts';

/** How long all checks may take, in milliseconds: what has not answered by then has failed. */
const CHECKED_WITHIN_MS = 24_000;
/** How long closing the catalog, and then giving the state back, may take after that: half a minute holds it all. */
const CLEANED_WITHIN_MS = 2_000;
/** The most channels that are named one by one. */
const MOST_NAMED = 10;

/** The state, as far as the other checks need it. */
interface CheckedState {
  check: SetupCheck;
  /** null where no request may be made, because nobody would count it. */
  opened: OpenedState | null;
  /** Whether a running Dealbell uses it. */
  isInUse: boolean;
  subscriptions: readonly Subscription[];
  /** Of features. */
  stores: Partial<FeatureStores>;
}

type Wanted = Pick<CheckedState, 'subscriptions' | 'stores'>;

/**
 * Checks everything that a start needs, within half a minute. Makes one request to v2 and one for each feed to the portal,
 * where they have a key, which count as the day's; logs in to Discord once, and posts nothing. Changes nothing in the
 * state but that count.
 */
export async function checkSetup(
  config: Config,
  clock: Clock,
  features: readonly Feature[] = [],
): Promise<SetupCheck[]> {
  const settings: SetupCheck = { part: 'settings', result: 'ok', detail: `Every setting is valid. ${envFileRead()}` };
  const limit = new AbortController();
  // Each feed listens to it: Node would warn of a leak where there is none.
  setMaxListeners(0, limit.signal);
  const callOff = clock.after(CHECKED_WITHIN_MS, () => limit.abort(new Error('The check-up takes too long.')));
  const parts = { config, features, clock, signal: limit.signal };
  try {
    return await withState(parts, async ({ check, opened, isInUse, ...wanted }) => {
      const [ports, catalog, discord] = await Promise.all([
        checkPorts(config, isInUse),
        checkCatalog(parts, opened, wanted),
        checkDiscord(parts, wanted),
      ]);
      return [settings, check, checkBackupFolder(config), ...ports, ...catalog, ...discord];
    });
  } finally {
    callOff();
  }
}

interface CheckParts {
  config: Config;
  features: readonly Feature[];
  clock: Clock;
  /** Aborts when the time is up. */
  signal: AbortSignal;
}

/** Settles as `work` does, or with what `late` returns where the signal aborts first. */
function unlessLate<R>(signal: AbortSignal, work: Promise<R>, late: () => R): Promise<R> {
  const ended = new Promise<R>((resolve) => {
    if (signal.aborted) resolve(late());
    else signal.addEventListener('abort', () => resolve(late()), { once: true });
  });
  return Promise.race([work, ended]);
}

/**
 * Runs checks of a part one after another. Where they are not through in time, what was found until then counts, and a
 * failure that says so.
 */
async function inTime(
  part: SetupCheck['part'],
  signal: AbortSignal,
  run: (checks: SetupCheck[]) => Promise<void>,
  late: () => string,
): Promise<SetupCheck[]> {
  const checks: SetupCheck[] = [];
  const isThrough = await unlessLate(
    signal,
    run(checks).then(() => true),
    () => false,
  );
  // Copied: what is not through goes on.
  return isThrough ? checks : [...checks, { part, result: 'failed', detail: late() }];
}

/**
 * Opens the state for `run`, with its lease where nobody has it. Where there is no state yet and no request has to be
 * counted, `run` gets a temporary state in a folder beside it instead, so that the check leaves none behind.
 */
async function withState<R>(parts: CheckParts, run: (state: CheckedState) => Promise<R>): Promise<R> {
  const { stateUrl, catalog } = parts.config;
  let standIn: string | null = null;
  try {
    if (catalog.v2.address === null && catalog.portal.address === null) standIn = standInFolder(stateUrl);
    return await withOpened(parts, standIn === null ? stateUrl : `sqlite://${join(standIn, 'state')}`, run);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return await run({ ...UNOPENED, check: failed('state', error) });
  } finally {
    if (standIn !== null) rmSync(standIn, { recursive: true, force: true });
  }
}

const UNOPENED = { opened: null, isInUse: false, subscriptions: [], stores: {} } as const;

/** A new folder in the nearest one that exists on the way to the state's file; null where there is a state. */
function standInFolder(stateUrl: string): string | null {
  const file = resolve(placeOf(stateUrl));
  if (isOnServer(stateUrl) || isThere(file)) return null;
  try {
    return folderOnTheWayTo(dirname(file));
  } catch (cause) {
    throw new StoreError(`${dirname(file)} can't be written. Set STATE_URL to another path.`, { cause });
  }
}

/** @param openedUrl the state that is opened; the settings' one names it for people */
async function withOpened<R>(
  parts: CheckParts,
  openedUrl: string,
  run: (state: CheckedState) => Promise<R>,
): Promise<R> {
  const { config, clock, signal } = parts;
  const opened = openState(openedUrl);
  const taking = takeState(opened, parts);
  async function giveBack(): Promise<void> {
    const { lease } = await taking;
    await lease?.release().catch(() => undefined);
    await opened.backend.close();
  }
  try {
    const late = {
      part: 'state',
      result: 'failed',
      detail: `${placeOf(config.stateUrl)} has not answered in time.`,
    } as const;
    const { checked } = await unlessLate(signal, taking, () => ({
      checked: { ...UNOPENED, check: late },
      lease: null,
    }));
    return await run(checked);
  } finally {
    // A database that doesn't answer is left to the end of the process.
    await within(clock, CLEANED_WITHIN_MS, giveBack()).catch(() => undefined);
  }
}

async function takeState(
  opened: OpenedState,
  { config: { stateUrl }, features, clock, signal }: CheckParts,
): Promise<{ checked: CheckedState; lease: Lease | null }> {
  let wanted: Wanted = { subscriptions: [], stores: {} };
  try {
    const checked = await readState(opened, stateUrl, features);
    wanted = checked;
    const lease = await takeLease(opened.backend.lease, {
      clock,
      log: createLog('silent'),
      signal,
      onLost: () => undefined,
    });
    // The requests are counted in it.
    if (!(await readAbout(opened))) await beginState(opened.state, '');
    return { checked: { ...checked, opened }, lease };
  } catch (error) {
    const isInUse = error instanceof StateInUseError;
    const check: SetupCheck = isInUse
      ? { part: 'state', result: 'ok', detail: `${placeOf(stateUrl)} is in use by a running Dealbell.` }
      : failed('state', error);
    return { checked: { ...wanted, check, opened: null, isInUse }, lease: null };
  }
}

/** @throws StoreError where the state can't be read */
async function readState(opened: OpenedState, stateUrl: string, features: readonly Feature[]): Promise<CheckedState> {
  const about = await readAbout(opened);
  const place = placeOf(stateUrl);
  const isCurrent = about?.version === STATE_VERSION;
  const records = features.flatMap((feature) => feature.records ?? []);
  const subscriptions = isCurrent ? (await openSubscriptionsOf(opened.state, records)).ofServers() : [];
  const stores = isCurrent ? await openOfFeatures(opened.state, records) : {};
  const content = isCurrent
    ? `It holds ${amount(subscriptions.length, 'subscription')}.`
    : 'The next start converts it.';
  const detail = `${place} can be written. ${about ? content : 'It is new.'}`;
  return { ...UNOPENED, check: { part: 'state', result: 'ok', detail }, subscriptions, stores };
}

function failed(part: SetupCheck['part'], error: unknown): SetupCheck {
  const detail = error instanceof AppError ? error.message : `It failed unexpectedly (${errorName(error)}).`;
  return { part, result: 'failed', detail };
}

/** An unknown error's message could hold anything, a key included. */
const errorName = (error: unknown) =>
  error instanceof Error ? [error.name, 'code' in error ? String(error.code) : ''].join(' ').trim() : typeof error;

/** Asks each interface that has a key, in the state's account: v2 once, the portal for each feed. */
async function checkCatalog(
  { config, clock, signal }: CheckParts,
  opened: OpenedState | null,
  { subscriptions }: Wanted,
): Promise<SetupCheck[]> {
  const { v2, portal, feeds } = config.catalog;
  const sides = { portal, v2 } as const;
  const asked = (['portal', 'v2'] as const).filter((part) => sides[part].address !== null);
  const skipped = (part: 'v2' | 'portal', detail: string): SetupCheck => ({ part, result: 'skipped', detail });
  const unset = (['portal', 'v2'] as const).filter((part) => !asked.includes(part));
  const rest = unset.map((part) => skipped(part, NOT_SET[part]));
  if (asked.length === 0) return rest;
  if (!opened) {
    const uncounted = 'Not asked: the request could not be counted. /healthz of the running Dealbell tells.';
    return [...asked.map((part) => skipped(part, uncounted)), ...rest];
  }
  const side = ({ address, limits }: typeof v2) => ({ ...(address ?? NEVER_ASKED), ...limits });
  const spending = openSpending(opened.state);
  const catalog = createCatalog({ v2: side(v2), portal: side(portal), clock, log: createLog('silent'), spending });
  const followed = subscriptions
    .filter(isActive)
    .flatMap(({ source }) => (source.kind === 'feed' ? [source.feed] : []));
  const names = [...new Map([...feeds, ...followed].map((name) => [name.toLowerCase(), name])).values()];
  try {
    const checks = await Promise.all(
      asked.map((part) => (part === 'portal' ? checkFeeds(catalog, names, signal) : checkPolls(catalog, signal))),
    );
    return [...checks.flat(), ...rest];
  } finally {
    await within(clock, CLEANED_WITHIN_MS, catalog.close()).catch(() => undefined);
  }
}

const usedToday = ({ spent, limit }: QuotaStatus) => `Requests used today: ${spent} of ${limit}.`;
const FRESH = { lane: 'interactive', maxAgeMs: 0 } as const;

/** Asks for each feed, the first one alone: a key that doesn't work is tried once. */
function checkFeeds(catalog: Catalog, names: readonly string[], signal: AbortSignal): Promise<SetupCheck[]> {
  const [first = '', ...others] = names;
  const unknown: string[] = [];
  let answered = 0;
  let offers = 0;
  async function ask(name: string): Promise<void> {
    try {
      offers += (await catalog.feeds.get(name, { ...FRESH, signal })).value.offers.length;
    } catch (error) {
      if (!(error instanceof CatalogHttpError && error.isUnknown)) throw error;
      unknown.push(name);
    }
    answered += 1;
  }
  async function askAll(checks: SetupCheck[]): Promise<void> {
    const errors: unknown[] = [];
    const noting = (error: unknown) => void errors.push(error);
    await ask(first).catch(noting);
    if (errors.length === 0) await Promise.all(others.map((name) => ask(name).catch(noting)));
    const found = `${amount(answered - unknown.length, 'feed')} with ${amount(offers, 'offer')}`;
    const [error] = errors;
    if (error === undefined || answered > 0) {
      const detail = `The key works: the catalog has ${found}. ${usedToday(catalog.quota().portal)}`;
      checks.push({ part: 'portal', result: 'ok', detail });
    }
    if (error !== undefined) checks.push(failed('portal', error));
    for (const name of unknown) {
      const remedy = 'Correct CATALOG_FEEDS, and the subscriptions that follow it.';
      checks.push({ part: 'portal', result: 'failed', detail: `The catalog has no feed named ${name}. ${remedy}` });
    }
  }
  const late = () => `The catalog has answered for ${answered} of ${amount(names.length, 'feed')} in time.`;
  return inTime('portal', signal, askAll, late);
}

function checkPolls(catalog: Catalog, signal: AbortSignal): Promise<SetupCheck[]> {
  async function ask(checks: SetupCheck[]): Promise<void> {
    try {
      const polls = (await catalog.polls.list({ ...FRESH, signal })).value.length;
      const detail = `The key works: the catalog has ${amount(polls, 'poll')}. ${usedToday(catalog.quota().v2)}`;
      checks.push({ part: 'v2', result: 'ok', detail });
    } catch (error) {
      checks.push(failed('v2', error));
    }
  }
  return inTime('v2', signal, ask, () => 'The catalog has not answered in time.');
}

const NOT_SET = {
  portal: "Nothing to check: CATALOG_PORTAL_URL isn't set.",
  v2: "Nothing to check: CATALOG_V2_URL isn't set.",
} as const;
/** Stands in for the interface without an address; nothing is asked there. */
const NEVER_ASKED = { url: 'http://127.0.0.1:9', key: 'none' };

/** Logs in, and looks at each channel with a subscription. */
async function checkDiscord(
  { config: { discordRate, discord }, features, clock, signal }: CheckParts,
  { subscriptions, stores }: Wanted,
): Promise<SetupCheck[]> {
  const { token, api } = discord;
  if (token === null) {
    return [{ part: 'discord', result: 'skipped', detail: "Nothing to check: DISCORD_TOKEN isn't set." }];
  }
  let problem = 'Discord has not answered in time.';
  async function look(checks: SetupCheck[], accepted: string): Promise<void> {
    const client = await connect({
      token: accepted,
      api,
      requestsPerSecond: discordRate,
      clock,
      log: createLog('silent'),
      signal,
      onProblem: (sentence) => {
        problem = sentence ?? problem;
      },
      onRefused: () => undefined,
    });
    try {
      const { name, servers, aheadMs } = await inspectAccount(client, clock);
      const detail = `The token and the intents are accepted: ${name}, in ${amount(servers, 'server')}.`;
      checks.push({ part: 'discord', result: 'ok', detail }, clockCheck(aheadMs));
      checks.push(
        ...(await checkChannels(client, subscriptions)),
        ...checkFeatures(client, { subscriptions, stores }, features),
      );
    } finally {
      await client.destroy();
    }
  }
  const run = (checks: SetupCheck[]) =>
    look(checks, token).catch((error: unknown) => {
      // What is called off is late.
      if (!signal.aborted) checks.push(failed('discord', error));
    });
  return inTime('discord', signal, run, () => problem);
}

/** One check for each channel where the bot can't post, and one for all others. */
async function checkChannels(
  client: Parameters<typeof problemOfChannel>[0],
  subscriptions: readonly Subscription[],
): Promise<SetupCheck[]> {
  const wanted = new Map(subscriptions.filter(isActive).map((one) => [one.channelId, one]));
  if (wanted.size === 0) {
    return [{ part: 'channel', result: 'skipped', detail: 'Nothing to check: no channel is subscribed.' }];
  }
  const checks: SetupCheck[] = [];
  const well: string[] = [];
  for (const [channelId, subscription] of wanted) {
    const problem = await problemOfChannel(client, subscription);
    const server = nameOf(client, subscription.guildId) ?? `server ${subscription.guildId}`;
    const where = `${nameOf(client, channelId) ?? `Channel ${channelId}`} in ${server}`;
    if (problem === null) well.push(where);
    else checks.push({ part: 'channel', result: 'failed', detail: `${where}: ${ENGLISH.translate(problem)}` });
  }
  const more = well.length > MOST_NAMED ? ` and ${well.length - MOST_NAMED} more` : '';
  const named = well.length === 0 ? '' : `: ${well.slice(0, MOST_NAMED).join(', ')}${more}`;
  const detail = `The bot can post in ${well.length} of ${amount(wanted.size, 'subscribed channel')}${named}.`;
  return [{ part: 'channel', result: 'ok', detail }, ...checks];
}

/** What features find to be fixed in servers. */
function checkFeatures(
  client: Parameters<typeof problemOfChannel>[0],
  { subscriptions, stores }: Wanted,
  features: readonly Feature[],
): SetupCheck[] {
  const english = createTranslators(
    () => undefined,
    features.flatMap(({ words }) => words ?? []),
  )('en-US');
  const subscribed = subscriptions.flatMap(({ guildId }) => client.guilds.cache.get(guildId) ?? []);
  const guilds = [...new Set([...subscribed, ...client.guilds.cache.values()])];
  const details = features.flatMap((feature) =>
    guilds.flatMap((guild) => {
      const own = subscriptions.filter(({ guildId }) => guildId === guild.id);
      return feature.checkServer?.(guild, { subscriptions: own, stores }, english) ?? [];
    }),
  );
  return details.map((detail) => ({ part: 'channel', result: 'failed', detail }));
}

const ENGLISH = translatorFor('en-US');
const isActive = ({ pausedBy }: Subscription) => pausedBy === null;
