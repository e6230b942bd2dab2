import type { APIUser } from 'discord-api-types/v10';
import type { Clock } from '../clock.ts';
import { DiscordError } from './discord-error.ts';
import { follow } from './following.ts';
import { InteractionFailed } from './interactions.ts';
import type { Messages } from './messages.ts';
import { CHANNEL, EVENT_STATUS, PERMISSION } from './numbers.ts';
import type { PageEvent, PersonAction } from './page-api.ts';
import { PEOPLE } from './people.ts';
import { requirePermissions, sendingPermission } from './permissions.ts';
import { pin, unpin } from './pins.ts';
import { endPolls } from './poll-life.ts';
import { pollIn, votesOf } from './polls.ts';
import { emojiFrom, permissionToReact } from './reactions.ts';
import { beginAndEnd, canBecome, isOver, requireEventPermission } from './scheduled-events.ts';
import type { Guild } from './seed.ts';
import type { Snowflakes } from './snowflake.ts';
import { Field } from './validate/form.ts';
import { validateNewMessage } from './validate/message.ts';
import { isThread, type World } from './world.ts';

interface Dependencies {
  world: World;
  messages: Messages;
  snowflakes: Snowflakes;
  clock: Clock;
}

/**
 * What a person does in the server without the bot, by the permissions that they have there.
 * @returns does it, or throws an InteractionFailed
 */
export function createPersonActions(dependencies: Dependencies): (action: PersonAction) => void {
  return (action) => {
    beginAndEnd(dependencies.world, dependencies.clock);
    endPolls(dependencies);
    const person = PEOPLE.find(({ id }) => id === action.personId);
    if (!person) throw new InteractionFailed(`There is no person ${action.personId}.`);
    try {
      carryOut(dependencies, action, person);
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      throw new InteractionFailed(`${person.global_name} can't do that: ${error.message}`);
    }
  };
}

function carryOut(dependencies: Dependencies, action: PersonAction, person: APIUser): void {
  const { world } = dependencies;
  switch (action.do) {
    case 'pin':
      pin(dependencies, world.channel(action.channelId), action.messageId, person);
      return;
    case 'unpin':
      unpin(world, world.channel(action.channelId), action.messageId, person);
      return;
    case 'delete-message': {
      const channel = world.channel(action.channelId);
      const message = world.message(channel.id, action.messageId);
      const needed = message.author.id === person.id ? 0n : PERMISSION.manageMessages;
      requirePermissions(world, person.id, channel, needed);
      world.deleteMessage(message);
      return;
    }
    case 'post':
      post(dependencies, action, person);
      return;
    case 'react':
    case 'take-back-reaction': {
      const channel = world.channel(action.channelId);
      const message = world.message(channel.id, action.messageId);
      const emoji = emojiFrom(action.emoji);
      const isAdded = action.do === 'react';
      requirePermissions(world, person.id, channel, PERMISSION.readMessageHistory);
      if (isAdded) requirePermissions(world, person.id, channel, permissionToReact(message, emoji));
      world.react(message, { do: isAdded ? 'add' : 'remove', emoji, personId: person.id });
      return;
    }
    case 'vote': {
      const channel = world.channel(action.channelId);
      requirePermissions(world, person.id, channel, PERMISSION.readMessageHistory);
      const message = pollIn(world.message(channel.id, action.messageId));
      for (const vote of votesOf(message, person.id, action.answerIds)) world.vote(message, vote);
      return;
    }
    case 'interest': {
      const { at, event } = findEvent(world, action.eventId);
      if (!at.members.has(person.id)) throw new DiscordError('unknownGuild');
      if (isOver(event)) throw new DiscordError('finishedEvent');
      world.setInterest(event, person.id, action.isInterested);
      return;
    }
    case 'end-event': {
      const { at, event } = findEvent(world, action.eventId);
      requireEventPermission(at, person.id, event);
      if (!canBecome(event, EVENT_STATUS.completed))
        throw new InteractionFailed(`"${event.name}" isn't on, so it can't be ended; delete it.`);
      world.setEvent({ ...event, status: EVENT_STATUS.completed });
      return;
    }
    case 'delete-event': {
      const { at, event } = findEvent(world, action.eventId);
      requireEventPermission(at, person.id, event);
      world.deleteEvent(event);
      return;
    }
    case 'follow':
      follow(dependencies, world.channel(action.channelId), world.channel(action.targetId), person);
  }
}

/** @throws DiscordError 50001, 50013, 50008, 50083, 50035, 50006 */
function post(
  { world, messages }: Dependencies,
  { channelId, content, to }: Extract<PersonAction, { do: 'post' }>,
  author: APIUser,
): void {
  const channel = world.channel(channelId);
  requirePermissions(world, author.id, channel, sendingPermission(channel));
  if (channel.type === CHANNEL.forum) throw new DiscordError('notTextChannel');
  if (isThread(channel) && channel.thread_metadata?.archived) throw new DiscordError('archivedThread');
  const form = new Field({ content, ...(to !== undefined && { message_reference: { message_id: to } }) });
  world.addMessage(messages.compose({ channel, author, body: validateNewMessage(form, []), files: [] }));
}

/** @throws DiscordError 10070 */
function findEvent(world: World, id: string): { at: Guild; event: PageEvent } {
  for (const at of world.guilds()) {
    const event = at.events.get(id);
    if (event) return { at, event };
  }
  throw new DiscordError('unknownEvent');
}
