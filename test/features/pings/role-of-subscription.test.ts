import { expect, test } from 'vitest';
import { pings } from '../../../src/features/pings/index.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { adaGets, aHouseOfDeals, idIn } from '../../helpers/panel.ts';

test('the role that is set on the panel is mentioned', async () => {
  const { house, app, folder } = await aHouseOfDeals({}, [pings]);
  const added = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const role = house.discord.createRole('Callers', { mentionable: true });
  const panel = await adaGets(house, added, 'role', [role.id]);
  expect(textOf(panel)).toContain(`**Pings** <@&${role.id}>`);
  folder.writeFeed('Home', [feedItem(5)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  const posted = house.announcements('deals');
  expect(posted.map(({ mention_roles: roles }) => roles)).toEqual([[role.id]]);
});

test('a role that was deleted is said to be gone, and can be replaced', async () => {
  const { house } = await aHouseOfDeals({}, [pings]);
  const role = house.discord.createRole('Brief', { mentionable: true });
  const panel = await house.asAda('deals', '/subscription add polls role:@Brief catch-up:0');
  house.discord.deleteRole(role.id);
  await house.discord.waitFor(() => true);
  const opened = await house.asAda('deals', `/subscription edit id:${idIn(panel)}`);
  expect(textOf(opened)).toContain('⚠ A role to ping was deleted');
  expect(JSON.stringify(opened.components)).not.toContain('default_values');
  expect(textOf(await adaGets(house, opened, 'role', []))).not.toContain('⚠');
});
