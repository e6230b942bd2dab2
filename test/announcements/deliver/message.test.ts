import { expect, test } from 'vitest';
import { type AppearanceLayer, USUAL_APPEARANCE } from '../../../src/deals/appearance.ts';
import { USUAL_TIMING } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import type { Dressed } from '../../helpers/appearances.ts';
import { postsOf } from '../../helpers/records.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { aDelivery, anOffer, aSubscription, uuid } from '../../helpers/things.ts';

const MATCHES = [
  { subscriptionId: 'home', terms: ['kettle', 'under $20'] },
  { subscriptionId: 'removed', terms: ['steel'] },
  { subscriptionId: 'tools', terms: [] },
];
const HOME = aSubscription('home');

/** The post of a delivery in channel 10 of a server that has these subscriptions. */
async function postFor(...all: Subscription[]): Promise<string> {
  const { run, tries } = await aScriptedDeliverer();
  const { store, kick } = await run();
  for (const one of all) await store.subscriptions.save(one);
  const delivery = aDelivery('d', { matches: MATCHES });
  await store.transact((changes) => store.deliveries.add(changes, [delivery], (fresh) => [...fresh]));
  await kick();
  return tries.map(({ text }) => text).join();
}

test('each subscription is named with the terms of its filter, and one that was removed is not', async () => {
  const post = await postFor(HOME, aSubscription('tools', { source: { kind: 'feed', feed: 'Tools' } }));
  expect(post).toMatch(/Home feed · kettle · under \$20.*Tools feed/s);
  expect(post).not.toContain('steel');
});

test('a channel’s only subscription is not named, whatever other channels have', async () => {
  const posts = [
    await postFor(HOME, aSubscription('elsewhere', { channelId: '11' })),
    await postFor(HOME, aSubscription('polls', { source: { kind: 'polls' } })),
  ];
  for (const post of posts) {
    expect(post).toContain('Kettle');
    expect(post).not.toContain('Home feed');
  }
  expect(await postFor(HOME, aSubscription('other', { filter: 'price:<5' }))).toContain('Home feed · kettle');
});

/** From 13:00 UTC to 15:00. A deliverer's clock begins at 12:00. */
const QUIET: Subscription['timing'] = { ...USUAL_TIMING, quiet: { fromMinute: 13 * 60, toMinute: 15 * 60 } };
const SILENT: Dressed = { appearance: { isSilent: true } };

/** A deliverer whose server has these subscriptions in channel 10, named `0`, `1`, … */
async function subscribed(all: readonly Dressed[], server: AppearanceLayer = {}) {
  const house = await aScriptedDeliverer();
  const run = await house.run();
  house.script.server = server;
  const subscriptions: Subscription[] = [];
  for (const [index, changes] of all.entries()) subscriptions.push(await run.subscribe(String(index), changes));
  let number = 0;
  return {
    ...house,
    ...run,
    /** Posts an offer that all of them want, in this order, and returns its message. */
    post: async (order: readonly number[] = all.map((_, index) => index)) => {
      number += 1;
      await run.enqueue(
        anOffer(number, { endDateMs: null }),
        ...order.map((index) => subscriptions[index] as Subscription),
      );
      await run.kick();
      const post = house.tries.find(({ text }) => text.includes(`Kettle ${number}`));
      expect(post).toBeDefined();
      const [recorded] = await postsOf(run.store, `offer:${uuid(number)}`);
      const { mentionRoleIds = [], tagIds = [], isSilent } = post?.message ?? {};
      return { roles: mentionRoleIds.toSorted(), tags: tagIds.toSorted(), isSilent, recorded };
    },
  };
}

test('the roles and tags of all are joined, each once, and one that publishes is enough', async () => {
  const { post, script } = await subscribed([
    { mentioned: ['7'], tagIds: ['1', '2'] },
    { mentioned: ['8'], tagIds: ['2', '3'], isPublished: true },
    { mentioned: ['7'], tagIds: [] },
    { mentioned: [] },
  ]);
  const joined = await post();
  expect(joined).toMatchObject({ roles: ['7', '8'], tags: ['1', '2', '3'], isSilent: false });
  expect(joined.recorded).toMatchObject({ isPublished: true, look: USUAL_APPEARANCE });
  expect(script.others).toHaveLength(1);
  expect((await post([0, 3])).recorded).toMatchObject({ isPublished: false, mentionRoleIds: ['7'] });
  expect(script.others).toHaveLength(1);
});

test('a role is called until quiet hours begin, and again from the moment at which they end', async () => {
  const { post, clock } = await subscribed([
    { mentioned: ['7'], tagIds: ['1'], isPublished: true, timing: QUIET },
    { mentioned: ['8'] },
  ]);
  await clock.advance(HOUR_MS - 1);
  expect((await post()).roles).toEqual(['7', '8']);
  await clock.advance(1);
  const quiet = await post();
  expect(quiet.roles).toEqual(['8']);
  // Only the call waits: the post that the other wants is tagged and published.
  expect([quiet.tags, quiet.recorded?.isPublished]).toEqual([['1'], true]);
  await clock.advance(2 * HOUR_MS - 1);
  expect((await post()).roles).toEqual(['8']);
  await clock.advance(1);
  expect((await post()).roles).toEqual(['7', '8']);
});

test('a role is called for as long as its subscription has it mentioned and the bot may ring it, as was decided when it was found', async () => {
  const { post, script, store, subscribe, enqueue, kick, tries, pass } = await subscribed([
    { mentioned: ['7', '8', '9'] },
  ]);
  const cheap = { roleId: '3', subject: anOffer(11).id };
  script.unrung.add('9');
  expect((await post()).roles).toEqual(['7', '8']);
  const hourly = { ...USUAL_TIMING, mode: 'hourly' as const };
  const digest = await subscribe('digest', { timing: hourly, mentioned: ['5', '6', '9', cheap] });
  for (const number of [11, 12, 13]) {
    const price = number === 11 ? 9 : 10;
    await enqueue(anOffer(number, { salePrice: { minimum: price, maximum: price }, endDateMs: null }), digest);
  }
  await kick();
  // One is taken out, one is added, and one is for other deals from now on.
  await store.subscriptions.save({ ...digest, mentioned: ['5', '4', '9', { ...cheap, subject: 'another' }] });
  await pass(HOUR_MS);
  const [rollUp] = tries.slice(-1);
  expect(rollUp?.roles).toEqual(['5', cheap.roleId]);
  expect([...(rollUp?.message.concerns ?? [])]).toEqual([
    ['5', 'Kettle 11, Kettle 12, Kettle 13'],
    [cheap.roleId, 'Kettle 11'],
  ]);
});

test('a post is for those alone whose subscription is neither removed nor paused', async () => {
  const { post } = await subscribed([
    { mentioned: ['1'] },
    { mentioned: ['2'], pausedBy: 'person' },
    { mentioned: ['3'], pausedBy: 'gone' },
    { mentioned: ['4'] },
  ]);
  expect((await post([3, 1, 2, 0])).roles).toEqual(['1', '4']);
});

test('a post looks as the subscription asks that was made first, and else as its server does', async () => {
  const { post } = await subscribed(
    [
      { createdAtMs: 2, appearance: { line: 'last' } },
      { createdAtMs: 1, appearance: { line: 'first' } },
      { createdAtMs: 1, appearance: { line: 'same' } },
    ],
    { style: 'large', line: 'server' },
  );
  for (const order of [
    [1, 2, 0],
    [0, 2, 1],
    [2, 0, 1],
  ]) {
    expect((await post(order)).recorded?.look).toMatchObject({ line: 'first', style: 'large' });
  }
});

test.each<[Dressed[], AppearanceLayer, boolean]>([
  [[SILENT, SILENT], {}, true],
  [[SILENT, {}], {}, false],
  [[{}, SILENT], {}, false],
  [[{}, {}], { isSilent: true }, true],
  [[{ timing: QUIET }, SILENT], {}, true],
  [[{ timing: QUIET, ...SILENT }, {}], {}, false],
])(
  'a post is silent where all want it so who have no quiet hours now: %j, server %j: %s',
  async (all, server, isSilent) => {
    const { post, clock } = await subscribed(all, server);
    await clock.advance(HOUR_MS);
    expect((await post()).isSilent).toBe(isSilent);
  },
);

test.each<[Dressed[], boolean]>([
  [[{ timing: QUIET }, { timing: QUIET, ...SILENT }], false],
  [[{ timing: QUIET, ...SILENT }], true],
])(
  'a post that is found in quiet hours, long after its try, is silent where all want it so: %j: %s',
  async (all, isSilent) => {
    const { subscribe, enqueue, kick, answers, script, pass, store } = await subscribed([]);
    const subscriptions = await Promise.all(all.map((changes, index) => subscribe(String(index), changes)));
    const unknown = { kind: 'unknown', reason: 'silence' } as const;
    await enqueue(anOffer(1, { endDateMs: null }), ...subscriptions);
    const [{ id } = { id: '' }] = store.deliveries.pending('10');
    answers.push(unknown);
    await kick();
    script.found = unknown;
    await pass(HOUR_MS, 5 * 60_000);
    const posted = new Map([[id, { channelId: '10', messageId: '5' }]]);
    script.found = { kind: 'found', posted, messages: [], isCutOff: false };
    // What somebody else wants has the channel read before quiet hours end.
    await enqueue(anOffer(2, { endDateMs: null }), await subscribe('open'));
    await pass(5 * 60_000);
    expect((await postsOf(store, `offer:${uuid(1)}`))[0]?.look?.isSilent).toBe(isSilent);
  },
);
