import { MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { enqueue } from '../../../src/announcements/outbox/enqueue.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { isFirstBlocked } from '../../helpers/back-offs.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { MENTIONED } from '../../helpers/mentioned.ts';
import { aPostOffice } from '../../helpers/post-office.ts';
import { postsOf } from '../../helpers/records.ts';
import { aKnownOffer, anOffer, newOfferOf, uuid } from '../../helpers/things.ts';

const many = (count: number, from = 1) => Array.from({ length: count }, (_, index) => anOffer(from + index));

test('what is more than the hour may see comes in roll-ups spread over the hour, and a restart begins no new one', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId, mostPerHour: 3 });
  await run.enqueue(subscription, many(10));
  await run.settle();
  const texts = () => office.posts(channelId).map(textOf);
  expect(texts()).toEqual([expect.stringContaining('Kettle 10'), expect.stringContaining('9 deals')]);
  expect(texts()[1]).toContain('At most 3 posts per hour · next slot <t:');
  await run.stop();

  const again = await office.run();
  await again.enqueue(subscription, many(5, 11));
  again.deliverer.kick();
  await office.clock.advance(HOUR_MS / 2 - 1);
  await again.deliverer.settled();
  expect(texts()).toHaveLength(2);
  expect(again.deliverer.status()).toMatchObject({ pending: 5, limitedChannels: 1 });
  expect(again.deliverer.limitOf(channelId)).toMatchObject({ waiting: 5, mostPerHour: 3 });
  await office.clock.advance(1);
  await again.deliverer.settled();
  expect(texts()).toHaveLength(3);
  expect(texts()[2]).toContain('5 deals');
  expect(again.deliverer.status()).toMatchObject({ pending: 0, limitedChannels: 0, nextRoomAtMs: null });
});

test.each([-3, 3])('an hour stays one, in a run and after it, though the clock jumps by %i hours', async (hours) => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId, mostPerHour: 1 });
  await run.enqueue(subscription, many(1));
  await run.settle();
  await office.clock.advance(HOUR_MS / 4);
  office.clock.jump(hours * HOUR_MS);
  await run.stop();

  const again = await office.run();
  await again.enqueue(subscription, many(1, 2));
  again.deliverer.kick();
  await office.clock.advance((HOUR_MS * 3) / 4 - 1);
  await again.deliverer.settled();
  expect(office.posts(channelId)).toHaveLength(1);
  await office.clock.advance(1);
  await again.deliverer.settled();
  expect(office.posts(channelId)).toHaveLength(2);
});

test.each([
  { name: 'forward', hours: 3, waitsMs: 0 },
  { name: 'back', hours: -3, waitsMs: HOUR_MS },
])(
  'a clock that is set $name while nothing runs: a restart goes by the dates, and a post waits an hour at most',
  async ({ hours, waitsMs }) => {
    const office = await aPostOffice();
    const channelId = office.channelId('deals');
    const run = await office.run();
    const subscription = await run.subscribe({ channelId, mostPerHour: 1 });
    await run.enqueue(subscription, many(1));
    await run.settle();
    await run.stop();
    office.clock.jump(hours * HOUR_MS);

    const again = await office.run();
    await again.enqueue(subscription, many(1, 2));
    again.deliverer.kick();
    if (waitsMs > 0) {
      await office.clock.advance(waitsMs - 1);
      await again.deliverer.settled();
      expect(office.posts(channelId)).toHaveLength(1);
      await office.clock.advance(1);
    }
    await again.deliverer.settled();
    expect(office.posts(channelId)).toHaveLength(2);
  },
);

test('a digest waits for its time and is one post', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const timing = { mode: 'hourly', dailyAtMinute: 0, timeZone: 'UTC', quiet: null } as const;
  await run.enqueue(await run.subscribe({ channelId, timing }), many(3));
  run.deliverer.kick();
  await run.deliverer.settled();
  expect(office.posts(channelId)).toEqual([]);
  await office.clock.advance(HOUR_MS);
  await run.deliverer.settled();
  expect(office.posts(channelId).map(textOf)).toEqual([expect.stringContaining('3 deals')]);
});

test('after a long time without permission one roll-up tells what is still live, and its person was told once', async () => {
  const office = await aPostOffice();
  const { discord, clock } = office;
  const channelId = office.channelId('deals');
  const createdBy = discord.people.ada.id;
  const run = await office.run();
  const subscription = await run.subscribe({ channelId, createdBy });
  discord.setPermissions(channelId, { deny: ['sendMessages'] });
  await run.enqueue(subscription, [anOffer(1, { endDateMs: clock.now() + HOUR_MS }), anOffer(2), anOffer(3)]);
  run.deliverer.kick();
  await clock.untilSleeping(isFirstBlocked);
  expect(run.deliverer.status().blockedChannels).toBe(1);
  await run.stop();

  await clock.advance(2 * HOUR_MS);
  const again = await office.run();
  again.deliverer.kick();
  await clock.untilSleeping(isFirstBlocked);
  await again.enqueue(subscription, [anOffer(4)]);
  const told = discord.messages(discord.directChannel(createdBy).id).map(textOf);
  expect(told).toEqual([expect.stringContaining(`<#${channelId}>`)]);
  expect(again.store.subscriptions.get('s')?.problem).toBe('cannot-post');

  // The gateway tells that the permission is back: nobody waits for the next look.
  discord.setPermissions(channelId, {});
  await discord.waitFor(() => office.posts(channelId).length > 0);
  await again.deliverer.settled();
  const [rollUp = {}] = office.posts(channelId);
  expect(textOf(rollUp)).toContain('Kettle 2');
  expect(textOf(rollUp)).toContain('Kettle 3');
  expect(textOf(rollUp)).not.toContain('Kettle 1');
  expect(again.store.subscriptions.get('s')?.problem).toBeNull();
});

test('what is pending for a paused subscription is not posted, then or later', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  await run.enqueue(subscription, [anOffer(1)]);
  await run.store.subscriptions.update('s', (current) => ({ ...current, pausedBy: 'person' }));
  await run.settle();
  await run.store.subscriptions.update('s', (current) => ({ ...current, pausedBy: null }));
  await run.settle();
  expect(office.posts(channelId)).toEqual([]);
});

test('a channel publishes ten posts an hour, and those beyond in the next, though the bot is restarted', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('announcements');
  const run = await office.run();
  await run.enqueue(await run.subscribe({ channelId, isPublished: true }), many(12));
  await run.settle();
  const published = () =>
    office.posts(channelId).filter(({ flags = 0 }) => (flags & MessageFlags.Crossposted) !== 0).length;
  expect([office.posts(channelId).length, published()]).toEqual([12, 10]);
  await run.stop();
  const again = await office.run();
  await again.settle();
  expect(published()).toBe(10);
  await office.clock.advance(HOUR_MS + 1);
  await again.settle();
  expect(published()).toBe(12);
});

test('a role is called above the card, and nobody else; a role that is gone is left out', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const role = office.discord.createRole('Hunters', { mentionable: true });
  const run = await office.run();
  const subscription = await run.subscribe({ channelId, mentioned: [role.id] });
  await run.enqueue(subscription, [anOffer(1, { title: '@everyone <@&1>' })]);
  await run.settle();
  const [post] = office.posts(channelId);
  expect([post?.mention_roles, post?.mention_everyone, post?.mentions]).toEqual([[role.id], false, []]);

  office.discord.deleteRole(role.id);
  await run.settle();
  await run.enqueue(subscription, [anOffer(2)]);
  await run.settle();
  expect(office.posts(channelId)).toHaveLength(2);
  expect(office.posts(channelId)[1]?.mention_roles).toEqual([]);
});

test('as many roles as subscriptions of a channel can have are called, and the card has what room is left', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const roleIds = Array.from({ length: 60 }, (_, index) => office.discord.createRole(`R${index}`).id);
  const run = await office.run();
  const line = 'x'.repeat(100);
  const all = await Promise.all(
    [0, 10, 20, 30, 40, 50].map((from) =>
      run.subscribe({
        id: `s${from}`,
        channelId,
        mentioned: roleIds.slice(from, from + 10),
        appearance: { line },
      }),
    ),
  );
  const offers = Array.from({ length: 12 }, (_, index) => anOffer(index + 1, { title: `${index} ${'K'.repeat(200)}` }));
  const matches = offers.flatMap((offer) =>
    all.map((subscription) => ({ announcement: newOfferOf(offer), subscription, terms: [] })),
  );
  const occasion = {
    nowMs: office.clock.now(),
    isLate: true,
    clock: office.clock,
    signal: new AbortController().signal,
  };
  await run.store.transact((changes) => enqueue({ ...run.store, mentions: MENTIONED }, changes, matches, occasion));
  await run.settle();
  const [post, ...more] = office.posts(channelId);
  expect(more).toEqual([]);
  for (const roleId of roleIds) expect(textOf(post ?? {}).split(`<@&${roleId}>`)).toHaveLength(2);
  expect(run.deliverer.status().pending).toBe(0);
});

test.each(['before', 'after'] as const)(
  'a forum gets one post an offer, though the connection breaks %s Discord took it',
  async (when) => {
    const office = await aPostOffice();
    const { discord } = office;
    const forum = discord.createChannel('offers', 'forum', { tags: ['Hot'], requiresTag: true });
    const tagId = forum.type === 15 ? (forum.available_tags[0]?.id ?? '') : '';
    const run = await office.run();
    const subscription = await run.subscribe({ channelId: forum.id, target: 'forum', tagIds: [tagId] });
    await run.enqueue(subscription, [anOffer(1, { title: 'K'.repeat(150) }), anOffer(2)]);
    discord.faults.failNext(
      ({ method, path }) => method === 'POST' && path.endsWith('/threads'),
      when === 'before' ? { kind: 'drop', accepted: false } : { kind: 'error', status: 502, accepted: true },
    );
    await run.settle();
    const { threads } = (await (
      await fetch(`${discord.api}/v10/guilds/${discord.guildId}/threads/active`, {
        headers: { authorization: `Bot ${discord.token}` },
      })
    ).json()) as { threads: { id: string; parent_id: string; applied_tags: string[] }[] };
    const posts = threads.filter(({ parent_id }) => parent_id === forum.id);
    expect(posts.map(({ applied_tags }) => applied_tags)).toEqual([[tagId], [tagId]]);

    await run.store.transact((changes) =>
      run.deliverer.refresh(changes, [{ key: `offer:${uuid(2)}`, item: anOffer(2, { isSoldOut: true }) }]),
    );
    await run.settle();
    expect(posts.map(({ id }) => office.posts(id).map(textOf).join()).join()).toContain('Sold out');
  },
);

test.each([false, true])(
  'a deal whose tag is deleted just before its post stands without it, or waits where the forum wants one (it does: %s)',
  async (requiresTag) => {
    const office = await aPostOffice();
    const { discord } = office;
    const forum = discord.createChannel('offers', 'forum', { tags: ['Hot'], requiresTag });
    const tagId = forum.type === 15 ? (forum.available_tags[0]?.id ?? '') : '';
    const run = await office.run();
    const subscription = await run.subscribe({ channelId: forum.id, target: 'forum', tagIds: [tagId] });
    let isDeleted = false;
    discord.faults.failWhere(
      ({ method, path }) => {
        // The request leaves before the gateway has said so.
        if (method !== 'POST' || !path.endsWith('/threads') || isDeleted) return false;
        isDeleted = true;
        discord.deleteTag(forum.id, tagId);
        return false;
      },
      { kind: 'drop', accepted: false },
    );
    const [id = ''] = await run.enqueue(subscription, [anOffer(1)]);
    run.deliverer.kick();
    if (requiresTag) await office.clock.untilSleeping((ms) => ms >= MINUTE_MS);
    else await run.settle();
    const outcome = (await run.store.deliveries.ended(id))?.outcome;
    expect([outcome, run.store.subscriptions.get('s')?.problem]).toEqual(
      requiresTag ? [undefined, 'tag-required'] : ['posted', null],
    );
    const threads = discord.channels().filter((channel) => 'parent_id' in channel && channel.parent_id === forum.id);
    const whole = threads.filter(({ id: threadId }) => JSON.stringify(office.posts(threadId)).includes('"media"'));
    expect([threads.length, whole.length]).toEqual(requiresTag ? [0, 0] : [1, 1]);
  },
);

test('a forum that wants a tag says so, and a locked thread too', async () => {
  const office = await aPostOffice();
  const forum = office.discord.createChannel('offers', 'forum', { tags: ['Hot'], requiresTag: true });
  const run = await office.run();
  await run.enqueue(await run.subscribe({ channelId: forum.id, target: 'forum' }), [anOffer(1)]);
  run.deliverer.kick();
  await office.clock.untilSleeping(isFirstBlocked);
  expect(run.store.subscriptions.get('s')?.problem).toBe('tag-required');
});

test('a post shows what its thing has become, as often as that changes, and is forgotten when somebody deletes it', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  await run.enqueue(await run.subscribe({ channelId }), [anOffer(1)]);
  await run.settle();
  const key = `offer:${uuid(1)}` as const;
  for (const [changes, shown] of [
    [{ salePrice: { minimum: 15, maximum: 15 } }, '$15.00'],
    [{ isSoldOut: true }, 'Sold out'],
    [{ salePrice: { minimum: 12, maximum: 12 } }, '$12.00'],
  ] as const) {
    await run.store.transact((commit) => run.deliverer.refresh(commit, [{ key, item: anOffer(1, changes) }]));
    await run.settle();
    expect(textOf(office.posts(channelId)[0] ?? {})).toContain(shown);
  }
  office.discord.deleteMessage(office.posts(channelId)[0]?.id ?? '');
  await run.store.transact((changes) =>
    run.deliverer.refresh(changes, [{ key, item: anOffer(1, { isSoldOut: true }) }]),
  );
  await run.settle();
  expect(await postsOf(run.store, key)).toEqual([]);
});

test('an edit mentions the role as the post did, and pings nobody', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const role = office.discord.createRole('Hunters', { mentionable: true });
  const run = await office.run();
  await run.enqueue(await run.subscribe({ channelId, mentioned: [role.id] }), [anOffer(1)]);
  await run.settle();
  expect(office.posts(channelId)[0]?.mention_roles).toEqual([role.id]);
  await run.store.transact((changes) =>
    run.deliverer.refresh(changes, [{ key: `offer:${uuid(1)}`, item: anOffer(1, { isSoldOut: true }) }]),
  );
  await run.settle();
  const [edited] = office.posts(channelId);
  expect(textOf(edited ?? {})).toContain(`<@&${role.id}>`);
  expect(textOf(edited ?? {})).toContain('Sold out');
  // Discord writes down whom an edit may ping.
  expect(edited?.mention_roles).toEqual([]);
});

test('what changes while it is being posted is shown in the end', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  await run.enqueue(await run.subscribe({ channelId }), [anOffer(1)]);
  const end = office.discord.onUpdate(() => {
    end();
    const known = aKnownOffer(1, { isSoldOut: true });
    const updates = [{ key: `offer:${uuid(1)}`, item: known.offer }] as const;
    const detected = run.store.transact(async (changes) => {
      await run.deliverer.refresh(changes, updates);
      changes.afterwards(() => office.book.put([known]));
    });
    void detected.then(() => run.deliverer.kick());
  });
  await run.settle();
  await office.discord.waitFor(() => textOf(office.posts(channelId)[0] ?? {}).includes('Sold out'));
  await run.settle();
});

test('what is known newer than the delivery is what is posted, and what is over by now is not', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  await run.enqueue(await run.subscribe({ channelId }), [anOffer(1), anOffer(2)]);
  office.book.put([aKnownOffer(1, { isSoldOut: true }), aKnownOffer(2, { salePrice: { minimum: 5, maximum: 5 } })]);
  await run.settle();
  expect(office.posts(channelId).map(textOf)).toEqual([expect.stringContaining('$5.00')]);
});

test('what is old is forgotten, and what is not is kept', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  const [over = ''] = await run.enqueue(subscription, [anOffer(1)]);
  await run.enqueue(subscription, [anOffer(2, { endDateMs: null })]);
  await run.settle();
  office.clock.set(new Date(office.clock.now() + 46 * DAY_MS).toISOString());
  await run.deliverer.sweep();
  await run.store.sweep(office.clock.now());
  expect(await postsOf(run.store, `offer:${uuid(1)}`)).toEqual([]);
  expect(await postsOf(run.store, `offer:${uuid(2)}`)).toHaveLength(1);
  expect(await run.store.deliveries.ended(over)).toBeDefined();
  office.clock.set(new Date(office.clock.now() + 75 * DAY_MS).toISOString());
  await run.deliverer.sweep();
  await run.store.sweep(office.clock.now());
  expect(await postsOf(run.store, `offer:${uuid(2)}`)).toEqual([]);
  expect(await run.store.deliveries.ended(over)).toBeUndefined();
});
