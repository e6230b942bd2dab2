import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApiRequest } from '../src/index.ts';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, type Started, startDiscord } from './helpers.ts';
import { operationFor, publishedOperations, schemaOf } from './published.ts';

const { guild, application, deals, announcements, forum, ben, botRole } = IDS;
const PUBLISHED = publishedOperations();

/** Local Discord whose every operation was used, and what was asked and answered. */
async function usedAll(): Promise<{ discord: Started['discord']; requests: ApiRequest[] }> {
  const { discord } = await startDiscord();
  const requests: ApiRequest[] = [];
  const allowed = ['addReactions', 'manageMessages', 'manageRoles', 'manageWebhooks', 'pinMessages'] as const;
  discord.editRole(botRole, {
    permissions: [
      'viewChannel',
      'manageChannels',
      'sendMessages',
      'readMessageHistory',
      'createPublicThreads',
      'createEvents',
      'sendMessagesInThreads',
      'sendPolls',
      ...allowed,
    ],
  });
  const client = await loginClient(discord);
  client.on('interactionCreate', (interaction) => {
    if (interaction.isChatInputCommand()) interaction.deferReply().catch(() => undefined);
  });
  discord.onRequest((request) => requests.push(request));
  const ask = async (method: string, path: string, body?: unknown) => (await call(discord, method, path, body)).body;
  const idOf = async (method: string, path: string, body: unknown) => String((await ask(method, path, body))['id']);

  for (const path of ['/gateway', '/gateway/bot', '/applications/@me', '/oauth2/applications/@me', '/users/@me/guilds'])
    await ask('GET', path);
  await ask('GET', `/users/${ben}`);
  await ask('POST', '/users/@me/channels', { recipient_id: ben });

  const at = `/guilds/${guild}`;
  for (const what of [
    '',
    '/channels',
    '/roles',
    '/members?limit=10',
    '/members/search?query=b&limit=5',
    '/threads/active',
  ])
    await ask('GET', `${at}${what}`);
  await ask('GET', `${at}/members/${ben}`);
  await ask('PATCH', `${at}/members/@me`, { nick: 'Bell' });
  const role = await idOf('POST', `${at}/roles`, { name: 'Drops' });
  await ask('PATCH', `${at}/roles/${role}`, { name: 'Big drops' });
  await ask('GET', `${at}/roles/${role}`);
  for (const method of ['PUT', 'DELETE']) await ask(method, `${at}/members/${ben}/roles/${role}`);
  await ask('DELETE', `${at}/roles/${role}`);
  const event = await idOf('POST', `${at}/scheduled-events`, {
    name: 'Deal-off',
    privacy_level: 2,
    entity_type: 3,
    scheduled_start_time: '2026-12-01T00:00:00Z',
    scheduled_end_time: '2026-12-02T00:00:00Z',
    entity_metadata: { location: 'https://example.com' },
  });
  await ask('GET', `${at}/scheduled-events`);
  await ask('GET', `${at}/scheduled-events/${event}`);
  await ask('PATCH', `${at}/scheduled-events/${event}`, { name: 'Deals' });
  await ask('DELETE', `${at}/scheduled-events/${event}`);

  const channel = await idOf('POST', `${at}/channels`, { name: 'drops' });
  await ask('PUT', `/channels/${channel}/permissions/${ben}`, { type: 1, allow: '1024' });
  await ask('DELETE', `/channels/${channel}/permissions/${ben}`);
  await ask('GET', `/channels/${channel}`);
  await ask('PATCH', `/channels/${channel}`, { topic: 'Half the price' });
  await ask('POST', `/channels/${announcements}/followers`, { webhook_channel_id: channel });
  await ask('GET', `/channels/${channel}/webhooks`);

  const messages = `/channels/${announcements}/messages`;
  const [first, second] = [
    await idOf('POST', messages, { content: 'One', nonce: '1' }),
    await idOf('POST', messages, { content: 'Two', message_reference: { message_id: '1', fail_if_not_exists: false } }),
  ];
  await ask('GET', messages);
  await ask('GET', `${messages}/${first}`);
  await ask('PATCH', `${messages}/${first}`, { content: 'One, edited' });
  await ask('POST', `${messages}/${first}/crosspost`);
  await ask('GET', `/channels/${channel}/messages`);
  await ask('POST', `/channels/${announcements}/typing`);
  const reactions = `${messages}/${first}/reactions`;
  const thumb = encodeURIComponent('👍');
  await ask('PUT', `${reactions}/${thumb}/@me`);
  await ask('GET', `${reactions}/${thumb}`);
  for (const which of [`/${thumb}/@me`, `/${thumb}`, '']) await ask('DELETE', `${reactions}${which}`);
  for (const pins of [`${messages}/pins`, `/channels/${announcements}/pins`]) {
    await ask('PUT', `${pins}/${first}`);
    await ask('GET', pins);
    await ask('DELETE', `${pins}/${first}`);
  }
  const poll = { question: { text: 'Which?' }, answers: [{ poll_media: { text: 'This' } }] };
  const asked = await idOf('POST', messages, { poll });
  await ask('GET', `/channels/${announcements}/polls/${asked}/answers/1`);
  await ask('POST', `/channels/${announcements}/polls/${asked}/expire`);
  await ask('GET', messages);
  await ask('POST', `${messages}/${first}/threads`, { name: 'About it' });
  await ask('POST', `/channels/${forum}/threads`, { name: 'A kettle', message: { content: 'Look' } });
  await ask('GET', `/channels/${announcements}/threads/archived/public`);
  await ask('POST', `${messages}/bulk-delete`, { messages: [first, second] });
  await ask('DELETE', `${messages}/${await idOf('POST', messages, { content: 'Gone' })}`);

  const made = (await ask('POST', `/channels/${deals}/webhooks`, { name: 'Price watch' })) as Record<string, string>;
  await ask('GET', `${at}/webhooks`);
  await ask('GET', `/webhooks/${made['id']}`);
  await ask('PATCH', `/webhooks/${made['id']}`, { name: 'Watch' });
  const webhook = `/webhooks/${made['id']}/${made['token']}`;
  await ask('GET', webhook);
  await ask('PATCH', webhook, { name: 'Drops' });
  await ask('POST', webhook, { content: 'Not waited for' });
  const posted = await idOf('POST', `${webhook}?wait=true`, { content: 'A drop' });
  await ask('GET', `${webhook}/messages/${posted}`);
  await ask('PATCH', `${webhook}/messages/${posted}`, { content: 'It is over' });
  await ask('DELETE', `${webhook}/messages/${posted}`);
  await ask('DELETE', webhook);
  const other = await idOf('POST', `/channels/${deals}/webhooks`, { name: 'Other' });
  await ask('DELETE', `/webhooks/${other}`);
  await ask('DELETE', `/channels/${channel}`);

  const options = [{ type: 3, name: 'whom', description: 'Whom', max_length: 20 }];
  for (const of of [`/applications/${application}`, `/applications/${application}/guilds/${guild}`]) {
    const command = await idOf('POST', `${of}/commands`, { name: 'greet', description: 'Says hello', options });
    await ask('GET', `${of}/commands`);
    await ask('GET', `${of}/commands/${command}`);
    await ask('PATCH', `${of}/commands/${command}`, { description: 'Greets' });
    await ask('DELETE', `${of}/commands/${command}`);
    await ask('PUT', `${of}/commands`, of.includes('guilds') ? [] : [{ name: 'greet', description: 'Says hello' }]);
  }
  const deferred = new Promise<void>((resolve) => {
    discord.onRequest((request) => pathOf(request).endsWith('/callback') && resolve());
  });
  const answered = discord.runCommand({ personId: ben, channelId: deals, text: '/greet' });
  await deferred;
  const [, token = ''] = /^\/interactions\/\d+\/([^/]+)\/callback/.exec(requests.at(-1)?.path ?? '') ?? [];
  await ask('POST', `/webhooks/${application}/${token}`, { content: 'Hello' });
  await answered;
  return { discord, requests };
}

const patternOf = (operation: string) => new RegExp(`^${operation.replace(/:\w+/g, '[^/]+')}$`);
const pathOf = ({ path }: ApiRequest) => path.split('?')[0] ?? '';

test('every operation that is there is one of Discord’s, and its answer has the published form', async () => {
  const { discord, requests } = await usedAll();
  expect(requests.filter(({ status }) => status >= 400)).toEqual([]);
  const unused = discord.operations.filter(
    (one) => !requests.some((request) => patternOf(one).test(`${request.method} ${pathOf(request)}`)),
  );
  expect(unused, 'not used').toEqual([]);
  const otherwise = requests.flatMap((request) => {
    const { method, status, answer } = request;
    const published = operationFor(PUBLISHED, method, pathOf(request));
    const type = published?.answers.get(status);
    const name = `${method} ${published?.path ?? pathOf(request)}: ${status}`;
    if (type === undefined) return [`${name} is no answer of Discord's`];
    const issues = schemaOf(type).safeParse(answer).error?.issues ?? [];
    // The schemas want times that end in Z; Discord's own end in +00:00.
    return issues.filter(({ code }) => code !== 'invalid_format').map((issue) => `${name}: ${JSON.stringify(issue)}`);
  });
  expect(otherwise).toEqual([]);
});

test('what is not there says so, and the README lists what is', async () => {
  const { discord } = await startDiscord();
  const missing = await call(discord, 'PUT', `/guilds/${guild}/bans/${ben}`);
  expect(missing).toMatchObject({ status: 404, body: { code: 0, message: '404: Not Found' } });
  expect(missing.body['cause']).toContain(`Local Discord has no PUT /guilds/${guild}/bans/${ben}`);
  const byPath = new Map<string, string[]>();
  for (const [method = '', path = ''] of discord.operations.map((one) => one.split(' '))) {
    byPath.set(path, [...(byPath.get(path) ?? []), method]);
  }
  const list = [...byPath].map(([path, methods]) => `${path} ${methods.sort().join(' ')}`).sort();
  const told = `${discord.operations.length} of the ${PUBLISHED.length} operations`;
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(told);
  expect(readme).toContain(['```', ...list, '```'].join('\n'));
});
