import { ComponentType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { DealEvent, EventOffer } from '../../../src/deals/event.ts';
import type { EventSales, Sale } from '../../../src/deals/event-sales.ts';
import { boardOf } from '../../../src/features/boards/board.ts';
import { boardCard } from '../../../src/features/boards/card.ts';
import { MINUTE_MS } from '../../../src/shared/time.ts';

import { expectHarmless, textOf } from '../../helpers/discord-form.ts';
import { anEvent, anEventOffer, NOW_MS, uuid } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const offers = (count: number, changes: Partial<EventOffer> = {}) =>
  Array.from({ length: count }, (_, index) =>
    anEventOffer(index + 1, {
      photos: [{ url: 'https://pictures.example/1.jpg', tags: [], width: 1, height: 1, caption: null }],
      ...changes,
    }),
  );
const sale = (number: number, withinMinutes: number | null, changes: Partial<Sale> = {}): Sale => ({
  id: uuid(500 + number),
  title: `Toaster ${number}`,
  url: null,
  price: { minimum: 12, maximum: 12 },
  afterMs: withinMinutes === null ? null : NOW_MS - withinMinutes * MINUTE_MS,
  untilMs: NOW_MS,
  isSoldOut: true,
  wasAlmostGone: true,
  ...changes,
});

function show(
  event: Partial<DealEvent>,
  {
    sales = [],
    coming = [],
    locale = 'en-US',
    lagMs = 5 * MINUTE_MS,
  }: { sales?: Sale[]; coming?: DealEvent[]; locale?: string; lagMs?: number | null } = {},
) {
  const whole = anEvent(1, { type: 'DealOff', title: 'Sale', endDateMs: null, ...event });
  const known: EventSales = { sales, changedAtMs: NOW_MS };
  const card = boardCard(
    { event: whole, board: boardOf(whole, known, coming), updatedAtMs: NOW_MS, lagMs },
    { translator: translatorFor(locale), nowMs: NOW_MS, deliveryId: 'd'.repeat(22), matched: [], style: 'compact' },
  );
  expectHarmless(card);
  return { card, text: textOf(card) };
}

test('what is on now has its price, what is left and when it sells out at this pace, to five minutes', () => {
  const inTime = { percentageRemaining: 34, sellsOutAtMs: NOW_MS + 41 * MINUTE_MS };
  const { text } = show({ offers: offers(1, inTime) });
  expect(text).toContain('## $30.00 ~~$60.00~~ −50%');
  const at = (NOW_MS + 45 * MINUTE_MS) / 1000;
  expect(text).toContain(`▰▰▰▱▱▱▱▱▱▱ 34% left · sells out <t:${at}:R> at this pace`);
  expect(show({ offers: offers(1, { ...inTime, sellsOutAtMs: NOW_MS - 5 * MINUTE_MS }) }).text).not.toContain('pace');
});

test('four offers besides the first have pictures, ten more a line, and the rest is counted', () => {
  const { card, text } = show({ offers: offers(40) });
  const pictures = card.components.flatMap((part) =>
    part.type === ComponentType.Container ? part.components.filter(({ type }) => type === ComponentType.Section) : [],
  );
  expect(pictures).toHaveLength(5);
  expect(text).toMatch(/\nand \d+ more|-# and \d+ more/);
  expect(text).not.toContain('sold out');
});

test('spans are rounded up, as an offer sold out within them', () => {
  const times: [minutes: number, said: string][] = [
    [0.5, '30 seconds'],
    [1, '1 minute'],
    [1.02, '2 minutes'],
    [60, '1 hour'],
    [60 + 1 / 3, '1 hour 1 minute'],
    [119, '1 hour 59 minutes'],
    [24 * 60, '1 day'],
    [24 * 60 + 1, '1 day 1 hour'],
  ];
  for (const [minutes, said] of times) {
    expect(show({ offers: [] }, { sales: [sale(1, minutes)] }).text).toContain(
      `~~Toaster 1~~ · $12.00 · within ${said}`,
    );
  }
});

test('what is not known is not said', () => {
  const { text } = show({ offers: [] }, { sales: [sale(1, null), sale(2, null, { isSoldOut: false, price: null })] });
  expect(text).toContain('Nothing is on sale right now.\n**1 sold out**\n~~Toaster 1~~ · $12.00\n');
  expect(text).toContain('**No longer listed**\n~~Toaster 2~~\n');
  expect(text).not.toContain('within');
});

test('one that is over sums up, in each language', () => {
  const sales = Array.from({ length: 23 }, (_, index) => sale(index + 1, index + 4));
  const ended = { endDateMs: NOW_MS - 1, startDateMs: NOW_MS - 1 - 180 * MINUTE_MS, offers: [] };
  const said = (locale: string) => show(ended, { sales, locale }).text;
  expect(said('en-US')).toContain('🏁 **Ended after 3 hours**');
  expect(said('en-US')).toContain('**23 sold out** · the fastest within 4 minutes');
  expect(said('en-US')).toContain('and 8 more');
  expect(said('de')).toContain('**23 ausverkauft** · am schnellsten innerhalb von 4 Minuten');
  expect(said('fr')).toContain('**23 offres épuisées** · la plus rapide en moins de 4 minutes');
  expect(said('es-ES')).toContain('**23 agotadas** · la más rápida en menos de 4 minutos');
});

test('a board lists what can be bought, and events of its series that are to come, the next first', () => {
  const series = (number: number, startDateMs: number | null, changes: Partial<DealEvent> = {}) =>
    anEvent(number, { type: 'DealOff', site: 'www.example.com', startDateMs, ...changes });
  const left = (number: number, percentageRemaining: number) =>
    anEventOffer(number, { percentageRemaining, soldOut: percentageRemaining === 0 });
  const event = series(1, NOW_MS - 10 * MINUTE_MS, { offers: [left(1, 0), left(2, 30), left(3, 1)] });
  const { onNow, coming } = boardOf(event, undefined, [
    series(2, NOW_MS + 2),
    series(3, null),
    series(4, NOW_MS + 1),
    series(5, NOW_MS, { site: 'wine.example.com' }),
    series(6, NOW_MS, { type: 'Daily' }),
  ]);
  expect(onNow.map(({ id }) => id)).toEqual([uuid(2), uuid(3)]);
  expect(coming.map(({ id }) => id)).toEqual([uuid(4), uuid(2), uuid(3)]);
});

test('a board says when it was updated, and how far it may lag, in every language', () => {
  expect(show({ offers: offers(1) }).text).toContain(
    `Live board · updated <t:${NOW_MS / 1000}:R> · up to 5 minutes old`,
  );
  expect(show({}, { locale: 'de' }).text).toContain('bis zu 5 Minuten alt');
  expect(show({}, { locale: 'fr' }).text).toMatch(/peut dater de 5\sminutes/);
  expect(show({}, { locale: 'es-ES' }).text).toMatch(/puede tener hasta 5\sminutos/);
});

test('how old a board may be is told in steps, while a Deal-off runs, whether or not it says when it was updated', () => {
  const lagOf = (lagMs: number | null, event: Partial<DealEvent> = {}) =>
    /up to ([\w ]+) old/.exec(show({ offers: offers(1), ...event }, { lagMs }).text)?.[1];
  expect([1, 61_000, 5 * MINUTE_MS, 5 * MINUTE_MS + 1, 9 * 3_600_000].map((lagMs) => lagOf(lagMs))).toEqual([
    '1 minute',
    '2 minutes',
    '5 minutes',
    '10 minutes',
    '1 day',
  ]);
  expect(lagOf(null)).toBeUndefined();
  expect(lagOf(1, { type: 'Daily' })).toBeUndefined();
});
