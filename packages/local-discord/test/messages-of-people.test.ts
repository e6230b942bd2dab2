import { GatewayIntentBits } from 'discord.js';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
const place = { do: 'post', channelId: IDS.deals } as const;

test('a bot reads what people write with the intent alone, or where they write to it', async () => {
  const { discord } = await startDiscord();
  const [reading, other] = [[] as string[], [] as string[]];
  (await loginClient(discord, [Guilds, GuildMessages, MessageContent])).on(
    'messageCreate',
    (one) => void reading.push(one.content),
  );
  (await loginClient(discord, [Guilds, GuildMessages])).on('messageCreate', (one) => void other.push(one.content));
  const contents = ['Any kettles?', `<@${IDS.application}> any kettles?`];
  for (const content of contents) discord.act({ personId: IDS.ben, ...place, content });
  await expect.poll(() => reading).toEqual(contents);
  await expect.poll(() => other).toEqual(['', contents[1]]);
});

test('an application without the intent reads nothing of it by the API either', async () => {
  const { discord } = await startDiscord({ privilegedIntents: [] });
  discord.act({ personId: IDS.ben, ...place, content: 'Any kettles?' });
  await call(discord, 'POST', `/channels/${IDS.deals}/messages`, { content: 'These' });
  const { body } = await call(discord, 'GET', `/channels/${IDS.deals}/messages`);
  expect(body).toMatchObject([{ content: 'These' }, { content: '', author: { id: IDS.ben } }]);
});

test('people post by their permissions, as answers too', async () => {
  const { discord } = await startDiscord();
  discord.act({ personId: IDS.ben, ...place, content: 'Any kettles?' });
  const [asked] = discord.messages(IDS.deals);
  discord.act({ personId: IDS.cleo, ...place, content: 'Yes', ...(asked && { to: asked.id }) });
  expect(discord.messages(IDS.deals).at(-1)).toMatchObject({
    type: 19,
    referenced_message: { content: 'Any kettles?' },
  });
  const post =
    (content: string, channelId: string = IDS.deals) =>
    () =>
      discord.act({ personId: IDS.ben, do: 'post', channelId, content });
  expect(post('')).toThrow("Ben can't do that: Cannot send an empty message");
  expect(post('x'.repeat(2001))).toThrow('Invalid Form Body');
  expect(post('In a forum', IDS.forum)).toThrow('Cannot send messages in a non-text channel');
  discord.setPermissions(IDS.deals, { deny: ['sendMessages'] }, IDS.guild);
  expect(post('Still?')).toThrow('Missing Permissions');
});
