import { describe, expect, test } from 'vitest';
import {
  announcementsOf,
  fingerprintOf,
  hasStarted,
  headlineOf,
  isLive,
  KINDS,
  knownAs,
  partOf,
  partsOf,
  unnoticed,
  unsuitedTo,
} from '../../../src/announcements/kinds/index.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import type { OfferChange } from '../../../src/deals/change.ts';
import type { DealEvent } from '../../../src/deals/event.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import type { Poll } from '../../../src/deals/poll.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import {
  aDealcast,
  aKnownOffer,
  anEvent,
  anEventOffer,
  anOffer,
  aSubscription,
  NOW_MS,
  newOfferOf,
  uuid,
} from '../../helpers/things.ts';

const english = translatorFor('en-US');
const price = (minimum: number, maximum = minimum) => ({ minimum, maximum });
const PAST = { offerId: uuid(9), salePrice: price(20), endedAtMs: NOW_MS };

function dropped(from: number, to: Offer['salePrice'], changes: Partial<Offer> = {}): Announcement {
  const item = anOffer(1, { salePrice: to, ...changes });
  return { kind: 'price-drop', subject: item.id, occurrence: '', item, before: price(from) };
}

describe('what a change of an offer is announced as', () => {
  const known = aKnownOffer(1, { endDateMs: NOW_MS + HOUR_MS, salePrice: price(15) });
  const back = { ...known, before: PAST };
  const subject = uuid(1);
  const item = known.offer;
  const feeds = ['home'];

  test.each<[string, OfferChange, unknown[]]>([
    ['new', { kind: 'appeared', known, feeds }, [{ kind: 'new-offer', subject, occurrence: '', item }]],
    ['new in one more feed', { kind: 'entered', known, feeds }, [{ kind: 'new-offer', subject, occurrence: '', item }]],
    [
      'listed anew',
      { kind: 'appeared', known: back, feeds },
      [{ kind: 'relisted', subject, occurrence: '', item, before: PAST }],
    ],
    [
      'listed anew in one more feed',
      { kind: 'entered', known: back, feeds },
      [{ kind: 'relisted', subject, occurrence: '', item, before: PAST }],
    ],
    [
      'back',
      { kind: 'restocked', known, feeds, storyMs: 77 },
      [{ kind: 'restocked', subject, occurrence: '77', item }],
    ],
    [
      'cheaper, once for each price and story',
      { kind: 'price-dropped', known, feeds, before: price(20, 30), storyMs: 77, times: 1, beforeForMs: 5 },
      [{ kind: 'price-drop', subject, occurrence: '15-1', item, before: price(20, 30), beforeForMs: 5 }],
    ],
    [
      'ending, once for each end',
      { kind: 'ending-soon', known, feeds },
      [{ kind: 'ending-soon', subject, occurrence: String(NOW_MS + HOUR_MS), item }],
    ],
    ['nothing: dearer', { kind: 'price-raised', known: back, feeds, before: price(5) }, []],
    ['nothing: sold out', { kind: 'sold-out', known: back, feeds }, []],
    ['nothing: over', { kind: 'ended', known, feeds }, []],
    ['nothing: gone', { kind: 'left', known, feeds }, []],
    ['nothing: shown again at its price', { kind: 'price-confirmed', known, feeds }, []],
    ['nothing: altered', { kind: 'altered', known: back, feeds }, []],
  ])('%s', (_, change, announcements) => {
    expect(announcementsOf(change)).toEqual(announcements);
  });
});

describe('a price drop', () => {
  test('is live while the offer can be bought for less than before', () => {
    expect(isLive(dropped(20, price(19.99)), NOW_MS)).toBe(true);
    expect(isLive(dropped(20, price(20)), NOW_MS)).toBe(false);
    expect(isLive(dropped(20, price(25)), NOW_MS)).toBe(false);
    expect(isLive(dropped(20, null), NOW_MS)).toBe(false);
    expect(isLive(dropped(20, price(10), { isSoldOut: true }), NOW_MS)).toBe(false);
    expect(isLive(dropped(20, price(10), { endDateMs: NOW_MS }), NOW_MS)).toBe(false);
  });

  test.each([
    [10, 18, true],
    [10, 18.01, false],
    // 0.3 - 0.27 is a little less than 0.03.
    [10, 0.27, true, 0.3],
    [0, 20, true],
    [100, 0, true],
    [100, 0.01, false],
  ])('is wanted from %f percent on: %f dollars %j', (priceDropPercent, dollars, isWanted, from = 20) => {
    const reason = unsuitedTo(dropped(from, price(dollars)), aSubscription('s', { priceDropPercent }));
    expect(reason === null).toBe(isWanted);
  });

  test('that is too small says by how much the cheapest variant fell, and how much is wanted', () => {
    const subscription = aSubscription('s', { priceDropPercent: 25 });
    const sentence = (announcement: Announcement) => {
      const reason = unsuitedTo(announcement, subscription);
      return reason && english.translate(reason);
    };
    expect(sentence(dropped(20, price(17, 40)))).toMatch(/15%.*25%/);
    expect(sentence(dropped(20, price(21)))).toMatch(/0%.*25%/);
    expect(sentence(dropped(20, null))).toMatch(/0%.*25%/);
  });

  test('shows what it saves and the former price, and no lead where the price is not known any more', () => {
    expect(headlineOf(dropped(20, price(15)), english)).toMatch(/Price drop\*\* · \*\*−25%\*\* · was ~~\$20\.00~~$/);
    // Rounded down to nothing.
    expect(headlineOf(dropped(20, price(19.99)), english)).not.toContain('%');
    expect(headlineOf(dropped(20, null), english)).toMatch(/Price drop\*\*$/);
  });
});

test('an offer that is back says how its price compares with what it cost the last time', () => {
  const lead = (now: Offer['salePrice'], was: Offer['salePrice']) => {
    const item = anOffer(1, { salePrice: now });
    const before = { ...PAST, salePrice: was };
    return headlineOf({ kind: 'relisted', subject: item.id, occurrence: '', item, before }, english);
  };
  const leads = [
    lead(price(15), price(20)),
    lead(price(25.5), price(20)),
    lead(price(20), price(20)),
    lead(price(20, 30), price(20)),
    lead(null, price(20)),
    lead(price(20), null),
  ];
  expect(new Set(leads).size).toBe(5);
  for (const text of leads) expect(text).toContain(`<t:${NOW_MS / 1_000}:R>`);
  expect(leads[0]).toContain('$5.00 cheaper');
  expect(leads[1]).toContain('$5.50 more');
  expect(leads[2]).not.toContain('$');
  expect(leads[3]).toContain('$20.00');
  expect(leads[4]).not.toContain('$');
});

const started = (changes: Partial<DealEvent>) => KINDS['event-started'].announce(anEvent(1, changes));
const POLL: Poll = { discussionUrl: 'https://forums.example.com/p', site: null, questions: [] };

describe('things of which each is announced once', () => {
  test('are known by one name, whatever changes about them', () => {
    expect(started({})).toMatchObject({ kind: 'event-started', subject: uuid(1), occurrence: '' });
    const cast = KINDS['new-dealcast'].announce(aDealcast(1));
    const poll = KINDS['new-poll'].announce(POLL);
    const chat = KINDS['new-monkeychat'].announce({ raw: { Id: 1, Text: 'a' } });
    expect([cast, poll, chat].map(({ kind, occurrence }) => [kind, occurrence])).toEqual([
      ['new-dealcast', ''],
      ['new-poll', ''],
      ['new-monkeychat', ''],
    ]);
    expect(KINDS['new-monkeychat'].announce({ raw: { Id: 1, Text: 'b' } }).subject).toBe(chat.subject);
    for (const announcement of [cast, poll, chat]) {
      expect([isLive(announcement, NOW_MS), partsOf(announcement), partOf(announcement)]).toEqual([true, [], null]);
      expect(knownAs(announcement)).toBe(announcement.subject);
    }
    expect([hasStarted(poll, NOW_MS), hasStarted(chat, NOW_MS)]).toEqual([true, true]);
  });

  test('have started from their start on, or where they state none', () => {
    const startsOf = (startDateMs: number | null) => [
      hasStarted(started({ startDateMs }), NOW_MS),
      hasStarted(KINDS['new-dealcast'].announce(aDealcast(1, { startDateMs })), NOW_MS),
    ];
    expect(startsOf(NOW_MS + 1)).toEqual([false, false]);
    expect(startsOf(NOW_MS)).toEqual([true, true]);
    expect(startsOf(null)).toEqual([true, true]);
    // An offer is there as soon as a feed shows it.
    expect(hasStarted(newOfferOf(anOffer(1, { startDateMs: NOW_MS + 1 })), NOW_MS)).toBe(true);
  });

  test('are edited when what their posts show has changed, and not for each vote, sale or comment', () => {
    const print = (changes: Partial<DealEvent>) => fingerprintOf(started(changes), NOW_MS);
    const offers = (changes: Parameters<typeof anEventOffer>[1]) => ({ offers: [anEventOffer(101, changes)] });
    const prints = [
      print({}),
      print({ title: 'Another' }),
      print({ endDateMs: NOW_MS + 2 * HOUR_MS }),
      print({ endDateMs: NOW_MS }),
      print({ endDateMs: null }),
      print({ offers: [] }),
      print(offers({ id: uuid(7) })),
      print(offers({ soldOut: true })),
      print(offers({ items: anEventOffer(101).items.map((one) => ({ ...one, salePrice: 1 })) })),
    ];
    expect(new Set(prints).size).toBe(prints.length);
    expect(print(offers({ percentageRemaining: 1 }))).toBe(print({}));
    const cast = (changes: Parameters<typeof aDealcast>[1]) =>
      fingerprintOf(KINDS['new-dealcast'].announce(aDealcast(1, changes)), NOW_MS);
    expect(new Set([cast({}), cast({ title: 'x' }), cast({ teaser: 'x' }), cast({ views: 5 })]).size).toBe(3);
    const poll = (changes: Partial<Poll>) => fingerprintOf(KINDS['new-poll'].announce({ ...POLL, ...changes }), NOW_MS);
    expect(poll({ discussionUrl: null })).not.toBe(poll({}));
    expect(poll({ questions: [{ text: 'Tea?', responses: [{ text: 'Yes', voteCount: 9 }] }] })).toBe(poll({}));
    expect(fingerprintOf(KINDS['new-monkeychat'].announce({ raw: { Id: 1 } }), NOW_MS)).toBe('');
    expect(fingerprintOf(newOfferOf(anOffer(1)), NOW_MS)).toBe('');
  });

  test('an event’s end has passed for its posts as soon as the clock says so', () => {
    const announcement = started({ endDateMs: NOW_MS });
    expect(fingerprintOf(announcement, NOW_MS - 1)).not.toBe(fingerprintOf(announcement, NOW_MS));
    expect([isLive(announcement, NOW_MS - 1), isLive(announcement, NOW_MS)]).toEqual([true, false]);
  });

  test('an event is not wanted by who follows other sites or types, and is told so', () => {
    const reason = (sites: string[]) =>
      unsuitedTo(started({}), aSubscription('s', { source: { kind: 'events', sites: sites as 'wine'[], types: [] } }));
    expect(reason(['home'])).toBeNull();
    expect(reason([])).toBeNull();
    expect(english.translate(reason(['wine']) ?? { key: '', values: {} })).toMatch(/event/i);
    expect(unsuitedTo(started({}), aSubscription('s'))).toBeNull();
  });
});

test('an offer in an event is known under its kind as well, and only such a kind goes unnoticed', () => {
  const [part = started({})] = partsOf(started({ offers: [anEventOffer(101, { percentageRemaining: 5 })] }));
  expect(part).toMatchObject({ kind: 'almost-gone', subject: uuid(101), occurrence: '' });
  expect([partOf(part), knownAs(part)]).toEqual([uuid(101), `almost-gone/${uuid(101)}`]);
  expect([partOf(started({})), knownAs(started({}))]).toEqual([null, uuid(1)]);
  expect(partsOf(newOfferOf(anOffer(1)))).toEqual([]);
  expect(partsOf(part)).toEqual([]);
  expect(unnoticed('event-started')).toBeNull();
  expect(english.translate(unnoticed('almost-gone') ?? { key: '', values: {} })).toContain('10%');
});
