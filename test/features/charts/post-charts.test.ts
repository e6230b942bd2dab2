import { expect, test } from 'vitest';
import { productKey } from '../../../src/deals/known-offer.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import type { PriceRun } from '../../../src/deals/price-runs.ts';
import { PostCharts } from '../../../src/features/charts/post-charts.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { createLog } from '../../../src/shared/log.ts';
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { aKnownOffer, anEvent, anOffer, NOW_MS, newOfferOf } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const costs = (price: number) => ({ salePrice: { minimum: price, maximum: price } });

/** Charts of a product that was first observed so many days ago. */
function charts(
  days: number,
  render: (svg: string) => Promise<Buffer> = async () => Buffer.from('a picture'),
  former: readonly number[] = [40, 30],
) {
  const clock = new ManualClock(new Date(NOW_MS).toISOString());
  const drawn: string[] = [];
  const asked: string[][] = [];
  const book = createOfferBook([aKnownOffer(1, costs(25))], () => undefined);
  const past: PriceRun[] = former.map((price, index) => ({
    fromMs: NOW_MS - (days * DAY_MS) / (index + 1),
    untilMs: NOW_MS - (index + 1 < former.length ? (days * DAY_MS) / (index + 2) : DAY_MS),
    price: { minimum: price, maximum: price },
  }));
  const made = new PostCharts({
    offers: book,
    prices: {
      async among(products) {
        asked.push([...products]);
        return new Map([[productKey(anOffer(1)), past]]);
      },
    },
    pictures: {
      render(svg) {
        drawn.push(svg);
        return render(svg);
      },
    },
    clock,
    log: createLog('silent'),
  });
  const of = (changes: Partial<Offer> = costs(25), locale = 'en-US') =>
    made.of(newOfferOf(anOffer(1, changes)), translatorFor(locale));
  return { clock, book, made, of, drawn, asked };
}

test('a product that has been watched for 30 days has a chart, of its own price too', async () => {
  const { of } = charts(30);
  expect(await of()).toEqual({
    picture: Buffer.from('a picture'),
    sinceMs: NOW_MS - 30 * DAY_MS,
    untilMs: NOW_MS,
    prices: { minimum: 25, maximum: 40 },
    price: 25,
  });
});

test('one that was first seen later has none, nor has an offer without a price, an unknown one, and what is no offer', async () => {
  expect(await charts(29.9).of()).toBeNull();
  const { of, made, book } = charts(40);
  expect(await of({ salePrice: null })).toBeNull();
  expect(await of(costs(0))).toBeNull();
  const event = { kind: 'event-started', subject: 'e', occurrence: '', item: anEvent(1) } as const;
  expect(await made.of(event, translatorFor('en-US'))).toBeNull();
  book.remove([anOffer(1).id]);
  expect(await of()).toBeNull();
});

test.each([
  [[25], false],
  [[40], false],
  [[40, 25], false],
  [[40, 30], true],
  [[25, 40], true],
])('what cost %j before and 25 now has a chart: %s', async (former, isShown) => {
  expect((await charts(40, undefined, former).of()) !== null).toBe(isShown);
});

test('whatever the number of channels, it is read and drawn once; a new price, a new hour and another language have one of their own', async () => {
  const { clock, of, drawn, asked } = charts(40);
  await Promise.all(Array.from({ length: 100 }, () => of()));
  expect([asked.length, drawn.length]).toEqual([1, 1]);
  await of(costs(20));
  expect(drawn).toHaveLength(2);
  await clock.advance(HOUR_MS);
  await of();
  expect(drawn).toHaveLength(3);
  await of(costs(25), 'de');
  expect(drawn).toHaveLength(4);
});

test('a post does not wait longer than a second, and a failure is tried again for the next post', async () => {
  let answer: (() => void) | undefined;
  const slow = charts(
    40,
    () =>
      new Promise((resolve) => {
        answer = () => resolve(Buffer.from('late'));
      }),
  );
  const first = slow.of();
  await slow.clock.untilSleeping((ms) => ms === 1_000);
  await slow.clock.advance(1_000);
  expect(await first).toBeNull();
  answer?.();
  expect(await slow.of()).toMatchObject({ picture: Buffer.from('late') });
  expect(slow.drawn).toHaveLength(1);

  let fails = true;
  const failing = charts(40, async () => {
    if (fails) throw new Error('no library');
    return Buffer.from('a picture');
  });
  expect(await failing.of()).toBeNull();
  fails = false;
  expect(await failing.of()).not.toBeNull();
});
