import { ComponentType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { Feature, OperatorJob } from '../../src/app/feature.ts';
import { linesOfRunningBot, operatorSocketOf } from '../../src/app/operator-socket.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';

const SENTENCES = { notRunning: 'Start it first.', cutOff: 'It has ended.' };

const greet: OperatorJob = {
  name: 'greet',
  async run([asked], { tell }) {
    if (typeof asked !== 'object' || asked === null || !('whom' in asked)) return null;
    tell({ result: 'greeting' });
    return { result: 'greeted', whom: asked.whom };
  },
};

async function aHouseOfGreetings() {
  let sent: number | null = null;
  const greetings: Feature = {
    name: 'greetings',
    gauges: [
      { name: 'greetings_sent', help: 'Greetings that were sent.' },
      { name: 'greetings', help: 'Greetings by their language.', labels: ['language'] },
      { name: 'greetings_heard', help: 'Greetings by their language and end.', labels: ['language', 'end'] },
    ],
    start: () => ({
      figures: () =>
        sent === null ? {} : { greetings_sent: sent, greetings: { en: 1, de: 2 }, greetings_heard: { en: { ok: 4 } } },
      status: { ofServer: (guildId) => (sent === null ? null : `${sent} greetings in ${guildId}`) },
      operatorJobs: [greet],
    }),
  };
  const house = await aHouse({ content: () => aCatalogFolder().content, features: [greetings] });
  const STATE_URL = temporaryState();
  await house.startBot({ STATE_URL, METRICS_PORT: '0' });
  const metrics = async () => {
    const line = house.logLines.find((text) => text.includes('serving metrics')) ?? '{}';
    return (await fetch((JSON.parse(line) as { address: string }).address)).text();
  };
  const ask = async (job: string, ...asked: unknown[]) => {
    const told: unknown[] = [];
    for await (const line of linesOfRunningBot(operatorSocketOf(STATE_URL), job, asked, SENTENCES)) {
      told.push(line);
      if ((line as { result: string }).result !== 'greeting') break;
    }
    return told;
  };
  return {
    house,
    metrics,
    ask,
    send: (number: number) => {
      sent = number;
    },
  };
}

test('the gauges of a feature are among the metrics, each with its figures once there are some', async () => {
  const { metrics, send } = await aHouseOfGreetings();
  expect(await metrics()).toMatch(/^# TYPE dealbell_greetings gauge$/m);
  expect(await metrics()).not.toContain('dealbell_greetings{');
  send(3);
  const text = await metrics();
  expect(text).toMatch(/^dealbell_greetings_sent 3$/m);
  expect(text).toMatch(/^dealbell_greetings_heard\{language="en",end="ok"\} 4$/m);
  expect(text).toMatch(/^dealbell_greetings\{language="de"\} 2$/m);
});

test('those who manage a server read in its status what a feature tells of it', async () => {
  const { house, send } = await aHouseOfGreetings();
  expect(textOf(await house.asAda('deals', '/status'))).not.toContain('greetings');
  send(3);
  expect(textOf(await house.asAda('deals', '/status'))).toContain(`3 greetings in ${house.discord.guildId}`);
  expect(textOf(await house.asBen('deals', '/status'))).not.toContain('greetings');
});

test('the running bot does a job of a feature for its operator, and refuses what it does not know or can’t read', async () => {
  const { ask } = await aHouseOfGreetings();
  expect(await ask('greet', { whom: 'Cleo' })).toEqual([{ result: 'greeting' }, { result: 'greeted', whom: 'Cleo' }]);
  const refused = [{ result: 'refused', problems: [expect.stringContaining('same version')] }];
  expect(await ask('greet', {})).toEqual(refused);
  expect(await ask('no-such', {})).toEqual(refused);
});

test('features say together how posts appear; what none says is as usual, and a subscription is known to them', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const asked = new Set<string | undefined>();
  const lines: Feature = {
    name: 'lines',
    start: () => ({ post: { appearanceOf: () => ({ style: 'large', line: 'Overwritten' }) } }),
  };
  const more: Feature = {
    name: 'more',
    start: () => ({
      post: {
        appearanceOf(_, subscription) {
          asked.add(subscription?.filter);
          return { line: 'Added' };
        },
      },
    }),
  };
  const house = await aHouse({ content: () => folder.content, features: [lines, { name: 'none' }, more] });
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home filter:kettle catch-up:0');
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  const [post] = house.announcements('deals');
  expect(post && textOf(post)).toMatch(/^Added\n/);
  expect(JSON.stringify(post?.components)).toContain(`"type":${ComponentType.MediaGallery}`);
  expect([...asked]).toEqual(['kettle']);
});

test('where no bot runs, a command that asks it for a job says so', async () => {
  const lines = linesOfRunningBot(operatorSocketOf(temporaryState()), 'greet', [{}], SENTENCES);
  await expect(lines.next()).rejects.toThrow('Start it first.');
});
