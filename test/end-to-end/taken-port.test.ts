import { expect, test } from 'vitest';
import { aCatalogFolder } from '../helpers/catalog-folder.ts';
import { aHouse } from '../helpers/house.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';

test('a bot that cannot start stops what it has started, and says why', async () => {
  const folder = aCatalogFolder();
  const house = await aHouse({ content: () => folder.content });
  const { port } = new URL(house.discord.url);
  const STATE_URL = temporaryState();
  // No invalid setting, after which a supervisor would not try again: the other process may end.
  await expect(house.startBot({ STATE_URL, PORT: port })).rejects.toMatchObject({
    code: 'ADDRESS_UNAVAILABLE',
    message: `PORT ${port} on HOST 127.0.0.1 isn't available: something else listens there already. Set another one.`,
  });
  // An address that is meant for documentation is no machine's, as one whose network isn't up yet.
  await expect(house.startBot({ STATE_URL, HOST: '192.0.2.1' })).rejects.toMatchObject({ code: 'ADDRESS_UNAVAILABLE' });
  const second = await house.startBot({ STATE_URL });
  expect(await house.health(second), 'it has given the state back').toMatchObject({ status: 'ok' });
});
