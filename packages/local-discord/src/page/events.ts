import { html, nothing, type TemplateResult } from 'lit';
import type { PageEvent } from '../server/page-api.ts';
import { type Context, personOf } from './context.ts';
import { icons } from './icons.ts';
import { markdown } from './markdown/render.ts';
import { formatDay, formatTime } from './markdown/time.ts';
import { filled, wordsOf } from './words.ts';

/** The events that aren't over now: the server ends one with its next request. */
function shownEvents({ server, nowMs }: Context): PageEvent[] {
  return server.events.filter(({ scheduled_end_time: end }) => Date.parse(end) > nowMs);
}

/** The entry above the channels that opens the server's events. */
export function eventsEntry(context: Context): TemplateResult {
  const count = shownEvents(context).length;
  return html`<li>
    <button class="channel events-entry" aria-haspopup="dialog" @click=${() => context.actions.openPanel('events')}>
      ${icons.calendar}<span class="channel-name">${wordsOf(context).events}</span>
      ${count > 0 ? html`<span class="count">${count}</span>` : nothing}
    </button>
  </li>`;
}

/** The server's events, each as a card. */
export function eventCards(context: Context): TemplateResult {
  const events = shownEvents(context);
  if (events.length === 0) return html`<p class="panel-empty">${icons.calendar} ${wordsOf(context).noEvents}</p>`;
  return html`<ul class="panel-list">
    ${events.map((event) => html`<li class="panel-card">${card(event, context)}</li>`)}
  </ul>`;
}

function card(event: PageEvent, context: Context): TemplateResult {
  const words = wordsOf(context);
  const { actions, view } = context;
  const isInterested = event.interested.includes(view.personId);
  return html`${
    event.image ? html`<img class="event-image" src="/guild-events/${event.id}/${event.image}.png" alt="" />` : nothing
  }
    <p class="event-time">${icons.calendar} ${timeOf(event, context)}</p>
    <h3>${event.name}</h3>
    <p class="event-place">${icons.place} ${placeOf(event.entity_metadata.location)}</p>
    ${event.description ? html`<div class="event-text">${markdown(event.description, context)}</div>` : nothing}
    <div class="panel-buttons">
      <span class="panel-note">${icons.members} ${filled(words.interestedCount, String(event.interested.length))}</span>
      ${managing(event, context)}
      <button
        class="button ${isInterested ? 'success' : 'secondary'}"
        aria-pressed=${isInterested}
        @click=${() => actions.act({ do: 'interest', eventId: event.id, isInterested: !isInterested })}
      >
        ${isInterested ? icons.tick : icons.bell} ${words.interested}
      </button>
    </div>`;
}

/** What those who may manage the server can do with an event. */
function managing({ id, ...event }: PageEvent, context: Context): unknown {
  const { actions, nowMs } = context;
  if (!personOf(context)?.canManage) return nothing;
  const words = wordsOf(context);
  return isOn(event, nowMs)
    ? html`<button class="button secondary" @click=${() => actions.act({ do: 'end-event', eventId: id })}>${words.endEvent}</button>`
    : html`<button class="button secondary" @click=${() => actions.act({ do: 'delete-event', eventId: id })}>
        ${words.deleteEvent}
      </button>`;
}

/** Whether it has begun: by itself, or because it was begun before its time. */
function isOn({ status, scheduled_start_time: start }: Omit<PageEvent, 'id'>, nowMs: number): boolean {
  return Number(status) === 2 || Date.parse(start) <= nowMs;
}

function timeOf(event: PageEvent, context: Context): unknown {
  const words = wordsOf(context);
  const { nowMs } = context;
  const startMs = Date.parse(event.scheduled_start_time);
  const endMs = Date.parse(event.scheduled_end_time);
  const isOneDay = formatDay(startMs) === formatDay(endMs);
  const until = filled(words.until, formatTime(endMs / 1000, isOneDay ? 't' : 'f', nowMs));
  if (isOn(event, nowMs)) return html`<strong class="on">${words.now}</strong> · ${until}`;
  return html`${formatTime(startMs / 1000, 'f', nowMs)} · ${until}`;
}

/** A place is a link where it is the address of a web page. */
function placeOf(location: string): unknown {
  if (!/^https?:\/\//.test(location) || !URL.canParse(location)) return location;
  return html`<a href=${location} target="_blank" rel="noreferrer noopener">${location}</a>`;
}
