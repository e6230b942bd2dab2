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
