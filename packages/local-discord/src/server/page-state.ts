import type { APIUser } from 'discord-api-types/v10';
import type { DemoState } from './demo-api.ts';
import { PERMISSION } from './numbers.ts';
import type { PageMessage, PageRequest, PageState, PageUpdate } from './page-api.ts';
import { PEOPLE } from './people.ts';
import { isAllowed } from './permissions.ts';
import type { ApiRequest, RequestLog } from './rest/request-log.ts';
import { eventsOf } from './scheduled-events.ts';
import { IDS } from './seed.ts';
import type { World, WorldChange } from './world.ts';

/** Number of each channel's latest messages that a page gets when it opens, besides those that are pinned. */
const LATEST_MESSAGES = 1000;

/** The state that a page loads when it opens. */
export function pageState(
  world: World,
  { isBotConnected, demo, requests }: { isBotConnected: boolean; demo: DemoState | null; requests: RequestLog },
): PageState {
  const channels = shownChannels(world);
  const messages: Record<string, PageMessage[]> = {};
  for (const { id } of channels) {
    messages[id] = world
      .messages(id)
      .filter(({ pinned }, index, all) => pinned || index >= all.length - LATEST_MESSAGES);
  }
  return {
    guild: { ...world.guild, roles: [...world.roles.values()] },
    channels,
    people: shownPeople(world),
    bot: isBotConnected ? shownBot(world) : null,
    botName: world.bot.global_name ?? world.bot.username,
    commands: world.allCommands(),
    messages,
    events: eventsOf(world.first),
    requests: demo ? [] : requests.latest.map(pageRequest),
    demo,
  };
}

/** The most characters of what a request and its answer hold that a page gets. */
const MOST_SHOWN = 4_000;

/** A request as pages show it. */
export function pageRequest({ body, answer, ...request }: ApiRequest): PageRequest {
  const refused = request.status >= 400 && typeof answer === 'object' && answer !== null ? answer : null;
  const {
    code = 0,
    message = '',
    cause = message,
  } = (refused ?? {}) as { code?: number; message?: string; cause?: string };
  return {
    ...request,
    body: shownJson(body),
    answer: shownJson(answer),
    refusal: refused && [code, cause].filter(Boolean).join(' '),
  };
}

function shownJson(value: unknown): string {
  const text = value === undefined ? '' : JSON.stringify(value, null, 2);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** The channels of the first server, and direct messages. */
function shownChannels(world: World) {
  return world.channels().filter((channel) => world.guildAt(channel) === world.first);
}

/** The people of the server, each with their roles there. */
function shownPeople(world: World): PageState['people'] {
  const [anyChannel] = world.channels();
  return PEOPLE.map((user) => ({
    user,
    roles: world.members.get(user.id)?.roles ?? [],
    canManage: anyChannel !== undefined && isAllowed(world, user.id, anyChannel, PERMISSION.manageGuild),
  }));
}

/** The bot's user as the server shows it: with its name and avatar there. */
export function shownBot(world: World): APIUser {
  const member = world.members.get(IDS.application);
  return {
    ...world.bot,
    global_name: member?.nick ?? world.bot.global_name,
    avatar: member?.avatar ?? world.bot.avatar,
  };
}

/** Whether an update is of what the page shows: messages of other servers are not. */
export function isShown(world: World, update: PageUpdate): boolean {
  if (update.type !== 'message' && update.type !== 'message-deleted' && update.type !== 'typing') return true;
  const channel = world.findChannel(update.type === 'message' ? update.message.channel_id : update.channelId);
  return !channel || world.guildAt(channel) === world.first;
}

/** Translates a change into the updates that pages get. */
export function pageUpdates(world: World, change: WorldChange): PageUpdate[] {
  switch (change.type) {
    case 'typing':
      return [{ type: 'typing', channelId: change.channel.id, userId: change.personId }];
    case 'messages-deleted':
      return change.messageIds.map((messageId) => ({
        type: 'message-deleted',
        channelId: change.channel.id,
        messageId,
      }));
    default:
      return [pageUpdate(world, change)];
  }
}

function pageUpdate(world: World, change: Exclude<WorldChange, { type: 'typing' | 'messages-deleted' }>): PageUpdate {
  switch (change.type) {
    case 'message-created':
    case 'message-edited':
    case 'reactions-changed':
    case 'voted':
      return { type: 'message', message: change.message };
    case 'message-deleted':
      return { type: 'message-deleted', channelId: change.message.channel_id, messageId: change.message.id };
    case 'pins-changed':
    case 'channel-created':
    case 'channel-edited':
    case 'channel-deleted':
      return { type: 'channels', channels: shownChannels(world) };
    case 'member-edited':
      return change.member.user.id === IDS.application
        ? { type: 'bot', bot: shownBot(world) }
        : { type: 'people', people: shownPeople(world) };
    case 'event-created':
    case 'event-edited':
    case 'event-deleted':
    case 'event-interest':
      return { type: 'events', events: eventsOf(world.first) };
    case 'webhook-created':
    case 'webhook-edited':
    case 'webhook-deleted':
    case 'guild-created':
    case 'role-created':
    case 'role-edited':
    case 'role-deleted':
    case 'guild-edited':
    case 'membership-changed':
      return { type: 'guild', guild: { ...world.guild, roles: [...world.roles.values()] } };
    case 'command-set':
    case 'command-deleted':
      return { type: 'commands', commands: world.allCommands() };
  }
}
