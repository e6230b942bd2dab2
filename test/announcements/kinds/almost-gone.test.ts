import { describe, expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { createEntityDetector } from '../../../src/announcements/detect/detect-entities.ts';
import { entityKey, isLive, KINDS, partsOf, unsuitedTo } from '../../../src/announcements/kinds/index.ts';
import { subjectOf } from '../../../src/announcements/match/audience.ts';
import { deliveriesOf } from '../../../src/announcements/outbox/enqueue.ts';
import { onePostEach } from '../../../src/announcements/outbox/one-post.ts';
import type { AnnouncementOf } from '../../../src/deals/announcement.ts';
import type { DealEvent, EventOffer } from '../../../src/deals/event.ts';
import type { Source } from '../../../src/deals/subscription.ts';
import { announcementCard, rollUpCard } from '../../../src/discord/cards/announcement-card.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { openStore } from '../../../src/store/store.ts';
import { expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { anEvent, anEventOffer, aSubscription, HOUR_MS, NOW_MS, uuid } from '../../helpers/things.ts';

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

/** A bot that looks at events, on a state that outlives it. */
async function aBot(stateUrl = temporaryState()) {
  const store = await openStore(stateUrl);
  onTestFinished(() => store.close());
  const detector = createEntityDetector(
    store.known,
    new CurrentState(
      createOfferBook([], () => undefined),
      store,
    ),
  );
  return {
    store,
    /** The places of the offers that the kind finds almost gone. */
    async look(event: DealEvent, nowMs = NOW_MS, isFirstSight = false) {
      const findings = await detector.inResource('events', { value: [started(event)] }, isFirstSight, nowMs);
      await store.commit((changes) => findings.save(changes));
      const news = findings.news.flatMap(({ announcements }) => announcements);
      return news.filter(({ kind }) => kind === 'almost-gone').map(({ subject }) => Number(subject.slice(-3)) - 101);
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
    await bot.look(left(40, 50), NOW_MS, true);
    expect(await bot.look(left(11, 50))).toEqual([]);
    expect(await bot.look(left(9, 50))).toEqual([0]);
    expect(await bot.look(left(9, 50))).toEqual([]);
    expect(await bot.look(left(30, 50))).toEqual([]);
    expect(await bot.look(left(8, 2))).toEqual([1]);
    const soldOut = anEvent(1, { offers: [offerWith(0, { soldOut: true, percentageRemaining: 0 })] });
    expect(await bot.look(soldOut)).toEqual([]);
    expect(await bot.look(left(3, 2)), 'back in stock').toEqual([]);
    const next = await aBot(stateUrl);
    expect(await next.look(left(3, 2), NOW_MS + HOUR_MS)).toEqual([]);
    expect(await next.look(left(null, 2), NOW_MS + HOUR_MS)).toEqual([]);
    expect(await next.look(left(3, 2), NOW_MS + HOUR_MS)).toEqual([]);
  });

  test('not at the first sight of events; with an event that comes later it is', async () => {
    const bot = await aBot();
    expect(await bot.look(left(5), NOW_MS, true)).toEqual([]);
    expect(await bot.look(left(5))).toEqual([]);
    expect(await bot.look({ ...left(50, 50, 5), id: uuid(2) })).toEqual([2]);
  });

  test('the event has begun and is not over', async () => {
    const bot = await aBot();
    const later = { ...left(5), startDateMs: NOW_MS + HOUR_MS, endDateMs: NOW_MS + 2 * HOUR_MS };
    expect(await bot.look(later)).toEqual([]);
    expect(await bot.look(later, NOW_MS + HOUR_MS)).toEqual([0]);
    expect(await bot.look({ ...left(50, 4), endDateMs: NOW_MS })).toEqual([]);
  });

  test('what is not kept is found again', async () => {
    const stateUrl = temporaryState();
    const bot = await aBot(stateUrl);
    const detector = createEntityDetector(
      bot.store.known,
      new CurrentState(
        createOfferBook([], () => undefined),
        bot.store,
      ),
    );
    await bot.look(left(40), NOW_MS, true);
    const cutOff = await detector.inResource('events', { value: [started(left(5))] }, false, NOW_MS);
    expect(cutOff.news).toHaveLength(1);
    expect(await bot.look(left(5))).toEqual([0]);
  });

  test('an offer that two events show is told once', async () => {
    const bot = await aBot();
    await bot.look(left(40), NOW_MS, true);
    expect(await bot.look(left(5))).toEqual([0]);
    expect(await bot.look({ ...left(5), id: uuid(2) })).toEqual([]);
  });
});

test('a channel gets the post of an event that begins for all of it, and one for each offer of a running one', () => {
  const subscription = aSubscription('e', { source: EVENTS, kinds: ['event-started', 'almost-gone'] });
  const event = left(5, 6);
  const parts = partsOf(started(event));
  const kindsOf = (announcements: typeof parts) =>
    onePostEach(
      deliveriesOf(
        announcements.map((announcement) => ({ announcement, subscription, terms: [] })),
        NOW_MS,
      ),
    ).map(({ announcement, alsoTells }) => [announcement.kind, alsoTells.length]);
  expect(kindsOf(parts)).toEqual([
    ['almost-gone', 0],
    ['almost-gone', 0],
  ]);
  expect(kindsOf([...parts, started(event)])).toEqual([['event-started', 2]]);
  expect(kindsOf([started(event), ...parts])).toEqual([['event-started', 2]]);
  expect(new Set(parts.map(entityKey))).toEqual(new Set([`event:${event.id}`]));
});

test('a filter looks at the offer, and types and sites at its event', () => {
  const cheap = offerWith(0, { percentageRemaining: 5, title: 'Kettle (Refurbished)' });
  const announcement = found(anEvent(1, { offers: [cheap, offerWith(1, {})] }));
  expect(subjectOf(announcement)).toMatchObject({ price: 30, off: 50, isSoldOut: false });
  expect(subjectOf(announcement).title?.folded.trim()).toBe('kettle refurbished');
  const wine = aSubscription('w', { source: { kind: 'events', sites: ['wine'], types: [] } });
  expect(unsuitedTo(announcement, wine)).toMatchObject({ key: 'why.otherEvents' });
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
