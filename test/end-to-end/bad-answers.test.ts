import { expect, test } from 'vitest';
import { RETRY } from '../../src/announcements/deliver/channel.ts';
import { ASIDE, BAD_ANSWERS } from '../../src/discord/bad-answers.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';

const ERROR = 'Discord keeps answering with an error';

/** A house whose channel follows the feed Home. */
async function aFollowedFeed() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  /** Lets time pass in steps shorter than any pause, until nothing more is to be done now, or for a minute. */
  async function settle(): Promise<void> {
    const untilMs = house.clock.now() + 60_000;
    let hasSettled = false;
    const settled = app.settled().then(() => {
      hasSettled = true;
    });
    while (!hasSettled && house.clock.now() < untilMs) {
      await Promise.race([settled, house.clock.untilSleeping((ms) => ms >= RETRY.firstMs)]);
      if (!hasSettled) await house.clock.advance(1_000);
    }
  }
  return {
    folder,
    house,
    settle,
    /** Lets a check of the feed find these items, and what follows. */
    look: async (...items: Record<string, unknown>[]) => {
      folder.writeFeed('Home', items);
      await house.clock.advance(120_000);
      await app.tick();
      await settle();
    },
    /** Has Discord answer with 500 each time to what holds a text. */
    failWhere: (method: string, held: string) =>
      house.discord.faults.failWhere(
        (request) =>
          request.method === method &&
          request.path.includes('/messages') &&
          JSON.stringify(request.content).includes(held),
        { kind: 'error', status: 500, accepted: false },
      ),
    posts: () => house.announcements('deals').map(textOf),
    told: async () => ({
      status: textOf(await house.asAda('deals', '/status')),
      health: await house.health(app),
    }),
  };
}

test('a post that Discord answers with an error each time is named by /status and the health check until it is taken', async () => {
  const { house, look, settle, failWhere, posts, told } = await aFollowedFeed();
  const heal = failWhere('POST', 'Kettle 1');
  await look(feedItem(1), feedItem(2));
  expect(posts()).toEqual([expect.stringContaining('Kettle 2')]);
  const sick = await told();
  for (const said of [sick.status, sick.health.reason]) expect(said).toContain(ERROR);
  expect(sick.status).toContain('Kettle 1');
  expect(sick.status).not.toContain('Everything’s working');
  expect(sick.health.status).toBe('degraded');
  heal();
  await house.clock.advance(ASIDE.firstMs);
  await settle();
  expect(posts()).toEqual([expect.stringContaining('Kettle 2'), expect.stringContaining('Kettle 1')]);
  const healthy = await told();
  for (const said of [healthy.status, healthy.health.reason]) expect(said ?? '').not.toContain(ERROR);
  expect(healthy.status).toContain('Everything’s working');
});

test('so is an edit', async () => {
  const { house, look, settle, failWhere, posts, told } = await aFollowedFeed();
  await look(feedItem(1));
  const heal = failWhere('PATCH', 'Kettle 1');
  await look(feedItem(1, { SalePrice: { Minimum: 19, Maximum: 19 } }));
  // Each answer to a command is a request that succeeds.
  for (let count = 0; count <= BAD_ANSWERS; count += 1) {
    await told();
    await house.clock.advance(RETRY.longestMs);
    await settle();
  }
  expect(posts()).toEqual([expect.stringContaining('$20')]);
  const sick = await told();
  for (const said of [sick.status, sick.health.reason]) expect(said).toContain(ERROR);
  expect(sick.status).not.toContain('Everything’s working');
  heal();
  await house.clock.advance(ASIDE.longestMs);
  await settle();
  expect(posts()).toEqual([expect.stringContaining('$19')]);
  const healthy = await told();
  for (const said of [healthy.status, healthy.health.reason]) expect(said ?? '').not.toContain(ERROR);
});
