import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createCatalog } from '../../catalog/index.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { connect } from '../../discord/client.ts';
import { translatorFor } from '../../discord/i18n/translator.ts';
import { inspectAccount, nameOf, problemOfChannel } from '../../discord/inspect.ts';
import { lackToGiveRoles, takingTrouble } from '../../discord/roles.ts';
import type { Clock } from '../../shared/clock.ts';
import { AppError, StateInUseError, StoreError } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import { openSpending } from '../../store/catalog-records.ts';
import { STATE_VERSION } from '../../store/migrations.ts';
import { beginState, type OpenedState, openState, readAbout } from '../../store/open-state.ts';
import { openPingsPanels } from '../../store/server-records.ts';
import { openSubscriptions } from '../../store/subscriptions.ts';
import { type Lease, takeLease } from '../../store/table/lease.ts';
import { isOnServer, placeOf } from '../../store/table/state-place.ts';
import type { Config } from '../config.ts';
import { clockCheck, type SetupCheck } from '../setup-report.ts';

/** How long Discord may take to let the bot in and to tell what it has. */
const DISCORD_WITHIN_MS = 30_000;

/** The state, as far as the other checks need it. */
interface CheckedState {
  check: SetupCheck;
  /** null where no request may be made, because nobody would count it. */
  opened: OpenedState | null;
  subscriptions: readonly Subscription[];
  /** The servers where members choose their pings. */
  withPings: readonly string[];
}

type Wanted = Pick<CheckedState, 'subscriptions' | 'withPings'>;

/**
 * Checks everything that a start needs. Makes one request to each catalog interface with a key, which counts as one of
 * the day's, logs in to Discord once, and posts nothing. Changes nothing in the state but that count.
 */
export async function checkSetup(config: Config, clock: Clock): Promise<SetupCheck[]> {
  const settings: SetupCheck = { part: 'settings', result: 'ok', detail: 'Every setting is valid.' };
  return withState(config, clock, async ({ check, opened, ...wanted }) => [
    settings,
    check,
    ...(await checkCatalog(config, clock, opened)),
    ...(await checkDiscord(config, clock, wanted)),
  ]);
}

/**
 * Opens the state for `run`, with its lease where nobody has it. Where there is no state yet and no request has to be
 * counted, `run` gets a temporary state in a folder beside it instead, so that the check leaves none behind.
 */
async function withState<R>(
  { stateUrl, catalog: { v2, portal } }: Config,
  clock: Clock,
  run: (state: CheckedState) => Promise<R>,
): Promise<R> {
  let standIn: string | null = null;
  try {
    if (v2.address === null && portal.address === null) standIn = standInFolder(stateUrl);
    return await withOpened(stateUrl, standIn === null ? stateUrl : `sqlite://${join(standIn, 'state')}`, clock, run);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return await run({ check: failed('state', error), opened: null, subscriptions: [], withPings: [] });
  } finally {
    if (standIn !== null) rmSync(standIn, { recursive: true, force: true });
  }
}

/** A new folder in the nearest one that exists on the way to the state's file; null where there is a state. */
function standInFolder(stateUrl: string): string | null {
  const file = resolve(placeOf(stateUrl));
  if (isOnServer(stateUrl) || existsSync(file)) return null;
  let folder = dirname(file);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    return mkdtempSync(join(folder, '.dealbell-check-'));
  } catch (cause) {
    throw new StoreError(`${folder} can't be written. Set STATE_URL to another path.`, { cause });
  }
}

/** @param openedUrl the state that is opened; `stateUrl` names it for people */
async function withOpened<R>(
  stateUrl: string,
  openedUrl: string,
  clock: Clock,
  run: (state: CheckedState) => Promise<R>,
): Promise<R> {
  const opened = openState(openedUrl);
  try {
    const { checked, lease } = await takeState(opened, stateUrl, clock);
    try {
      return await run(checked);
    } finally {
      await lease?.release().catch(() => undefined);
    }
  } finally {
    await opened.backend.close();
  }
}

async function takeState(
  opened: OpenedState,
  stateUrl: string,
  clock: Clock,
): Promise<{ checked: CheckedState; lease: Lease | null }> {
  let wanted: Wanted = { subscriptions: [], withPings: [] };
  try {
    const checked = await readState(opened, stateUrl);
    wanted = checked;
    const lease = await takeLease(opened.backend.lease, {
      clock,
      log: createLog('silent'),
      signal: new AbortController().signal,
      onLost: () => undefined,
    });
    // The requests are counted in it.
    if (!(await readAbout(opened))) await beginState(opened.state, '');
    return { checked: { ...checked, opened }, lease };
  } catch (error) {
    const check: SetupCheck =
      error instanceof StateInUseError
        ? { part: 'state', result: 'ok', detail: `${placeOf(stateUrl)} is in use by a running Dealbell.` }
        : failed('state', error);
    return { checked: { ...wanted, check, opened: null }, lease: null };
  }
}

/** @throws StoreError where the state can't be read */
async function readState(opened: OpenedState, stateUrl: string): Promise<CheckedState> {
  const about = await readAbout(opened);
  const place = placeOf(stateUrl);
  const isCurrent = about?.version === STATE_VERSION;
  const subscriptions = isCurrent ? (await openSubscriptions(opened.state)).ofServers() : [];
  const withPings = isCurrent ? (await openPingsPanels(opened.state)).guildIds() : [];
  const content = isCurrent ? `It holds ${subscriptions.length} subscriptions.` : 'The next start converts it.';
  const detail = `${place} can be written. ${about ? content : 'It is new.'}`;
  return { check: { part: 'state', result: 'ok', detail }, opened: null, subscriptions, withPings };
}

function failed(part: SetupCheck['part'], error: unknown): SetupCheck {
  const detail = error instanceof AppError ? error.message : `It failed unexpectedly (${errorName(error)}).`;
  return { part, result: 'failed', detail };
}

/** An unknown error's message could hold anything, a key included. */
const errorName = (error: unknown) =>
  error instanceof Error ? [error.name, 'code' in error ? String(error.code) : ''].join(' ').trim() : typeof error;

/** Makes one request to each interface that has a key, in the state's account. */
async function checkCatalog(
  { catalog: { v2, portal, feeds } }: Config,
  clock: Clock,
  opened: OpenedState | null,
): Promise<SetupCheck[]> {
  const unasked = (part: 'v2' | 'portal', detail: string): SetupCheck => ({ part, result: 'skipped', detail });
  const parts = { portal, v2 } as const;
  const [feed = ''] = feeds;
  const asked = Object.values(parts).filter(({ address }) => address !== null);
  if (asked.length === 0 || !opened) {
    const detail = (part: 'portal' | 'v2') =>
      parts[part].address === null
        ? NOT_SET[part]
        : 'Not asked: the request could not be counted. /healthz of the running Dealbell tells.';
    return (['portal', 'v2'] as const).map((part) => unasked(part, detail(part)));
  }
  const side = ({ address, limits }: typeof v2) => ({ ...(address ?? NEVER_ASKED), ...limits });
  const spending = openSpending(opened.state);
  const catalog = createCatalog({ v2: side(v2), portal: side(portal), clock, log: createLog('silent'), spending });
  const options = { lane: 'interactive', maxAgeMs: 0 } as const;
  async function ask(part: 'portal' | 'v2', request: () => Promise<string>): Promise<SetupCheck> {
    if (parts[part].address === null) return unasked(part, NOT_SET[part]);
    try {
      const answered = await request();
      const { spent, limit } = catalog.quota()[part];
      return { part, result: 'ok', detail: `${answered} ${spent} of today's ${limit} requests are used.` };
    } catch (error) {
      return failed(part, error);
    }
  }
  try {
    return [
      await ask('portal', async () => {
        const { value } = await catalog.feeds.get(feed, options);
        return `The key works: the feed ${feed} has ${value.offers.length} offers.`;
      }),
      await ask(
        'v2',
        async () => `The key works: there are ${(await catalog.polls.list(options)).value.length} polls.`,
      ),
    ];
  } finally {
    await catalog.close();
  }
}

const NOT_SET = {
  portal: "Nothing to check: CATALOG_PORTAL_URL isn't set.",
  v2: "Nothing to check: CATALOG_V2_URL isn't set.",
} as const;
/** Stands in for the interface without an address; nothing is asked there. */
const NEVER_ASKED = { url: 'http://127.0.0.1:9', key: 'none' };

/** Logs in, and looks at each channel with a subscription. */
async function checkDiscord(
  { discordRate, discord: { token, api } }: Config,
  clock: Clock,
  { subscriptions, withPings }: Wanted,
): Promise<SetupCheck[]> {
  if (token === null) {
    return [{ part: 'discord', result: 'skipped', detail: "Nothing to check: DISCORD_TOKEN isn't set." }];
  }
  const stopping = new AbortController();
  const callOff = clock.after(DISCORD_WITHIN_MS, () => stopping.abort());
  let problem = 'Discord has not answered in time.';
  try {
    const client = await connect({
      token,
      api,
      requestsPerSecond: discordRate,
      clock,
      log: createLog('silent'),
      signal: stopping.signal,
      onProblem: (sentence) => {
        problem = sentence ?? problem;
      },
      onRefused: () => undefined,
    });
    try {
      const { name, servers, aheadMs } = await inspectAccount(client, clock);
      const detail = `The token and the intents are accepted: ${name}, in ${servers} ${servers === 1 ? 'server' : 'servers'}.`;
      return [
        { part: 'discord', result: 'ok', detail },
        clockCheck(aheadMs),
        ...(await checkChannels(client, subscriptions)),
        ...checkRoles(client, subscriptions, withPings),
      ];
    } finally {
      await client.destroy();
    }
  } catch (error) {
    return [
      stopping.signal.aborted ? { part: 'discord', result: 'failed', detail: problem } : failed('discord', error),
    ];
  } finally {
    callOff();
  }
}

/** One check for each channel where the bot can't post, and one for all others. */
async function checkChannels(
  client: Parameters<typeof problemOfChannel>[0],
  subscriptions: readonly Subscription[],
): Promise<SetupCheck[]> {
  const wanted = new Map(subscriptions.filter(isActive).map((one) => [one.channelId, one]));
  const checks: SetupCheck[] = [];
  for (const [channelId, subscription] of wanted) {
    const problem = await problemOfChannel(client, subscription);
    if (problem === null) continue;
    const server = nameOf(client, subscription.guildId) ?? `server ${subscription.guildId}`;
    const where = `${nameOf(client, channelId) ?? `Channel ${channelId}`} in ${server}`;
    const sentence = ENGLISH.translate(problem);
    checks.push({ part: 'channel', result: 'failed', detail: `${where}: ${sentence}` });
  }
  const well = wanted.size - checks.length;
  const detail = `The bot can post in ${well} of ${wanted.size} subscribed channels.`;
  return [{ part: 'channel', result: wanted.size === 0 ? 'skipped' : 'ok', detail }, ...checks];
}

/** One check for each reason for which members of a server can't choose a ping. */
function checkRoles(
  client: Parameters<typeof problemOfChannel>[0],
  subscriptions: readonly Subscription[],
  withPings: readonly string[],
): SetupCheck[] {
  return withPings.flatMap((guildId) => {
    const guild = client.guilds.cache.get(guildId);
    if (!guild) return [];
    const rung = subscriptions.filter((one) => one.guildId === guildId).flatMap(({ pings }) => pings);
    const troubles = rung.map(({ roleId }) => takingTrouble(guild, roleId));
    const sentences = [lackToGiveRoles(guild), ...troubles].flatMap((one) => (one ? [ENGLISH.translate(one)] : []));
    return [...new Set(sentences)].map((sentence) => ({
      part: 'channel' as const,
      result: 'failed' as const,
      detail: `Pings in ${guild.name}: ${sentence}`,
    }));
  });
}

const ENGLISH = translatorFor('en-US');
const isActive = ({ pausedBy }: Subscription) => pausedBy === null;
