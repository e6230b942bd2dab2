import { FEED_NAMES, type FeedName } from '../../packages/catalog-service/src/index.ts';
import { personAt } from '../../src/deals/person.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import type { EventCounts } from '../helpers/event-counts.ts';
import { type FeedFault, type SpoiltFeed, spoilFeed } from '../helpers/feed-faults.ts';
import type { Bot } from './bot.ts';
import type { ClosedChannels } from './closed-channels.ts';
import { BUSIEST_CHANNEL, type Follower, SMALL_SERVER } from './crowd.ts';
import { type PlannedEvent, planDay } from './day-plan.ts';
import type { EventName } from './events.ts';
import type { TrueTime } from './true-time.ts';

/** Lets go wrong what a day's plan says, minute by minute, and undoes it. */
export interface WeekEvents {
  /** Plays the events of a minute, counted from the week's start, before the bot works in it. */
  passMinute(minute: number, bot: Bot): void;
  /** Spoils a feed's answer where that is its turn, never two in a row. */
  spoil: (feed: FeedName, items: readonly object[]) => SpoiltFeed<object>;
  /** The time in which the small server was without the bot, by the right clock. */
  absences: readonly { fromMs: number; untilMs: number }[];
}

const DAY_MINUTES = 1_440;
/** One of so many closed channels is the busiest; it shows whether news changes how often it is tried. */
const BUSIEST_EVERY = 5;

export function createWeekEvents(parts: {
  followers: readonly Follower[];
  /** The channels that have had something lately, once for each. */
  busy: () => readonly string[];
  time: TrueTime;
  closed: ClosedChannels;
  counts: EventCounts<EventName>;
  enabled: readonly EventName[];
  /** The days on which something goes wrong. */
  days: number;
  random: () => number;
}): WeekEvents {
  const { followers, busy, time, closed, counts, enabled, days, random } = parts;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const ofServer = (isSmall: boolean) => [
    ...new Set(
      followers.flatMap(({ subscription: { guildId, channelId } }) =>
        (guildId === SMALL_SERVER) === isSmall && personAt(guildId) === null ? [channelId] : [],
      ),
    ),
  ];
  const people = new Map(
    followers.flatMap(({ subscription: { guildId, channelId } }) => {
      const personId = personAt(guildId);
      return personId === null ? [] : [[channelId, personId] as const];
    }),
  );
  const smallServer = ofServer(true);
  const channels = ofServer(false).filter((channelId) => channelId !== BUSIEST_CHANNEL);
  const spoiltLast = new Set<FeedName>();
  const feedFaults = new Map<FeedName, { fault: FeedFault; isHit: (item: object) => boolean }>();
  const absences: { fromMs: number; untilMs: number }[] = [];
  const undo = new Map<number, ((bot: Bot) => void)[]>();
  let plan: PlannedEvent[] = [];
  let closures = 0;

  function begin({ event, aheadMinutes }: PlannedEvent, bot: Bot): (bot: Bot) => void {
    counts.count(event);
    switch (event) {
      case 'forward':
      case 'back':
      case 'midnight':
        time.setBotAhead(aheadMinutes * MINUTE_MS);
        return () => time.setBotAhead(0);
      case 'removed':
        return removeBot(bot);
      case 'deleted': {
        const [channelId] = channels.splice(upTo(channels.length - 1), 1);
        if (channelId !== undefined) deleteChannel(channelId, bot);
        return () => undefined;
      }
      case 'permission':
        return closeChannel();
      case 'messages':
        return closeMessages();
      default:
        return spoilEveryFeed(event);
    }
  }

  /** The next answer of each: most offers are in several, and are thought to be gone only when all of those are without them. */
  function spoilEveryFeed(fault: FeedFault): () => void {
    const isHit = drawHits(random);
    for (const feed of FEED_NAMES) feedFaults.set(feed, { fault, isHit });
    return () => undefined;
  }

  /** Half of the time the gateway tells that it is open again, else the bot finds out by itself. */
  function closeChannel(): (bot: Bot) => void {
    const lately = busy().filter((channelId) => channels.includes(channelId) && !closed.isClosed(channelId));
    const isBusiest = closures % BUSIEST_EVERY === 0 && !closed.isClosed(BUSIEST_CHANNEL);
    closures += 1;
    const channelId = isBusiest ? BUSIEST_CHANNEL : (lately[upTo(lately.length - 1)] ?? BUSIEST_CHANNEL);
    closed.close(channelId, random() < 0.5 ? 'cannot-post' : 'cannot-see');
    const isTold = random() < 0.5;
    return (bot) => {
      closed.open(channelId);
      if (isTold) bot.deliverer.retry(channelId);
    };
  }

  /** Half of the time the person asks for what waits, else the bot finds out by itself that they take messages again. */
  function closeMessages(): (bot: Bot) => void {
    const open = (channelId: string) => people.has(channelId) && !closed.isClosed(channelId);
    const lately = busy().filter(open);
    const from = lately.length > 0 ? lately : [...people.keys()].filter(open);
    const channelId = from[upTo(from.length - 1)] ?? '';
    closed.close(channelId, 'messages-closed');
    const isAsked = random() < 0.5;
    return (bot) => {
      closed.open(channelId);
      if (isAsked) void askForMessages(channelId, bot);
    };
  }

  /** As the button does in the answer that says that messages wait. */
  async function askForMessages(channelId: string, { store, deliverer }: Bot): Promise<void> {
    await store.people.update(people.get(channelId) ?? '', (person) => ({
      ...person,
      closed: person.closed && { ...person.closed, retryAtMs: 0 },
    }));
    deliverer.retry(channelId);
    deliverer.kick();
  }

  function deleteChannel(channelId: string, bot: Bot): void {
    closed.delete(channelId);
    const follower = followers.find(({ subscription }) => subscription.channelId === channelId);
    if (follower) bot.deliverer.left(follower.subscription.guildId, [channelId]);
  }

  function removeBot(bot: Bot): (bot: Bot) => void {
    const absence = { fromMs: time.now(), untilMs: Infinity };
    absences.push(absence);
    for (const channelId of smallServer) closed.close(channelId, 'cannot-see');
    bot.deliverer.left(SMALL_SERVER, null);
    return (later) => {
      absence.untilMs = time.now();
      for (const channelId of smallServer) closed.open(channelId);
      later.deliverer.joined(SMALL_SERVER, () => true);
    };
  }

  return {
    absences,
    passMinute(minute, bot) {
      if (minute % DAY_MINUTES === 0)
        plan = minute < days * DAY_MINUTES ? planDay(random).filter(({ event }) => enabled.includes(event)) : [];
      for (const planned of plan.filter((one) => one.minute === minute % DAY_MINUTES)) {
        const end = begin(planned, bot);
        const atMinute = minute + planned.minutes;
        undo.set(atMinute, [...(undo.get(atMinute) ?? []), end]);
      }
      for (const end of undo.get(minute) ?? []) end(bot);
      undo.delete(minute);
    },
    spoil(feed, items) {
      const isAgain = spoiltLast.delete(feed);
      const found = feedFaults.get(feed);
      if (!found || isAgain || items.length === 0) return { items: [...items], hidden: [] };
      feedFaults.delete(feed);
      spoiltLast.add(feed);
      return spoilFeed(items, found.fault, found.isHit);
    },
  };
}

/** One item in eight, the same in every feed. */
function drawHits(random: () => number): (item: object) => boolean {
  const drawn = Math.floor(random() * 16).toString(16);
  const other = Math.floor(random() * 16).toString(16);
  return (item) => 'OfferId' in item && [drawn, other].includes(String(item.OfferId).slice(0, 1).toLowerCase());
}
