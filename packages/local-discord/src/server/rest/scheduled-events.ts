import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import type { MemberPicture } from '../member-pictures.ts';
import { EVENT_STATUS, EVENT_TYPE } from '../numbers.ts';
import type { PageEvent } from '../page-api.ts';
import {
  asApiEvent,
  eventOf,
  eventsOf,
  isOver,
  requireEventPermission,
  requireRoomForEvent,
} from '../scheduled-events.ts';
import { IDS } from '../seed.ts';
import { Field } from '../validate/form.ts';
import { validateEventEdit, validateNewEvent } from '../validate/scheduled-event.ts';
import { bodyOf } from './body.ts';
import { type RestContext, requireGuild } from './context.ts';

interface GuildParams {
  Params: { guildId: string };
}

interface EventParams {
  Params: { guildId: string; eventId: string };
}

interface CountQuery {
  Querystring: { with_user_count?: string };
}

/** https://discord.com/developers/docs/resources/guild-scheduled-event */
export function scheduledEventRoutes(
  app: FastifyInstance,
  { world, snowflakes, clock, persistence }: RestContext,
): void {
  function keep(picture: MemberPicture | null | undefined): string | null {
    if (!picture) return null;
    persistence.save(picture.hash, picture.file);
    return picture.hash;
  }

  app.get<GuildParams & CountQuery>('/guilds/:guildId/scheduled-events', async ({ params, query }) => {
    const at = requireGuild(world, params.guildId);
    return eventsOf(at).map((event) => asApiEvent(at, event, query.with_user_count === 'true'));
  });

  app.post<GuildParams>('/guilds/:guildId/scheduled-events', async (request) => {
    const at = requireGuild(world, request.params.guildId);
    requireEventPermission(at, IDS.application);
    const { body, picture } = validateNewEvent(new Field(bodyOf(request).json), clock.now());
    requireRoomForEvent(at);
    const event: PageEvent = {
      id: snowflakes.next(),
      guild_id: at.guild.id,
      channel_id: null,
      creator_id: IDS.application,
      name: body.name,
      description: body.description || null,
      scheduled_start_time: asTimestamp(body.scheduled_start_time),
      scheduled_end_time: asTimestamp(body.scheduled_end_time ?? ''),
      privacy_level: body.privacy_level,
      status: EVENT_STATUS.scheduled,
      entity_type: EVENT_TYPE.external,
      entity_id: null,
      entity_metadata: { location: body.entity_metadata?.location ?? '' },
      image: keep(picture),
      recurrence_rule: null,
      interested: [],
    };
    world.setEvent(event);
    return asApiEvent(at, event);
  });

  app.get<EventParams & CountQuery>('/guilds/:guildId/scheduled-events/:eventId', async ({ params, query }) => {
    const at = requireGuild(world, params.guildId);
    return asApiEvent(at, eventOf(at, params.eventId), query.with_user_count === 'true');
  });

  app.patch<EventParams>('/guilds/:guildId/scheduled-events/:eventId', async (request) => {
    const at = requireGuild(world, request.params.guildId);
    const before = eventOf(at, request.params.eventId);
    requireEventPermission(at, IDS.application, before);
    if (isOver(before)) throw new DiscordError('finishedEvent');
    const { body, picture } = validateEventEdit(new Field(bodyOf(request).json), before, clock.now());
    const { name, description, scheduled_start_time: start, scheduled_end_time: end, entity_metadata, status } = body;
    const event: PageEvent = {
      ...before,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description: description || null }),
      ...(start !== undefined && { scheduled_start_time: asTimestamp(start) }),
      ...(end && { scheduled_end_time: asTimestamp(end) }),
      ...(entity_metadata?.location && { entity_metadata: { location: entity_metadata.location } }),
      ...(status && { status }),
      ...(picture !== undefined && { image: keep(picture) }),
    };
    world.setEvent(event);
    return asApiEvent(at, event);
  });

  app.delete<EventParams>('/guilds/:guildId/scheduled-events/:eventId', async ({ params }, reply) => {
    const at = requireGuild(world, params.guildId);
    const event = eventOf(at, params.eventId);
    requireEventPermission(at, IDS.application, event);
    world.deleteEvent(event);
    return reply.code(204).send();
  });
}

/** A time as Discord writes it. */
function asTimestamp(time: string): string {
  return new Date(time).toISOString().replace('Z', '000+00:00');
}
