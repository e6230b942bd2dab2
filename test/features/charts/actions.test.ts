import { expect, test } from 'vitest';
import { decodeAction, decodeAnyAction, encodeAction } from '../../../src/discord/custom-id.ts';
import { act, TABLE } from '../../../src/features/charts/actions.ts';
import { uuid } from '../../helpers/things.ts';

test('buttons stay in channels for years, so the button of posts keeps its id', () => {
  const action = act({ do: 'history', offerId: uuid(1) });
  expect(encodeAction(action)).toBe(`history:${uuid(1)}`);
  expect(decodeAnyAction(`history:${uuid(1)}`, [TABLE])).toEqual(action);
  expect(decodeAnyAction(`history:${uuid(1)}:x:y`, [TABLE])).toEqual(action);
  expect(encodeAction(act({ do: 'history-again' }))).toBe('history-again');
});

test('an id that stands for nothing is none', () => {
  expect(decodeAnyAction('history:', [TABLE])).toBeNull();
  expect(decodeAction(`history:${uuid(1)}`)).toBeNull();
});
