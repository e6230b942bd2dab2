import { expect, it } from 'vitest';
import type { Lane } from '../../../src/catalog/catalog.ts';
import { Lanes, type Place } from '../../../src/catalog/throttle/lanes.ts';

class Named implements Place<Named> {
  lane: Lane | null = null;
  previous: Named | null = null;
  next: Named | null = null;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function enter(lanes: Lanes<Named>, name: string, lane: Lane): Named {
  const named = new Named(name);
  lanes.enter(named, lane);
  return named;
}

function order(lanes: Lanes<Named>): string {
  return lanes
    .waiting()
    .map(({ name }) => name)
    .join(' ');
}

it('serves lanes by urgency, and first come first served within one', () => {
  const lanes = new Lanes<Named>();
  enter(lanes, 'b1', 'background');
  enter(lanes, 'a1', 'announcement');
  enter(lanes, 'i1', 'interactive');
  enter(lanes, 'b2', 'background');
  enter(lanes, 'i2', 'interactive');
  expect(order(lanes)).toBe('i1 i2 a1 b1 b2');
  expect(lanes.first()?.name).toBe('i1');
});

it('lets anybody leave, once, from anywhere', () => {
  const lanes = new Lanes<Named>();
  const [first, middle, last] = ['x', 'y', 'z'].map((name) => enter(lanes, name, 'background'));
  if (!first || !middle || !last) throw new Error('There are three.');
  expect([lanes.leave(middle), lanes.leave(middle)]).toEqual([true, false]);
  expect(order(lanes)).toBe('x z');
  lanes.leave(last);
  enter(lanes, 'w', 'background');
  expect(order(lanes)).toBe('x w');
  lanes.leave(first);
  expect(order(lanes)).toBe('w');
});

it('puts who changes lanes at the end of the new one', () => {
  const lanes = new Lanes<Named>();
  const place = enter(lanes, 'b', 'background');
  enter(lanes, 'i', 'interactive');
  lanes.move(place, 'interactive');
  enter(lanes, 'j', 'interactive');
  expect(order(lanes)).toBe('i b j');
  lanes.leave(place);
  lanes.move(place, 'announcement');
  expect(order(lanes)).toBe('i j');
});
