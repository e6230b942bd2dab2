import { createSimulator } from '../../src/catalog-service/simulator/simulator.ts';
import { decodeAction } from '../../src/discord/custom-id.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { type Bot, createSimulatedCatalog, openBot } from './bot.ts';
import { type Arrived, createArrivals } from './courier.ts';
import { createCrowd, type Follower, TIME_ZONES } from './crowd.ts';
import { createOracle, type Expected, type Oracle } from './oracle.ts';
import { createWallClocks, type WallClocks } from './wall-clocks.ts';

export interface WeekOptions {
  seed: number;
  offers: number;
  subscriptions: number;
  days: number;
  stateUrl: string;
  say: (line: string) => void;
}

/** In its middle Europe's clocks go back by an hour, and it ends before America's do. */
const START = '2026-10-21T00:00:00Z';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TICK_MINUTES = 2;
/** Fewer than there are: each look costs time here, and what is promised does not hang on how many there are. */
const QUOTA = 300;
/** After the last look: every digest has come, all quiet hours are over. */
const AFTER_DAYS = 2;
const MOST_SAID = 20;
/** A cap holds nothing back for longer. */
const CAP_MS = HOUR_MS;

/** Lives through days on a clock of its own, and compares what arrived with what had to. Resolves with a line a problem. */
export async function liveAWeek({ seed, offers, subscriptions, days, stateUrl, say }: WeekOptions): Promise<string[]> {
  const clock = new ManualClock(START);
  const startMs = clock.now();
  const random = seededRandom(seed);
  const followers = createCrowd(subscriptions, random, startMs);
  const clocks = createWallClocks(TIME_ZONES, startMs, startMs + (days + AFTER_DAYS + 2) * DAY_MS);
  const oracle = createOracle(followers, clocks);
  const { courier, arrived, edits } = createArrivals(clock);
  let quota = QUOTA;
  let looks = 0;
  const catalog = createSimulatedCatalog({
    content: createSimulator({ seed: String(seed), offers, pace: 'store' }),
    quota: () => quota,
    clock,
    onFeed(feed, answer, nowMs) {
      looks += 1;
      oracle.look(feed, answer, nowMs);
    },
  });
  const open = () => openBot({ stateUrl, catalog, courier, clock });
  let bot = await open();
  for (const { subscription } of followers) await bot.store.subscriptions.save(subscription);

  for (let minute = 0; minute < (days + AFTER_DAYS) * 24 * 60; minute += 1) {
    // Afterwards nothing is read any more, and only what waits is posted.
    if (minute === days * 24 * 60) quota = 0;
    if (minute % TICK_MINUTES === 0) {
      await bot.poster.tick();
      oracle.pass(clock.now());
    }
    await bot.deliverer.settled();
    if (random() < 2 / (24 * 60)) {
      await bot.stop();
      bot = await open();
      bot.deliverer.kick();
      await bot.deliverer.settled();
    }
    await clock.advance(MINUTE_MS);
    await bot.deliverer.settled();
    if ((minute + 1) % (24 * 60) === 0) {
      await bot.poster.sweep();
      await bot.deliverer.sweep();
      say(
        `day ${(minute + 1) / (24 * 60)}: ${looks} looks, ${oracle.expected.length} expected, ${arrived.length} posts`,
      );
    }
  }
  const told = await toldBy(arrived, bot);
  await bot.stop();
  const { problems, over } = compare(oracle, told, followers, clocks);
  say(
    `${oracle.expected.length} expected: ${told.length} told in ${arrived.length} posts, ${over} over before they could be.`,
  );
  say(`${edits()} edits of what had changed.`);
  return [...problems, ...rudeness(arrived, followers, clocks)];
}

/** An offer that stands in a channel, by itself or in a roll-up. */
interface Told {
  channelId: string;
  offerId: string;
  atMs: number;
}

async function toldBy(arrived: readonly Arrived[], { store }: Bot): Promise<Told[]> {
  const told: Told[] = [];
  for (const { message, atMs } of arrived) {
    const { channelId, card } = message;
    const actions = [...JSON.stringify(card).matchAll(/"custom_id":"([^"]+)"/g)].map(([, id = '']) => decodeAction(id));
    for (const action of actions) {
      if (action?.do === 'offer') told.push({ channelId, offerId: action.offerId, atMs });
      if (action?.do !== 'roll-up') continue;
      const rollUp = await store.deliveries.findRollUp(action.deliveryId);
      for (const { deliveryId, announcement } of rollUp?.members ?? []) {
        const ending = await store.deliveries.ended(deliveryId);
        if (ending?.outcome === 'posted') told.push({ channelId, offerId: announcement.subject, atMs });
      }
    }
  }
  return told;
}

/** Each expected post against those that came, offer by offer and channel by channel. */
function compare(
  oracle: Oracle,
  told: readonly Told[],
  followers: readonly Follower[],
  clocks: WallClocks,
): { problems: string[]; over: number } {
  /** What a cap holds back comes within the hour, and where that is quiet, within an hour of the end of that. */
  const latestMs = ({ channelId, dueAtMs }: Expected) => {
    const timings = followers.flatMap(({ subscription }) =>
      subscription.channelId === channelId ? [subscription.timing] : [],
    );
    const cappedMs = dueAtMs + CAP_MS;
    const openMs = Math.max(...timings.map((timing) => clocks.dueAtMs({ ...timing, mode: 'at-once' }, cappedMs)));
    return openMs > cappedMs ? openMs + CAP_MS : cappedMs;
  };
  const problems: string[] = [];
  const placeOf = ({ channelId, offerId }: { channelId: string; offerId: string }) => `${channelId} ${offerId}`;
  const came = new Map<string, number[]>();
  for (const one of told) came.set(placeOf(one), [...(came.get(placeOf(one)) ?? []), one.atMs]);
  const awaited = new Map<string, Expected[]>();
  for (const one of oracle.expected) awaited.set(placeOf(one), [...(awaited.get(placeOf(one)) ?? []), one]);
  let over = 0;
  for (const [place, all] of awaited) {
    const times = came.get(place) ?? [];
    came.delete(place);
    for (const one of all.toSorted((a, b) => a.dueAtMs - b.dueAtMs)) {
      const { offerId, dueAtMs } = one;
      const latest = latestMs(one);
      const found = times.findIndex((atMs) => atMs >= dueAtMs && atMs <= latest);
      if (found >= 0) times.splice(found, 1);
      else if (oracle.overFromMs(offerId) <= latest) over += 1;
      else problems.push(`Lost: ${place}, due ${new Date(dueAtMs).toISOString()}.`);
    }
    for (const atMs of times) problems.push(`Not expected: ${place} at ${new Date(atMs).toISOString()}.`);
  }
  for (const [place] of came) problems.push(`Not expected at all: ${place}.`);
  if (over > oracle.expected.length / 4) problems.push('Too much was over before it could be told to prove anything.');
  return { problems: problems.slice(0, MOST_SAID), over };
}

/** More than a channel's most in an hour, and posts that nobody there wanted at that time. */
function rudeness(arrived: readonly Arrived[], followers: readonly Follower[], clocks: WallClocks): string[] {
  const problems: string[] = [];
  const wishes = new Map<string, Follower[]>();
  for (const follower of followers) {
    const { channelId } = follower.subscription;
    wishes.set(channelId, [...(wishes.get(channelId) ?? []), follower]);
  }
  const posts = new Map<string, number[]>();
  for (const { message, atMs } of arrived) {
    const here = posts.get(message.channelId) ?? [];
    posts.set(message.channelId, [...here, atMs]);
    const all = wishes.get(message.channelId) ?? [];
    const most = Math.max(...all.map(({ subscription }) => subscription.mostPerHour));
    const within = here.filter((one) => one > atMs - HOUR_MS).length + 1;
    if (within > most) problems.push(`${message.channelId} got ${within} posts in an hour, of at most ${most}.`);
    if (all.every(({ subscription }) => clocks.isQuiet(subscription.timing, atMs))) {
      problems.push(`${message.channelId} got a post in quiet hours, at ${new Date(atMs).toISOString()}.`);
    }
  }
  return problems.slice(0, MOST_SAID);
}
