import { expect, test } from 'vitest';
import { decodeAnyAction, encodeAction } from '../../../src/discord/custom-id.ts';
import { act, TABLE } from '../../../src/features/less-like/actions.ts';
import { uuid } from '../../helpers/things.ts';

const DELIVERY = 'd'.repeat(22);
/** An offer, a subscription. */
const [ONE, TWO] = [uuid(1), uuid(2)];

test.each([
  [`less:${ONE}:${DELIVERY}`, act({ do: 'less', offerId: ONE, postId: DELIVERY })],
  [`less-for:${ONE}:${TWO}`, act({ do: 'less-for', offerId: ONE, subscriptionId: TWO })],
  [`less-apply:${ONE}:${TWO}:012_-9`, act({ do: 'less-apply', offerId: ONE, subscriptionId: TWO, digest: '012_-9' })],
  [`less-undo:${ONE}:1000:abc_-9`, act({ do: 'less-undo', subscriptionId: ONE, length: 1000, digest: 'abc_-9' })],
])('%s keeps its id, and comes back as it went out', (customId, action) => {
  expect(encodeAction(action)).toBe(customId);
  expect(decodeAnyAction(customId, [TABLE])).toEqual(action);
});

test.each([`less:${ONE}`, `less:${ONE}:`, 'less-for:x:', `less-undo:${ONE}:10000:abc`, `less-undo:${ONE}:-1:abc`])(
  '%s stands for nothing',
  (customId) => {
    expect(decodeAnyAction(customId, [TABLE])).toBeNull();
  },
);
