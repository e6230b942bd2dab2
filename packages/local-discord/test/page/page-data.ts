import type { APIChannel, APIUser } from 'discord-api-types/v10';
import type { PageMessage, PageState } from '../../src/server/page-api.ts';

export const ada: APIUser = user('11', 'Ada');
export const ben: APIUser = user('12', 'Ben');
const bot: APIUser = { ...user('20', 'Dealbell'), bot: true };

function user(id: string, name: string): APIUser {
  return { id, username: name.toLowerCase(), global_name: name, discriminator: '0', avatar: null };
}

export function channel(id: string, fields: Record<string, unknown> = {}): APIChannel {
  return { id, type: 0, name: `channel-${id}`, ...fields } as unknown as APIChannel;
}

const NOON = Date.parse('2026-03-05T12:00:00Z');

/** A message whose id counts the minutes since noon. */
export function message(id: number, fields: Partial<PageMessage> = {}): PageMessage {
  return {
    id: String(id),
    channel_id: '100',
    author: bot,
    content: `message ${id}`,
    timestamp: new Date(NOON + id * 60_000).toISOString(),
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    pinned: false,
    type: 0,
    visible_to: null,
    ...fields,
  };
}

export function pageState(fields: Partial<PageState> = {}): PageState {
  return {
    guild: { id: '1', name: 'Server', roles: [] } as unknown as PageState['guild'],
    channels: [channel('100', { position: 1 }), channel('101', { position: 0 })],
    people: [
      { user: ada, roles: [], canManage: true },
      { user: ben, roles: [], canManage: false },
    ],
    bot,
    botName: 'Dealbell',
    commands: [],
    events: [],
    requests: [],
    messages: {},
    demo: null,
    ...fields,
  };
}
