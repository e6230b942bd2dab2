import type { Fault } from '../../packages/local-discord/src/index.ts';
import { createEventCounts } from '../helpers/event-counts.ts';
import { FEED_FAULTS } from '../helpers/feed-faults.ts';
import { overposted } from '../model/limits.ts';
import { type Arena, type Place, until } from './arena.ts';
import { type Backups, createBackups } from './backups.ts';
import { type BlockedChannels, createBlockedChannels } from './blocked-channels.ts';
import { clockJump } from './bot-clock.ts';
import type { Moment } from './bot-process.ts';
import { type EventName, planRareEvents, type RareEvent, timesOf } from './events.ts';
import { crossMidnight } from './midnight.ts';
import { startSecond, stopAndContinue } from './second-process.ts';
import { lineOf, type Tally } from './tally.ts';

const PUBLISHED = 'announcements';
/**
 * The channels announce in different ways: each post alone and published, few an hour and then together, in digests, in a
 * forum, in the direct messages of a person.
 */
const PLACES: readonly Place[] = [
  { channel: PUBLISHED, isPublished: true },
  { channel: 'deals', mostPerHour: 4 },
  {
    channel: 'digest',
    timing: { mode: 'hourly', dailyAtMinute: 0, timeZone: 'UTC', quiet: null },
  },
  { channel: 'forum', target: 'forum' },
  { channel: '@ben' },
];
/** A bot is killed at a step up to this one: before the login, while posting, while idle. */
const LONGEST_LIFE_STEPS = 150;
/** Half of them a little later, in the middle of whatever it is at then. */
const LATER_MS = 30;
/** One that does not come so far is killed all the same. */
const LONGEST_LIFE_MS = 5_000;
/** Longer than Discord remembers a nonce: what keeps a repeat away is reading the channel. */
const OUTAGE_MS = 30 * 60_000;
/** An outage this long makes the bot post its finds together. */
const LONG_OUTAGE_MS = 3 * 3_600_000;
/** Longer than a day that is closed by the catalog's quota. */
const LAST_OUTAGE_MS = 25 * 3_600_000;
/** An hourly digest includes a find after this long at the latest. */
const DIGEST_MS = 3_600_000;
/** The steps of a life in which it takes its lease: it reads the state after them. */
const STEPS_BEFORE_READING = 4;
/** A life renews its lease each 1.5 s, and writes what it learns from its clock then a little later. */
const RENEWED_WITHIN_MS = 2_000;
/** Share of the requests to Discord that go wrong. */
const FAULT_RATE = 0.15;
/** Share of the catalog's answers that each of its faults spoils. */
const CATALOG_FAULT_RATE = 0.01;
const MOST_NEW_OFFERS = 3;
/** Share of the lives in which one answer of the feed shows less than there is, and in which the clock is set. */
const FEED_FAULT_RATE = 0.6;
const CLOCK_JUMP_RATE = 0.3;
/** A subscription's most posts an hour, unless it says otherwise. */
const MOST_PER_HOUR = 30;
const MOST_LOOKS = 500;
const FINISH_WITHIN_MS = 30_000;

/**
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes, and how a
 * connection ends without one of those.
 */
const CLOSE_CODES = [
  1000, 1001, 1006, 4000, 4001, 4002, 4003, 4004, 4005, 4007, 4008, 4009, 4010, 4011, 4012, 4013, 4014,
];

/** The exit status of a bot whose gateway connection was closed for good. */
const DISCORD_REFUSED = 4;

/** Kills the bot at random moments. Resolves with what became of the promise: a line for each problem. */
export async function killAtRandom(arena: Arena, kills: number, events: readonly EventName[]): Promise<string[]> {
  const { discord, say } = arena;
  const isEnabled = (event: EventName) => events.includes(event);
  const counts = createEventCounts(events);
  const count = (event: EventName) => (isEnabled(event) ? counts.count(event) : undefined);
  const passing = isEnabled('deleted')
    ? Array.from({ length: timesOf('deleted', kills) }, (_, index) => `passing-${index + 1}`)
    : [];
  for (const name of ['digest', ...passing]) discord.createChannel(name, 'text');
  const tally = await arena.subscribe([...PLACES, ...passing.map((channel) => ({ channel }))]);
  const lasting = PLACES.map(({ channel }) => channel);
  const blocked = createBlockedChannels({
    arena,
    tally,
    lasting,
    passing: [...passing],
    count,
    undisturbed: (work) => undisturbed(arena, work),
  });
  const backups = createBackups(arena, count);
  const plan = planRareEvents(kills, isEnabled, arena.randomOf('plan'));
  const life = { arena, isEnabled, count, offers: 0, feedFaults: 0, atTheirSteps: 0, noticed: new Set<number>() };
  const problems: string[] = [];
  breakThings(arena);

  for (let round = 1; round <= kills; round += 1) {
    const before = problems.length;
    problems.push(...(await blocked.passRound()));
    await backups.passRound();
    for (const event of plan.get(round) ?? [])
      problems.push(...(await happen(event, { arena, tally, blocked, backups, count })));
    problems.push(...(await liveAndDie(life)));
    for (const problem of problems.slice(before)) say(`round ${round}: ${problem}`);
    if (round % 25 === 0) say(`${round} kills, ${life.offers} offers`);
  }

  problems.push(...(await blocked.openAll()));
  await backups.restoreNow();
  await serveFeedFaults(arena);
  // From here on nothing hinders the bot: it posts an offer, and publishes it.
  const calmFromMs = arena.now();
  life.offers += 1;
  arena.shop.addOffer();
  problems.push(...(await settle(arena)));
  const last = arena.startBot();
  await last.started;
  const isOwed = () => tally.unpublished(PUBLISHED, calmFromMs).length > 0;
  await until(async () => (await tally.isComplete()) && !isOwed(), AbortSignal.timeout(FINISH_WITHIN_MS));
  await tally.openLists();
  problems.push(...(await tally.problems()), ...counts.missing());
  for (const { id } of tally.unpublished(PUBLISHED, calmFromMs)) problems.push(`#${PUBLISHED}: not published: ${id}.`);
  await last.kill();
  const unnoticed = arena.setAheadAtMs.filter((atMs) => !life.noticed.has(atMs));
  for (const { channel, mostPerHour = MOST_PER_HOUR } of PLACES) {
    problems.push(...overposted(channel, tally.postedAtMs(channel), mostPerHour, unnoticed).map(lineOf));
  }
  say(`${kills} kills, ${life.atTheirSteps} of them at their steps and the others for being slow.`);
  say(`Events: ${counts.summary()}.`);
  say(`${life.offers} offers to each of ${PLACES.length} channels, ${problems.length} problems.`);
  return problems;
}

interface Lives {
  arena: Arena;
  isEnabled: (event: EventName) => boolean;
  count: (event: EventName) => void;
  offers: number;
  /** The number planned so far: each kind in its turn. */
  feedFaults: number;
  atTheirSteps: number;
  /**
   * Which of the arena's `setAheadAtMs` the bot has noticed. It takes any other for time that passed, as nothing tells it
   * otherwise: no life ran then, or it had not read the state yet, or it was killed before it could write.
   */
  noticed: Set<number>;
}

/** One life of the bot: what happens in it happens at steps of its own. */
async function liveAndDie(lives: Lives): Promise<string[]> {
  const { arena, isEnabled, count } = lives;
  const { random, shop } = arena;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  arena.leap(random() < 0.1 ? LONG_OUTAGE_MS : OUTAGE_MS);
  const killAt = 1 + upTo(LONGEST_LIFE_STEPS - 1);
  const laterMs = random() < 0.5 ? 0 : upTo(LATER_MS);
  const fresh = upTo(MOST_NEW_OFFERS);
  const happenings: (() => unknown)[] = Array.from({ length: fresh }, () => () => shop.addOffer());
  happenings.push(drawDisturbance(arena));
  const fault = FEED_FAULTS[lives.feedFaults % FEED_FAULTS.length];
  if (fault && random() < FEED_FAULT_RATE && FEED_FAULTS.some(isEnabled)) {
    lives.feedFaults += 1;
    if (isEnabled(fault)) happenings.push(() => shop.spoilNextAnswer(fault, random, () => count(fault)));
  }
  const jump = clockJump(arena, count);
  if (random() < CLOCK_JUMP_RATE && (isEnabled('forward') || isEnabled('back'))) happenings.push(jump);
  let jumpStep = 0;
  const moments = happenings.map((happen): Moment => {
    const step = 1 + upTo(killAt - 1);
    if (happen === jump) jumpStep = step;
    return { step, happen: () => (happen === jump ? jump() : void happen()) };
  });
  const setBefore = arena.setAheadAtMs.length;
  const environment = { TORTURE_KILL_AT: `${killAt}`, TORTURE_KILL_LATER_MS: `${laterMs}` };
  const bot = arena.startBot({ environment, moments });
  const tooLong = setTimeout(() => void bot.kill(), LONGEST_LIFE_MS);
  const { code, signal } = await bot.ended;
  clearTimeout(tooLong);
  const setAtMs = arena.setAheadAtMs[setBefore];
  if (setAtMs !== undefined && jumpStep > STEPS_BEFORE_READING && arena.now() - setAtMs >= RENEWED_WITHIN_MS)
    lives.noticed.add(setAtMs);
  if (bot.said().startsWith('killed')) lives.atTheirSteps += 1;
  lives.offers += fresh;
  return signal === 'SIGKILL' || code === DISCORD_REFUSED ? [] : [`The bot ended by itself with ${code}, see its log.`];
}

/** Plays an event that takes longer than a moment of a run. */
async function happen(
  event: RareEvent,
  {
    arena,
    tally,
    blocked,
    backups,
    count,
  }: {
    arena: Arena;
    tally: Tally;
    blocked: BlockedChannels;
    backups: Backups;
    count: (event: EventName) => void;
  },
): Promise<string[]> {
  if (event === 'permission') blocked.takePermission();
  if (event === 'closed') blocked.closeMessages();
  if (event === 'deleted') await blocked.deleteChannel();
  if (event === 'permission' || event === 'closed' || event === 'deleted') return [];
  const problems = await blocked.openAll();
  return undisturbed(arena, async () => {
    if (event === 'removed') {
      // A loss before this moment shows; afterwards it is excused.
      problems.push(...(await settle(arena)), ...(await tally.problems()));
      blocked.removeBot();
    } else if (event === 'restored') await backups.make();
    else {
      count(event);
      if (event === 'midnight') problems.push(...(await crossMidnight(arena)));
      if (event === 'second') problems.push(...(await startSecond(arena)));
      if (event === 'stopped' || event === 'suspended') problems.push(...(await stopAndContinue(arena, tally, event)));
    }
    return problems;
  });
}

/** Does something while no request goes wrong and the bot's clock is right. */
async function undisturbed<T>(arena: Arena, work: () => Promise<T>): Promise<T> {
  mendThings(arena);
  const result = await work();
  breakThings(arena);
  return result;
}

function breakThings(arena: Arena): void {
  arena.discord.faults.use(faultsOf(arena));
  arena.spoilCatalog(CATALOG_FAULT_RATE);
}

/** A life that asks for the feed until everything that was to disappear for one answer has. */
async function serveFeedFaults(arena: Arena): Promise<void> {
  mendThings(arena);
  arena.leap(LAST_OUTAGE_MS);
  const bot = arena.startBot({ environment: { TORTURE_RUN: 'clock' } });
  await bot.started;
  for (let look = 0; look < MOST_LOOKS && arena.shop.pendingFaults() > 0; look += 1) {
    const looked = bot.saysNext('looked');
    bot.tell('pass 60000');
    await looked;
  }
  await bot.kill();
}

function mendThings(arena: Arena): void {
  arena.discord.faults.use(null);
  arena.spoilCatalog(0);
  arena.setBotAhead(0);
}

/**
 * Lets everything arrive: the first run finds what is left, the second one posts the digest; a third one that brings anything
 * brings it twice.
 */
export async function settle(arena: Arena): Promise<string[]> {
  const problems: string[] = [];
  mendThings(arena);
  for (const outageMs of [LAST_OUTAGE_MS, DIGEST_MS, DIGEST_MS]) {
    arena.leap(outageMs);
    const run = await arena.runOnce({ isComplete: false });
    if (run.code !== 0)
      problems.push(`A run that was to bring the rest ended with ${run.code ?? run.signal}, see its log.`);
  }
  return problems;
}

/** Draws what the gateway does in a round; half of the time it does nothing. */
function drawDisturbance({ discord: { faults }, random }: Arena): () => void {
  const drawn = random();
  const code = CLOSE_CODES[Math.floor(random() * CLOSE_CODES.length)] ?? 4000;
  if (drawn < 0.4) return () => faults.closeGateway(code, { forget: drawn < 0.1 });
  if (drawn < 0.45) return () => faults.reconnectGateway();
  if (drawn < 0.5) return () => faults.invalidateSessions({ resumable: drawn < 0.475 });
  return () => undefined;
}

/**
 * Posts, publications and the readings that look for them go wrong; a login that fails would only end the bot sooner. The
 * requests of a channel come one after another, whatever happens in others: each channel draws for itself.
 */
function faultsOf({ randomOf }: Arena): (request: { path: string }) => Fault | undefined {
  const draws = new Map<string, () => number>();
  return ({ path }) => {
    const [, channel, ...what] = path.split('/').filter((part) => part !== '');
    if (!['messages', 'threads', 'crosspost'].includes(what.at(-1) ?? '')) return undefined;
    const name = channel ?? '';
    const draw = draws.get(name) ?? randomOf(name);
    draws.set(name, draw);
    return drawFault(draw);
  };
}

function drawFault(random: () => number): Fault | undefined {
  if (random() >= FAULT_RATE) return undefined;
  const accepted = random() < 0.5;
  const drawn = random();
  if (drawn < 0.4) return { kind: 'drop', accepted };
  if (drawn < 0.8) return { kind: 'error', status: random() < 0.5 ? 500 : 502, accepted };
  return { kind: 'rate-limit', retryAfterMs: 50, scope: 'shared' };
}
