import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../../src/shared/time.ts';
import { startTcpProxy } from '../helpers/tcp-proxy.ts';
import { type Arena, type Place, until } from './arena.ts';
import type { Database } from './database.ts';
import { createHosts, type Host } from './hosts.ts';
import { settle } from './kills.ts';
import { watchLeaders } from './leaders.ts';
import {
  drawEvent,
  happen,
  PROCESS_EVENTS,
  type Process,
  permittedEvents,
  type Run,
  untilUndisturbed,
} from './process-events.ts';
import { spendQuota, spentRequests } from './spent-quota.ts';

const PLACES: readonly Place[] = [
  { channel: 'deals', mostPerHour: 600 },
  { channel: 'announcements' },
  { channel: 'digest', timing: { mode: 'hourly', dailyAtMinute: 0, timeZone: 'UTC', quiet: null } },
  { channel: 'forum', target: 'forum', mostPerHour: 600 },
];
/** Where everything comes at once; the other channels have digests, and a limit. */
const AT_ONCE = ['deals', 'forum'];
/** The wall clocks of the processes differ by so much from the right time, in turn. */
const SKEWS_MS = [0, 300_000, -300_000];
/** After so many events everything gets the time to arrive. */
const EVENTS_IN_A_ROW = 10;
const QUIET_WITHIN_MS = 90_000;
/** Exit statuses of a process: it was stopped, could not reach the database at its start, has lost the state. */
const EXPECTED_STATUSES = [0, 1, 3];

interface Options {
  processes: number;
  events: number;
  hasFence: boolean;
}

/** Lets several processes use one state while everything between them breaks. Resolves with a line for each problem. */
export async function tortureProcesses(arena: Arena, database: Database, options: Options): Promise<string[]> {
  const { discord, say } = arena;
  discord.createChannel('digest', 'text');
  // At noon, so that the day's requests are those of one day.
  arena.leap(DAY_MS + DAY_MS / 2 - (arena.now() % DAY_MS));
  const before = arena.shop.requests();
  const tally = await arena.subscribe(PLACES);
  const leaders = await watchLeaders(database);
  const results = { problems: [], takeovers: [], gaps: [], handovers: [] };
  const run: Run = { arena, database, leaders, tally, processes: [], lasting: new Set(), ...results };
  const hosts = createHosts(options.processes);
  if (!hosts) say('This machine permits no network namespaces: the events dropped, parted and muted are left out.');
  const ending = new AbortController();
  const supervised: Promise<void>[] = [];
  for (let index = 0; index < options.processes; index += 1) {
    const one = await startProcess(run, index, hosts?.[index] ?? null, options.hasFence);
    run.processes.push(one);
    supervised.push(supervise(run, one, ending.signal));
  }
  const summary = await playEvents(run, options);
  const uncounted = await requestsUncounted(run, before);
  if (run.problems.length === 0) await spendQuota(run);
  ending.abort();
  for (const { bot } of run.processes) bot.process.kill('SIGTERM');
  await Promise.all(supervised);
  for (const { proxies } of run.processes) for (const proxy of proxies) await proxy.close();
  for (const host of hosts ?? []) host.remove();
  run.problems.push(...uncounted, ...(await leaders.overlaps()), ...(await settle(arena)), ...(await tally.problems()));
  say(`Events: ${summary}.`);
  say(
    `${arena.shop.addresses().length} offers to each of ${PLACES.length} channels, ${await leaders.count()} leaders, one after another.`,
  );
  say(
    `After a stop another one led within ${longest(run.takeovers)} s; after a kill it posted within ${longest(run.gaps)} s.`,
  );
  say(`Without Discord, or with a slow database, another one led within ${longest(run.handovers)} s.`);
  return run.problems;
}

const longest = (times: readonly number[]) => (Math.max(0, ...times) / 1000).toFixed(1);

/** Starts a process that reaches everything through proxies, and through a host's network where there is one. */
async function startProcess(
  { arena, database }: Run,
  index: number,
  host: Host | null,
  hasFence: boolean,
): Promise<Process> {
  const proxy = await startTcpProxy(database.stateUrl, host?.addresses.database);
  const discord = await startTcpProxy(arena.discord.api, host?.addresses.discord);
  const catalog = await startTcpProxy(arena.catalogUrl, host?.addresses.discord);
  const environment = {
    STATE_URL: proxy.url,
    TORTURE_RUN: 'standby',
    TORTURE_SKEW_MS: String(SKEWS_MS[index % SKEWS_MS.length] ?? 0),
    DISCORD_API: discord.url,
    CATALOG_V2_URL: catalog.url,
    CATALOG_PORTAL_URL: catalog.url,
    ...(!hasFence && { TORTURE_WITHOUT_FENCE: 'yes' }),
  };
  const start = { environment, ...(host && { namespace: host.namespace }) };
  const proxies = [proxy, discord, catalog];
  return { proxy, discord, proxies, host, start, bot: arena.startBot(start) };
}

/** Resolves with how often each event has happened, in words. */
async function playEvents(run: Run, { events, hasFence }: Options): Promise<string> {
  const { arena, problems, processes } = run;
  const { random, say, shop } = arena;
  const names = permittedEvents(processes.every(({ host }) => host !== null));
  const counts = new Map(names.map((name) => [name, 0]));
  for (let event = 0; event < events; event += 1) {
    // Each one happens alone before they happen together.
    const name = names[event] ?? drawEvent(names, random);
    for (let fresh = 0; fresh < 1 + Math.floor(random() * 2); fresh += 1) shop.addOffer();
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await happen(run, name, event < names.length ? 'alone' : 'beside others');
    await sleep(300 + random() * 1_500);
    if ((event + 1) % EVENTS_IN_A_ROW === 0) await quieten(run);
    if ((event + 1) % 25 === 0)
      say(`${event + 1} events, ${shop.addresses().length} offers, ${problems.length} problems`);
    if (problems.length > 0 && !hasFence) break;
  }
  await quieten(run);
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}

/** Starts a process again whenever it has ended, as a supervisor does. */
async function supervise({ arena, problems }: Run, one: Process, ending: AbortSignal): Promise<void> {
  for (;;) {
    const { code, signal } = await one.bot.ended;
    if (signal === null && !EXPECTED_STATUSES.includes(code ?? -1)) {
      problems.push(`A process ended with ${code}, see its log.`);
    }
    if (ending.aborted) return;
    await sleep(300);
    one.bot = arena.startBot(one.start);
    // It may have been asked to end while there was none.
    if (ending.aborted) one.bot.process.kill('SIGTERM');
  }
}

/** Lets everything that is due arrive where it comes at once. */
async function quieten(run: Run): Promise<void> {
  const { tally, problems } = run;
  await untilUndisturbed(run);
  await until(async () => {
    await sleep(500);
    return !(await tally.problems()).some((line) => AT_ONCE.some((place) => line.startsWith(`#${place}:`)));
  }, AbortSignal.timeout(QUIET_WITHIN_MS));
  const doubled = (await tally.problems()).filter((line) => !/posted twice: none/.test(line));
  problems.push(...doubled.filter((line) => !problems.includes(line)));
}

/** Every request that was admitted has to be counted in the state: it is counted before it leaves. */
async function requestsUncounted({ arena: { shop, stateUrl } }: Run, before: number): Promise<string[]> {
  const [served, spent] = [shop.requests() - before, await spentRequests(stateUrl)];
  return served <= spent ? [] : [`The catalog served ${served} requests, of which only ${spent} were counted.`];
}

/** The events, a line each. */
export const processEvents = Object.entries(PROCESS_EVENTS).map(([name, { is }]) => `${name.padEnd(10)} ${is}`);
