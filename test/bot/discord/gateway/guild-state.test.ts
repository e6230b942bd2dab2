import { GatewayDispatchEvents as Event, type GatewayDispatchPayload } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { type GuildState, guildAfter, guildIdOf } from '../../../../src/bot/discord/gateway/guild-state.ts';

const BOT = '900';
const before: GuildState = {
  id: '1',
  name: 'Hunters',
  roles: [{ id: '1' }, { id: '20' }],
  channels: [{ id: '30' }, { id: '31' }],
  threads: [
    { id: '40', parent_id: '30' },
    { id: '41', parent_id: '31' },
  ],
  members: [{ user: { id: BOT }, roles: [] } as never],
};

function after(t: Event, d: object, known: GuildState | null = before) {
  return guildAfter(known, { op: 0, s: 1, t, d } as unknown as GatewayDispatchPayload, BOT);
}

test.each<[string, Event, object, Partial<GuildState>]>([
  [
    'its name',
    Event.GuildUpdate,
    { id: '1', name: 'Savers', roles: [{ id: '1' }] },
    { name: 'Savers', roles: [{ id: '1' }] },
  ],
  [
    'a new role',
    Event.GuildRoleCreate,
    { guild_id: '1', role: { id: '21' } },
    { roles: [{ id: '1' }, { id: '20' }, { id: '21' }] },
  ],
  [
    'a role',
    Event.GuildRoleUpdate,
    { guild_id: '1', role: { id: '1', name: 'all' } },
    { roles: [{ id: '20' }, { id: '1', name: 'all' } as never] },
  ],
  ['a role that goes', Event.GuildRoleDelete, { guild_id: '1', role_id: '20' }, { roles: [{ id: '1' }] }],
  ['a new channel', Event.ChannelCreate, { id: '32' }, { channels: [{ id: '30' }, { id: '31' }, { id: '32' }] }],
  [
    'a channel',
    Event.ChannelUpdate,
    { id: '30', type: 5 },
    { channels: [{ id: '31' }, { id: '30', type: 5 } as never] },
  ],
  [
    'a channel that goes, with its threads',
    Event.ChannelDelete,
    { guild_id: '1', id: '30' },
    { channels: [{ id: '31' }], threads: [{ id: '41', parent_id: '31' }] },
  ],
  [
    'a thread that is archived',
    Event.ThreadUpdate,
    { guild_id: '1', id: '41', parent_id: '31', thread_metadata: { archived: true } },
    { threads: [{ id: '40', parent_id: '30' }] },
  ],
  ['a thread that goes', Event.ThreadDelete, { guild_id: '1', id: '40' }, { threads: [{ id: '41', parent_id: '31' }] }],
  [
    'the threads of one channel',
    Event.ThreadListSync,
    { guild_id: '1', channel_ids: ['30'], threads: [{ id: '42', parent_id: '30' }] },
    {
      threads: [
        { id: '41', parent_id: '31' },
        { id: '42', parent_id: '30' },
      ],
    },
  ],
  [
    'the threads of all channels',
    Event.ThreadListSync,
    { guild_id: '1', threads: [{ id: '42', parent_id: '30' }] },
    { threads: [{ id: '42', parent_id: '30' }] },
  ],
  [
    'the bot’s roles',
    Event.GuildMemberUpdate,
    { guild_id: '1', user: { id: BOT }, roles: ['20'] },
    { members: [{ guild_id: '1', user: { id: BOT }, roles: ['20'] } as never] },
  ],
  ['an outage', Event.GuildDelete, { id: '1', unavailable: true }, { unavailable: true }],
])('an event changes %s and nothing else', (_, t, d, changed) => {
  expect(after(t, d)).toEqual({ ...before, ...changed });
});

test('the bot that leaves, and what is not known, are nothing', () => {
  expect(after(Event.GuildDelete, { id: '1' })).toBeNull();
  expect(after(Event.ChannelCreate, { guild_id: '1', id: '32' }, null)).toBeNull();
});

test('an event that no decision needs leaves the very same', () => {
  expect(after(Event.GuildMemberUpdate, { guild_id: '1', user: { id: '7' }, roles: [] })).toBe(before);
  expect(after(Event.InviteCreate, { guild_id: '1' })).toBe(before);
});

test('a server is kept without its people, emojis and voices, and it is there again after an outage', () => {
  const members = [{ user: { id: '7' } }, { user: { id: BOT } }];
  const large = { ...before, members, emojis: [{ id: '50' }], voice_states: [{}], presences: [{}] };
  expect(after(Event.GuildCreate, large, { ...before, unavailable: true })).toEqual({
    ...before,
    members: [members[1]],
  });
});

test.each([
  [Event.GuildCreate, { id: '1' }, '1'],
  [Event.GuildDelete, { id: '1', unavailable: true }, '1'],
  [Event.ChannelUpdate, { id: '30', guild_id: '1' }, '1'],
  [Event.InteractionCreate, { id: '60' }, null],
  [Event.Resumed, null, null],
])('%s %j concerns the server %s', (t, d, id) => {
  expect(guildIdOf({ op: 0, s: 1, t, d } as unknown as GatewayDispatchPayload)).toBe(id);
});
