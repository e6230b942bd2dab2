import { expect, test } from 'vitest';
import { decodeAnyAction, encodeAction } from '../../../src/discord/custom-id.ts';
import { act, TABLE } from '../../../src/features/looks/actions.ts';

test.each([
  ['look:change:', act({ do: 'look', step: 'change', subscriptionId: null })],
  ['look:reset:a-b', act({ do: 'look', step: 'reset', subscriptionId: 'a-b' })],
  ['look-again:', act({ do: 'look-again', subscriptionId: null })],
  ['look-again:a-b', act({ do: 'look-again', subscriptionId: 'a-b' })],
])('%s keeps its id, and comes back as it went out', (customId, action) => {
  expect(encodeAction(action)).toBe(customId);
  expect(decodeAnyAction(customId, [TABLE])).toEqual(action);
});

test.each(['look:burn:', 'look:open:../x'])('%s stands for nothing', (customId) => {
  expect(decodeAnyAction(customId, [TABLE])).toBeNull();
});
