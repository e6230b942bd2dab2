import { expect, test } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { aCatalogFolder } from '../helpers/catalog-folder.ts';
import { aHouse } from '../helpers/house.ts';

test('a token that Discord does not take is named, and not repeated', async () => {
  const folder = aCatalogFolder();
  const house = await aHouse({ content: () => folder.content });
  const failure = await house.startBot({ DISCORD_TOKEN: 'not.taken' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UserError);
  expect(String(failure)).toContain('DISCORD_TOKEN');
  expect(String(failure)).not.toContain('not.taken');
});

test('a Discord that cannot be reached is named', async () => {
  const folder = aCatalogFolder();
  const house = await aHouse({ content: () => folder.content });
  const api = 'http://127.0.0.1:9/api';
  const failure = await house.startBot({ DISCORD_API: api }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UserError);
  expect(String(failure)).toContain(api);
});
