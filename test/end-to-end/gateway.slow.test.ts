import { expect, test } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { DiscordRefusedError } from '../../src/shared/errors.ts';
import { untilConnected } from '../helpers/bot-connection.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';

// https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes

async function aSubscribedHouse() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  return { folder, house, app };
}

const titlesIn = (house: House) =>
  house.announcements('deals').map((message) => /### \[(.*?)\]/.exec(textOf(message))?.[1]);

/** Breaks the connection, and while it is gone somebody uses a command and an offer appears. */
async function breakAndGoOn(house: House, app: App, cut: () => void): Promise<void> {
  const gone = untilConnected(house, false);
  const back = gone.then(() => untilConnected(house, true));
  await house.clock.advance(120_000);
  cut();
  await gone;
  const answer = house.asBen('announcements', '/feed feed:Home');
  await app.tick();
  await app.settled();
  await back;
  // Whether it shows the offer depends on which comes first, the connection or the poll.
  expect(textOf(await answer)).toContain('Home deals');
}

/** The ways in which a connection ends that can be resumed. */
const RESUMABLE: [string, (house: House) => void][] = [
  ...[1001, 1006, 4000, 4001, 4002].map((code): [string, (house: House) => void] => [
    `code ${code}`,
    ({ discord }) => discord.faults.closeGateway(code),
  ]),
  ['a request to reconnect', ({ discord }) => discord.faults.reconnectGateway()],
  ['an invalid session that may be resumed', ({ discord }) => discord.faults.invalidateSessions({ resumable: true })],
];

test('after a connection that can be resumed, commands of the time between are answered and nothing comes twice', async () => {
  const { folder, house, app } = await aSubscribedHouse();
  const items: Record<string, unknown>[] = [];
  for (const [how, cut] of RESUMABLE) {
    items.push(feedItem(items.length + 1));
    folder.writeFeed('Home', items);
    await breakAndGoOn(house, app, () => cut(house));
    expect(titlesIn(house), how).toEqual(items.map(({ Title }) => Title));
    expect((await house.health(app)).gateway, how).toBe('connected');
  }
});

/** The ways in which a session ends for good; the bot begins a new one, and waits as long as Discord asks between two of them. */
const ENDING: [string, (house: House) => void][] = [
  ...[1000, 4003, 4005, 4007, 4008, 4009].map((code): [string, (house: House) => void] => [
    `code ${code}`,
    ({ discord }) => discord.faults.closeGateway(code),
  ]),
  ['a session that is forgotten', ({ discord }) => discord.faults.closeGateway(4000, { forget: true })],
  ['an invalid session', ({ discord }) => discord.faults.invalidateSessions({ resumable: false })],
];

test('after a session that is over the bot begins a new one, answers, and posts nothing twice', async () => {
  await Promise.all(
    ENDING.map(async ([how, cut]) => {
      const { folder, house, app } = await aSubscribedHouse();
      const gone = untilConnected(house, false);
      const back = gone.then(() => untilConnected(house, true));
      cut(house);
      await gone;
      folder.writeFeed('Home', [feedItem(1)]);
      await house.clock.advance(120_000);
      await app.tick();
      await app.settled();
      await back;
      expect(titlesIn(house), how).toEqual(['Kettle 1']);
      expect(textOf(await house.asBen('announcements', '/feed feed:Home')), how).toContain('Kettle 1');
    }),
  );
});

test.each([
  [4004, 'DISCORD_TOKEN'],
  [4010, 'Restart the bot'],
  [4011, 'too many servers'],
  [4012, 'Update Dealbell'],
  [4013, 'Update Dealbell'],
  [4014, 'developer portal'],
])('after code %i the bot says what is wrong, is not well, and ends', async (code, remedy) => {
  const { house, app } = await aSubscribedHouse();
  expect(await house.health(app)).toMatchObject({ status: 'ok', gateway: 'connected' });
  house.discord.faults.closeGateway(code);
  const error = await app.failed;
  expect(error).toBeInstanceOf(DiscordRefusedError);
  expect(error.message).toContain('Discord closed the connection for good');
  expect(error.message).toContain(remedy);

  const complaints = house.logLines
    .map((line) => JSON.parse(line) as { level: number; msg: string; code?: number })
    .filter(({ level }) => level >= 50);
  expect(complaints).toMatchObject([{ code, msg: error.message }]);
  expect(await house.health(app)).toMatchObject({ status: 'unwell', gateway: 'disconnected' });
});

test('sessions that never last are begun less and less often, and health says so', async () => {
  const { house, app } = await aSubscribedHouse();
  // The connection of the start lasts, the next ones don't.
  await house.clock.advance(60_000);
  let connections = 0;
  const end = house.discord.onUpdate((update) => {
    if (update.type !== 'bot' || update.bot === null) return;
    connections += 1;
    house.discord.faults.closeGateway(4000, { forget: true });
  });
  house.discord.faults.closeGateway(4000, { forget: true });
  await house.clock.untilSleeping((ms) => ms === 1_000);
  expect(connections).toBe(2);
  expect((await house.health(app)).reason).toContain('takes no connection that lasts');
  end();
  const back = untilConnected(house, true);
  await house.clock.advance(1_000);
  await back;
  await expect.poll(async () => (await house.health(app)).reason, { timeout: 20_000, interval: 20 }).toBeNull();
});

test('as many gateway connections are made as Discord asks for, and each server is served by its own', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content, discord: { shards: 3, moreServers: 5 } });
  const app = await house.startBot({ METRICS_PORT: '0' });
  const line = house.logLines.find((text) => text.includes('serving metrics')) ?? '{}';
  const { address } = JSON.parse(line) as { address: string };
  const metrics = await (await fetch(address)).text();
  for (const shard of [0, 1, 2]) expect(metrics).toContain(`dealbell_gateway_up{shard="${shard}"} 1`);
  expect(metrics).not.toContain('shard="3"');
  expect((await house.health(app)).gateway).toBe('connected');

  await house.asAda('deals', '/subscription add feed feed:Home');
  await app.tick();
  folder.writeFeed('Home', [feedItem(1)]);
  await house.clock.advance(120_000);
  await app.tick();
  await app.settled();
  expect(titlesIn(house)).toEqual(['Kettle 1']);
  const answers = house.discord.messages(house.discord.channel('deals').id).filter((one) => one.interaction_metadata);
  expect(answers.length, 'each interaction comes to one connection').toBeLessThanOrEqual(1);
});
