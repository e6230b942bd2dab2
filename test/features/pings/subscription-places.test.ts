import { expect, test } from 'vitest';
import { FEATURES } from '../../../src/features/index.ts';
import { pings } from '../../../src/features/pings/index.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { adaFills, adaGets, aHouseOfDeals, idIn } from '../../helpers/panel.ts';

test('everyone is not called', async () => {
  const { house } = await aHouseOfDeals({}, [pings]);
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  expect(textOf(await adaGets(house, panel, 'role', [house.discord.guildId]))).toContain('can’t ping @everyone');
  expect(textOf(await adaGets(house, panel, 'role', ['1100000000000000999']))).toContain(
    'That role isn’t in this server',
  );
  expect(textOf(await house.asAda('deals', `/subscription edit id:${idIn(panel)}`))).toContain('**Pings** nobody');
});

test('add takes a role, a copy and a subscription that is restored have it, and the list shows it', async () => {
  const { house } = await aHouseOfDeals({}, [pings]);
  const panel = await house.asAda('deals', '/subscription add polls role:"@Deal Hunters" catch-up:0');
  expect(textOf(panel)).toContain('**Pings** <@&');
  const asked = await adaGets(house, panel, 'duplicate');
  const to = house.discord.channel('announcements').id;
  const copied = await adaGets(house, asked, 'duplicate-to', [to]);
  expect(textOf(copied)).toContain('**Pings** <@&');
  const removed = await adaGets(house, await adaGets(house, copied, 'remove'), 'remove-now');
  expect(textOf(removed)).toContain('**Pings** <@&');
  expect(textOf(await adaGets(house, removed, 'undo-remove'))).toContain('**Pings** <@&');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toMatch(/Polls\*\* → <#\d+>\n<@&\d+>/);
});

test('of a role that can’t be pinged, all is kept, and leaving it out goes on', async () => {
  const { house } = await aHouseOfDeals({}, [pings]);
  const add = '/subscription add feed feed:Home words:kettle role:@Dealbell catch-up:0';
  const mistake = await house.asAda('deals', add);
  expect(textOf(mistake)).toMatch(/⚠ \*\*role\*\* · .*belongs to a bot/);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
  const panel = await adaFills(house, mistake, 'add:feed', { role: '' });
  for (const line of ['kettle', '**Pings** nobody']) expect(textOf(panel)).toContain(line);
  const edited = await house.asAda('deals', `/subscription edit id:${idIn(panel)} role:@Dealbell`);
  expect(textOf(edited)).toMatch(/⚠ \*\*role\*\* · .*belongs to a bot/);
});

test.skipIf(!FEATURES.some(({ name }) => name === 'subscription-files'))(
  'a role of a file has to be there',
  async () => {
    const { house } = await aHouseOfDeals({}, FEATURES);
    const { id } = house.discord.channel('deals');
    const subscriptions = [{ channel: id, source: 'polls', pings: [{ role: '123456789012345678' }] }];
    const text = JSON.stringify({ version: 1, servers: [{ id: house.discord.guildId, subscriptions }] });
    const base64 = Buffer.from(text).toString('base64');
    const file = { name: 'subscriptions.json', contentType: 'application/json', base64 };
    const { message } = await house.discord.runCommand({
      personId: house.discord.people.ada.id,
      channelId: id,
      text: '/subscription import file:subscriptions.json',
      files: [file],
    });
    if (!message) throw new Error('It was answered without a message.');
    expect(textOf(message)).toContain(`- **Polls** → <#${id}>: That role isn’t in this server`);
  },
);
