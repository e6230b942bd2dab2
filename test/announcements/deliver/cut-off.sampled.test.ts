import { MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { isFirstRetry } from '../../helpers/back-offs.ts';
import { customIdsOf } from '../../helpers/discord-form.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import { aPostOffice } from '../../helpers/post-office.ts';
import { postsOf } from '../../helpers/records.ts';
import { sampled } from '../../helpers/sampled.ts';
import { anOffer, uuid } from '../../helpers/things.ts';

/** More writes than any of these deliveries takes. */
const MOST_WRITES = 12;
const writes = sampled(
  Array.from({ length: MOST_WRITES }, (_, index) => index + 1),
  4,
);

test.each(writes)(
  'killed before write %i, a published post is there once and everything is written in the end',
  async (dieAt) => {
    const office = await aPostOffice();
    const channelId = office.channelId('announcements');
    const before = await office.run();
    const subscription = await before.subscribe({ channelId, isPublished: true });
    const [id = ''] = await before.enqueue(subscription, [anOffer(1)]);
    await before.stop();

    const killed = await office.run((backend) => mortal(backend, dieAt));
    killed.deliverer.kick();
    await Promise.race([killed.deliverer.settled(), office.clock.untilSleeping(isFirstRetry)]);
    await killed.stop();

    // Longer than Discord remembers a nonce.
    await office.clock.advance(HOUR_MS);
    const after = await office.run();
    await after.settle();
    const posts = office.posts(channelId);
    expect(posts.map((post) => customIdsOf(post)[0])).toEqual([`offer:${uuid(1)}:${id}`]);
    expect((posts[0]?.flags ?? 0) & MessageFlags.Crossposted).toBe(MessageFlags.Crossposted);
    expect(await after.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId: posts[0]?.id });
    expect(await postsOf(after.store, `offer:${uuid(1)}`)).toHaveLength(1);
    expect(after.deliverer.status()).toMatchObject({ pending: 0, editsPending: 0, publicationsPending: 0 });
  },
);

test.each(writes)('killed before write %i, a roll-up is there once and tells of all', async (dieAt) => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const before = await office.run();
  const subscription = await before.subscribe({ channelId });
  const ids = await before.enqueue(subscription, [anOffer(1), anOffer(2), anOffer(3)], true);
  await before.stop();

  const killed = await office.run((backend) => mortal(backend, dieAt));
  killed.deliverer.kick();
  await Promise.race([killed.deliverer.settled(), office.clock.untilSleeping(isFirstRetry)]);
  await killed.stop();

  await office.clock.advance(HOUR_MS);
  const after = await office.run();
  // Computing them again must not bring them back.
  expect(await after.enqueue(subscription, [anOffer(1), anOffer(2), anOffer(3)], true)).toEqual([]);
  await after.settle();
  const posts = office.posts(channelId);
  expect(posts).toHaveLength(1);
  const text = JSON.stringify(posts[0]?.components);
  for (const number of [1, 2, 3]) expect(text).toContain(`Kettle ${number}`);
  for (const id of ids) {
    expect(await after.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId: posts[0]?.id });
  }
  expect(after.deliverer.status().pending).toBe(0);
});

test.each(writes)('killed before write %i, an edit is made in the end', async (dieAt) => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const before = await office.run();
  await before.enqueue(await before.subscribe({ channelId }), [anOffer(1)]);
  await before.settle();
  await before.store.transact((changes) =>
    before.deliverer.refresh(changes, [{ key: `offer:${uuid(1)}`, item: anOffer(1, { isSoldOut: true }) }]),
  );
  await before.stop();

  const killed = await office.run((backend) => mortal(backend, dieAt));
  killed.deliverer.kick();
  await Promise.race([killed.deliverer.settled(), office.clock.untilSleeping(isFirstRetry)]);
  await killed.stop();

  const after = await office.run();
  await after.settle();
  expect(office.posts(channelId)).toHaveLength(1);
  expect(JSON.stringify(office.posts(channelId)[0]?.components)).toContain('Sold out');
  expect(after.deliverer.status().editsPending).toBe(0);
});

test.each(writes)(
  'killed before write %i while a channel is read, what stands there is not posted again',
  async (dieAt) => {
    const office = await aPostOffice();
    const channelId = office.channelId('deals');
    const offers = [anOffer(1), anOffer(2)];
    const lost = await office.run();
    const subscription = await lost.subscribe({ channelId });
    const stateUrl = office.copyState();
    const ids = await lost.enqueue(subscription, offers);
    await lost.settle();
    await lost.stop();
    const before = await office.run(undefined, stateUrl);
    await before.enqueue(subscription, offers);
    await before.stop();

    await office.clock.advance(HOUR_MS);
    const killed = await office.run((backend) => mortal(backend, dieAt), stateUrl);
    killed.deliverer.kick();
    await Promise.race([killed.deliverer.settled(), office.clock.untilSleeping(isFirstRetry)]);
    await killed.stop();

    await office.clock.advance(HOUR_MS);
    const after = await office.run(undefined, stateUrl);
    await after.settle();
    expect(office.posts(channelId)).toHaveLength(offers.length);
    for (const id of ids) expect(await after.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted' });
  },
);
