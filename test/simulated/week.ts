import { createSimulator, FEED_NAMES, type FeedName } from '../../packages/catalog-service/src/index.ts';
import { parseFeed } from '../../src/catalog/portal/feeds.ts';
import { ResponseCache } from '../../src/catalog/response-cache.ts';
import { createEvents } from '../../src/catalog/v2/events.ts';
import { feedKey } from '../../src/deals/known-offer.ts';
import { personAt } from '../../src/deals/person.ts';
import { pacingOf } from '../../src/deals/settings.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { createLog } from '../../src/shared/log.ts';
import { DAY_MS, MINUTE_MS } from '../../src/shared/time.ts';
import type { Person } from '../../src/store/server-records.ts';
import { createEventCounts } from '../helpers/event-counts.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { readPost } from '../model/reading.ts';
import { createWallClocks } from '../model/wall-clocks.ts';
import { asTransport, createSimulatedCatalog, idOf, openBot } from './bot.ts';
import { createClosedChannels } from './closed-channels.ts';
import { createConfirmations } from './confirmations.ts';
import { createArrivals } from './courier.ts';
import { createCrowd, TIME_ZONES } from './crowd.ts';
import { watchDatabase } from './database-work.ts';
import type { EventName } from './events.ts';
import { createWorld, entityOf, problemsOf, toldOf } from './judgement.ts';
import { withRestocks } from './restocks.ts';
import { createSellOutWatch } from './sell-outs.ts';
import { createTrueTime } from './true-time.ts';
import { createWeekEvents } from './week-events.ts';

export interface WeekOptions {
  seed: number;
  offers: number;
  subscriptions: number;
  days: number;
  /** The faults of the week. */
  events: readonly EventName[];
  stateUrl: string;
  say: (line: string) => void;
}

/** Europe's clocks go back by an hour in the middle of this week, and it ends before America's do. */
const START = '2026-10-21T00:00:00Z';
const ADDRESS = 'https://catalog.example';
const DAY_MINUTES = 24 * 60;
const RESTARTS_A_DAY = 2;
const TICK_MINUTES = 2;
/** Fewer than there are: each look costs time here, and what is promised does not hang on how many there are. */
const QUOTA = 300;
/**
 * Polling plans with four fifths of the quota, and looks at each feed once in two even shares of the day, or at the next tick.
 */
const LONGEST_SILENCE_MS = (2 * DAY_MS * FEED_NAMES.length) / (0.8 * QUOTA) + TICK_MINUTES * MINUTE_MS;
/**
 * These cost looks beside the shares, or change when the day's requests return: then one feed may wait for longer, and
 * only all of them are judged.
 */
const COSTLY: readonly EventName[] = ['empty', 'forward', 'back', 'midnight'];
/** The time after the last poll in which every digest comes, all quiet hours end, and whoever took no messages is tried again. */
const AFTER_DAYS = 3;
/** Channels are closed that have had one of the last so many: there news comes meanwhile. */
const BUSY_POSTS = 50;

/** Lives through days on a clock of its own, and compares what arrived with what had to. Resolves with a line a problem. */
export async function liveAWeek(options: WeekOptions): Promise<string[]> {
  const { seed, offers, subscriptions, days, events: enabled, stateUrl, say } = options;
  const clock = new ManualClock(START);
  const database = watchDatabase();
  const time = createTrueTime(clock);
  const startMs = time.now();
  const random = seededRandom(seed);
  const content = withRestocks(createSimulator({ seed: String(seed), offers, pace: 'store' }));
  const shown = await parseFeed({ Items: content.at(startMs, ADDRESS).feed('All').items });
  const followers = createCrowd(subscriptions, shown.value.offers, random, startMs);
  const clocks = createWallClocks(TIME_ZONES, startMs - 2 * DAY_MS, startMs + (days + AFTER_DAYS + 4) * DAY_MS);
  const closed = createClosedChannels(time.now);
  const counts = createEventCounts(enabled);
  const busy = () => arrived.slice(-BUSY_POSTS).map(({ message }) => message.channelId);
  const events = createWeekEvents({
    followers,
    busy,
    time,
    closed,
    counts,
    enabled,
    days,
    random: seededRandom(seed + 1),
  });
  const now = () => ({ trueMs: time.now(), botMs: clock.now() });
  const evidence = { followers, clocks, time, closed, absences: () => events.absences };
  const world = createWorld(evidence);
  let [over, asked] = [0, 0];
  const { courier, arrived, edits } = createArrivals(now, closed, (channelId, card) => {
    const shown = readPost(card);
    over += shown.over.length;
    world.show(channelId, shown, now());
  });
  let quota = QUOTA;
  const looks = createLooks(startMs);
  const confirmations = createConfirmations((id) => bot.offers.get(id));
  const { catalog, mostSpent } = createSimulatedCatalog({
    content,
    quota: () => quota,
    clock,
    trueNow: time.now,
    spoil: events.spoil,
    onFeed(feed, answer) {
      looks.note(feed, time.now());
      world.serve({ ...answer, resource: feed, entities: answer.offers.map(entityOf) }, now());
      const there = new Set(content.at(time.now(), ADDRESS).feed(feed).items.map(idOf));
      const isThere = (id: string) => there.has(id);
      confirmations.answer(feed, answer, { live: bot.offers.live(feedKey(feed)), isThere }, time.now());
    },
    onAsked(answers) {
      asked += 1;
      const told = new Map([...answers].map(([id, offer]) => [id, toldOf(offer)]));
      world.ask(told, now());
      confirmations.ask(new Set([...told].flatMap(([id, one]) => (one?.isSoldOut === false ? [id] : []))));
    },
  });
  const sellOuts = createSellOutWatch(
    createEvents(
      asTransport(async () => content.at(time.now(), ADDRESS).events()),
      new ResponseCache({ clock, log: createLog('silent') }),
    ),
  );
  const open = () => openBot({ stateUrl, catalog, courier, clock });
  let bot = await open();
  for (const { subscription } of followers) {
    await bot.store.subscriptions.save(subscription);
    const person = personOf(subscription);
    if (person) await bot.store.people.save(person.id, person);
  }

  for (let minute = 0; minute < (days + AFTER_DAYS) * DAY_MINUTES; minute += 1) {
    // Afterwards nothing is read any more, and only what waits is posted.
    if (minute === days * DAY_MINUTES) {
      looks.end(time.now());
      quota = 0;
    }
    events.passMinute(minute, bot);
    if (minute % TICK_MINUTES === 0) {
      await bot.poller.tick();
      world.pass(now());
      confirmations.pass(time.now());
      await sellOuts.pass(time.now());
    }
    await database.settled();
    if (random() < RESTARTS_A_DAY / DAY_MINUTES) {
      await bot.stop();
      bot = await open();
      closed.restarted();
      bot.deliverer.kick();
      await database.settled();
    }
    await clock.advance(MINUTE_MS);
    await database.settled();
    if ((minute + 1) % DAY_MINUTES !== 0) continue;
    await bot.sweep();
    const day = (minute + 1) / DAY_MINUTES;
    say(`day ${day}: ${looks.count()} looks, ${world.counts().debts} owed, ${arrived.length} posts`);
  }
  await bot.stop();
  const problems = problemsOf(world, evidence, arrived, say);
  say(
    `${edits()} edits of what had changed, ${over} of them to say that it is over. At most ${mostSpent()} requests a day.`,
  );
  say(`The longest time without a look: ${looks.longest()}.`);
  say(`${asked} requests for offers that were in doubt.`);
  say(`Events: ${counts.summary()}.`);
  say(sellOuts.summary());
  for (const line of confirmations.summary()) say(line);
  if (mostSpent() > QUOTA) problems.push(`${mostSpent()} requests on a day of ${QUOTA}.`);
  return [
    ...problems,
    ...looks.problems(enabled),
    ...counts.missing(),
    ...sellOuts.problems(),
    ...confirmations.problems(),
  ];
}

/** The record of a person whose watch it is; null where it is a server's subscription. */
function personOf(watch: Subscription): Person | null {
  const { guildId, channelId, createdAtMs } = watch;
  const id = personAt(guildId);
  return id === null
    ? null
    : {
        id,
        channelId,
        locale: 'en-US',
        ...pacingOf(watch),
        usedAtMs: createdAtMs,
        closed: null,
        shownWaiting: null,
      };
}

/** Counts polls, and keeps the longest time without a poll of any feed and without one of some feed. */
function createLooks(startMs: number) {
  let [count, longestMs, longestOfFeedMs] = [0, 0, 0];
  const last = new Map<FeedName, number>(FEED_NAMES.map((feed) => [feed, startMs]));
  function measure(feed: FeedName, nowMs: number): void {
    longestMs = Math.max(longestMs, nowMs - Math.max(...last.values()));
    longestOfFeedMs = Math.max(longestOfFeedMs, nowMs - (last.get(feed) ?? startMs));
  }
  return {
    note(feed: FeedName, nowMs: number) {
      measure(feed, nowMs);
      count += 1;
      last.set(feed, nowMs);
    },
    end(nowMs: number) {
      for (const feed of FEED_NAMES) measure(feed, nowMs);
    },
    count: () => count,
    longest: () => `${longestMs / MINUTE_MS} minutes, at one feed ${longestOfFeedMs / MINUTE_MS} minutes`,
    problems(events: readonly EventName[]) {
      const most = events.some((event) => COSTLY.includes(event)) ? longestMs : longestOfFeedMs;
      return most > LONGEST_SILENCE_MS ? [`No look for ${most / MINUTE_MS} minutes.`] : [];
    },
  };
}
