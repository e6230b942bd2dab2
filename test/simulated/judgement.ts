import type { Timing } from '../../src/bot/deals/subscription.ts';
import { decodeAction } from '../../src/bot/discord/custom-id.ts';
import type { Bot } from './bot.ts';
import type { ClosedChannels } from './closed-channels.ts';
import type { Arrived } from './courier.ts';
import { type Follower, SMALL_SERVER } from './crowd.ts';
import type { Expected, Oracle } from './oracle.ts';
import type { TrueTime } from './true-time.ts';
import type { WallClocks } from './wall-clocks.ts';
import type { WeekEvents } from './week-events.ts';

/** The evidence by which a week is judged. */
export interface Evidence {
  oracle: Oracle;
  arrived: readonly Arrived[];
  followers: readonly Follower[];
  clocks: WallClocks;
  time: TrueTime;
  closed: ClosedChannels;
  absences: WeekEvents['absences'];
}

/** An offer that stands in a channel, by itself or in a roll-up. */
export interface PayloadByKind {
  channelId: string;
  offerId: string;
  atMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MOST_SAID = 20;

export async function toldBy(arrived: readonly Arrived[], { store }: Bot): Promise<PayloadByKind[]> {
  const told: PayloadByKind[] = [];
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

/** The time in which one expected post may come, by the right clock, and whether it has to. */
interface Span {
  fromMs: number;
  untilMs: number;
  isOptional: boolean;
}

/**
 * The longest that an hour's most may hold something back that stays live: half of the hour's posts are kept for roll-ups,
 * which come evenly. Where subscriptions with different limits share a channel, another one may have used the hour up.
 */
function longestHoldMs(mosts: readonly number[]): number {
  const [most = 1, ...others] = mosts;
  if (most === 1 || others.some((other) => other !== most)) return HOUR_MS;
  return Math.max(5 * MINUTE_MS, HOUR_MS / Math.max(2, Math.ceil(most / 2)));
}

/**
 * Finds the span of each expected post, by the times that the bot's clock shows: a digest and the end of quiet hours are
 * such times, and come again where that clock is set back before the post is made.
 */
function createSpans({ followers, clocks, time, closed, absences }: Evidence): (expected: Expected) => Span {
  const byChannel = new Map<string, Follower['subscription'][]>();
  for (const { subscription } of followers) {
    const { channelId } = subscription;
    byChannel.set(channelId, [...(byChannel.get(channelId) ?? []), subscription]);
  }
  /** The first right time from then on at which the bot's clock shows none of the quiet hours. */
  function openFromMs(timing: Timing, fromMs: number): number {
    const shownMs = time.botMs(fromMs);
    const openMs = clocks.dueAtMs({ ...timing, mode: 'at-once' }, minuteOf(shownMs));
    return openMs - shownMs < MINUTE_MS ? fromMs : openFromMs(timing, time.shownFromMs(openMs, fromMs));
  }
  return ({ channelId, foundAtMs, dueAtMs, isOptional }) => {
    const here = byChannel.get(channelId) ?? [];
    const holdMs = longestHoldMs(here.map(({ mostPerHour }) => mostPerHour));
    const isDelayed = dueAtMs > foundAtMs;
    const dueBotMs = time.botMs(foundAtMs) + dueAtMs - foundAtMs;
    const dueFromMs = (fromMs: number) => (isDelayed ? time.shownFromMs(dueBotMs, fromMs) : fromMs);
    /** Adds the time that a limit holds posts back and, where it ends in quiet hours, an hour's limit after their end. */
    const heldUntil = (fromMs: number) => {
      const cappedMs = fromMs + holdMs;
      const openMs = Math.max(...here.map(({ timing }) => openFromMs(timing, cappedMs)));
      return openMs > cappedMs ? openMs + holdMs : cappedMs;
    };
    /** The latest time of a post that can be made from then on. */
    const latestMs = (fromMs: number) => {
      let startMs = dueFromMs(fromMs);
      let untilMs = heldUntil(startMs);
      for (const setMs of time.setBackMs()) {
        if (setMs < startMs || setMs > untilMs) continue;
        startMs = dueFromMs(setMs);
        untilMs = Math.max(untilMs, heldUntil(startMs));
      }
      return untilMs;
    };
    let untilMs = latestMs(foundAtMs);
    for (let openMs = closed.foundOpenByMs(channelId, foundAtMs, untilMs); openMs !== null; ) {
      const laterMs = Number.isFinite(openMs) ? latestMs(openMs) : Infinity;
      if (laterMs <= untilMs) break;
      untilMs = laterMs;
      openMs = closed.foundOpenByMs(channelId, foundAtMs, untilMs);
    }
    const isAway =
      here.some(({ guildId }) => guildId === SMALL_SERVER) &&
      absences.some((absence) => absence.fromMs <= untilMs && absence.untilMs + HOUR_MS >= foundAtMs);
    const earliestMs = isDelayed ? time.mayBeShownFromMs(dueBotMs, foundAtMs) : foundAtMs;
    return { fromMs: earliestMs, untilMs, isOptional: isOptional || isAway || untilMs === Infinity };
  };
}

const minuteOf = (ms: number) => Math.ceil(ms / MINUTE_MS) * MINUTE_MS;

/** All that is wrong with what arrived, a line each. */
export function problemsOf(evidence: Evidence, told: readonly PayloadByKind[], say: (line: string) => void): string[] {
  const { problems, over } = compare(evidence, told);
  const watched = evidence.oracle.expected.filter(({ isWatched }) => isWatched).length;
  if (watched === 0) problems.push('No product that somebody watches had any news.');
  const all = `${evidence.oracle.expected.length} expected, ${watched} of watched products: ${told.length} told in ${evidence.arrived.length} posts`;
  say(`${all}, ${over} over before they could be.`);
  return [...problems, ...rudeness(evidence), ...evidence.closed.problems()];
}

/** Each expected post against those that came, offer by offer and channel by channel. */
function compare(evidence: Evidence, told: readonly PayloadByKind[]): { problems: string[]; over: number } {
  const { oracle, time } = evidence;
  const spanOf = createSpans(evidence);
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
    // One that may come takes none from one that has to.
    const spans = all.map((one) => ({ ...one, ...spanOf(one) }));
    const inTurn = spans.toSorted((a, b) => Number(a.isOptional) - Number(b.isOptional) || a.untilMs - b.untilMs);
    for (const one of inTurn) {
      const { fromMs, untilMs, isOptional } = one;
      const found = times.findIndex((atMs) => atMs >= fromMs && atMs <= untilMs);
      const overFromMs = oracle.overFromMs(one.offerId) - time.mostWrong(one.foundAtMs, untilMs);
      if (found >= 0) times.splice(found, 1);
      else if (isOptional) continue;
      else if (overFromMs <= untilMs) over += 1;
      else
        problems.push(
          `Lost: ${place}, due ${iso(one.dueAtMs)}, at the latest ${iso(untilMs)}, found ${iso(one.foundAtMs)}.`,
        );
    }
    for (const atMs of times) problems.push(`Not expected: ${place} at ${iso(atMs)}.`);
  }
  for (const [place] of came) problems.push(`Not expected at all: ${place}.`);
  if (over > oracle.expected.length / 4) problems.push('Too much was over before it could be told to prove anything.');
  return { problems: shortened(problems), over };
}

/** More than a channel's most in an hour of Discord's, and posts that nobody there wanted at that time of the bot's clock. */
function rudeness({ arrived, followers, clocks }: Evidence): string[] {
  const problems: string[] = [];
  const byChannel = new Map<string, Follower[]>();
  for (const follower of followers) {
    const { channelId } = follower.subscription;
    byChannel.set(channelId, [...(byChannel.get(channelId) ?? []), follower]);
  }
  const posts = new Map<string, number[]>();
  for (const { message, atMs, botMs } of arrived) {
    const here = posts.get(message.channelId) ?? [];
    posts.set(message.channelId, [...here, atMs]);
    const all = byChannel.get(message.channelId) ?? [];
    const most = Math.max(...all.map(({ subscription }) => subscription.mostPerHour));
    const within = here.filter((one) => one > atMs - HOUR_MS).length + 1;
    if (within > most)
      problems.push(`${message.channelId} got ${within} posts in the hour to ${iso(atMs)}, of at most ${most}.`);
    if (all.every(({ subscription }) => clocks.isQuiet(subscription.timing, botMs))) {
      problems.push(`${message.channelId} got a post in quiet hours, at ${iso(botMs)}.`);
    }
  }
  return shortened(problems);
}

function iso(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : 'never';
}

/** The first lines, and how many more there are. */
export function shortened(problems: readonly string[]): string[] {
  const more = problems.length - MOST_SAID;
  return more > 0 ? [...problems.slice(0, MOST_SAID), `And ${more} more of that.`] : [...problems];
}
