import {
  ExternalScheduledEventCreateRequestSchema,
  ExternalScheduledEventPatchRequestPartialSchema,
} from 'discord-api-spec/zod';
import type {
  RESTPatchAPIGuildScheduledEventJSONBody,
  RESTPostAPIGuildScheduledEventJSONBody,
} from 'discord-api-types/v10';
import { type MemberPicture, readImageData } from '../member-pictures.ts';
import type { PageEvent } from '../page-api.ts';
import { canBecome, endOf, startOf } from '../scheduled-events.ts';
import type { Field } from './form.ts';
import { holdAgainst } from './published.ts';

/** undefined where a picture stays as it is, null where there is to be none. */
type Picture = MemberPicture | null | undefined;

/** This server has no events that recur; a request for one is refused, so that nobody takes it for made. */
const UNKNOWN_HERE = ['recurrence_rule'];

/**
 * Validates a new event at a place of its own, the only kind that this server knows:
 * https://discord.com/developers/docs/resources/guild-scheduled-event#create-guild-scheduled-event
 * @throws DiscordError 50035 naming every wrong place
 */
export function validateNewEvent(
  form: Field,
  nowMs: number,
): { body: RESTPostAPIGuildScheduledEventJSONBody; picture: Picture } {
  holdAgainst(form, ExternalScheduledEventCreateRequestSchema, UNKNOWN_HERE);
  form.at('name').filled();
  form.at('entity_metadata').at('location').filled();
  form.at('scheduled_end_time').filled();
  const picture = validateRest(form);
  form.done();
  const body = form.value as RESTPostAPIGuildScheduledEventJSONBody;
  requireFuture(form, Date.parse(body.scheduled_start_time), Date.parse(body.scheduled_end_time ?? ''), nowMs);
  form.done();
  return { body, picture };
}

/**
 * Validates a change of an event. Fields that it leaves out stay.
 * @throws DiscordError 50035 naming every wrong place
 */
export function validateEventEdit(
  form: Field,
  event: PageEvent,
  nowMs: number,
): { body: RESTPatchAPIGuildScheduledEventJSONBody; picture: Picture } {
  form.object(true);
  holdAgainst(form, ExternalScheduledEventPatchRequestPartialSchema, UNKNOWN_HERE);
  if (form.at('name').value !== undefined) form.at('name').filled();
  if (!form.at('entity_metadata').isAbsent) form.at('entity_metadata').at('location').filled();
  if (form.at('scheduled_end_time').value === null) form.at('scheduled_end_time').filled();
  const picture = validateRest(form);
  form.done();
  const body = form.value as RESTPatchAPIGuildScheduledEventJSONBody;
  const { scheduled_start_time: start, scheduled_end_time: end, status } = body;
  if (start !== undefined || end !== undefined) {
    const startMs = start === undefined ? startOf(event) : Date.parse(start);
    const endMs = end ? Date.parse(end) : endOf(event);
    requireFuture(form, startMs, endMs, nowMs, start !== undefined);
  }
  if (status !== undefined && status !== null && status !== event.status && !canBecome(event, status)) {
    form
      .at('status')
      .fail('GUILD_SCHEDULED_EVENT_INVALID_STATUS_TRANSITION', `Cannot go from ${event.status} to ${status}.`);
  }
  form.done();
  return { body, picture };
}

/** What both requests have in common. */
function validateRest(form: Field): Picture {
  for (const key of UNKNOWN_HERE) {
    if (!form.at(key).isAbsent) form.at(key).fail('BASE_TYPE_INVALID', 'Local Discord has no events that recur.');
  }
  if (!form.at('channel_id').isAbsent) {
    form.at('channel_id').fail('BASE_TYPE_INVALID', 'Must be null for an external event.');
  }
  return form.at('image').value === undefined ? undefined : readImageData(form.at('image'));
}

/** Complains of an event that begins in the past, or that ends before it begins or in the past. */
function requireFuture(form: Field, startMs: number, endMs: number, nowMs: number, isStartGiven = true): void {
  if (isStartGiven && startMs <= nowMs) {
    form.at('scheduled_start_time').fail('GUILD_SCHEDULED_EVENT_SCHEDULE_PAST', 'Cannot schedule event in the past.');
  }
  if (endMs <= Math.max(startMs, nowMs)) {
    form.at('scheduled_end_time').fail('GUILD_SCHEDULED_EVENT_SCHEDULE_PAST', 'Event must end after it starts.');
  }
}
