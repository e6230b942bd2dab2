import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFailed, test } from 'vitest';
import { builtProgram } from '../../../test/helpers/built-program.ts';
import { suiteSeed } from '../../../test/helpers/seed.ts';
import { temporaryState } from '../../../test/helpers/temporary-folder.ts';
import { isAnnouncement } from '../../../test/model/reading.ts';
import type { DemoAction, DemoState } from '../../local-discord/src/index.ts';
import { quietReasons } from '../../local-discord/src/page/demo/quiet-reasons.ts';
import { FollowedPage } from './followed-page.ts';
import { RandomPerson, type Use } from './random-person.ts';
import { actOn, DEMO_PROGRAMS, demoOf, type RunningDemo, startDemo, untilPosted, WITHIN_MS } from './running-demo.ts';

const PROGRAM = builtProgram(...DEMO_PROGRAMS);

/** Posts stop for no longer than that, unless the panel says why. */
const MINUTE_MS = 60_000;
const TEN_HOURS_MS = 10 * 60 * MINUTE_MS;
/** So long each lever holds before the next one is pulled. */
const HOLDS_MS = 1_500;
const LOOK_MS = 500;

const TIMES = ['pause', 'normal', 'fast', 'evening', 'morning', 'midnight'] as const;
const PERMISSIONS = ['canSend', 'needsTag', 'isLocked', 'isDeleted', 'othersPublish'] as const;
const LEVERS: ((state: DemoState) => DemoAction | null)[] = [
  ...(['drop-price', 'sell-out', 'bring-back', 'end'] as const).map(
    (change) =>
      ({ offer }: DemoState): DemoAction | null => {
        return offer && { do: 'offer', messageId: offer.messageId, change };
      },
  ),
  ...(['kill', 'cut-discord', 'cut-catalog', 'fail-requests', 'recover'] as const).map(
    (name) => (): DemoAction => ({ do: name }),
  ),
  ...TIMES.map((to) => (): DemoAction => ({ do: 'time', to })),
  ...(['real', 'used-up', 'unlimited'] as const).map((as) => (): DemoAction => ({ do: 'quota', as })),
  // Each is pulled twice, so that some are given back.
  ...[...PERMISSIONS, ...PERMISSIONS].map((change) => ({ permissions }: DemoState): DemoAction => {
    return { do: 'permissions', change, is: !permissions[change] };
  }),
  (): DemoAction => ({ do: 'server-locale', locale: 'fr' }),
  (): DemoAction => ({ do: 'server-locale', locale: 'en-US' }),
];

/** Random numbers from 0 up to 1 that the seed decides. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffled<T>(of: readonly T[], random: () => number): T[] {
  return of
    .map((one) => ({ one, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ one }) => one);
}

/** Why no post comes, as the panel says it. */
function saidWhy(state: DemoState): string[] {
  const broken = Object.entries(state.faults).flatMap(([name, untilMs]) => (untilMs === null ? [] : [name]));
  return [...quietReasons(state), ...broken, ...(state.bot.state === 'running' ? [] : [state.bot.state])];
}

/** The id of the newest post; the older ones are forgotten in time. */
function newestPost({ state }: FollowedPage): bigint {
  const posts = Object.values(state.messages).flat().filter(isAnnouncement);
  return posts.reduce((newest, { id }) => (BigInt(id) > newest ? BigInt(id) : newest), 0n);
}

/** Lets real time pass, and expects that posts go on meanwhile, and none comes twice. */
async function watch(page: FollowedPage, forMs: number, last: { post: bigint; atMs: number }): Promise<void> {
  const endsMs = Date.now() + forMs;
  while (Date.now() < endsMs) {
    await sleep(LOOK_MS);
    const post = newestPost(page);
    if (post !== last.post || saidWhy(page.demo).length > 0) Object.assign(last, { post, atMs: Date.now() });
    expect(Date.now() - last.atMs, JSON.stringify(page.demo)).toBeLessThan(MINUTE_MS);
    expect(page.demo.counters.twice).toBe(0);
  }
}

/** Whether nothing is broken, so that each use of the bot has to be answered. */
function isWhole({ faults, bot }: DemoState): boolean {
  return Object.values(faults).every((untilMs) => untilMs === null) && bot.state === 'running';
}

/** So many uses in a row may fail on a slow machine although nothing is broken. */
const MOST_UNANSWERED = 3;

/** Uses the bot once. Where nothing is broken it answers. @param unanswered the uses that have failed in a row then */
async function useOnce(page: FollowedPage, person: RandomPerson, unanswered: Use[]): Promise<void> {
  const before = page.demo;
  const use = await person.use();
  const after = page.demo;
  const wasWhole = isWhole(before) && isWhole(after) && before.bot.kills === after.bot.kills;
  if (use.is !== 'failed' || !wasWhole) unanswered.length = 0;
  else unanswered.push(use);
  expect(unanswered.length, JSON.stringify(unanswered, null, 1)).toBeLessThanOrEqual(MOST_UNANSWERED);
}

/** So much of the demo's log is shown where the walk fails: characters. */
const LOGGED = 20_000;

/** For so long the walk goes on: minutes. Without it each lever is pulled once. */
const MINUTES = Number(process.env['DEALBELL_TEST_WALK_MINUTES'] ?? 0);

test('whatever order its levers are pulled in while people use the bot, the demo posts or says why it does not, and nothing is lost or posted twice', {
  timeout: 6 * WITHIN_MS + MINUTES * MINUTE_MS,
}, async () => {
  const demo = startDemo(PROGRAM, { STATE_URL: temporaryState(), LOG_LEVEL: 'info' });
  onTestFailed(() => {
    process.stdout.write(demo.log().slice(-LOGGED));
  });
  await untilPosted(demo, 3);
  const startMs = await nowOf(demo);
  const endsMs = Date.now() + MINUTES * MINUTE_MS;
  const last = { post: 0n, atMs: Date.now() };
  const random = randomOf(suiteSeed);
  const page = new FollowedPage(demo);
  const person = new RandomPerson(demo, page, random);
  await page.open();
  const unanswered: Use[] = [];
  do {
    for (const lever of shuffled(LEVERS, random)) {
      const action = lever(page.demo);
      // An offer that has ended can't be changed, which the lever says.
      if (action) expect([200, 422]).toContain((await actOn(demo, action)).status);
      await useOnce(page, person, unanswered);
      await watch(page, HOLDS_MS, last);
    }
  } while (Date.now() < endsMs);
  expect((await nowOf(demo)) - startMs).toBeGreaterThan(TEN_HOURS_MS);

  const { permissions } = page.demo;
  for (const change of PERMISSIONS) {
    const is = change === 'canSend';
    if (permissions[change] !== is) await actOn(demo, { do: 'permissions', change, is });
  }
  for (const action of [{ do: 'time', to: 'normal' }, { do: 'quota', as: 'unlimited' }, { do: 'recover' }] as const) {
    await actOn(demo, action);
  }
  // Somebody may have paused all posting.
  await expect.poll(async () => (await person.command('/owner resume')).is, { timeout: WITHIN_MS }).toBe('answered');
  await watch(page, MINUTE_MS / 6, last);
  // Discord takes about one post a second in a channel, and those of many hours may wait; those above somebody's limit longer.
  const unexplained = () => (saidWhy(page.demo).length > 0 ? 0 : page.demo.counters.waiting);
  await expect.poll(unexplained, { timeout: 2 * WITHIN_MS }).toBe(0);
  const { counters } = await demoOf(demo);
  expect(counters).toMatchObject({ twice: 0, lost: 0 });
  expect(counters.posted).toBeGreaterThan(0);
});

async function nowOf(demo: RunningDemo): Promise<number> {
  const { time } = await demoOf(demo);
  return time.demoMs + (Date.now() - time.realMs) * time.speed;
}
