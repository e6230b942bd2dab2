import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtWith } from '../../../test/helpers/built-program.ts';
import { temporaryFolder, temporaryState } from '../../../test/helpers/temporary-folder.ts';
import { DEMO_PROGRAMS, demoOf, startDemo, untilPosted, WITHIN_MS } from './running-demo.ts';

const ATTEMPT = 'const { outcome, isPlain } = card ? await this.#send(';
/** Records a delivery as posted before it is, where the environment asks for it: the broken order of writes. */
const RECORD_FIRST = `if (process.env.RECORD_FIRST === 'yes' && 'announcement' in waiting) {
  const ending = { outcome: 'posted', messageChannelId: null, messageId: null, endedAtMs: this.#parts.clock.now() };
  await store.commit((changes) => store.deliveries.end(changes, waiting, ending));
}`;
/** Kills the bot once, between the two writes of a new offer's post in the channel that the file names. */
const KILL = `const order = process.env.KILL_IN_CHANNEL_OF;
const isNew = 'announcement' in waiting && waiting.announcement.kind === 'new-offer';
if (isNew && files.existsSync(order) && files.readFileSync(order, 'utf8') === channel.id) {
  files.unlinkSync(order);
  process.kill(process.pid, 'SIGKILL');
}`;

const killedBetweenWrites: Parameters<typeof builtWith>[0][number] = {
  name: 'killed-between-writes',
  setup(build) {
    let isMet = false;
    build.onEnd(() => (isMet ? null : { errors: [{ text: 'The attempt to post stands elsewhere by now.' }] }));
    build.onLoad({ filter: /deliver[\\/]posting\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      isMet = source.includes(ATTEMPT);
      const contents = source.replace(ATTEMPT, `${RECORD_FIRST}\n${KILL}\n${ATTEMPT}`);
      return { contents: `import * as files from 'node:fs';\n${contents}`, loader: 'ts' };
    });
  },
};

/** The first answers of the two subscriptions in #deals bring up to three posts each, which nobody is owed. */
const FIRST_POSTS = 6;
const PROGRAM = builtWith([killedBetweenWrites], ...DEMO_PROGRAMS);

/** Starts the demo, with a way to have its bot killed between the two writes of its next new offer in #deals. */
async function aDemo(environment: Readonly<Record<string, string>>) {
  const order = join(temporaryFolder(), 'channel');
  const demo = startDemo(PROGRAM, { STATE_URL: temporaryState(), KILL_IN_CHANNEL_OF: order, ...environment });
  await untilPosted(demo, FIRST_POSTS);
  const { channels } = await demo.state();
  const id = channels.find(({ name }) => name === 'deals')?.id ?? '';
  async function killBetweenWrites(): Promise<void> {
    writeFileSync(order, id);
    await expect.poll(() => existsSync(order), { timeout: WITHIN_MS, interval: 100 }).toBe(false);
  }
  return { demo, killBetweenWrites };
}

/** An offer can end before the bot was late with it: then it is owed no more, and the next kill has to show the loss. */
const MOST_KILLS = 5;
/** The counters give the bot 20 seconds for a post, after the three that its restart waits. */
const NOTICED_WITHIN_MS = 50_000;
const OPTIONS = { timeout: MOST_KILLS * WITHIN_MS };

test('a bot that is killed between its two writes loses nothing', OPTIONS, async () => {
  const { demo, killBetweenWrites } = await aDemo({});
  await killBetweenWrites();
  // One of these is the offer that the kill came before: a later one can't be posted without it.
  await untilPosted(demo, (await demo.deals()).length + 1);
  await expect.poll(async () => (await demoOf(demo)).counters.waiting, { timeout: WITHIN_MS, interval: 100 }).toBe(0);
  expect((await demoOf(demo)).counters).toMatchObject({ lost: 0, twice: 0 });
});

test('the counters notice what such a kill loses where the order of the writes is broken', OPTIONS, async () => {
  const { demo, killBetweenWrites } = await aDemo({ RECORD_FIRST: 'yes' });
  const lost = async () => (await demoOf(demo)).counters.lost;
  for (let kills = 0; kills < MOST_KILLS && (await lost()) === 0; kills += 1) {
    await killBetweenWrites();
    const noticed = expect.poll(lost, { timeout: NOTICED_WITHIN_MS, interval: 500 }).toBeGreaterThan(0);
    await noticed.catch(() => undefined);
  }
  const { counters } = await demoOf(demo);
  expect(counters.lost).toBeGreaterThan(0);
  expect(counters.twice).toBe(0);
});
