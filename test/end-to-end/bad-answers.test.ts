import { expect, test } from 'vitest';
import { ASIDE } from '../../src/discord/bad-answers.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { uuid } from '../helpers/things.ts';

const ERROR = 'Discord keeps answering with an error';

test('what Discord answers with an error each time is named by /status, /why and the health check until it is posted', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  const heal = house.discord.faults.failWhere(
    ({ method, path, content }) =>
      method === 'POST' && path.endsWith('/messages') && JSON.stringify(content).includes('Kettle 1'),
    { kind: 'error', status: 500, accepted: false },
  );
  /** Lets time pass in steps shorter than any pause, until nothing more is to be done now. */
  const settle = async () => {
    let hasSettled = false;
    const settled = app.settled().then(() => {
      hasSettled = true;
    });
    while (!hasSettled) {
      await Promise.race([settled, house.clock.untilSleeping((ms) => ms >= 2_000)]);
      if (!hasSettled) await house.clock.advance(1_000);
    }
  };
  const titles = () =>
    house.announcements('deals').map((message) => /### \[(.*?)\]/.exec(textOf(message))?.[1] ?? textOf(message));
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await house.clock.advance(120_000);
  await app.tick();
  await settle();
  expect(titles()).toEqual(['Kettle 2']);

  const { ada } = house.discord.people;
  const where = { personId: ada.id, channelId: house.discord.channel('deals').id };
  const text = '/why subscription:';
  const [subscription] = await house.discord.autocomplete({ ...where, text, focused: 'subscription' });
  const told = async () => ({
    status: textOf(await house.asAda('deals', '/status')),
    why: textOf(await house.asAda('deals', `/why offer:${uuid(1)} subscription:${subscription?.value}`)),
    health: await house.health(app),
  });
  const sick = await told();
  for (const said of [sick.status, sick.why, sick.health.reason]) expect(said).toContain(ERROR);
  expect(sick.status).toContain('Kettle 1');
  expect(sick.status).not.toContain('Everything’s working');
  expect(sick.health.status).toBe('degraded');
  heal();
  await house.clock.advance(ASIDE.firstMs);
  await settle();
  expect(titles()).toEqual(['Kettle 2', 'Kettle 1']);
  const healthy = await told();
  for (const said of [healthy.status, healthy.why, healthy.health.reason]) expect(said ?? '').not.toContain(ERROR);
  expect(healthy.status).toContain('Everything’s working');
});
