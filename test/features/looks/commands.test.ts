import { InteractionContextType, MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import type { Feature } from '../../../src/app/feature.ts';
import { type Card, withFile } from '../../../src/discord/cards/parts.ts';
import { look } from '../../../src/features/looks/command.ts';
import { looks } from '../../../src/features/looks/index.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import type { House } from '../../helpers/house.ts';
import { fix, fixForm, inputsOf } from '../../helpers/mistake-form.ts';
import { aButton, adaGets, aHouseOfDeals, idIn } from '../../helpers/panel.ts';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(20)]).toString('base64');

/** The accent colours of a message's cards. */
const accentsOf = (message: PageMessage) =>
  (message.components ?? []).flatMap((part) => ('accent_color' in part ? [part.accent_color] : []));

/** The answer that Ada gets for a look's button. */
async function use(house: House, message: PageMessage, customId: string) {
  const what = {
    personId: house.discord.people.ada.id,
    channelId: message.channel_id,
    messageId: message.id,
    customId,
  };
  for (;;) {
    const answer = await house.discord.useComponent(what);
    if (!answer.message || !textOf(answer.message).includes('Already on its way.')) return answer;
  }
}

/** Opens a look's form as Ada, and sends it with these values; the others stay as they are. */
async function fill(house: House, message: PageMessage, values: Record<string, string | string[]>, id = '') {
  const { modal } = await use(house, message, `look:change:${id}`);
  const answer = await house.discord.submitModal({
    personId: house.discord.people.ada.id,
    channelId: message.channel_id,
    customId: modal?.custom_id ?? '',
    values,
  });
  if (!answer.message) throw new Error('The form was answered without a message.');
  return answer.message;
}

test('/look server shows, changes and resets how posts look, with a sample', async () => {
  const { house } = await aHouseOfDeals({}, [looks]);
  await house.asBen('deals', '/feed feed:Home');
  const shown = await house.asAda('deals', '/look server');
  expect(textOf(shown)).toContain('**Style** Compact\n**Accent color** Auto (by kind of post)');
  expect(shown.visible_to).toBe(house.discord.people.ada.id);
  const line = 'Hot deals for @everyone **here**';
  const changed = await house.asAda('deals', `/look server style:large accent:#f80 line:"${line}" notify:false`);
  expect(textOf(changed)).toContain('✅ Saved.');
  expect(textOf(changed)).toContain('**Accent color** #ff8800');
  expect(accentsOf(changed)).toEqual([0x5865f2, 0xff8800]);
  // The line stands in the card and above the sample; it pings nobody and formats nothing.
  expect(textOf(changed).match(/Hot deals for \\@everyone \\\*\\\*here\\\*\\\*/g)).toHaveLength(2);
  expect(changed.mention_everyone).toBe(false);
  const reset = (await use(house, changed, 'look:reset:')).message;
  expect(reset && textOf(reset)).toContain('**Style** Compact');
  expect(reset && textOf(reset)).toContain('✅ Reset.');
});

test('a look is what is posted, in that server, after a restart too', async () => {
  const { house, app, folder } = await aHouseOfDeals({}, [looks]);
  await house.asAda('deals', '/look server style:large accent:#123456 line:"From the server" notify:false');
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await house.asAda('deals', `/look subscription id:${idIn(panel)} line:"Just for you"`);
  await app.stop();
  const again = await house.startBot();
  folder.writeFeed('Home', [feedItem(9)]);
  await house.clock.advance(600_000);
  await again.tick();
  await again.settled();
  const [post] = house.announcements('deals');
  expect(post && textOf(post)).toContain('Just for you');
  expect(post && accentsOf(post)).toEqual([0x123456]);
  expect((post?.flags ?? 0) & MessageFlags.SuppressNotifications).not.toBe(0);
  expect(JSON.stringify(post?.components)).toContain('"type":12');
});

test('a post is deleted when its deal is over, where that is the look', async () => {
  const { house, app, folder } = await aHouseOfDeals({}, [looks]);
  await house.asAda('deals', '/look server when-over:delete');
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  folder.writeFeed('Home', [feedItem(8), feedItem(9)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  expect(house.announcements('deals')).toHaveLength(2);
  folder.writeFeed('Home', [feedItem(8), feedItem(9, { IsSoldOut: true })]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  expect(house.announcements('deals').map(textOf)).toEqual([expect.stringContaining('Kettle 8')]);
});

test('the panel’s *Look* opens a form: what is left alone stays, and each setting can be left to the server', async () => {
  const { house } = await aHouseOfDeals({}, [looks]);
  await house.asAda('deals', '/look server style:large line:"From the server"');
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const id = idIn(panel);
  let card = await fill(house, panel, { accent: '#dd2e44', line: '-', silent: ['true'] }, id);
  expect(card.id).toBe(panel.id);
  expect(textOf(card)).toContain('**Style** Large picture · from the server');
  expect(textOf(card)).toContain('**Accent color** 🟥 Red');
  expect(textOf(card)).toContain('**Line above posts** None\n');
  expect(textOf(card)).toContain('**Notifications** Off');
  card = await fill(house, card, {}, id);
  expect(textOf(card)).toContain('**Accent color** 🟥 Red');
  expect(textOf(card)).toContain('**Line above posts** None\n');
  card = await fill(house, card, { accent: 'server', line: '', silent: [], 'when-over': 'delete' }, id);
  expect(textOf(card)).toContain('**Line above posts** From the server · from the server');
  expect(textOf(card)).toContain('**Notifications** On · from the server');
  expect(textOf(card)).toContain('**When a deal is over** Delete the post\n');
  const again = await adaGets(house, card, 'open');
  expect(textOf(again)).toContain('**Posts**');
});

test('a look that another manager changed while its form was open is not overwritten, and what was typed is kept', async () => {
  const { house } = await aHouseOfDeals({}, [looks]);
  const card = await house.asAda('deals', '/look server line:first style:compact');
  const { modal } = await use(house, card, 'look:change:');
  const shown = Object.fromEntries(inputsOf(modal ?? { components: [] }).map(({ name, value }) => [name, value]));
  const send = async (opened: typeof modal, values: Record<string, string>) => {
    const what = { personId: house.discord.people.ada.id, channelId: card.channel_id };
    const { message } = await house.discord.submitModal({
      ...what,
      customId: opened?.custom_id ?? '',
      values: { ...shown, ...values },
    });
    return message as PageMessage;
  };
  await house.asAda('deals', '/look server line:second notify:false');
  const told = await send(modal, { line: 'third', style: 'large' });
  expect(textOf(told)).toContain(
    '⚠ **line** · Someone else changed this while you had the form open. Now: `second`\nYou wrote:',
  );
  expect(textOf(told)).toContain('**line** `third`');
  const again = await use(house, told, 'look:change:');
  const saved = textOf(await send(again.modal, { line: 'third', style: 'large', silent: 'true' }));
  for (const line of ['**Style** Large', '**Line above posts** third', '**Notifications** Off']) {
    expect(saved).toContain(line);
  }
});

test('a color that was typed stays when the form is sent, and one that is none is explained', async () => {
  const { house } = await aHouseOfDeals({}, [looks]);
  const card = await house.asAda('deals', '/look server accent:#123456');
  expect(textOf(await fill(house, card, { style: 'large' }))).toContain('**Accent color** #123456');
  const told = await house.asAda('deals', '/look server accent:reddish style:compact');
  expect(textOf(told)).toContain('“reddish” isn’t a color. Examples: red, #5865F2, auto.');
  expect(textOf(await house.asAda('deals', '/look server'))).toContain('**Style** Large picture');
  const choices = await house.discord.autocomplete({
    personId: house.discord.people.ada.id,
    channelId: card.channel_id,
    text: '/look server accent:re',
    focused: 'accent',
  });
  expect(choices.map(({ name }) => name)).toEqual(['🟥 Red', '🟩 Green']);
});

test('of options with a mistake all is kept for the person alone, and fixing it goes on', async () => {
  const { house } = await aHouseOfDeals({}, [looks]);
  const mistake = await house.asAda('deals', '/look server style:large accent:nocolor');
  expect(mistake.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(mistake)).toContain('⚠ **accent** · “nocolor” isn’t a color.');
  expect(inputsOf(await fixForm(house, mistake))[0]).toMatchObject({ name: 'accent', value: 'nocolor' });
  const fixed = await fix(house, mistake, { accent: 'red' });
  expect(fixed.id).toBe(mistake.id);
  expect(textOf(fixed)).toContain('✅ Saved.');
  expect(textOf(fixed)).toContain('**Style** Large picture\n**Accent color** 🟥 Red');
});

test('a look is only for those who manage the server, and only of its own subscriptions', async () => {
  const { house } = await aHouseOfDeals({}, [looks]);
  expect(look.data.contexts).toEqual([InteractionContextType.Guild]);
  await expect(house.asBen('deals', '/look server style:large')).rejects.toThrow('needs Manage Server');
  const channelId = house.discord.channel('deals').id;
  for (const customId of ['look:reset:', 'look:change:', 'look:open:nothing']) {
    const button = await aButton(house, channelId, customId);
    expect(textOf(await house.click(button, customId))).toContain('Manage Server');
  }
  const button = await aButton(house, channelId, 'look:open:nothing');
  const { message } = await use(house, button, 'look:open:nothing');
  expect(message && textOf(message)).toContain('no such subscription');
});

/** The answer that Ada gets for /look bot with files. */
async function lookBot(house: House, text: string, files: { name: string; base64: string }[] = []) {
  const { message } = await house.discord.runCommand({
    personId: house.discord.people.ada.id,
    channelId: house.discord.channel('deals').id,
    text: `/look bot ${text}`,
    files: files.map((file) => ({ contentType: 'image/png', ...file })),
  });
  if (!message) throw new Error('/look bot was answered without a message.');
  return message;
}

async function ownMember(house: House): Promise<Record<string, unknown>> {
  const response = await fetch(`${house.discord.api}/v10/guilds/${house.discord.guildId}/members/@me`, {
    headers: { authorization: `Bot ${house.discord.token}` },
  });
  return (await response.json()) as Record<string, unknown>;
}

test('/look bot sets the bot’s name, avatar and banner in the server, and resets them', async () => {
  const { house } = await aHouseOfDeals({}, [looks]);
  const logo = { name: 'logo.png', base64: PNG };
  const card = await lookBot(house, 'name:"Deal Otter" avatar:logo.png banner:logo.png', [logo]);
  expect(textOf(card)).toContain('## Deal Otter\n**Name** Set for this server\n**Avatar** Set for this server');
  const { nick, avatar, banner } = await ownMember(house);
  expect([nick, avatar === banner, typeof avatar]).toEqual(['Deal Otter', true, 'string']);
  const served = await fetch(`${house.discord.url}/attachments/avatars/${String(avatar)}/avatar`);
  expect([served.headers.get('content-type'), Buffer.from(await served.arrayBuffer()).toString('base64')]).toEqual([
    'image/png',
    PNG,
  ]);
  expect(textOf(await lookBot(house, ''))).toContain('## Deal Otter');
  expect(textOf(await lookBot(house, 'reset:true name:Otter'))).toContain('## Otter\n**Name** Set for this server');
  expect(await ownMember(house)).toMatchObject({ nick: 'Otter', avatar: null, banner: null });
  await lookBot(house, 'reset:true');
  expect(await ownMember(house)).toMatchObject({ nick: null, avatar: null, banner: null });
});

test('what is no picture is explained, and changes nothing', async () => {
  const { house } = await aHouseOfDeals({}, [looks]);
  const text = { name: 'logo.png', base64: Buffer.from('<svg/>').toString('base64') };
  const told = await lookBot(house, 'name:Otter avatar:logo.png', [text]);
  expect(textOf(told)).toContain('“logo.png” isn’t a PNG, JPEG, GIF or WebP picture.');
  expect(await ownMember(house)).toMatchObject({ nick: null, avatar: null });
});

test.each([
  [{ kind: 'refused', error: 'missingPermissions' }, 'lacks the Change Nickname permission'],
  [{ kind: 'refused', error: 'invalidForm' }, 'Discord didn’t accept this name or picture.'],
  [{ kind: 'rate-limit', retryAfterMs: 600_000, scope: 'user' }, 'Discord limits how often this can change.'],
] as const)('where Discord refuses by %j, the person is told why', async (fault, sentence) => {
  const { house } = await aHouseOfDeals({}, [looks]);
  house.discord.faults.failNext(({ method, path }) => method === 'PATCH' && path.includes('/members/'), fault);
  expect(textOf(await lookBot(house, 'name:Otter'))).toContain(sentence);
  expect(customIdsOf(await lookBot(house, ''))).toEqual([]);
});

test('a look shows what features attach to posts, or leaves it out', async () => {
  const addTo = (card: Card): Card => withFile(card, { name: 'note.txt', content: Buffer.from('Noted.') });
  const attachmentOf = async () => ({ isOf: () => true, addTo });
  const notes: Feature = { name: 'notes', start: () => ({ post: { attachmentOf } }) };
  const { house, app, folder } = await aHouseOfDeals({}, [looks, notes]);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await app.tick();
  const numbers = [1, 2, 3];
  async function filesOfNext(): Promise<number | undefined> {
    const before = house.announcements('deals').length;
    numbers.push(numbers.length + 10);
    folder.writeFeed(
      'Home',
      numbers.map((number) => feedItem(number)),
    );
    await house.clock.advance(600_000);
    await app.tick();
    await app.settled();
    expect(house.announcements('deals')).toHaveLength(before + 1);
    return house.announcements('deals').at(-1)?.attachments.length;
  }
  expect(await filesOfNext()).toBe(1);
  const shown = await house.asAda('deals', '/look server');
  expect(textOf(shown)).toContain('**Price chart** On, once a product has been watched for 30 days');
  const hidden = (await use(house, shown, 'look:chart:')).message;
  expect(hidden && textOf(hidden)).toContain('**Price chart** Off');
  expect(await filesOfNext()).toBe(0);
  expect(textOf(await house.asAda('deals', '/look server chart:true'))).toContain('**Price chart** On');
  expect(await filesOfNext()).toBe(1);

  house.discord.setPermissions(house.discord.channel('deals').id, { deny: ['attachFiles'] });
  expect(await filesOfNext()).toBe(0);
});
