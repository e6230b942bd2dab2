import { html, nothing } from 'lit';
import type { PageMessage } from '../server/page-api.ts';
import { type Context, displayName, type MenuItem, type Point, userById } from './context.ts';
import { pointBelow } from './context-menu.ts';
import { icons } from './icons.ts';
import { wordsOf } from './words.ts';

/** The emojis that a person is offered. */
const OFFERED = ['👍', '❤️', '😂', '🎉', '🔥', '👀', '👎'];

/** The reactions below a message: each is a button by which the chosen person reacts, too, or takes that back. */
export function reactions(message: PageMessage, context: Context): unknown {
  const all = Object.entries(message.reactors ?? {});
  if (all.length === 0) return nothing;
  const { view, actions } = context;
  const on = { channelId: message.channel_id, messageId: message.id };
  return html`<div class="reactions" slot="reactions">
    ${all.map(([emoji, ids]) => {
      const isOwn = ids.includes(view.personId);
      const act = () => actions.act({ do: isOwn ? 'take-back-reaction' : 'react', ...on, emoji });
      return html`<button class="reaction" aria-pressed=${isOwn} title=${namesOf(ids, context)} @click=${act}>
        ${shownEmoji(emoji)} <span>${ids.length}</span>
      </button>`;
    })}
    <button
      class="reaction"
      aria-haspopup="menu"
      aria-label=${wordsOf(context).addReaction}
      @click=${(event: Event) => openReactions(message, context, pointBelow(event))}
    >
      ${icons.add}
    </button>
  </div>`;
}

/** The item of a message's menu that offers the emojis. */
export function reactionItem(message: PageMessage, context: Context, point: Point): MenuItem {
  return { label: wordsOf(context).addReaction, choose: () => openReactions(message, context, point) };
}

function openReactions(message: PageMessage, { actions, ...context }: Context, point: Point): void {
  const on = { channelId: message.channel_id, messageId: message.id };
  const items = OFFERED.map((emoji) => ({ label: emoji, choose: () => actions.act({ do: 'react', ...on, emoji }) }));
  actions.openMenu(point, wordsOf(context).addReaction, items);
}

function namesOf(ids: readonly string[], context: Context): string {
  return ids
    .flatMap((id) => userById(context, id) ?? [])
    .map(displayName)
    .join(', ');
}

/** A server's own emoji shows as its name, since the page has no picture of it. */
function shownEmoji(key: string): string {
  const [name, id] = key.split(':');
  return id === undefined ? key : `:${name}:`;
}
