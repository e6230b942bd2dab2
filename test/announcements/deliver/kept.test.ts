import { expect, test } from 'vitest';
import type { KeptPosts } from '../../../src/announcements/deliver/kept.ts';
import { isKeptFor } from '../../../src/announcements/deliver/kept.ts';
import { unwantPin, wantPin } from '../../../src/announcements/deliver/pinning.ts';
import { ASIDE, BAD_ANSWERS } from '../../../src/discord/bad-answers.ts';
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts';
import { anOffer, aSubscription, NOW_MS, newOfferOf } from '../../helpers/things.ts';
import { anUpkeep } from '../../helpers/upkeep.ts';

/** A post in a channel, and what becomes of its pin. */
async function aPost({ mayPin = true, messageChannelId = '10' } = {}) {
  const upkeep = await anUpkeep();
  const { store, script, post, kick, asked } = upkeep;
  script.mayPin = mayPin;
  const made = await post(1, { messageChannelId });
  if (!made) throw new Error('Nothing was posted.');
  return {
    ...upkeep,
    asked,
    states: () => store.pins.all().map(({ is }) => is),
    want: async () => {
      await store.commit((changes) => wantPin(changes, store.pins, made));
      await kick();
    },
    unwant: async () => {
      const pin = store.pins.get('m1');
      if (pin) await store.commit((changes) => unwantPin(changes, store.pins, pin, NOW_MS));
      await kick();
    },
  };
}

test('a message is pinned once, and its pin is taken away once it is wanted no more', async () => {
  const { want, unwant, states, asked } = await aPost();
  await want();
  await want();
  expect([states(), asked]).toEqual([['pinned'], ['pin 10/m1']]);
  await unwant();
  expect([states(), asked.slice(1)]).toEqual([[], ['unpin 10/m1']]);
});

test('a forum has no pins of messages', async () => {
  const { want, states, asked } = await aPost({ messageChannelId: '77' });
  await want();
  expect([states(), asked]).toEqual([[], []]);
});

test('without the permission a pin waits, and one that is to go is forgotten after a week', async () => {
  const { want, unwant, states, asked, pass } = await aPost({ mayPin: false });
  await want();
  expect([states(), asked]).toEqual([['wanted'], []]);
  await unwant();
  expect([states(), asked]).toEqual([['unwanted'], []]);
  await pass(7 * DAY_MS, DAY_MS);
  expect([states(), asked]).toEqual([[], []]);
});

test('what Discord does not pin is not asked for again, and leaves nothing to take away', async () => {
  const { want, unwant, states, asked, script } = await aPost();
  script.changes.push({ kind: 'refused', reason: 'too-many-pins' });
  await want();
  await want();
  expect([states(), asked]).toEqual([['refused'], ['pin 10/m1']]);
  await unwant();
  expect([states(), asked]).toEqual([[], ['pin 10/m1']]);
});

test('a pin that Discord denies is asked for again after an hour', async () => {
  const { want, states, asked, script, pass } = await aPost();
  script.changes.push({ kind: 'blocked', reason: 'missing-permissions' });
  await want();
  await pass(HOUR_MS - 60_000);
  expect([states(), asked]).toEqual([['wanted'], ['pin 10/m1']]);
  await pass(60_000);
  expect([states(), asked]).toEqual([['pinned'], ['pin 10/m1', 'pin 10/m1']]);
});

test('a pin that has stepped aside is taken away at once when it is wanted no more', async () => {
  const { want, unwant, states, asked, script, pass } = await aPost();
  for (let tries = 0; tries <= BAD_ANSWERS; tries += 1) script.changes.push({ kind: 'unknown', reason: 'silence' });
  script.whileChanging = async () => {
    script.successes += 1;
  };
  await want();
  await pass(ASIDE.firstMs - 1, 1_000);
  const before = asked.length;
  expect(states()).toEqual(['wanted']);
  script.changes.length = 0;
  await unwant();
  expect([states(), asked.slice(before)]).toEqual([[], ['unpin 10/m1']]);
});

test('a post is kept where one of its subscriptions that still exist wants that', () => {
  const keeper = { wants: (_, { id }) => id === 'a' } as Pick<KeptPosts, 'wants'> as KeptPosts;
  const known = new Map(['a', 'b'].map((id) => [id, aSubscription(id)]));
  const isKept = (...ids: string[]) => {
    const matches = ids.map((subscriptionId) => ({ subscriptionId, terms: [] }));
    return isKeptFor(keeper, { announcement: newOfferOf(anOffer(1)), matches }, { get: (id) => known.get(id) });
  };
  expect([isKept('b', 'a'), isKept('b'), isKept('gone'), isKept()]).toEqual([true, false, false, false]);
});
