import { expect, test } from 'vitest';
import { decodeAnyAction, encodeAction } from '../../../src/discord/custom-id.ts';
import { act, STEPS, step, TABLE } from '../../../src/features/why/actions.ts';
import { uuid } from '../../helpers/things.ts';

const [ONE, TWO] = [uuid(1), uuid(2)];

/** Buttons stay in channels for years, so an action keeps the id that it once had. */
test.each([
  ['why-again', act({ do: 'why-again' })],
  [`why:${ONE}:${TWO}`, act({ do: 'why', offerId: ONE, subscriptionId: TWO })],
  [`post-now:${ONE}:${TWO}`, act({ do: 'post-now', offerId: ONE, subscriptionId: TWO })],
  [`subscription:test:${ONE}`, step({ do: 'subscription', step: 'test', subscriptionId: ONE })],
  [`preview:${ONE}:99999`, act({ do: 'preview', subscriptionId: ONE, page: 99_999 })],
])('%s', (customId, action) => {
  expect(encodeAction(action)).toBe(customId);
  expect(decodeAnyAction(customId, [TABLE, STEPS])).toEqual(action);
});
