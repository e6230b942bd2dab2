import { describe, expect, test } from 'vitest';
import { entityKey, isLive, KINDS, partsOf, unsuitedTo } from '../../../src/announcements/kinds/index.ts';
import { Audience } from '../../../src/announcements/match/match.ts';
import { deliveriesOf } from '../../../src/announcements/outbox/enqueue.ts';
import type { AnnouncementOf } from '../../../src/deals/announcement.ts';
import { APART_MS } from '../../../src/deals/belief.ts';
import type { DealEvent, EventOffer } from '../../../src/deals/event.ts';
import type { Source } from '../../../src/deals/subscription.ts';
import { announcementCard, rollUpCard } from '../../../src/discord/cards/announcement-card.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { putInEmpty } from '../../helpers/opened-deliveries.ts';
import { aPoller } from '../../helpers/poller.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { anEvent, anEventOffer, aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';

const EVENTS: Source = { kind: 'events', sites: [], types: [] };
const almostGone = KINDS['almost-gone'];
const started = (event: DealEvent) => KINDS['event-started'].announce(event);

/** An event with offers of which so much is left. */
function left(...percents: (number | null)[]): DealEvent {
  return anEvent(1, { offers: percents.map((percent, index) => offerWith(index, { percentageRemaining: percent })) });
}

function offerWith(index: number, changes: Partial<EventOffer>): EventOffer {
  return anEventOffer(101 + index, changes);
}

/** The first announcement that an event makes. */
function found(event: DealEvent): AnnouncementOf<'almost-gone'> {
  const [first] = almostGone.announceParts(event);
  if (!first) throw new Error('Nothing is almost gone.');
  return first;
}

/** A poller of the events that somebody follows, on a state that outlives it. */
async function aBot(stateUrl = temporaryState()) {
  const bot = await aPoller({ stateUrl });
  await bot.store.subscriptions.save(aSubscription('e', { source: EVENTS, kinds: ['almost-gone'] }));
  return {
    ...bot,
    /** The places of the offers that a poll enqueues as almost gone. The first poll of a state is the first sight. */
    async see(event: DealEvent): Promise<number[]> {
      bot.events.splice(0, bot.events.length, event);
      const { enqueued } = await bot.poller.poll('events', 'announcement');
      return enqueued.map(({ announcement }) => Number(announcement.subject.slice(-3)) - 101);
    },
  };
}

describe('what is almost gone', () => {
  test.each<[number | null, boolean]>([
    [11, false],
    [10, true],
    [0.5, true],
    [0, false],
    [null, false],
  ])('%j percent: %s', (percent, isAlmostGone) => {
    expect(almostGone.announceParts(left(percent))).toHaveLength(isAlmostGone ? 1 : 0);
  });

  test('what is sold out is not, whatever its figure says', () => {
    const offers = [offerWith(0, { percentageRemaining: 5, soldOut: true })];
    expect(almostGone.announceParts(anEvent(1, { offers }))).toEqual([]);
  });

  test('it lives until it is sold out, lost by its event, or the event is over', () => {
    const announcement = found(left(5));
    const inEvent = (item: DealEvent) => isLive({ ...announcement, item }, NOW_MS);
    expect(inEvent(left(40)), 'a figure that goes back').toBe(true);
    expect(inEvent(anEvent(1, { offers: [offerWith(0, { soldOut: true })] }))).toBe(false);
    expect(inEvent(anEvent(1, { offers: [] }))).toBe(false);
    expect(inEvent({ ...left(5), endDateMs: NOW_MS })).toBe(false);
  });
});

describe('when it is news', () => {
  test('once it falls so low, whatever the figure does then, and after a restart', async () => {
    const stateUrl = temporaryState();
    const bot = await aBot(stateUrl);
    await bot.see(left(40, 50));
    expect(await bot.see(left(11, 50))).toEqual([]);
    expect(await bot.see(left(9, 50))).toEqual([0]);
    expect(await bot.see(left(9, 50))).toEqual([]);
    expect(await bot.see(left(30, 50))).toEqual([]);
    expect(await bot.see(left(8, 2))).toEqual([1]);
    const soldOut = anEvent(1, { offers: [offerWith(0, { soldOut: true, percentageRemaining: 0 })] });
    expect(await bot.see(soldOut)).toEqual([]);
    expect(await bot.see(left(3, 2)), 'back in stock').toEqual([]);
    await bot.store.close();
    const next = await aBot(stateUrl);
    for (const event of [left(3, 2), left(null, 2), left(3, 2)]) expect(await next.see(event)).toEqual([]);
  });

  test('not at the first sight of events; with an event that comes later it is', async () => {
    const bot = await aBot();
    expect(await bot.see(left(5))).toEqual([]);
    expect(await bot.see(left(5))).toEqual([]);
    expect(await bot.see({ ...left(50, 50, 5), id: uuid(2) })).toEqual([2]);
  });

  test('the event has begun and is not over', async () => {
    const bot = await aBot();
    await bot.poller.poll('events', 'announcement');
    const later = { ...left(5), startDateMs: NOW_MS + HOUR_MS, endDateMs: NOW_MS + 2 * HOUR_MS };
    expect(await bot.see(later)).toEqual([]);
    await bot.clock.advance(HOUR_MS);
    expect(await bot.see(later)).toEqual([0]);
    // An end in the past is believed after a second answer, a minute later.
    const endDateMs = bot.clock.now();
    expect(await bot.see({ ...left(50), endDateMs })).toEqual([]);
    await bot.clock.advance(APART_MS);
    expect(await bot.see({ ...left(50, 4), endDateMs })).toEqual([]);
  });

  test('what is not kept is found again', async () => {
    const bot = await aBot();
    await bot.see(left(40));
    bot.failNext();
    await expect(bot.see(left(5))).rejects.toThrow(StoreError);
    expect(await bot.see(left(5))).toEqual([0]);
  });

  test('an offer that two events show is told once', async () => {
    const bot = await aBot();
    await bot.see(left(40));
    expect(await bot.see(left(5))).toEqual([0]);
    expect(await bot.see({ ...left(5), id: uuid(2) })).toEqual([]);
  });
});

test('a channel gets the post of an event that begins for all of it, and one for each offer of a running one', async () => {
  const subscription = aSubscription('e', { source: EVENTS, kinds: ['event-started', 'almost-gone'] });
  const event = left(5, 6);
  const parts = partsOf(started(event));
  const kindsOf = async (announcements: typeof parts) => {
    const matches = announcements.map((announcement) => ({ announcement, subscription, terms: [] }));
    const posts = await putInEmpty(deliveriesOf(matches, NOW_MS));
    return posts.map(({ announcement, alsoTells }) => [announcement.kind, alsoTells.length]);
  };
  expect(await kindsOf(parts)).toEqual([
    ['almost-gone', 0],
    ['almost-gone', 0],
  ]);
  expect(await kindsOf([...parts, started(event)])).toEqual([['event-started', 2]]);
  expect(await kindsOf([started(event), ...parts])).toEqual([['event-started', 2]]);
  expect(new Set(parts.map(entityKey))).toEqual(new Set([`event:${event.id}`]));
});

test('a filter looks at the offer, and types and sites at its event', async () => {
  const cheap = offerWith(0, { percentageRemaining: 5, title: 'Kettle (Refurbished)' });
  const announcement = found(anEvent(1, { offers: [cheap, offerWith(1, {})] }));
  const hears = async (filter: string) => {
    const subscription = aSubscription('f', { source: EVENTS, kinds: ['almost-gone'], filter });
    const audience = new Audience({ all: () => [subscription], onChange: () => undefined }, [], createLog('silent'));
    return (
      (await audience.of([{ announcements: [announcement], resources: ['events'] }], NOW_MS, { clock: systemClock }))
        .length === 1
    );
  };
  expect(await hears('price:30 off:50 soldout:false title:"kettle refurbished"')).toBe(true);
  for (const other of ['price:<30', 'off:>50', 'soldout:true', 'blender'])
    expect(await hears(other), other).toBe(false);
  const wine = aSubscription('w', { source: { kind: 'events', sites: ['wine'], types: [] } });
  expect(unsuitedTo(announcement, wine)).toMatchObject({ key: 'unsuited.otherEvents' });
  expect(unsuitedTo(announcement, aSubscription('e', { source: EVENTS }))).toBeNull();
});

describe('the card', () => {
  const shown = (announcement: AnnouncementOf<'almost-gone'>, locale = 'en-US') => {
    const card = announcementCard(announcement, {
      deliveryId: 'd'.repeat(22),
      matched: [],
      style: 'compact',
      translator: translatorFor(locale),
      nowMs: NOW_MS,
    });
    expectTakenByDiscord(card);
    return textOf(card);
  };

  test('says how much is left of the offer, and no more than was seen', () => {
    const announcement = found(left(8));
    expect(shown(announcement)).toContain('Blender 101');
    expect(shown(announcement)).toContain('**Almost gone** · only 8% left');
    expect(shown({ ...announcement, item: left(3) })).toContain('only 3% left');
    expect(shown({ ...announcement, item: left(60) })).toContain('only 8% left');
    expect(shown({ ...announcement, item: left(null) })).toContain('only 8% left');
    const [, second = announcement] = almostGone.announceParts(left(5, 8));
    expect(shown({ ...second, item: left(3, 7) })).toContain('only 7% left');
    expect(shown(announcement, 'de')).toContain('nur noch 8\u00a0% übrig');
  });

  test('says that it is sold out as soon as it is', () => {
    const soldOut = anEvent(1, { offers: [offerWith(0, { soldOut: true })] });
    for (const item of [soldOut, anEvent(1, { offers: [] })]) {
      const text = shown({ ...found(left(8)), item });
      expect(text).toContain('**Sold out**');
      expect(text).toContain('~~');
      expect(text).not.toContain('left');
    }
  });

  test('in a roll-up each offer of an event has its own place', () => {
    const announcements = partsOf(started(left(5, 6)));
    const card = rollUpCard(
      { deliveryId: 'd', announcements, reason: null, feeds: [], limit: null },
      { translator: translatorFor('en-US'), nowMs: NOW_MS },
    );
    expect(textOf(card)).toContain('2 deals');
    expect(textOf(card)).toMatch(/Blender 101[\s\S]*Blender 102/);
  });
});
