import { expect, test } from 'vitest';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aPostOffice, type PostOffice, type Run } from '../../helpers/post-office.ts';
import { anOffer } from '../../helpers/things.ts';

/** The waits until the next try; the gateway's event of the changed permissions may have caused a second one already. */
const BLOCKED_MS: readonly number[] = [60_000, 240_000];

/** Resolves when a subscription is as expected, which the gateway brings about. */
async function until(office: PostOffice, run: Run, expected: Partial<Subscription>, id = 's'): Promise<void> {
  for (;;) {
    const subscription = run.store.subscriptions.get(id);
    if (subscription && Object.entries(expected).every(([key, value]) => Reflect.get(subscription, key) === value))
      return;
    // A question to Discord gives the gateway the time of a way there and back.
    await fetch(`${office.discord.api}/v10/gateway`);
  }
}

test('removed from a server, the bot ends what waits there and pauses; invited again it goes on with what is new', async () => {
  const office = await aPostOffice();
  const { discord, clock } = office;
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  await run.subscribe({ id: 'mine', channelId, pausedBy: 'person' });
  discord.setPermissions(channelId, { deny: ['sendMessages'] });
  const [waiting = ''] = await run.enqueue(subscription, [anOffer(1)]);
  run.deliverer.kick();
  await clock.untilSleeping((ms) => BLOCKED_MS.includes(ms));

  discord.setMembership('removed');
  await until(office, run, { pausedBy: 'gone' });
  await run.deliverer.settled();
  expect(await run.store.deliveries.ended(waiting)).toMatchObject({ outcome: 'gone' });
  expect(run.store.subscriptions.get('s')).toMatchObject({ pausedBy: 'gone', problem: 'server-gone' });
  expect(run.deliverer.status()).toMatchObject({ pending: 0, blockedChannels: 0 });

  discord.setPermissions(channelId, {});
  discord.setMembership('member');
  await until(office, run, { pausedBy: null, problem: null });
  await run.deliverer.settled();
  await until(office, run, { pausedBy: 'person', problem: null }, 'mine');
  expect(office.posts(channelId)).toEqual([]);
  await run.enqueue(subscription, [anOffer(2)]);
  await run.settle();
  expect(office.posts(channelId).map(textOf)).toEqual([expect.stringContaining('Kettle 2')]);
});

test('what is new since the bot was invited again comes, though what waited before could not be ended yet', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  await run.store.postingPause.begin(office.clock.now());
  office.discord.setMembership('removed');
  await until(office, run, { pausedBy: 'gone' });
  office.discord.setMembership('member');
  await until(office, run, { pausedBy: null });
  await run.enqueue(subscription, [anOffer(1)]);
  await run.store.postingPause.end();
  await run.settle();
  expect(office.posts(channelId).map(textOf)).toEqual([expect.stringContaining('Kettle 1')]);
});

test('an outage of Discord’s pauses nothing, and what waited comes after it', async () => {
  const office = await aPostOffice();
  const { discord, clock } = office;
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  discord.setMembership('unavailable');
  await run.enqueue(subscription, [anOffer(1)]);
  run.deliverer.kick();
  await clock.untilSleeping((ms) => BLOCKED_MS.includes(ms));
  expect(run.store.subscriptions.get('s')?.pausedBy).toBeNull();
  discord.setMembership('member');
  await discord.waitFor(() => office.posts(channelId).length > 0);
  await run.deliverer.settled();
  expect(run.store.subscriptions.get('s')).toMatchObject({ pausedBy: null, problem: null });
});

test('a channel that is deleted takes along what waits for it and its threads', async () => {
  const office = await aPostOffice();
  const { discord, clock } = office;
  const { id: channelId } = discord.createChannel('kettles');
  const response = await fetch(`${discord.api}/v10/channels/${channelId}/threads`, {
    method: 'POST',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'steel', type: 11, auto_archive_duration: 1_440 }),
  });
  const { id: threadId } = (await response.json()) as { id: string };
  const run = await office.run();
  const ids = [
    ...(await run.enqueue(await run.subscribe({ channelId }), [anOffer(1)])),
    ...(await run.enqueue(await run.subscribe({ id: 't', channelId: threadId, target: 'thread' }), [anOffer(1)])),
  ];
  discord.setPermissions(channelId, { deny: ['sendMessages', 'sendMessagesInThreads'] });
  run.deliverer.kick();
  await clock.untilSleeping((ms) => BLOCKED_MS.includes(ms));
  discord.deleteChannel(channelId);
  await until(office, run, { pausedBy: 'gone' });
  await until(office, run, { pausedBy: 'gone' }, 't');
  await run.deliverer.settled();
  for (const id of ids) expect(await run.store.deliveries.ended(id)).toMatchObject({ outcome: 'gone' });
  expect(run.store.subscriptions.get('t')?.problem).toBe('channel-gone');
});

test('a server that was left while the bot did not run is noticed at the start, and so is one that it is back in', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const before = await office.run();
  const elsewhere = await before.subscribe({ id: 'elsewhere', guildId: '1200000000000000009', channelId: '12' });
  await before.subscribe({ channelId, pausedBy: 'gone', problem: 'server-gone' });
  const [waiting = ''] = await before.enqueue(elsewhere, [anOffer(1)]);
  await before.stop();
  const run = await office.run();
  await until(office, run, { pausedBy: 'gone' }, 'elsewhere');
  await until(office, run, { pausedBy: null, problem: null });
  await run.settle();
  expect(run.store.subscriptions.get('elsewhere')?.problem).toBe('server-gone');
  expect(run.store.subscriptions.get('s')).toMatchObject({ pausedBy: null, problem: null });
  expect(await run.store.deliveries.ended(waiting)).toMatchObject({ outcome: 'gone' });
});

test('a channel that was not to be found goes on when the gateway tells of it', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  await run.subscribe({ channelId, pausedBy: 'gone', problem: 'channel-gone' });
  await run.subscribe({ id: 'lost', channelId: '13', pausedBy: 'gone', problem: 'channel-gone' });
  office.discord.setPermissions(channelId, { deny: ['attachFiles'] });
  await until(office, run, { pausedBy: null, problem: null });
  expect(run.store.subscriptions.get('lost')?.pausedBy).toBe('gone');
});
