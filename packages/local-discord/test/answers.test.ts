import * as spec from 'discord-api-spec/zod';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, startDiscord } from './helpers.ts';

/** Holds an answer against Discord's published schema. */
function expectAsPublished(schema: spec.Schema, answer: unknown): void {
  const issues = schema.safeParse(answer).error?.issues ?? [];
  // The schema wants times that end in Z; Discord's own end in +00:00.
  expect(issues.filter(({ code }) => code !== 'invalid_format')).toEqual([]);
}

test('what is read has the published form', async () => {
  const { discord } = await startDiscord();
  const get = async (path: string) => (await call(discord, 'GET', path)).body;
  const all = async (path: string) => Object.values(await get(path));
  for (const channel of await all(`/guilds/${IDS.guild}/channels`)) {
    expectAsPublished(spec.GuildChannelResponseSchema, channel);
  }
  for (const role of await all(`/guilds/${IDS.guild}/roles`)) expectAsPublished(spec.GuildRoleResponseSchema, role);
  for (const member of await all(`/guilds/${IDS.guild}/members`)) {
    expectAsPublished(spec.GuildMemberResponseSchema, member);
  }
  expectAsPublished(spec.UserResponseSchema, await get(`/users/${IDS.ben}`));
  expectAsPublished(spec.GatewayBotResponseSchema, await get('/gateway/bot'));
});

const PICTURE = { media: { url: 'https://example.com/a.png' } };
const MESSAGES: [string, object][] = [
  [
    'a message with embeds and buttons',
    {
      content: `<@${IDS.ben}>`,
      embeds: [{ title: 'x', image: PICTURE.media }],
      components: [{ type: 1, components: [{ type: 2, style: 1, label: 'x', custom_id: 'x' }] }],
    },
  ],
  [
    'a menu',
    {
      content: 'x',
      components: [{ type: 1, components: [{ type: 3, custom_id: 'x', options: [{ label: 'a', value: 'a' }] }] }],
    },
  ],
  [
    'a card',
    {
      flags: 1 << 15,
      components: [
        {
          type: 17,
          components: [
            { type: 9, components: [{ type: 10, content: 'x' }], accessory: { type: 11, ...PICTURE } },
            { type: 14 },
            { type: 12, items: [PICTURE] },
          ],
        },
      ],
    },
  ],
];

test.for(MESSAGES)('%s has the published form, new and edited', async ([, body]) => {
  const { discord } = await startDiscord();
  const path = `/channels/${IDS.announcements}/messages`;
  const created = await call(discord, 'POST', path, body);
  expectAsPublished(spec.MessageResponseSchema, created.body);
  const id = String(created.body['id']);
  expectAsPublished(spec.MessageResponseSchema, (await call(discord, 'PATCH', `${path}/${id}`, body)).body);
  expectAsPublished(spec.MessageResponseSchema, (await call(discord, 'POST', `${path}/${id}/crosspost`)).body);
  const reply = { content: 'x', message_reference: { message_id: id } };
  expectAsPublished(spec.MessageResponseSchema, (await call(discord, 'POST', path, reply)).body);
});

test('what is made has the published form', async () => {
  const { discord } = await startDiscord();
  const pins = `/channels/${IDS.deals}/messages/pins`;
  const pinned = await call(discord, 'POST', `/channels/${IDS.deals}/messages`, { content: 'x' });
  await call(discord, 'PUT', `${pins}/${String(pinned.body['id'])}`);
  expectAsPublished(spec.PinnedMessagesResponseSchema, (await call(discord, 'GET', pins)).body);
  const event = await call(discord, 'POST', `/guilds/${IDS.guild}/scheduled-events`, {
    name: 'x',
    privacy_level: 2,
    entity_type: 3,
    scheduled_start_time: '2026-12-01T00:00:00Z',
    scheduled_end_time: '2026-12-02T00:00:00Z',
    entity_metadata: { location: 'y' },
  });
  expectAsPublished(spec.ExternalScheduledEventResponseSchema, event.body);
  const target = { webhook_channel_id: IDS.deals };
  const followed = await call(discord, 'POST', `/channels/${IDS.announcements}/followers`, target);
  expectAsPublished(spec.ChannelFollowerResponseSchema, followed.body);
  const webhook = await call(discord, 'GET', `/webhooks/${String(followed.body['webhook_id'])}`);
  expectAsPublished(spec.ChannelFollowerWebhookResponseSchema, webhook.body);
  const news = `/channels/${IDS.announcements}/messages`;
  const { body } = await call(discord, 'POST', news, { content: 'x' });
  await call(discord, 'POST', `${news}/${String(body['id'])}/crosspost`);
  const arrived = (await call(discord, 'GET', `/channels/${IDS.deals}/messages`)).body as unknown as object[];
  expect(arrived).toHaveLength(4);
  for (const message of arrived) expectAsPublished(spec.MessageResponseSchema, message);
  const post = { name: 'x', message: { content: 'y' } };
  const thread = await call(discord, 'POST', `/channels/${IDS.forum}/threads`, post);
  expectAsPublished(spec.CreatedThreadResponseSchema, thread.body);
  const command = { name: 'x', description: 'x', options: [{ type: 3, name: 'a', description: 'b' }] };
  const made = await call(discord, 'POST', `/applications/${IDS.application}/commands`, command);
  expectAsPublished(spec.ApplicationCommandResponseSchema, made.body);
});
