import { expect, test } from 'vitest';
import type { Fault } from '../../../packages/local-discord/src/index.ts';
import { RETRY } from '../../../src/announcements/deliver/channel.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { ASIDE, BAD_ANSWERS } from '../../../src/discord/bad-answers.ts';
import { ANSWERED_WITHIN_MS } from '../../../src/discord/rest.ts';
import { backOffMs } from '../../../src/shared/backoff.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { aPostOffice, type PostOffice, type Run } from '../../helpers/post-office.ts';
import { sampled } from '../../helpers/sampled.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { aKnownOffer, anOffer, uuid } from '../../helpers/things.ts';

/** All pauses of a channel until one message in it steps aside: after so many bad answers, and that to its plain card. */
const ASIDE_AFTER_MS = Array.from({ length: BAD_ANSWERS }, (_, index) => backOffMs(index + 1, RETRY)).reduce(
  (a, b) => a + b,
);
/** Nothing here waits for longer at a time, once what is sick has stepped aside. */
const LONGEST_MS = 10 * ASIDE_AFTER_MS;
/** The log's level of a warning. */
const WARN = 40;
/** One step of the clock while a channel pauses. */
const STEP_MS = 1_000;

const ANSWERS: [name: string, fault: Fault][] = [
  ['500', { kind: 'error', status: 500, accepted: false }],
  ['502', { kind: 'error', status: 502, accepted: false }],
  ['a 403 with an unknown code', { kind: 'refused', error: 'unheardOfDenial' }],
  ['a 400 with an unknown code', { kind: 'refused', error: 'unheardOf' }],
];

type Request = Parameters<Parameters<PostOffice['discord']['faults']['failWhere']>[0]>[0];

const holds = ({ content }: Request, number: number) =>
  new RegExp(`Kettle ${number}\\b`).test(JSON.stringify(content ?? ''));
const isPost = ({ method, path }: Request) => method === 'POST' && /\/(messages|threads)$/.test(path);

/** People can subscribe. */
const OF_PEOPLE = { kinds: [], open: async () => ({}), isPersonal: () => true };

/** An office, and one line of its log for each message of that kind. */
async function anOffice() {
  const lines: { msg: string; level: number; title?: string; delivery?: string }[] = [];
  const log = createTestLog((line) => lines.push(JSON.parse(line) as (typeof lines)[number]));
  const office = await aPostOffice({ log, features: [OF_PEOPLE] });
  return { ...office, lines };
}

/**
 * Starts, and lets the waits between two tries pass, until nothing more is to be done now, or for so long. Returns for how
 * long.
 */
async function settle({ clock }: PostOffice, { deliverer }: Run, mostMs = LONGEST_MS): Promise<number> {
  const startMs = clock.now();
  deliverer.kick();
  let hasSettled = false;
  const settled = deliverer.settled().then(() => {
    hasSettled = true;
  });
  for (;;) {
    await Promise.race([settled, clock.untilSleeping((ms) => ms >= RETRY.firstMs && ms <= RETRY.longestMs)]);
    if (hasSettled || clock.now() - startMs > mostMs) return clock.now() - startMs;
    await clock.advance(STEP_MS);
  }
}

/** Lets time pass, and what is due then. */
async function pass(office: PostOffice, run: Run, ms: number): Promise<void> {
  const untilMs = office.clock.now() + ms;
  while (office.clock.now() < untilMs) {
    await office.clock.advance(Math.min(30_000, untilMs - office.clock.now()));
    await settle(office, run);
  }
}

/** The places that are posted to: the channel, and what a subscription for it has. */
const PLACES: Readonly<
  Record<string, (office: PostOffice) => Partial<Subscription> & Pick<Subscription, 'channelId'>>
> = {
  'a channel': (office) => ({ channelId: office.channelId('deals') }),
  'a forum': ({ discord }) => ({ channelId: discord.createChannel('offers', 'forum').id, target: 'forum' }),
  'direct messages': ({ discord }) => ({
    channelId: discord.directChannel(discord.people.ben.id).id,
    guildId: placeOfPerson(discord.people.ben.id),
  }),
};
const POSTS = Object.keys(PLACES).flatMap((place) =>
  ANSWERS.map(([name, fault]): [place: string, name: string, fault: Fault] => [place, name, fault]),
);

/** The posts of a channel, or of all threads of a forum. */
const postsIn = (office: PostOffice, channelId: string) => [
  ...office.posts(channelId),
  ...office.discord
    .channels()
    .flatMap((channel) => ('parent_id' in channel && channel.parent_id === channelId ? office.posts(channel.id) : [])),
];

/** The numbers of the kettles that the posts of a channel tell of, each as often as it is told. */
const told = (office: PostOffice, channelId: string) =>
  postsIn(office, channelId)
    .flatMap((post) => [...new Set(textOf(post).match(/Kettle \d+/g))])
    .map((title) => Number(title.slice('Kettle '.length)))
    .toSorted((one, other) => one - other);

const aside = ({ deliverer }: Run) => deliverer.setAside().map(({ title }) => title);
const lasting = (number: number) => anOffer(number, { endDateMs: Date.parse('2026-10-20T12:00:00Z') });

test.each(sampled(POSTS, 5))(
  'a post in %s that Discord answers with %s each time holds nobody back, is named, and is posted once when it is taken',
  async (place, _, fault) => {
    const office = await anOffice();
    const where = PLACES[place]?.(office) ?? { channelId: '' };
    const { channelId } = where;
    const heal = office.discord.faults.failWhere((request) => isPost(request) && holds(request, 1), fault);
    const run = await office.run();
    const subscription = await run.subscribe(where);
    await run.enqueue(subscription, [1, 2, 3].map(lasting));
    expect(await settle(office, run)).toBeLessThanOrEqual(ASIDE_AFTER_MS + STEP_MS);
    expect(told(office, channelId)).toEqual([2, 3]);
    expect(aside(run)).toEqual(['Kettle 1']);
    expect(office.lines.filter(({ title, level }) => title === 'Kettle 1' && level === WARN)).toHaveLength(1);

    await run.enqueue(subscription, [lasting(4)]);
    run.deliverer.kick();
    // Without a wait: the clock stands still.
    await run.deliverer.settled();
    await pass(office, run, HOUR_MS);
    expect([told(office, channelId), aside(run)]).toEqual([[2, 3, 4], ['Kettle 1']]);
    await run.stop();

    const again = await office.run();
    await again.enqueue(subscription, [lasting(5)]);
    expect(await settle(office, again), 'after a restart').toBeLessThanOrEqual(ASIDE_AFTER_MS + STEP_MS);
    expect(told(office, channelId)).toEqual([2, 3, 4, 5]);
    heal();
    await pass(office, again, ASIDE.longestMs);
    expect(told(office, channelId)).toEqual([1, 2, 3, 4, 5]);
    expect([aside(again), again.deliverer.status().pending]).toEqual([[], 0]);
  },
);

test('a post that Discord takes as a plain card is posted as one, and once', async () => {
  const office = await anOffice();
  const channelId = office.channelId('deals');
  office.discord.faults.failWhere(
    (request) => isPost(request) && holds(request, 1) && /"media"/.test(JSON.stringify(request.content)),
    { kind: 'error', status: 500, accepted: false },
  );
  const run = await office.run();
  await run.enqueue(await run.subscribe({ channelId }), [1, 2].map(lasting));
  expect(await settle(office, run)).toBeLessThanOrEqual(ASIDE_AFTER_MS + STEP_MS);
  expect([told(office, channelId), aside(run)]).toEqual([[1, 2], []]);
});

test('while Discord is away altogether nothing steps aside, and all is posted once when it is back', async () => {
  const office = await anOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  office.discord.faults.use(() => ({ kind: 'error', status: 502, accepted: false }));
  await run.enqueue(subscription, [1, 2].map(lasting));
  run.deliverer.kick();
  for (let tries = 0; tries < 2 * BAD_ANSWERS + 2; tries += 1) {
    await office.clock.untilSleeping((ms) => ms >= RETRY.firstMs && ms <= RETRY.longestMs);
    await office.clock.advance(RETRY.longestMs);
  }
  await office.clock.untilSleeping((ms) => ms >= RETRY.firstMs && ms <= RETRY.longestMs);
  expect([told(office, channelId), aside(run)]).toEqual([[], []]);
  office.discord.faults.use(null);
  await pass(office, run, RETRY.longestMs);
  expect([told(office, channelId), aside(run)]).toEqual([[1, 2], []]);
});

test('a post that Discord answers badly ends as over with its deal', async () => {
  const office = await anOffice();
  const channelId = office.channelId('deals');
  office.discord.faults.failWhere((request) => isPost(request) && holds(request, 1), {
    kind: 'error',
    status: 500,
    accepted: false,
  });
  const run = await office.run();
  const [id = ''] = await run.enqueue(await run.subscribe({ channelId }), [lasting(1)]);
  await run.enqueue(await run.subscribe({ id: 't', channelId: office.channelId('announcements') }), [lasting(2)]);
  await settle(office, run);
  expect(aside(run)).toEqual(['Kettle 1']);
  office.book.put([aKnownOffer(1, { isSoldOut: true })]);
  await pass(office, run, ASIDE.firstMs);
  expect((await run.store.deliveries.ended(id))?.outcome).toBe('over');
  expect([aside(run), run.deliverer.status().pending]).toEqual([[], 0]);
});

test('one message that Discord answers badly each time keeps no others from being posted together', async () => {
  const office = await anOffice();
  const channelId = office.channelId('deals');
  const heal = office.discord.faults.failWhere((request) => isPost(request) && holds(request, 3), {
    kind: 'error',
    status: 500,
    accepted: false,
  });
  const run = await office.run();
  await run.enqueue(await run.subscribe({ channelId }), [1, 2, 3, 4, 5].map(lasting), true);
  await settle(office, run);
  await pass(office, run, 4 * ASIDE.firstMs);
  expect([told(office, channelId), aside(run)]).toEqual([[1, 2, 4, 5], ['Kettle 3']]);
  heal();
  await pass(office, run, ASIDE.longestMs);
  expect([told(office, channelId), aside(run)]).toEqual([[1, 2, 3, 4, 5], []]);
});

test('of a combined post whose form Discord refuses, only what is the cause is given up', async () => {
  const office = await anOffice();
  const channelId = office.channelId('deals');
  office.discord.faults.failWhere((request) => isPost(request) && holds(request, 3), {
    kind: 'refused',
    error: 'invalidForm',
  });
  const run = await office.run();
  const ids = await run.enqueue(await run.subscribe({ channelId }), [1, 2, 3, 4, 5].map(lasting), true);
  await settle(office, run);
  expect(told(office, channelId)).toEqual([1, 2, 4, 5]);
  const ended = await Promise.all(ids.map(async (id) => (await run.store.deliveries.ended(id))?.outcome));
  expect(ended).toEqual(['posted', 'posted', 'refused', 'posted', 'posted']);
});

/** A deliverer to which one message of a channel is answered badly, each time after something else has succeeded. */
async function aRunWithOneSick(number: number, answer: () => Promise<unknown> = async () => undefined) {
  const house = await aScriptedDeliverer();
  const run = await house.run();
  const { script } = house;
  const heal = { isDone: false };
  const nameIn = (text = '') => /Kettle \d+/.exec(text)?.[0];
  const isSick = (text?: string) => !heal.isDone && nameIn(text) === `Kettle ${number}`;
  script.answerTo = (text) => {
    script.successes += 1;
    return isSick(text) ? { kind: 'unknown', reason: 'silence' } : null;
  };
  script.whilePosting = async () => {
    if (isSick(house.tries.at(-1)?.text)) await answer();
  };
  const names = () => house.tries.map(({ text }) => nameIn(text));
  return { ...house, ...run, heal, names };
}

test('a message to which Discord never answers holds its channel back for one try', async () => {
  const house = await aRunWithOneSick(1, () => house.clock.sleep(ANSWERED_WITHIN_MS));
  const { subscribe, enqueue, kick, pass, names, store, deliverer } = house;
  const subscription = await subscribe('s');
  for (const number of [1, 2, 3]) await enqueue(lasting(number), subscription);
  await kick();
  await pass(ANSWERED_WITHIN_MS + RETRY.firstMs, STEP_MS);
  expect(names().slice(0, 3)).toEqual(['Kettle 1', 'Kettle 2', 'Kettle 3']);
  await pass(ASIDE_AFTER_MS + BAD_ANSWERS * ANSWERED_WITHIN_MS, STEP_MS);
  expect(deliverer.setAside().map(({ title }) => title)).toEqual(['Kettle 1']);
  // Each further try is the only one that others may meet, and they are counted for no limit.
  expect(store.deliveries.pending('10')).toHaveLength(1);
  house.heal.isDone = true;
  await pass(ASIDE.firstMs + ANSWERED_WITHIN_MS);
  expect([names().at(-1), deliverer.setAside(), store.deliveries.pending('10')]).toEqual(['Kettle 1', [], []]);
});

test('a channel is read from before all that was posted while a try could still have arrived', async () => {
  const { subscribe, enqueue, kick, pass, script, answers, store } = await aRunWithOneSick(1);
  const subscription = await subscribe('s');
  answers.push({ kind: 'sent', place: { channelId: '10', messageId: '400' } });
  await enqueue(lasting(9), subscription);
  await kick();
  expect(store.newestMessages.of('10')).toBe('400');
  await enqueue(lasting(1), subscription);
  await kick();
  await pass(ASIDE_AFTER_MS, STEP_MS);
  answers.push({ kind: 'sent', place: { channelId: '10', messageId: '500' } });
  await enqueue(lasting(2), subscription);
  await kick();
  expect(await store.posts.about([`offer:${uuid(2)}`]).then((posts) => posts.size)).toBe(1);
  const reads = script.reads;
  await pass(ASIDE.firstMs, STEP_MS);
  expect([script.reads > reads, script.readAfter]).toEqual([true, '400']);
});

test('nor does a try whose deal is over by now hide behind what is posted meanwhile', async () => {
  const { subscribe, enqueue, kick, pass, script, answers, book } = await aRunWithOneSick(1);
  const subscription = await subscribe('s');
  await enqueue(lasting(1), subscription);
  await kick();
  book.put([aKnownOffer(1, { isSoldOut: true })]);
  answers.push({ kind: 'sent', place: { channelId: '10', messageId: '500' } });
  await enqueue(lasting(2), subscription);
  await pass(RETRY.firstMs + RETRY.firstMs * RETRY.factor, STEP_MS);
  const reads = script.reads;
  await pass(ASIDE.firstMs, STEP_MS);
  expect([script.reads > reads, script.readAfter]).toEqual([true, null]);
});

test('where posts are of use only once published, one message that is answered badly keeps no others from being posted and published', async () => {
  const { subscribe, enqueue, kick, pass, names, publishedOnly, deliverer, script } = await aRunWithOneSick(1);
  publishedOnly.add('10');
  const subscription = await subscribe('s', { isPublished: true, mostPerHour: 30 });
  for (const number of [1, 2, 3]) await enqueue(lasting(number), subscription);
  await kick();
  await pass(ASIDE_AFTER_MS, STEP_MS);
  expect(names().filter((name) => name !== 'Kettle 1')).toEqual(['Kettle 2', 'Kettle 3']);
  expect(script.others.filter((request) => request.startsWith('publish'))).toHaveLength(2);
  expect(deliverer.setAside().map(({ title }) => title)).toEqual(['Kettle 1']);
});

test('where posts are of use only once published, one publication that is answered badly keeps no others from being posted and published', async () => {
  const { subscribe, enqueue, kick, pass, publishedOnly, script, tries } = await aScriptedDeliverer().then(
    async (house) => ({ ...house, ...(await house.run()) }),
  );
  publishedOnly.add('10');
  const subscription = await subscribe('s', { isPublished: true, mostPerHour: 30 });
  const published = new Set<string>();
  let isSick = true;
  script.whileChanging = async () => {
    script.successes += 1;
    const request = script.others.at(-1) ?? '';
    if (isSick && request === `publish 10/m-${tries[0]?.deliveryId}`) {
      script.changes.push({ kind: 'unknown', reason: 'silence' });
    } else if (request.startsWith('publish')) published.add(request);
  };
  for (const number of [1, 2, 3]) await enqueue(lasting(number), subscription);
  await kick();
  await pass(ASIDE_AFTER_MS, STEP_MS);
  expect([tries.length, published.size]).toEqual([3, 2]);
  isSick = false;
  await pass(ASIDE.longestMs);
  expect([tries.length, published.size]).toEqual([3, 3]);
});

test('the tries of a message that is answered badly are counted for no limit', async () => {
  const mostPerHour = 3;
  const { subscribe, enqueue, kick, pass, names, deliverer } = await aRunWithOneSick(1);
  const subscription = await subscribe('s', { mostPerHour });
  await enqueue(lasting(1), subscription);
  await kick();
  await pass(HOUR_MS / 2);
  const before = names().length;
  expect(before).toBeGreaterThan(mostPerHour);
  await enqueue(lasting(2), subscription);
  await kick();
  expect(names().slice(before)).toEqual(['Kettle 2']);
  expect(deliverer.status().limitedChannels).toBe(0);
});
