import { type GuildMember, type Interaction, MessageFlags } from 'discord.js';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(20)]);
const DATA = `data:image/png;base64,${PNG.toString('base64')}`;
const OWN = `/guilds/${IDS.guild}/members/@me`;

test('the bot changes how it looks in the server, sees that it did, and it stays over a restart', async () => {
  const { discord, stateUrl } = await startDiscord();
  const client = await loginClient(discord);
  const guild = await client.guilds.fetch(IDS.guild);
  const told = new Promise<GuildMember>((resolve) => {
    client.once('guildMemberUpdate', (_, member) => resolve(member));
  });
  const edited = await guild.members.editMe({ nick: 'Otter', avatar: PNG, banner: DATA, bio: 'Deals.' });
  expect([edited.nickname, edited.displayName]).toEqual(['Otter', 'Otter']);
  expect([edited.avatar, edited.banner]).toEqual([expect.any(String), expect.any(String)]);
  expect((await told).nickname).toBe('Otter');
  await discord.stop();
  const again = await startDiscord({ stateUrl });
  const { body } = await call(again.discord, 'GET', OWN);
  expect(body).toMatchObject({ nick: 'Otter', avatar: edited.avatar, banner: edited.banner });
  // A field that is left out stays, and null takes it back.
  expect((await call(again.discord, 'PATCH', OWN, { avatar: null })).body).toMatchObject({
    nick: 'Otter',
    avatar: null,
  });
  expect((await call(again.discord, 'PATCH', OWN, { nick: null })).body).toMatchObject({ nick: null });
});

test('the page shows the bot as it looks in the server', async () => {
  const { discord } = await startDiscord();
  await loginClient(discord);
  const { body } = await call(discord, 'PATCH', OWN, { nick: 'Otter', avatar: DATA });
  const state = (await (await fetch(`${discord.url}/page/state`)).json()) as { bot: Record<string, unknown> };
  expect(state.bot).toMatchObject({ global_name: 'Otter', avatar: body['avatar'] });
});

test.each([
  [{ nick: 'x'.repeat(33) }, 'nick'],
  [{ bio: 'x'.repeat(191) }, 'bio'],
  [{ avatar: 'nothing' }, 'avatar'],
  [{ banner: 'data:image/svg+xml;base64,PHN2Zy8+' }, 'banner'],
  [{ avatar: 'data:image/png;base64,' }, 'avatar'],
  [{ avatar: 'data:image/png;base64,AA=A' }, 'avatar'],
  [{ avatar: 'data:image/png;base64,AA===' }, 'avatar'],
  [{ avatar: `data:image/png;base64,${'A'.repeat(4 * 1024 * 1024 * 4)}` }, 'avatar'],
])('what Discord takes from nobody is refused: case %#', async (body, field) => {
  const { discord } = await startDiscord();
  const refused = await call(discord, 'PATCH', OWN, body);
  // The whole body, so that a failure of local Discord's own tells its cause.
  expect(refused).toMatchObject({ status: 400, body: { code: 50035 } });
  expect(refused.body['errors']).toHaveProperty(field);
});

test('nobody else can be changed, and no other server', async () => {
  const { discord } = await startDiscord();
  expect((await call(discord, 'PATCH', `/guilds/${IDS.guild}/members/${IDS.ben}`, { nick: 'x' })).status).toBe(403);
  expect((await call(discord, 'PATCH', '/guilds/1/members/@me', { nick: 'x' })).status).toBe(404);
});

test('a file given with a command arrives with its address, type and size', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const options = [{ type: 11, name: 'picture', description: 'A picture' }];
  await client.application.commands.set([{ name: 'show', description: 'Shows', options }] as never, IDS.guild);
  async function show(interaction: Interaction): Promise<void> {
    if (!interaction.isChatInputCommand()) throw new Error('unexpected');
    const { url = '', size, contentType, name } = interaction.options.getAttachment('picture') ?? {};
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    await interaction.reply({
      content: JSON.stringify([size, contentType, name, bytes.equals(PNG)]),
      flags: MessageFlags.Ephemeral,
    });
  }
  const failures: unknown[] = [];
  client.on('interactionCreate', (interaction) => {
    show(interaction).catch((error: unknown) => failures.push(error));
  });
  const file = { name: 'logo.png', contentType: 'image/png', base64: PNG.toString('base64') };
  const given = { personId: discord.people.ada.id, channelId: IDS.deals, text: '/show picture:logo.png' };
  const { message } = await discord.runCommand({ ...given, files: [file] });
  expect(message?.content).toBe(JSON.stringify([PNG.length, 'image/png', 'logo.png', true]));
  expect(failures).toEqual([]);
  await expect(discord.runCommand(given)).rejects.toThrow('is not a file that was chosen: "logo.png"; choose one');
});
