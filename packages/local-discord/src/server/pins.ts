import type { APIUser } from 'discord-api-types/v10';
import type { Clock } from '../clock.ts';
import { DiscordError } from './discord-error.ts';
import type { Messages } from './messages.ts';
import { isNotice, MESSAGE, PERMISSION } from './numbers.ts';
import type { PageMessage } from './page-api.ts';
import { requirePermissions } from './permissions.ts';
import type { WorldChannel } from './seed.ts';
import { isThread, type World } from './world.ts';

/** The most pinned messages of a channel: https://discord.com/developers/docs/resources/message#pin-message */
const MOST_PINS = 250;

interface Dependencies {
  world: World;
  messages: Messages;
  clock: Clock;
}

/**
 * Pins a message, which Discord tells the channel in a message of its own. A message that is pinned stays as it is.
 * @throws DiscordError 50001, 50013, 50083, 10008, 50021, 30003
 */
export function pin({ world, messages, clock }: Dependencies, channel: WorldChannel, id: string, by: APIUser): void {
  const message = pinnable(world, channel, id, by);
  if (message.pinned) return;
  const pins = world.pins(channel.id);
  if (pins.length >= MOST_PINS) throw new DiscordError('tooManyPins');
  world.setPinned(message, timestampAfter(pins[0]?.pinned_at, clock.now()));
  const more = {
    type: MESSAGE.pinNotice,
    message_reference: { type: 0, channel_id: channel.id, message_id: id, ...world.guildOf(channel.id) },
  };
  world.addMessage(messages.compose({ channel, author: by, body: {}, files: [], more }));
}

/** Unpins a message, if it is pinned. @throws DiscordError 50001, 50013, 50083, 10008, 50021 */
export function unpin(world: World, channel: WorldChannel, id: string, by: APIUser): void {
  const message = pinnable(world, channel, id, by);
  if (message.pinned) world.setPinned(message, null);
}

function pinnable(world: World, channel: WorldChannel, id: string, by: APIUser): PageMessage {
  requirePermissions(world, by.id, channel, PERMISSION.pinMessages);
  if (isThread(channel) && channel.thread_metadata?.archived) throw new DiscordError('archivedThread');
  const message = world.message(channel.id, id);
  if (isNotice(message)) throw new DiscordError('systemMessage');
  return message;
}

/**
 * An ISO 8601 timestamp, later than the channel's last one, so that pages of pins, which go by their times, miss none.
 * @param nowMs milliseconds since the epoch
 */
function timestampAfter(last: string | undefined, nowMs: number): string {
  const atMs = last === undefined ? nowMs : Math.max(nowMs, Date.parse(last) + 1);
  return new Date(atMs).toISOString().replace('Z', '000+00:00');
}
