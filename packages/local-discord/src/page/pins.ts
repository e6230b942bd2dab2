import { html, nothing, type TemplateResult } from 'lit';
import type { PageMessage } from '../server/page-api.ts';
import { avatarOfUser, type Context, displayName, personOf, userById } from './context.ts';
import { icons } from './icons.ts';
import { markdown } from './markdown/render.ts';
import { formatPosted } from './markdown/time.ts';
import { textOf } from './summary.ts';
import { wordsOf } from './words.ts';

/** The open channel's pinned messages, the one that was pinned last first. */
function pinsOf({ server, view }: Context): PageMessage[] {
  const pinned = (server.messages[view.channelId] ?? []).filter((message) => message.pinned);
  return pinned.toSorted((one, other) => ((one.pinned_at ?? '') < (other.pinned_at ?? '') ? 1 : -1));
}

/** The pinned messages of the open channel, as its header opens them. */
export function pinList(context: Context): TemplateResult {
  const words = wordsOf(context);
  const pins = pinsOf(context);
  if (pins.length === 0) return html`<p class="panel-empty">${icons.pin} ${words.noPins}</p>`;
  return html`<ul class="panel-list">
    ${pins.map((message) => html`<li class="panel-card">${pin(message, context)}</li>`)}
  </ul>`;
}

function pin(message: PageMessage, context: Context): TemplateResult {
  const words = wordsOf(context);
  const { actions, nowMs } = context;
  const author = userById(context, message.author.id) ?? message.author;
  const jump = () => actions.openChannel(message.channel_id, message.id);
  return html`<div class="pin-head">
      <img src=${avatarOfUser(author)} alt="" />
      <strong>${displayName(author)}</strong>
      <span class="panel-note">${formatPosted(Date.parse(message.timestamp), nowMs)}</span>
    </div>
    <div class="pin-text">${markdown(textOf(message), context)}</div>
    <div class="panel-buttons">
      <button class="button secondary" @click=${jump}>${words.jump}</button>
      ${
        personOf(context)?.canManage
          ? html`<button
              class="button secondary"
              @click=${() => actions.act({ do: 'unpin', channelId: message.channel_id, messageId: message.id })}
            >
              ${words.unpinMessage}
            </button>`
          : nothing
      }
    </div>`;
}
