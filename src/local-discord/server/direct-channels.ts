import type { APIDMChannel, APIUser } from 'discord-api-types/v10';
import { CHANNEL } from './numbers.ts';
import type { Snowflakes } from './snowflake.ts';
import type { World } from './world.ts';

/** The channel between the bot and the person, made when it is not there yet. */
export function openDirectChannel(world: World, snowflakes: Snowflakes, person: APIUser): APIDMChannel {
  const known = world.findDirectChannel(person.id);
  if (known) return known;
  const channel: APIDMChannel = {
    id: snowflakes.next(),
    type: CHANNEL.direct,
    name: null,
    last_message_id: null,
    recipients: [person],
  };
  world.addChannel(channel);
  return channel;
}
