import type { APIChannel } from 'discord-api-types/v10';
import { html, nothing, type TemplateResult } from 'lit';
import { CHANNEL } from '../server/numbers.ts';
import { pathOf } from './address.ts';
import { initialsOf } from './avatar.ts';
import { type Context, nameOfChannel } from './context.ts';
import { eventsEntry } from './events.ts';
import { icons } from './icons.ts';
import { plainText } from './markdown/plain.ts';
import { parseOnce } from './markdown/render.ts';
import { formatTime } from './markdown/time.ts';
import { CATEGORY, directChannels, isThread, threadsOf, topChannels } from './state.ts';
import { textOf } from './summary.ts';

export function channelIcon(channel: APIChannel): unknown {
  if (channel.type === CHANNEL.announcement) return icons.announcement;
  if (channel.type === CHANNEL.forum) return icons.forum;
  return isThread(channel) || channel.type === CHANNEL.direct ? icons.thread : icons.text;
}

/** The list of servers at the far left, with the only server. */
export function serverRail({ server }: Context): TemplateResult {
  return html`<nav class="rail" aria-label="Servers">
    <div class="server-icon" title=${server.guild.name} aria-current="true">${initialsOf(server.guild.name)}</div>
  </nav>`;
}

export function channelList(context: Context): TemplateResult {
  const { server, view } = context;
  const direct = directChannels(server.channels, view.personId);
  return html`<nav class="channels" aria-label="Channels of ${server.guild.name}">
    <h2 class="server-name">${server.guild.name}</h2>
    <ul>
      ${eventsEntry(context)} ${topChannels(server.channels).map((channel) => listEntry(channel, context))}
      ${direct.length > 0 ? html`<li class="category">Direct messages</li>` : nothing}
      ${direct.map((channel) => html`<li>${entryButton(channel, view.unread[channel.id] ?? 0, context)}</li>`)}
    </ul>
  </nav>`;
}

function listEntry(channel: APIChannel, context: Context): unknown {
  const { view, server } = context;
  const threads = threadsOf(server.channels, channel.id);
  // A category is only a heading here.
  if (channel.type === CATEGORY) return html`<li class="category">${nameOfChannel(channel)}</li>`;
  const inForum = channel.type === CHANNEL.forum;
  const unread = [channel, ...(inForum ? threads : [])].reduce((sum, { id }) => sum + (view.unread[id] ?? 0), 0);
  const shownThreads = inForum ? threads.filter(({ id }) => id === view.channelId) : threads.slice(0, 5);
  return html`<li>
    ${entryButton(channel, unread, context)}
    ${
      shownThreads.length > 0
        ? html`<ul class="threads">
          ${shownThreads.map((thread) => html`<li>${entryButton(thread, view.unread[thread.id] ?? 0, context)}</li>`)}
        </ul>`
        : nothing
    }
  </li>`;
}

function entryButton(channel: APIChannel, unread: number, context: Context): TemplateResult {
  const { view, actions } = context;
  const open = channel.id === view.channelId;
  return html`<button
    class="channel"
    aria-current=${open ? 'page' : 'false'}
    ?data-unread=${unread > 0}
    @click=${() => actions.openChannel(channel.id)}
    @contextmenu=${(event: MouseEvent) => openChannelMenu(event, channel, context)}
  >
    ${channelIcon(channel)}<span class="channel-name">${nameOfChannel(channel, context.server.botName)}</span>
    ${unread > 0 ? html`<span class="hidden">${unread} unread</span>` : nothing}
  </button>`;
}

function openChannelMenu(event: MouseEvent, { id }: APIChannel, { actions, server }: Context): void {
  if (event.shiftKey) return;
  event.preventDefault();
  const path = pathOf(server.guild.id, { channelId: id, messageId: null });
  actions.openMenu({ x: event.clientX, y: event.clientY }, 'Channel', [
    { label: 'Mark As Read', choose: () => actions.markRead(id) },
    { label: 'Copy Link', choose: () => actions.copy(new URL(path, location.href).href) },
    { label: 'Copy Channel ID', choose: () => actions.copy(id) },
  ]);
}

/** A forum: its posts, newest first. */
export function forum(channel: APIChannel, context: Context): TemplateResult {
  const posts = threadsOf(context.server.channels, channel.id);
  if (posts.length === 0) {
    return html`<div class="empty">
      <div class="empty-icon">${icons.forum}</div>
      <h2>No posts yet</h2>
      <p>Announcements for this forum will appear here, each as a post of its own.</p>
    </div>`;
  }
  return html`<ul class="posts">
    ${posts.map((post) => html`<li>${postCard(post, context)}</li>`)}
  </ul>`;
}

function postCard(post: APIChannel, { server, view, nowMs, actions }: Context): TemplateResult {
  const messages = server.messages[post.id] ?? [];
  const first = messages[0];
  const last = messages.at(-1);
  const text = first ? plainText(parseOnce(textOf(first)), nowMs).replaceAll(/\s+/g, ' ') : '';
  const count = Math.max(0, messages.length - 1);
  return html`<button class="post" ?data-unread=${(view.unread[post.id] ?? 0) > 0} @click=${() => actions.openChannel(post.id)}>
    <span class="post-title">${nameOfChannel(post)}</span>
    <span class="post-text">${text}</span>
    <span class="post-foot"
      >${icons.thread} ${count}${
        last ? html` • ${formatTime(Date.parse(last.timestamp) / 1000, 'R', nowMs)}` : nothing
      }</span
    >
  </button>`;
}
