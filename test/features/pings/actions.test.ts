import { expect, test } from 'vitest';
import { decodeAction, decodeAnyAction, encodeAction } from '../../../src/discord/custom-id.ts';
import { act, panelIdOf, TABLE } from '../../../src/features/pings/actions.ts';
import { uuid } from '../../helpers/things.ts';

const ONE = uuid(1);
const PANEL = 'p'.repeat(22);

test.each([
  [`pings:${ONE}`, act({ do: 'pings', subscriptionId: ONE })],
  [`ping:${ONE}:`, act({ do: 'ping', subscriptionId: ONE, roleId: null })],
  [`ping:${ONE}:${'1'.repeat(20)}`, act({ do: 'ping', subscriptionId: ONE, roleId: '1'.repeat(20) })],
  [`toggle-pings:${PANEL}:10`, act({ do: 'toggle-pings', panelId: PANEL, menu: 10 })],
  ['set-pings:1', act({ do: 'set-pings', menu: 1 })],
  [`unmake-ping:${ONE}:${'1'.repeat(20)}`, act({ do: 'unmake-ping', subscriptionId: ONE, roleId: '1'.repeat(20) })],
])('%s stays in channels for years, so it keeps its id, and comes back as it went out', (customId, action) => {
  expect(encodeAction(action)).toBe(customId);
  expect(decodeAnyAction(customId, [TABLE])).toEqual(action);
  expect(decodeAction(customId)).toBeNull();
});

test('the menus of a panel tell which one it is, and no other button does', () => {
  expect(panelIdOf(`toggle-pings:${PANEL}:10`)).toBe(PANEL);
  for (const other of ['set-pings:1', `pings:${ONE}`, 'toggle-pings', '']) expect(panelIdOf(other)).toBeNull();
});
