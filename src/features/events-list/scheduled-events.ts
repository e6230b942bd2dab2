import { type Client, type Guild, PermissionFlagsBits } from 'discord.js';
import {
  type APIGuildScheduledEvent,
  GuildScheduledEventEntityType,
  GuildScheduledEventPrivacyLevel,
  GuildScheduledEventStatus,
  type RESTPatchAPIGuildScheduledEventJSONBody,
  type RESTPostAPIGuildScheduledEventJSONBody,
  Routes,
} from 'discord-api-types/v10';
import { createRequests } from '../../discord/courier.ts';
import { message } from '../../discord/i18n/translator.ts';
import { EVENTS_FULL, type Failure, failureOf } from '../../discord/outcome.ts';
import type { LocalizedText } from '../../shared/errors.ts';

/** What an entry of a server's Events list shows: plain text within Discord's limits. */
export interface ShownEvent {
  name: string;
  /** Its last line is the mark by which the bot finds the entry again. */
  description: string;
  location: string;
  /** A PNG; null for none. */
  cover: Buffer | null;
}

/** Epoch milliseconds. Discord begins an entry at its start, and ends it at its end. */
export interface EventTimes {
  startMs: number;
  endMs: number;
}

/** An entry of a server's Events list that the bot has made, and that is not over. */
export interface OwnEvent extends EventTimes {
  /** Discord's. */
  id: string;
  /** null where its description has none. */
  mark: string | null;
  isBegun: boolean;
}

export type ListOutcome = { kind: 'listed'; events: OwnEvent[] } | Failure;
export type CreateOutcome = { kind: 'created'; id: string } | Failure;
/** `missing` where Discord doesn't know the entry, or it is over. */
export type EventOutcome = { kind: 'done' } | Failure;

/**
 * The servers' Events lists. Outcomes are values; nothing is thrown.
 * @see https://discord.com/developers/docs/resources/guild-scheduled-event
 */
export interface ScheduledEvents {
  list(guildId: string): Promise<ListOutcome>;
  create(guildId: string, event: ShownEvent & EventTimes): Promise<CreateOutcome>;
  /** Changes what is given. The start can't change once the entry runs. */
  change(guildId: string, id: string, changes: Partial<ShownEvent & EventTimes>): Promise<EventOutcome>;
  begin(guildId: string, id: string): Promise<EventOutcome>;
  /** Ends an entry that runs. */
  end(guildId: string, id: string): Promise<EventOutcome>;
  remove(guildId: string, id: string): Promise<EventOutcome>;
}

const MARKED = '🔔 ';
const LAST_LINE = /(?:^|\n)🔔 ([\w-]{12})$/;
/** The characters of a mark with what stands before it, and the line's end. */
export const MARK_LENGTH = MARKED.length + 13;

/** A text with an event's mark as its last line. @param mark twelve letters, digits, hyphens and underscores */
export function withMark(text: string, mark: string): string {
  return `${text}\n${MARKED}${mark}`;
}

export function createScheduledEvents(client: Client<true>, signal: AbortSignal): ScheduledEvents {
  const { get, post, patch, remove } = createRequests(client.rest, signal);
  const done = (request: Promise<unknown>) => request.then(() => ({ kind: 'done' }) as const, failureIn);
  const change = (guildId: string, id: string, body: RESTPatchAPIGuildScheduledEventJSONBody) =>
    done(patch(Routes.guildScheduledEvent(guildId, id), body));
  return {
    async list(guildId) {
      try {
        const all = (await get(Routes.guildScheduledEvents(guildId))) as APIGuildScheduledEvent[];
        const own = all.filter(
          ({ creator_id, status }) => creator_id === client.user.id && UNFINISHED.includes(status),
        );
        return { kind: 'listed', events: own.map(ownEvent) };
      } catch (error) {
        return failureIn(error);
      }
    },
    async create(guildId, event) {
      const { name, description, location, cover, startMs, endMs } = event;
      const body: RESTPostAPIGuildScheduledEventJSONBody = {
        name,
        description,
        entity_type: GuildScheduledEventEntityType.External,
        entity_metadata: { location },
        privacy_level: GuildScheduledEventPrivacyLevel.GuildOnly,
        scheduled_start_time: timeText(startMs),
        scheduled_end_time: timeText(endMs),
        ...(cover && { image: dataUri(cover) }),
      };
      try {
        const { id } = (await post(Routes.guildScheduledEvents(guildId), body)) as APIGuildScheduledEvent;
        return { kind: 'created', id };
      } catch (error) {
        return failureIn(error);
      }
    },
    change: (guildId, id, { name, description, location, cover, startMs, endMs }) =>
      change(guildId, id, {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(location !== undefined && { entity_metadata: { location } }),
        ...(cover && { image: dataUri(cover) }),
        ...(startMs !== undefined && { scheduled_start_time: timeText(startMs) }),
        ...(endMs !== undefined && { scheduled_end_time: timeText(endMs) }),
      }),
    begin: (guildId, id) => change(guildId, id, { status: GuildScheduledEventStatus.Active }),
    end: (guildId, id) => change(guildId, id, { status: GuildScheduledEventStatus.Completed }),
    remove: (guildId, id) => done(remove(Routes.guildScheduledEvent(guildId, id))),
  };
}

const UNFINISHED: readonly GuildScheduledEventStatus[] = [
  GuildScheduledEventStatus.Scheduled,
  GuildScheduledEventStatus.Active,
];

function ownEvent(event: APIGuildScheduledEvent): OwnEvent {
  const startMs = Date.parse(event.scheduled_start_time);
  return {
    id: event.id,
    mark: LAST_LINE.exec(event.description?.trimEnd() ?? '')?.[1] ?? null,
    isBegun: event.status === GuildScheduledEventStatus.Active,
    startMs,
    // An entry at a place has an end.
    endMs: event.scheduled_end_time ? Date.parse(event.scheduled_end_time) : startMs,
  };
}

/** A missing permission has another remedy here than where posts are concerned. */
function failureIn(error: unknown): Failure {
  const failure = failureOf(error);
  const isOfPosts = failure.kind === 'blocked' && failure.reason !== EVENTS_FULL.reason;
  return isOfPosts ? { ...failure, reason: 'events-not-allowed' } : failure;
}

const timeText = (ms: number) => new Date(ms).toISOString();
const dataUri = (png: Buffer) => `data:image/png;base64,${png.toString('base64')}`;

/** What the bot lacks to put events into a server's list, by the gateway's cache; null where it lacks nothing. */
export function lackToCreateEvents(guild: Guild | null): LocalizedText | null {
  if (guild?.members.me?.permissions.has(PermissionFlagsBits.CreateEvents)) return null;
  return message('calendar.notAllowed');
}
