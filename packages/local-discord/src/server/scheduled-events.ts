import type { Clock } from '../clock.ts';
import { DiscordError } from './discord-error.ts';
import { EVENT_STATUS, PERMISSION } from './numbers.ts';
import type { PageEvent } from './page-api.ts';
import { basePermissions } from './permissions.ts';
import type { Guild } from './seed.ts';
import type { World } from './world.ts';

/** The most events of a server that aren't over: https://discord.com/developers/docs/resources/guild-scheduled-event */
const MOST_EVENTS = 100;

/** The statuses that each one can become: none where the event is over. */
const NEXT_STATUSES: Record<number, readonly number[]> = {
  [EVENT_STATUS.scheduled]: [EVENT_STATUS.active, EVENT_STATUS.canceled],
  [EVENT_STATUS.active]: [EVENT_STATUS.completed],
};

export function isOver({ status }: PageEvent): boolean {
  return !NEXT_STATUSES[status];
}

/** Whether an event may get this status: https://discord.com/developers/docs/resources/guild-scheduled-event#guild-scheduled-event-object-guild-scheduled-event-status */
export function canBecome({ status }: PageEvent, next: number): boolean {
  return NEXT_STATUSES[status]?.includes(next) ?? false;
}

/** The server's events that aren't over, the earliest first; none of a server that there isn't. */
export function eventsOf(at: Guild | undefined): PageEvent[] {
  return [...(at?.events.values() ?? [])].filter((event) => !isOver(event)).toSorted((a, b) => startOf(a) - startOf(b));
}

/** @throws DiscordError 10070 */
export function eventOf({ events }: Guild, id: string): PageEvent {
  const event = events.get(id);
  if (!event) throw new DiscordError('unknownEvent');
  return event;
}

/** @throws DiscordError 30038 */
export function requireRoomForEvent(at: Guild): void {
  if (eventsOf(at).length >= MOST_EVENTS) throw new DiscordError('tooManyEvents');
}

/**
 * Create Events lets a member create events and change their own, Manage Events lets them change everybody's:
 * https://discord.com/developers/docs/topics/permissions
 * @throws DiscordError 50013
 */
export function requireEventPermission(at: Guild, memberId: string, event?: PageEvent): void {
  const member = at.members.get(memberId);
  const allowed = member ? basePermissions(at, memberId, member) : 0n;
  const own = event === undefined || event.creator_id === memberId ? PERMISSION.createEvents : 0n;
  const needed = event === undefined ? own : own | PERMISSION.manageEvents;
  if ((allowed & needed) === 0n) throw new DiscordError('missingPermissions');
}

/**
 * Begins and ends the events that are due:
 * https://discord.com/developers/docs/resources/guild-scheduled-event#guild-scheduled-event-status-update-automation
 */
export function beginAndEnd(world: World, clock: Clock): void {
  for (const { events } of world.guilds()) {
    for (const event of events.values()) {
      let now = event;
      if (now.status === EVENT_STATUS.scheduled && startOf(now) <= clock.now()) now = become(world, now, 'active');
      if (now.status === EVENT_STATUS.active && endOf(now) <= clock.now()) become(world, now, 'completed');
    }
  }
}

function become(world: World, event: PageEvent, status: keyof typeof EVENT_STATUS): PageEvent {
  const next = { ...event, status: EVENT_STATUS[status] };
  world.setEvent(next);
  return next;
}

/** The time at which it begins, in milliseconds since the epoch. */
export function startOf({ scheduled_start_time: time }: PageEvent): number {
  return Date.parse(time);
}

/** The time at which it ends, in milliseconds since the epoch. */
export function endOf({ scheduled_end_time: time }: PageEvent): number {
  return Date.parse(time);
}

/** The event as the API returns it. `user_count` is there only where it was asked for. */
export function asApiEvent({ members }: Guild, event: PageEvent, withUserCount = false): object {
  const { interested, ...shown } = event;
  const creator = members.get(event.creator_id ?? '')?.user;
  // This server has no events that recur, so there are no exceptions either.
  const fixed = { guild_scheduled_event_exceptions: [] };
  return { ...shown, ...fixed, ...(creator && { creator }), ...(withUserCount && { user_count: interested.length }) };
}
