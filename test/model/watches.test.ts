import { expect, test } from 'vitest';
import type { Entity } from './catalog.ts';
import { readPost } from './reading.ts';
import type { ProductWatch } from './watches.ts';
import { World } from './world.ts';

const START_MS = Date.parse('2026-11-22T12:00:00Z');
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const urlOf = (id: string) => `https://home.example.com/offers/${id}`;
const kettle = (id: string, changes: Partial<Entity> = {}): Entity => {
  const plain = { first: 'new', product: 'kettle', isSoldOut: false, endsAtMs: Infinity, price: 80 } as const;
  return { id, url: urlOf(id), ...plain, ...changes };
};

/** A world in which Home shows offers, and Ben watches the kettle that is offer a, after two answers that show it for $80. */
function aWatch(aim: ProductWatch['aim'], first: Partial<Entity> = {}) {
  const world = new World<Entity>();
  let atMs = START_MS;
  const now = () => ({ trueMs: atMs, botMs: atMs });
  const says = (...offers: Entity[]) => {
    atMs += MINUTE_MS;
    world.serve({ resource: 'Home', entities: offers }, now());
  };
  for (let answer = 0; answer < 2; answer += 1) says(kettle('a', first));
  const dueAtMs = (botMs: number) => botMs;
  world.watch({ channel: '@ben', offerId: 'a', product: 'kettle', aim, below: 50, dueAtMs }, now());
  return {
    says,
    pass: (hours: number) => {
      atMs += hours * HOUR_MS;
      world.pass(now());
    },
    post: (id: string) =>
      world.channel('@ben').post(
        readPost({
          components: [{ type: 17, components: [{ content: `🎯 **Your alert**\n### [A](${urlOf(id)})` }] }],
        }),
        now().trueMs,
      ),
    found: () => world.findings().map(({ is, url }) => `${is} ${url?.split('/').at(-1)}`),
  };
}

test('a price is told once for as long as it stays so, and again where it is even lower', () => {
  const { says, post, found } = aWatch('price');
  says(kettle('a', { price: 40 }));
  expect(found()).toEqual(['lost a']);
  post('a');
  says(kettle('a', { price: 60 }));
  says(kettle('a', { price: 40 }));
  expect(found()).toEqual([]);
  says(kettle('a', { price: 30 }));
  expect(found()).toEqual(['lost a']);
  post('a');
  post('a');
  expect(found()).toEqual(['twice a']);
});

test('a message stands for those that waited longer', () => {
  const { says, post, found } = aWatch('price');
  for (const price of [40, 30]) says(kettle('a', { price }));
  says(kettle('a', { price: 30 }), kettle('b', { price: 20 }));
  expect(found()).toEqual(['lost b']);
  post('b');
  expect(found()).toEqual([]);
  post('a');
  expect(found()).toEqual(['not owed a']);
});

test('who makes a watch for what costs so little is told at once, and again after it was dearer for six hours', () => {
  const { says, pass, post, found } = aWatch('price', { price: 45 });
  expect(found()).toEqual(['lost a']);
  post('a');
  says(kettle('a', { price: 60 }));
  pass(7);
  says(kettle('a', { price: 45 }));
  expect(found()).toEqual(['lost a']);
});

test('what is in stock when the watch is made is no news; what comes back is, once for a time that is short', () => {
  const { says, post, found } = aWatch('stock');
  const flip = () => {
    for (const isSoldOut of [true, true, false, false]) says(kettle('a', { isSoldOut }));
  };
  expect(found()).toEqual([]);
  flip();
  expect(found()).toEqual(['lost a']);
  post('a');
  flip();
  expect(found()).toEqual([]);
});

test('what costs less than ever, for long enough, is told once two answers have shown that', () => {
  const { says, pass, post, found } = aWatch('low');
  says(kettle('a', { price: 70 }));
  says(kettle('a', { price: 70 }));
  expect(found(), 'too early').toEqual([]);
  pass(80);
  for (const price of [80, 80, 40]) says(kettle('a', { price }));
  expect(found(), 'one answer').toEqual([]);
  says(kettle('a', { price: 40 }));
  expect(found()).toEqual(['lost a']);
  post('a');
  for (const price of [60, 60, 40, 40]) says(kettle('a', { price }));
  expect(found(), 'it cost as little before').toEqual([]);
  for (const price of [39, 39]) says(kettle('a', { price }));
  expect(found()).toEqual(['lost a']);
});

test('of several listings the cheapest counts, and one that is not shown any more is told by another', () => {
  const { says, post, found } = aWatch('price');
  says(kettle('a'), kettle('b', { price: 45 }), kettle('c', { price: 40 }));
  expect(found()).toEqual(['lost c']);
  post('c');
  for (let answer = 0; answer < 2; answer += 1) says(kettle('a'), kettle('b', { price: 45 }));
  expect(found(), 'it is told of the product').toEqual([]);
});

test('a watch moves along with its offer when that is renamed', () => {
  const { says, post, found } = aWatch('price');
  for (let answer = 0; answer < 2; answer += 1) says(kettle('a', { product: 'pot' }));
  says(kettle('a', { product: 'pot', price: 40 }), kettle('b', { price: 20 }));
  expect(found()).toEqual(['lost a']);
  post('b');
  expect(found()).toEqual(['not owed b', 'lost a']);
});
