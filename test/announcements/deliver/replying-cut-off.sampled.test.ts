import { expect, test } from 'vitest';
import { enqueue } from '../../../src/announcements/outbox/enqueue.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { isFirstRetry } from '../../helpers/back-offs.ts';
import { MENTIONED } from '../../helpers/mentioned.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import { aPostOffice, type Run } from '../../helpers/post-office.ts';
import { sampled } from '../../helpers/sampled.ts';
import { anOffer, newOfferOf } from '../../helpers/things.ts';

/** More writes than the post and the reply to it take. */
const writes = sampled(
  Array.from({ length: 10 }, (_, index) => index + 1),
  4,
);
const offer = anOffer(1, { endDateMs: null });

test.each(writes.flatMap((dieAt) => [[dieAt, false] as const, [dieAt, true] as const]))(
  'killed before write %i, while answers get lost: %s, a role that is decided after the post is rung once',
  async (dieAt, isLost) => {
    const office = await aPostOffice();
    const { discord, clock } = office;
    const channelId = office.channelId('deals');
    const [first, second] = ['First', 'Second'].map((name) => discord.createRole(name, { mentionable: true }).id);
    if (!first || !second) throw new Error('There are two roles.');
    const wants = async (run: Run, id: string, roleId: string) => {
      const { store } = run;
      const subscription = await run.subscribe({ id, channelId, mentioned: [roleId] });
      const matches = [{ announcement: newOfferOf(offer), subscription, terms: [] }];
      const occasion = { nowMs: clock.now(), isLate: false, clock, signal: new AbortController().signal };
      const { deliveries, subscriptions } = store;
      await store.transact((changes) =>
        enqueue({ deliveries, subscriptions, replied: store, mentions: MENTIONED }, changes, matches, occasion),
      );
    };
    const before = await office.run();
    await wants(before, 's', first);
    await before.settle();
    await before.stop();

    const killed = await office.run((backend) => mortal(backend, dieAt));
    await wants(killed, 't', second).catch(() => undefined);
    const isReply = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path.endsWith('/messages');
    if (isLost) discord.faults.failNext(isReply, { kind: 'drop', accepted: true }, 100);
    killed.deliverer.kick();
    await Promise.race([killed.deliverer.settled(), clock.untilSleeping(isFirstRetry)]);
    await killed.stop();
    discord.faults.use(null);

    // Longer than Discord remembers a nonce.
    await clock.advance(2 * HOUR_MS);
    const after = await office.run();
    await wants(after, 't', second);
    await after.settle();
    const rung = office.posts(channelId).map(({ mention_roles: roles }) => roles);
    expect(rung).toEqual([[first], [second]]);
    expect(after.store.replies.pending(channelId)).toEqual([]);
  },
);
