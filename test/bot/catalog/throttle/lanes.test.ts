import { expect, it } from 'vitest';
import type { Lane } from '../../../../src/bot/catalog/catalog.ts';
import { Lanes, type Place } from '../../../../src/bot/catalog/throttle/lanes.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';

class Named implements Place {
  lane: Lane | null = null;
  number = 0;
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

it('keeps its order over thousands who come, leave and are served', () => {
  const lanes = new Lanes<Named>();
  const random = seededRandom(7);
  const expected: Named[] = [];
  for (let step = 0; step < 20_000; step += 1) {
    const roll = random();
    if (roll < 0.5) expected.push(enter(lanes, String(step), 'background'));
    else if (roll < 0.7) {
      const [gone] = expected.splice(Math.floor(random() * expected.length), 1);
      expect(gone === undefined || lanes.leave(gone)).toBe(true);
    } else {
      const first = lanes.first();
      expect(first).toBe(expected.shift() ?? null);
      if (first) lanes.leave(first);
    }
  }
  expect(order(lanes)).toBe(expected.map(({ name }) => name).join(' '));
});

it('serves a long line to its end', () => {
  const lanes = new Lanes<Named>();
  for (let index = 0; index < 5_000; index += 1) enter(lanes, String(index), 'background');
  for (let index = 0; index < 5_000; index += 1) {
    const first = lanes.first();
    expect(first?.name).toBe(String(index));
    if (first) lanes.leave(first);
    if (index % 2 === 0) enter(lanes, String(5_000 + index / 2), 'background');
  }
  expect(lanes.waiting()).toHaveLength(2_500);
  expect(lanes.first()?.name).toBe('5000');
});

it('knows whether anybody waits', () => {
  const lanes = new Lanes<Named>();
  expect([lanes.isEmpty, lanes.first()]).toEqual([true, null]);
  const [one, other] = [enter(lanes, 'x', 'background'), enter(lanes, 'y', 'interactive')];
  expect(lanes.isEmpty).toBe(false);
  lanes.leave(other);
  expect(lanes.isEmpty).toBe(false);
  lanes.move(one, 'announcement');
  expect([lanes.isEmpty, lanes.first()]).toEqual([false, one]);
  lanes.leave(one);
  expect([lanes.isEmpty, lanes.first()]).toEqual([true, null]);
});

it('leaves the place of who asks for the lane that it is in', () => {
  const lanes = new Lanes<Named>();
  const first = enter(lanes, 'x', 'background');
  enter(lanes, 'y', 'background');
  lanes.move(first, 'background');
  expect(order(lanes)).toBe('x y');
});
