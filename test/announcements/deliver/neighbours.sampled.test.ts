import { setImmediate } from 'node:timers/promises';
import { MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { Fault } from '../../../packages/local-discord/src/index.ts';
import { RETRY } from '../../../src/announcements/deliver/channel.ts';
import { wantPin } from '../../../src/announcements/deliver/pinning.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { ASIDE } from '../../../src/discord/bad-answers.ts';
import { ANSWERED_WITHIN_MS } from '../../../src/discord/rest.ts';
import { MINUTE_MS } from '../../../src/shared/time.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { aPostOffice, type PostOffice, type Run } from '../../helpers/post-office.ts';
import { sampled } from '../../helpers/sampled.ts';
import { anOffer, uuid } from '../../helpers/things.ts';

/** Others may be late for so long because Discord doesn't take one message: docs/operating.md. */
const NEIGHBOURS_WITHIN_MS = 30_000;
/** One step of the clock. */
const STEP_MS = 1_000;
/** How long the bot waits here for an answer that never comes: real milliseconds. */
const SILENCE_MS = 400;

const ANSWERS: [name: string, fault: Fault][] = [
  ['500', { kind: 'error', status: 500, accepted: false }],
  ['500, having done it,', { kind: 'error', status: 500, accepted: true }],
  ['502', { kind: 'error', status: 502, accepted: false }],
  ['a 403 with an unknown code', { kind: 'refused', error: 'unheardOfDenial' }],
  ['a 400 with an unknown code', { kind: 'refused', error: 'unheardOf' }],
  ['silence', { kind: 'silence', accepted: false }],
  ['silence, having done it,', { kind: 'silence', accepted: true }],
];

type Request = Parameters<Parameters<PostOffice['discord']['faults']['failWhere']>[0]>[0];

/** A kind of request, which the bot makes for each of the kettles 1, 2 and so on. */
interface Kind {
  /** Makes what the requests are about. */
  prepare?: (scene: Scene, numbers: readonly number[]) => Promise<unknown>;
  begin: (scene: Scene, numbers: readonly number[]) => Promise<unknown>;
  /** The request for one kettle. */
  isFor: (request: Request, scene: Scene, number: number) => boolean;
  /** The kettles for which it is done, each as often as that can be seen. */
  done: (scene: Scene) => readonly number[];
}

interface Scene {
  office: PostOffice;
  run: Run;
  /** The subscribed place. */
  where: Where;
  roleId: string;
}

type Where = Partial<Subscription> & Pick<Subscription, 'channelId'>;

const PLACES = {
  channel: (office: PostOffice): Where => ({ channelId: office.channelId('deals') }),
  announcements: (office: PostOffice): Where => ({ channelId: office.channelId('announcements'), isPublished: true }),
  forum: (office: PostOffice): Where => ({ channelId: office.channelId('forum'), target: 'forum' }),
  person: ({ discord }: PostOffice): Where => ({
    channelId: discord.directChannel(discord.people.ben.id).id,
    guildId: placeOfPerson(discord.people.ben.id),
  }),
};

const lasting = (number: number) => anOffer(number, { endDateMs: Date.parse('2026-10-20T12:00:00Z') });
const keyOf = (number: number) => `offer:${uuid(number)}` as const;
const names = (text: string, number: number) => new RegExp(`Kettle ${number}\\b`).test(text);

/** The posts in the channel, or in all threads of the forum. */
const postsIn = ({ office, where: { channelId } }: Scene) => [
  ...office.posts(channelId),
  ...office.discord
    .channels()
    .flatMap((channel) => ('parent_id' in channel && channel.parent_id === channelId ? office.posts(channel.id) : [])),
];
const kettleIn = (scene: Scene, number: number) => postsIn(scene).find((post) => names(textOf(post), number));
const numbersIn = (texts: readonly string[]) =>
  texts.flatMap((text) =>
    [...new Set(text.match(/Kettle \d+/g))].map((title) => Number(title.slice('Kettle '.length))),
  );

async function post({ run, where }: Scene, numbers: readonly number[]): Promise<void> {
  await run.enqueue(await run.subscribe(where), numbers.map(lasting));
}

const POST: Kind = {
  begin: post,
  isFor: ({ method, path, content }, _, number) =>
    method === 'POST' && /\/(messages|threads)$/.test(path) && names(JSON.stringify(content ?? ''), number),
  done: (scene) => numbersIn(postsIn(scene).map(textOf)),
};

const KINDS: Readonly<Record<string, [place: keyof typeof PLACES, kind: Kind]>> = {
  'a post': ['channel', POST],
  'a forum post': ['forum', POST],
  'a direct message': ['person', POST],
  'an edit': [
    'channel',
    {
      prepare: post,
      begin: ({ run }, numbers) =>
        run.store.transact((changes) =>
          run.deliverer.refresh(
            changes,
            numbers.map((number) => ({ key: keyOf(number), item: anOffer(number, { isSoldOut: true }) })),
          ),
        ),
      isFor: ({ method, content }, _, number) => method === 'PATCH' && names(JSON.stringify(content ?? ''), number),
      done: (scene) =>
        numbersIn(
          postsIn(scene)
            .map(textOf)
            .filter((text) => text.includes('Sold out')),
        ),
    },
  ],
  'a deletion': [
    'channel',
    {
      prepare: post,
      begin: (scene, numbers) => {
        const { run, office, where } = scene;
        const { channelId } = where;
        const place = { guildId: office.discord.guildId, channelId, messageChannelId: channelId };
        const surplus = numbers.map((number) => ({
          ...place,
          messageId: kettleIn(scene, number)?.id ?? '',
          queuedAtMs: office.clock.now(),
        }));
        return run.store.commit((changes) => run.store.removals.add(changes, surplus));
      },
      isFor: ({ method, path }, scene, number) =>
        method === 'DELETE' && path.endsWith(`/messages/${kettleIn(scene, number)?.id}`),
      done: (scene) => [1, 2, 3].filter((number) => !kettleIn(scene, number)),
    },
  ],
  'a publication': [
    'announcements',
    {
      begin: post,
      isFor: ({ path }, scene, number) =>
        path.endsWith('/crosspost') && path.includes(`/${kettleIn(scene, number)?.id}/`),
      done: (scene) =>
        numbersIn(
          postsIn(scene)
            .filter(({ flags = 0 }) => (flags & MessageFlags.Crossposted) !== 0)
            .map(textOf),
        ),
    },
  ],
  'a pin': [
    'channel',
    {
      prepare: post,
      begin: async ({ run }, numbers) => {
        const posts = [...(await run.store.posts.about(numbers.map(keyOf))).values()].flat();
        await run.store.commit((changes) => {
          for (const post of posts) wantPin(changes, run.store.pins, post);
        });
      },
      isFor: ({ path }, scene, number) => path.includes('/pins/') && path.endsWith(`/${kettleIn(scene, number)?.id}`),
      done: (scene) =>
        numbersIn(
          postsIn(scene)
            .filter(({ pinned }) => pinned)
            .map(textOf),
        ),
    },
  ],
  'a reply': [
    'channel',
    {
      prepare: post,
      begin: async ({ run, where, roleId }, numbers) => {
        const late = await run.subscribe({ ...where, id: 'late', mentioned: [roleId] });
        await run.enqueue(late, numbers.map(lasting));
      },
      isFor: ({ method, content }, scene, number) => {
        const { message_reference: of } = Object(content) as { message_reference?: { message_id?: string } };
        return method === 'POST' && of?.message_id !== undefined && of.message_id === kettleIn(scene, number)?.id;
      },
      done: (scene) =>
        postsIn(scene).flatMap(({ message_reference: of }) =>
          [1, 2, 3].filter((number) => of?.message_id === kettleIn(scene, number)?.id),
        ),
    },
  ],
};

/** A scene, and what the log says at the level of a warning. */
async function aScene(place: keyof typeof PLACES, fault: Fault) {
  const lines: { msg: string }[] = [];
  const log = createTestLog((line) => {
    lines.push(JSON.parse(line) as { msg: string });
  });
  const office = await aPostOffice({
    log,
    features: [{ kinds: [], open: async () => ({}), isPersonal: () => true }],
    ...(fault.kind === 'silence' && { answeredWithinMs: SILENCE_MS }),
  });
  const roleId = office.discord.createRole('Late').id;
  const scene: Scene = { office, run: await office.run(), where: PLACES[place](office), roleId };
  const other = office.discord.createChannel('other', 'text').id;
  const hasSaid = (msg: string) => lines.some((line) => line.msg === msg);
  return { scene, other, hasSaid };
}

/** Waits for all that can be done now. */
async function rest({ office: { clock }, run: { deliverer } }: Scene): Promise<void> {
  deliverer.kick();
  const isPause = (ms: number) => ms >= RETRY.firstMs && ms <= RETRY.longestMs;
  await Promise.race([deliverer.settled(), clock.untilSleeping(isPause)]);
}

/** Lets time pass, until that holds or so long. */
async function pass(scene: Scene, ms: number, stepMs: number, holds: () => boolean): Promise<void> {
  const untilMs = scene.office.clock.now() + ms;
  await rest(scene);
  while (!holds() && scene.office.clock.now() < untilMs) {
    await scene.office.clock.advance(stepMs);
    await rest(scene);
  }
}

/** Posts in another channel, without a wait: the clock stands still. Where it isn't posted, the test's time ends. */
async function postElsewhere({ office, run }: Scene, channelId: string, number: number): Promise<void> {
  const before = office.posts(channelId).length;
  await run.enqueue(await run.subscribe({ id: 'other', channelId }), [lasting(number)]);
  run.deliverer.kick();
  while (office.posts(channelId).length === before) await setImmediate();
}

const sorted = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);
const never = () => false;

const CASES = Object.entries(KINDS).flatMap(([name, [place, kind]]) =>
  ANSWERS.map(([answer, fault]) => [name, answer, place, kind, fault] as const),
);

test.each(sampled(CASES, 10))(
  '%s that Discord answers with %s each time holds no others back, is named, and is made once when it is taken',
  async (_name, _answer, place, kind, fault) => {
    const { scene, other, hasSaid } = await aScene(place, fault);
    const { office, run } = scene;
    if (kind.prepare) await kind.prepare(scene, [1, 2, 3]);
    await pass(scene, MINUTE_MS, STEP_MS, () => numbersIn(postsIn(scene).map(textOf)).length === 3);
    // The one that is asked for first.
    let sick: number | undefined;
    let asked = 0;
    const isOfSick = (request: Request) => {
      sick ??= [1, 2, 3].find((number) => kind.isFor(request, scene, number));
      const isSick = sick !== undefined && kind.isFor(request, scene, sick);
      asked += Number(isSick);
      return isSick;
    };
    const heal = office.discord.faults.failWhere(isOfSick, fault);
    await kind.begin(scene, [1, 2, 3]);
    const startMs = office.clock.now();
    const others = () => kind.done(scene).filter((number) => number !== sick);
    await pass(scene, MINUTE_MS, STEP_MS, () => others().length === 2);
    expect(sorted([sick ?? 0, ...others()])).toEqual([1, 2, 3]);
    const silentMs = fault.kind === 'silence' ? asked * ANSWERED_WITHIN_MS : 0;
    expect(office.clock.now() - startMs + silentMs).toBeLessThanOrEqual(NEIGHBOURS_WITHIN_MS);

    // Something else succeeds now and then, as in any channel of the bot's.
    const isNamed = () => hasSaid('Discord keeps answering with an error: others go first');
    const isDone = () => kind.done(scene).length === 3;
    for (let number = 11; number <= 15 && !isNamed(); number += 1) {
      await postElsewhere(scene, other, number);
      await pass(scene, MINUTE_MS, 10 * STEP_MS, isNamed);
    }
    expect(isNamed() || isDone()).toBe(true);

    heal();
    await pass(scene, ASIDE.longestMs, MINUTE_MS, () => isDone() && run.deliverer.setAside().length === 0);
    expect(sorted(kind.done(scene))).toEqual([1, 2, 3]);
    expect(run.deliverer.setAside()).toEqual([]);
  },
);

test.each(sampled(CASES, 6))(
  '%s: where Discord answers all of them with %s, other channels go on, and each is made once afterwards',
  async (_name, _answer, place, kind, fault) => {
    const { scene, other } = await aScene(place, fault);
    const { office, run } = scene;
    if (kind.prepare) await kind.prepare(scene, [1, 2, 3]);
    await pass(scene, MINUTE_MS, STEP_MS, () => numbersIn(postsIn(scene).map(textOf)).length === 3);
    const heal = office.discord.faults.failWhere(
      (request) => [1, 2, 3].some((number) => kind.isFor(request, scene, number)),
      fault,
    );
    await kind.begin(scene, [1, 2, 3]);
    await rest(scene);
    await postElsewhere(scene, other, 11);
    await pass(scene, 10 * MINUTE_MS, MINUTE_MS, never);
    heal();
    await pass(scene, 2 * ASIDE.longestMs, MINUTE_MS, () => kind.done(scene).length === 3);
    await pass(scene, 10 * MINUTE_MS, MINUTE_MS, never);
    expect(sorted(kind.done(scene))).toEqual([1, 2, 3]);
    expect(run.deliverer.setAside()).toEqual([]);
  },
);
