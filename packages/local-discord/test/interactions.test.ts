import {
  type APIModalInteractionResponseCallbackData,
  type ChatInputCommandInteraction,
  type Client,
  type Interaction,
  MessageFlags,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import { expect, test } from 'vitest';
import { IDS, type LocalDiscord } from '../src/server/local-discord.ts';
import { call, deferred, loginClient, startDiscord } from './helpers.ts';

const COMMANDS = [
  {
    name: 'offer',
    description: 'One offer',
    options: [{ type: 3, name: 'id', description: 'Its id', required: true, autocomplete: true }],
  },
  {
    name: 'subscription',
    description: 'What is announced where',
    default_member_permissions: '32',
    options: [
      {
        type: 1,
        name: 'add',
        description: 'Add one',
        options: [
          { type: 3, name: 'feed', description: 'Which', required: true },
          { type: 7, name: 'channel', description: 'Where' },
          { type: 6, name: 'for', description: 'Whom' },
          { type: 4, name: 'catch-up', description: 'How many' },
        ],
      },
    ],
  },
] as const satisfies RESTPostAPIApplicationCommandsJSONBody[];

type Handler = (interaction: Interaction) => Promise<unknown>;

async function withBot(handler: Handler) {
  const started = await startDiscord();
  const client = await loginClient(started.discord);
  await client.application.commands.set(COMMANDS, IDS.guild);
  const failures: unknown[] = [];
  client.on('interactionCreate', (interaction) => {
    handler(interaction).catch((error: unknown) => failures.push(error));
  });
  return { ...started, client, failures };
}

function as(discord: LocalDiscord, who: 'ada' | 'ben') {
  return { personId: discord.people[who].id, channelId: IDS.deals };
}

test('a command arrives with its options resolved, and its answer comes back', async () => {
  const replied = deferred<string | undefined>();
  const got: unknown[] = [];
  const { discord } = await withBot(async (interaction) => {
    if (!interaction.isChatInputCommand()) throw new Error('unexpected');
    const { options, memberPermissions, appPermissions, locale, user } = interaction;
    got.push([
      options.getSubcommand(),
      options.getString('feed'),
      options.getChannel('channel')?.name,
      options.getUser('for')?.username,
      options.getInteger('catch-up'),
      memberPermissions?.has('ManageGuild'),
      appPermissions.has('SendMessages'),
      locale,
      user.username,
    ]);
    const { resource } = await interaction.reply({
      content: 'Done',
      flags: MessageFlags.Ephemeral,
      withResponse: true,
    });
    replied.resolve(resource?.message?.content);
  });

  const text = '/subscription add catch-up:5 for:@Ben channel:#announcements feed:"Home & Garden"';
  const answer = await discord.runCommand({ ...as(discord, 'ada'), text });

  expect(await replied.promise).toBe('Done');
  expect(got).toEqual([['add', 'Home & Garden', 'announcements', 'ben', 5, true, true, 'en-US', 'ada']]);
  expect(answer.message).toMatchObject({
    content: 'Done',
    visible_to: IDS.ada,
    type: 20,
    interaction_metadata: { id: answer.interactionId, name: 'subscription add', user: { id: IDS.ada } },
  });
});

test('a person without the permission that a command needs is told so', async () => {
  const { discord } = await withBot(async () => undefined);
  const run = discord.runCommand({ ...as(discord, 'ben'), text: '/subscription add feed:x' });
  await expect(run).rejects.toThrow('/subscription is not for that person: it needs Manage Server.');
});

test('a deferred answer resolves when it is filled in; further messages follow', async () => {
  const { discord, failures } = await withBot(async (interaction) => {
    if (!interaction.isChatInputCommand()) throw new Error('unexpected');
    await interaction.deferReply();
    const first = await interaction.editReply({
      content: 'Filled in',
      files: [{ attachment: Buffer.from('a,b'), name: 'deals.csv' }],
    });
    expect((await interaction.fetchReply()).id).toBe(first.id);
    const more = await interaction.followUp({ content: 'More', flags: MessageFlags.Ephemeral });
    await interaction.editReply({ message: more, content: 'Even more' });
    const gone = await interaction.followUp('Gone');
    await interaction.deleteReply(gone);
    await interaction.followUp('The end');
  });

  const answer = await discord.runCommand({ ...as(discord, 'ben'), text: '/offer id:1' });
  expect(answer.message).toMatchObject({ content: 'Filled in', flags: 0, edited_timestamp: null });
  const attachment = answer.message?.attachments[0];
  expect(await (await fetch(attachment?.url ?? '')).text()).toBe('a,b');
  await discord.waitFor(() => discord.messages(IDS.deals).at(-1)?.content === 'The end');
  expect(discord.messages(IDS.deals).map(({ content, visible_to }) => [content, visible_to])).toEqual([
    ['Filled in', null],
    ['Even more', IDS.ben],
    ['The end', null],
  ]);
  expect(failures).toEqual([]);
});

test('the first follow-up of a deferred answer takes its place', async () => {
  const { discord } = await withBot(async (interaction) => {
    if (!interaction.isChatInputCommand()) throw new Error('unexpected');
    await interaction.deferReply();
    await interaction.followUp('In its place');
  });
  await discord.runCommand({ ...as(discord, 'ben'), text: '/offer id:1' });
  expect(discord.messages(IDS.deals).map(({ content }) => content)).toEqual(['In its place']);
});

test('no answer within three seconds fails; one that comes later is refused', async () => {
  const got = deferred<ChatInputCommandInteraction>();
  const { discord, clock } = await withBot(async (interaction) => {
    if (interaction.isChatInputCommand()) got.resolve(interaction);
  });
  const states: string[] = [];
  discord.onUpdate((update) => update.type === 'interaction' && states.push(update.state));
  const run = discord.runCommand({ ...as(discord, 'ben'), text: '/offer id:1' });
  const failed = expect(run).rejects.toThrow('The application did not respond within 3 seconds.');
  const interaction = await got.promise;
  await clock.advance(3001);
  await failed;
  expect(states).toEqual(['failed']);
  await expect(interaction.reply('Too late')).rejects.toMatchObject({ status: 404, code: 10062 });
});

test('a second answer is refused', async () => {
  const second = deferred<unknown>();
  const { discord } = await withBot(async (interaction) => {
    if (!interaction.isChatInputCommand()) throw new Error('unexpected');
    await interaction.reply('Once');
    const path = `/interactions/${interaction.id}/${interaction.token}/callback` as const;
    interaction.client.rest.post(path, { body: { type: 5 }, auth: false }).catch(second.resolve);
  });
  await discord.runCommand({ ...as(discord, 'ben'), text: '/offer id:1' });
  expect(await second.promise).toMatchObject({ status: 400, code: 40060 });
});

test('a token works for fifteen minutes', async () => {
  const replied = deferred<ChatInputCommandInteraction>();
  const { discord, clock } = await withBot(async (interaction) => {
    if (!interaction.isChatInputCommand()) throw new Error('unexpected');
    await interaction.reply('Done');
    replied.resolve(interaction);
  });
  await discord.runCommand({ ...as(discord, 'ben'), text: '/offer id:1' });
  const interaction = await replied.promise;
  await clock.advance(15 * 60_000);
  await interaction.followUp('In time');
  await clock.advance(1);
  await expect(interaction.followUp('Too late')).rejects.toMatchObject({ status: 401, code: 50027 });
});

test('a value is completed while it is typed', async () => {
  const got: unknown[] = [];
  const { discord } = await withBot(async (interaction) => {
    if (!interaction.isAutocomplete()) throw new Error('unexpected');
    got.push(interaction.options.getFocused(true));
    await interaction.respond([{ name: 'Vacuum', value: '77' }]);
  });
  const choices = await discord.autocomplete({ ...as(discord, 'ben'), text: '/offer id:va', focused: 'id' });
  expect(choices).toEqual([{ name: 'Vacuum', value: '77' }]);
  expect(got).toMatchObject([{ name: 'id', value: 'va', focused: true }]);
});

const CARD = {
  flags: MessageFlags.IsComponentsV2,
  components: [
    {
      type: 17,
      components: [
        { type: 10, content: 'A card' },
        { type: 1, components: [{ type: 2, style: 1, label: 'More', custom_id: 'more' }] },
        { type: 1, components: [{ type: 3, custom_id: 'pick', options: [{ label: 'A', value: 'a' }] }] },
      ],
    },
  ],
} as const;

async function sendCard(client: Client<true>): Promise<string> {
  const channel = client.channels.cache.get(IDS.deals);
  if (!channel?.isSendable()) throw new Error('unexpected');
  return (await channel.send(structuredClone(CARD) as never)).id;
}

test('buttons and menus can update their message, also after deferring', async () => {
  const { discord, client } = await withBot(async (interaction) => {
    if (interaction.isButton()) await interaction.update({ components: [{ type: 10, content: 'Pressed' } as never] });
    if (interaction.isStringSelectMenu()) {
      await interaction.deferUpdate();
      await interaction.editReply({ components: [{ type: 10, content: interaction.values.join() } as never] });
    }
  });
  const [first, second] = [await sendCard(client), await sendCard(client)];

  const pressed = await discord.useComponent({ ...as(discord, 'ben'), messageId: first, customId: 'more' });
  expect(pressed.message).toMatchObject({ id: first, components: [{ type: 10, content: 'Pressed', id: 1 }] });
  const picked = await discord.useComponent({
    ...as(discord, 'ben'),
    messageId: second,
    customId: 'pick',
    values: ['a'],
  });
  expect(picked.message).toMatchObject({ id: second, components: [{ content: 'a' }] });

  const again = discord.useComponent({ ...as(discord, 'ben'), messageId: first, customId: 'more' });
  await expect(again).rejects.toThrow('The message has no button or menu "more"');
});

test('a menu takes only its own choices', async () => {
  const { discord, client } = await withBot(async () => undefined);
  const messageId = await sendCard(client);
  const pick = (values: string[]) =>
    discord.useComponent({ ...as(discord, 'ben'), messageId, customId: 'pick', values });
  await expect(pick(['b'])).rejects.toThrow('The menu "pick" has no choice "b".');
  await expect(pick([])).rejects.toThrow('The menu "pick" takes 1 choices, not 0.');
});

const MODAL: APIModalInteractionResponseCallbackData = {
  custom_id: 'form',
  title: 'A form',
  components: [
    { type: 18, label: 'Price', component: { type: 4, custom_id: 'price', style: 1, required: true } },
    { type: 1, components: [{ type: 4, custom_id: 'note', style: 2, label: 'Note', required: false }] },
  ],
};

test('a form opens, is filled in, and is answered', async () => {
  const { discord } = await withBot(async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.showModal(MODAL);
    if (interaction.isModalSubmit()) {
      const { fields } = interaction;
      await interaction.reply(`${fields.getTextInputValue('price')}|${fields.getTextInputValue('note')}`);
    }
  });
  const opened = await discord.runCommand({ ...as(discord, 'ben'), text: '/offer id:1' });
  expect(opened).toMatchObject({ message: null, modal: { custom_id: 'form', title: 'A form' } });

  const form = { ...as(discord, 'ben'), customId: 'form' };
  await expect(discord.submitModal({ ...form, values: {} })).rejects.toThrow('The form needs a value for "price".');
  const answer = await discord.submitModal({ ...form, values: { price: '10', note: 'soon' } });
  expect(answer.message?.content).toBe('10|soon');
  await expect(discord.submitModal({ ...form, values: { price: '10' } })).rejects.toThrow('no open form "form"');
});

const MENUS: APIModalInteractionResponseCallbackData = {
  custom_id: 'menus',
  title: 'Menus',
  components: [
    {
      type: 18,
      label: 'Kinds',
      component: {
        type: 3,
        custom_id: 'kinds',
        max_values: 2,
        options: ['a', 'b', 'c'].map((value) => ({ label: value, value })),
      },
    },
    { type: 18, label: 'Role', component: { type: 6, custom_id: 'role', required: false } },
  ],
};

test('a form with menus brings what was chosen, and whom it names', async () => {
  const { discord } = await withBot(async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.showModal(MENUS);
    if (interaction.isModalSubmit()) {
      const { fields } = interaction;
      const role = fields.getSelectedRoles('role')?.first();
      await interaction.reply(`${fields.getStringSelectValues('kinds').join('+')}|${role?.name}`);
    }
  });
  const open = () => discord.runCommand({ ...as(discord, 'ben'), text: '/offer id:1' });
  const form = { ...as(discord, 'ben'), customId: 'menus' };
  await open();
  const send = (values: Record<string, string | string[]>) => discord.submitModal({ ...form, values });
  await expect(send({ kinds: ['a', 'b', 'c'] })).rejects.toThrow('The menu "kinds" takes 1 to 2 choices, not 3.');
  await expect(send({ kinds: ['d'] })).rejects.toThrow('The menu "kinds" has no choice "d".');
  expect((await send({ kinds: ['a', 'c'], role: [IDS.dealHunters] })).message?.content).toBe('a+c|Deal Hunters');
  await open();
  expect((await send({ kinds: 'b' })).message?.content).toBe('b|undefined');
});

test('a menu in a container is used', async () => {
  const { discord } = await withBot(async (interaction) => {
    if (interaction.isStringSelectMenu()) await interaction.reply(interaction.values.join('+'));
  });
  const menu = { type: 3, custom_id: 'pick', min_values: 0, max_values: 2, options: [{ label: 'A', value: 'a' }] };
  const body = { flags: 1 << 15, components: [{ type: 17, components: [{ type: 1, components: [menu] }] }] };
  const tooMany = await call(discord, 'POST', `/channels/${IDS.deals}/messages`, body);
  expect(tooMany.body).toMatchObject({ code: 50035 });
  menu.max_values = 1;
  const posted = await call(discord, 'POST', `/channels/${IDS.deals}/messages`, body);
  const use = { ...as(discord, 'ben'), messageId: String(posted.body['id']), customId: 'pick', values: ['a'] };
  expect((await discord.useComponent(use)).message?.content).toBe('a');
});

test('without a bot nobody answers, and that is said at once', async () => {
  const { discord, client } = await withBot(async () => undefined);
  const gone = deferred<void>();
  discord.onUpdate((update) => update.type === 'bot' && update.bot === null && gone.resolve());
  await client.destroy();
  await gone.promise;
  const run = discord.runCommand({ ...as(discord, 'ben'), text: '/offer id:1' });
  await expect(run).rejects.toThrow('The bot is not connected');
});
