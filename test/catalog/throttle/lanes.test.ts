import { expect, it } from 'vitest';
import { Lanes } from '../../../src/catalog/throttle/lanes.ts';

function order(lanes: Lanes<string>): string {
  return lanes
    .waiting()
    .map(({ value }) => value)
    .join(' ');
}

it('serves lanes by urgency, and first come first served within one', () => {
  const lanes = new Lanes<string>();
  lanes.enter('b1', 'background');
  lanes.enter('a1', 'announcement');
  lanes.enter('i1', 'interactive');
  lanes.enter('b2', 'background');
  lanes.enter('i2', 'interactive');
  expect(order(lanes)).toBe('i1 i2 a1 b1 b2');
  expect(lanes.first()?.value).toBe('i1');
});

it('lets anybody leave, once, from anywhere', () => {
  const lanes = new Lanes<string>();
  const [first, middle, last] = ['x', 'y', 'z'].map((value) => lanes.enter(value, 'background'));
  if (!first || !middle || !last) throw new Error('There are three.');
  expect([lanes.leave(middle), lanes.leave(middle)]).toEqual([true, false]);
  expect(order(lanes)).toBe('x z');
  lanes.leave(last);
  lanes.enter('w', 'background');
  expect(order(lanes)).toBe('x w');
  lanes.leave(first);
  expect(order(lanes)).toBe('w');
});

it('puts who changes lanes at the end of the new one', () => {
  const lanes = new Lanes<string>();
  const place = lanes.enter('b', 'background');
  lanes.enter('i', 'interactive');
  lanes.move(place, 'interactive');
  lanes.enter('j', 'interactive');
  expect(order(lanes)).toBe('i b j');
  lanes.leave(place);
  lanes.move(place, 'announcement');
  expect(order(lanes)).toBe('i j');
});
