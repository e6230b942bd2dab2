import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts';
import { NOW_MS } from '../helpers/things.ts';
import { claimsOfCard, claimsOfHistory } from './price-judge.ts';
import { createPriceMemory } from './price-memory.ts';

const at = (days: number) => NOW_MS + days * DAY_MS;
const on = (days: number) => `<t:${at(days) / 1000}:D>`;

/** A kettle that is seen every two hours: at $40, at $30 from the third day on, once at $10, and sold out on the tenth. */
function aMemory(days: number) {
  const memory = createPriceMemory();
  const look = (fromDay: number, untilDay: number, id: string, cents: number, isSoldOut = false) => {
    for (let atMs = at(fromDay); atMs < at(Math.min(untilDay, days)); atMs += 2 * HOUR_MS) {
      memory.sight({ id, name: 'Kettle', cents, isSoldOut }, atMs);
    }
  };
  look(0, 3, 'a', 4_000);
  look(3, 5, 'a', 3_000);
  memory.sight({ id: 'a', name: 'Kettle', cents: 1_000, isSoldOut: false }, at(5));
  look(5 + 1 / 12, 9, 'a', 3_000);
  look(9, 12, 'a', 3_000, true);
  return { memory, look };
}

/** What is wrong with the claims of a card on the ninth day. */
const wrongOf = (text: string) =>
  claimsOfCard(text, 'a', aMemory(9).memory, at(9)).map(({ problem }) => problem !== null);

test.each<[string, boolean]>([
  ['## $30.00', false],
  ['## $40.00', true],
  ['## $30.00 ~~$60.00~~ −50%', false],
  ['## $30.00 ~~$60.00~~ −49%', true],
  ['## $30.00 ~~$60.00~~ −50%\n🔥 half off or more', false],
  ['📉 was ~~$40.00~~ for 2 days\n## $30.00 ~~$60.00~~ −50%\n🔥 half off or more', false],
  ['## $30.00 ~~$60.00~~ −50%\n🔥🔥 75% off or more', true],
  [`## $30.00\n📉 **Lowest price since we started watching** (${on(0)})`, false],
  [`## $30.00\n📉 **Lowest price since we started watching** (${on(2)})`, true],
  ['## $30.00\n**25% below** the usual $40.00', false],
  ['## $30.00\n**25% below** the usual $39.00', true],
  ['📉 **Price drop** · **−25%** · was $40.00 for 3 days\n## $30.00', false],
  ['📉 **Price drop** · **−25%** · was $40.00\n## $30.00', false],
  ['📉 **Price drop** · **−24%** · was $40.00 for 3 days\n## $30.00', true],
  ['📉 **Price drop** · **−25%** · was $40.00 for 5 days\n## $30.00', true],
  ['📉 **Price drop** · **−25%** · was $40.00 for 1 day\n## $30.00', true],
  ['📉 **Price drop** · **−40%** · was $50.00 for 3 days\n## $30.00', true],
  ['🎯 **Your alert** · $30.00 or less\n## $30.00', false],
  ['🎯 **Your alert** · $29.99 or less\n## $30.00', true],
  ['📉 **Price drop** · no longer: it’s back at $30.00 or more\n## $30.00', false],
  ['📉 **Price drop** · no longer: it’s back at $40.00 or more\n## $30.00', true],
  ['🏆 **All-time low** · no longer: it’s been $20.00 since\n## $30.00', true],
  [`🏆 **All-time low** · below $40.00, the lowest since ${on(0)}\n## $30.00`, false],
  [`🏆 **All-time low** · below $45.00, the lowest since ${on(0)}\n## $30.00`, true],
])('of a card that says %j a claim is false: %j', (text, isWrong) => {
  const wrong = wrongOf(text);
  expect(wrong.length).toBeGreaterThan(0);
  expect(wrong.includes(true)).toBe(isWrong);
});

test.each<[string, boolean]>([
  [`**Sold out** since ${on(9)}`, false],
  [`**Sold out** since ${on(11)}`, true],
  [`**Sold out** since ${on(6)}`, true],
  [`Lowest **$30.00**, last on ${on(9)}`, false],
  [`Lowest **$40.00**, last on ${on(3)}`, true],
  [`Highest **$40.00**, last on ${on(3)}`, false],
  [`Highest **$40.00**, last on ${on(6)}`, true],
  ['Usual price **$30.00**', false],
  ['Usual price **$40.00**', true],
  [`Watched since ${on(0)}`, false],
  [`Watched since ${on(2)}`, true],
  [`Last seen at **$30.00**, on ${on(9)}`, false],
  [`Last seen at **$40.00**, on ${on(9)}`, true],
  [`${on(3)} – ${on(9)} · **$30.00**`, false],
  [`${on(3)} – ${on(9)} · **$20.00**`, true],
])('of a history that says %j a claim is false: %j', (text, isWrong) => {
  const claims = claimsOfHistory(text, 'Kettle', aMemory(12).memory, at(12));
  expect(claims.map(({ problem }) => problem !== null)).toEqual([isWrong]);
});

test('a product is sold out since its last listing that could be bought is gone', () => {
  const { memory, look } = aMemory(12);
  look(8, 11, 'b', 3_500);
  const wrong = (days: number) =>
    claimsOfHistory(`**Sold out** since ${on(days)}`, 'Kettle', memory, at(12.5)).map(
      ({ problem }) => problem !== null,
    );
  expect([wrong(11), wrong(9)]).toEqual([[false], [true]]);
});

test('what is said of a product is not judged where a listing got its name after a week in which nobody saw it', () => {
  const named = (name: string, days: number) => {
    const { memory } = aMemory(9);
    for (const hours of [0, 2])
      memory.sight({ id: 'a', name, cents: 3_000, isSoldOut: false }, at(days) + hours * HOUR_MS);
    const text = '## $30.00\n**25% below** the usual $39.00';
    return claimsOfCard(text, 'a', memory, at(days) + 2 * HOUR_MS).map(({ problem }) => problem !== null);
  };
  // The last sight was two hours before the ninth day.
  expect(named('Teapot', 16)).toEqual([false, false]);
  expect(named('Kettle', 16)).toEqual([false, true]);
  expect(named('Teapot', 15)).toEqual([false, true]);
});
