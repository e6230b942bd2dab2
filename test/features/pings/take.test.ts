import { expect, test } from 'vitest';
import { RoleChanges } from '../../../src/features/pings/take.ts';
import { NOW_MS } from '../../helpers/things.ts';

const TOO_FAST = 'takePings.tooFast';

test('ten changes in ten seconds are counted, in one go or one by one, and the eleventh is refused', () => {
  const changes = new RoleChanges();
  expect(() => changes.count('all', 11, NOW_MS)).toThrow(TOO_FAST);
  changes.count('all', 10, NOW_MS);
  expect(() => changes.count('all', 1, NOW_MS + 9_999)).toThrow(TOO_FAST);
  changes.count('all', 10, NOW_MS + 10_000);

  for (let second = 0; second < 10; second += 1) changes.count('one', 1, NOW_MS + second * 1_000);
  expect(() => changes.count('one', 1, NOW_MS + 9_999)).toThrow(TOO_FAST);
  changes.count('one', 1, NOW_MS + 10_000);
  expect(() => changes.count('one', 1, NOW_MS + 10_999), 'each of the ten for itself').toThrow(TOO_FAST);
  changes.count('one', 1, NOW_MS + 11_000);
});

test('what one person changes hinders nobody else, and no change is always allowed', () => {
  const changes = new RoleChanges();
  changes.count('ada', 10, NOW_MS);
  changes.count('ben', 10, NOW_MS);
  changes.count('ada', 0, NOW_MS);
});

test('a clock that is set back forgives what it made before', () => {
  const changes = new RoleChanges();
  changes.count('ada', 10, NOW_MS);
  changes.count('ada', 10, NOW_MS - 1);
});

test('however many people there are, those of the last ten seconds are remembered', () => {
  const changes = new RoleChanges();
  for (let person = 0; person < 1_100; person += 1) changes.count(`person-${person}`, 10, NOW_MS + person);
  for (const person of [0, 550, 1_099]) {
    expect(() => changes.count(`person-${person}`, 1, NOW_MS + 9_999)).toThrow(TOO_FAST);
  }
  changes.count('person-0', 10, NOW_MS + 10_000);
});
