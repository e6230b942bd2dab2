import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import { subscriptionFiles } from '../../../src/features/subscription-files/index.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import type { House } from '../../helpers/house.ts';
import { aButton, adaGets, aHouseOfDeals } from '../../helpers/panel.ts';

type Entry = Record<string, unknown>;

/** The answer that Ada gets for /subscription import with a file. */
async function importing(house: House, content: string, name = 'deals.json'): Promise<PageMessage> {
  const { message } = await house.discord.runCommand({
    personId: house.discord.people.ada.id,
    channelId: house.discord.channel('deals').id,
    text: `/subscription import file:${name}`,
    files: [{ name, contentType: 'application/json', base64: Buffer.from(content).toString('base64') }],
  });
  if (!message) throw new Error('/subscription import was answered without a message.');
  return message;
}

async function exported(house: House): Promise<{ message: PageMessage; text: string }> {
  const message = await house.asAda('deals', '/subscription export');
  const [file] = message.attachments;
  expect(file?.filename).toBe('subscriptions.json');
  return { message, text: await (await fetch(file?.url ?? '')).text() };
}

/** A file for the house's server. */
function fileOf(house: House, subscriptions: Entry[], id = house.discord.guildId): string {
  return JSON.stringify({ version: 1, servers: [{ id, subscriptions }] });
}

const press = (house: House, message: PageMessage, step: 'apply' | 'cancel') =>
  adaGets(house, message, customIdsOf(message).find((id) => id.startsWith(`import:${step}:`)) ?? step);

test('an export is a private file, which an import takes and finds nothing to do', async () => {
  const { house } = await aHouseOfDeals({}, [subscriptionFiles]);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0 filter:kettle');
  const { message, text } = await exported(house);
  expect(message.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(message)).toContain('This server’s only subscription.');
  expect(JSON.parse(text)).toMatchObject({
    version: 1,
    servers: [{ id: house.discord.guildId, subscriptions: [{ source: 'feed', feed: 'Home', filter: 'kettle' }] }],
  });
  expect(textOf(await importing(house, text))).toBe('Nothing to do: the only subscription is as in the file.');
});

test('an import shows its plan, and Apply does exactly that, once', async () => {
  const { house } = await aHouseOfDeals({}, [subscriptionFiles]);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await house.asAda('deals', '/subscription add polls catch-up:0');
  const { id } = house.discord.channel('deals');
  const forum = house.discord.createChannel('offers', 'forum');
  await house.clock.advance(1_000);
  const file = fileOf(house, [
    { channel: id, source: 'feed', feed: 'home', filter: '"Kettle 1"' },
    { channel: forum.id, source: 'feed', feed: 'Tools', 'most-per-hour': 5 },
  ]);
  const plan = await importing(house, file);
  expect(plan.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(plan)).toBe(`## Import subscriptions
1 to add · 1 to change · 1 to delete · 0 unchanged
🗑️ **Polls** → <#${id}>
✏️ **Home feed** → <#${id}>: \`filter\` not set → \`"Kettle 1"\`
➕ **Tools feed** → <#${forum.id}>
**Posts in the last 7 days**
<#${id}>: 3 → 1, as far as is known
<#${forum.id}>: 0 → 0, as far as is known`);
  const listed = async () =>
    (JSON.parse((await exported(house)).text) as { servers: { subscriptions: Entry[] }[] }).servers;
  expect((await listed())[0]?.subscriptions).toHaveLength(2);

  expect(textOf(await press(house, plan, 'apply'))).toBe('✅ Done: 1 added · 1 changed · 1 deleted · 0 unchanged');
  expect((await listed())[0]?.subscriptions).toMatchObject([
    { source: 'feed', feed: 'Home', filter: '"Kettle 1"' },
    { channel: forum.id, target: 'forum', feed: 'Tools', 'most-per-hour': 5 },
  ]);
  expect(textOf(await importing(house, file))).toContain('Nothing to do');
  // The message of yesterday's import can't be applied a second time.
  const again = await aButton(house, id, customIdsOf(plan)[0] ?? '');
  expect(textOf(await adaGets(house, again, customIdsOf(plan)[0] ?? ''))).toContain(
    'This import is no longer available.',
  );
});

test('where the subscriptions changed meanwhile, after a restart too, Apply shows the new plan first', async () => {
  const { house, app } = await aHouseOfDeals({}, [subscriptionFiles]);
  const { id } = house.discord.channel('deals');
  const plan = await importing(house, fileOf(house, [{ channel: id, source: 'dealcasts' }]));
  expect(textOf(plan)).toContain('1 to add · 0 to change · 0 to delete');
  await house.asAda('deals', '/subscription add polls catch-up:0');
  await app.stop();
  await house.clock.advance(24 * 3_600_000);
  await house.startBot();
  const anew = await press(house, plan, 'apply');
  expect(textOf(anew)).toContain('The subscriptions have changed since. This is the new plan.');
  expect(textOf(anew)).toContain('1 to add · 0 to change · 1 to delete');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('Polls');
  expect(textOf(await press(house, anew, 'apply'))).toContain('1 added · 0 changed · 1 deleted');
  expect(textOf(await house.asAda('deals', '/subscription list'))).not.toContain('Polls');
});

test('Cancel changes nothing, and ends the import', async () => {
  const { house } = await aHouseOfDeals({}, [subscriptionFiles]);
  const plan = await importing(house, fileOf(house, [{ channel: house.discord.channel('deals').id, source: 'polls' }]));
  expect(textOf(await press(house, plan, 'cancel'))).toBe('Cancelled. Nothing was changed.');
  const [apply = ''] = customIdsOf(plan);
  const button = await aButton(house, plan.channel_id, apply);
  expect(textOf(await adaGets(house, button, apply))).toContain('This import is no longer available.');
  expect(textOf(await house.asAda('deals', '/subscription list'))).not.toContain('Polls');
});

test('only who manages the server imports, at the click as well', async () => {
  const { house } = await aHouseOfDeals({}, [subscriptionFiles]);
  await expect(house.asBen('deals', '/subscription export')).rejects.toThrow('needs Manage Server');
  const plan = await importing(house, fileOf(house, [{ channel: house.discord.channel('deals').id, source: 'polls' }]));
  for (const customId of customIdsOf(plan)) {
    const button = await aButton(house, plan.channel_id, customId);
    expect(textOf(await house.click(button, customId))).toContain('Manage Server');
  }
  expect(textOf(await press(house, plan, 'apply'))).toContain('1 added');
});

test('what can’t be imported is said, line by line', async () => {
  const { house } = await aHouseOfDeals({}, [subscriptionFiles]);
  const { id } = house.discord.channel('deals');
  expect(textOf(await importing(house, '{}', 'deals.yaml'))).toContain('deals.yaml isn’t a .json file.');
  expect(textOf(await importing(house, '{'))).toContain('This isn’t valid JSON. The first mistake is in line 1.');
  expect(textOf(await importing(house, fileOf(house, [], '123456789012345678')))).toContain(
    'This file has no subscriptions for this server.',
  );
  expect(textOf(await importing(house, ' '.repeat(512 * 1024 + 1)))).toContain(
    'deals.json is too large: 512 KB at most.',
  );
  const mistakes = fileOf(house, [
    { channel: id, source: 'feed', feed: 'Home', 'quiet-hours': '**22**' },
    { channel: 5, source: 'polls' },
  ]);
  expect(textOf(await importing(house, mistakes))).toBe(`⚠ This file can’t be imported. Nothing was changed.
- \`servers[0].subscriptions[0].quiet-hours\`: “\\*\\*22\\*\\*” isn’t a valid time range. Example: 22:00\\-7:00.
- \`servers[0].subscriptions[1].channel\`: Expected an id in quotes, like "123456789012345678".`);
});

test('the channels, roles and tags of a file have to be there, and the bot has to be able to post', async () => {
  const { house } = await aHouseOfDeals({}, [subscriptionFiles]);
  const { id } = house.discord.channel('deals');
  const { id: closed } = house.discord.createChannel('closed');
  house.discord.setPermissions(closed, { deny: ['sendMessages'] });
  const told = textOf(
    await importing(
      house,
      fileOf(house, [
        { channel: '123456789012345678', source: 'polls' },
        { channel: closed, source: 'polls' },
        { channel: id, source: 'dealcasts', tags: ['123456789012345678'] },
        { channel: id, source: 'monkeychats', publish: true },
        // A paused one is not held against the channel.
        { channel: closed, source: 'dealcasts', paused: true },
      ]),
    ),
  );
  const lines = told.split('\n').slice(1);
  expect(lines).toHaveLength(4);
  expect(lines.map((line) => line.split(':')[0])).toEqual([
    '- **Polls** → <#123456789012345678>',
    `- **Polls** → <#${closed}>`,
    `- **Dealcasts** → <#${id}>`,
    expect.stringContaining(`→ <#${id}>`),
  ]);
  expect(lines[1]).toContain('Send Messages');
});
