import { expect, test } from 'vitest';
import type { Feature } from '../../src/app/feature.ts';
import { aCatalogFolder } from '../helpers/catalog-folder.ts';
import { aHouse } from '../helpers/house.ts';

test('what features serve is at the address of the health checks, each by itself, and knows whether the bot runs', async () => {
  const greeting: Feature = {
    name: 'greeting',
    routes:
      ({ core }) =>
      async (server) => {
        server.get('/greeting', async () => `Hello from ${core()?.client.user.username}`);
        server.setErrorHandler((_, __, reply) => reply.status(500).send('Refused.'));
        server.get('/failing', () => Promise.reject(new Error('no')));
      },
  };
  const silent: Feature = { name: 'silent', routes: () => null };
  const house = await aHouse({ content: () => aCatalogFolder().content, features: [silent, greeting] });
  const app = await house.startBot();
  const ask = async (path: string) => {
    const answer = await fetch(`${house.addressOf(app)}${path}`);
    return [answer.status, await answer.text()];
  };
  expect(await ask('/greeting')).toEqual([200, 'Hello from dealbell']);
  expect(await ask('/failing')).toEqual([500, 'Refused.']);
  expect((await ask('/livez'))[0]).toBe(200);
});
