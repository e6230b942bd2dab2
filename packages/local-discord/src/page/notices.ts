import { html, nothing, type TemplateResult } from 'lit';
import { MESSAGE } from '../server/numbers.ts';
import type { PageMessage } from '../server/page-api.ts';
import { type Context, displayName, userById } from './context.ts';
import { icons } from './icons.ts';
import { formatPosted } from './markdown/time.ts';
import { messageMenu } from './message-menu.ts';
import { piecesOf, wordsOf } from './words.ts';

/** A message that Discord itself wrote, as one line. */
export function notice(data: PageMessage, context: Context): TemplateResult {
  const postedMs = Date.parse(data.timestamp);
  const shown = formatPosted(postedMs, context.nowMs);
  return html`<div
    class="notice-line"
    id=${`message-${data.id}`}
    role="article"
    tabindex="-1"
    aria-label=${`${noticeText(data, context)}, ${shown}`}
    ?data-linked=${context.view.linkedId === data.id}
  >
    ${data.type === MESSAGE.pinNotice ? icons.pin : icons.announcement}
    <p>${pinPieces(data, context)} <time datetime=${data.timestamp}>${shown}</time></p>
    ${messageMenu(data, context)}
  </div>`;
}

/** The line as text, for screen readers. */
export function noticeText(data: PageMessage, context: Pick<Context, 'server' | 'view'>): string {
  return piecesOf(textOf(data, context))
    .map((piece, index) => (index % 2 === 0 ? piece : filling(piece, data, context)))
    .join('');
}

const textOf = (data: PageMessage, context: Pick<Context, 'server' | 'view'>) =>
  data.type === MESSAGE.pinNotice ? wordsOf(context).pinned : wordsOf(context).followed;

/** What stands for a placeholder: a name, or the words themselves, which the line makes buttons. */
function filling(placeholder: string, data: PageMessage, context: Pick<Context, 'server' | 'view'>): string {
  if (placeholder === 'name') return displayName(authorOf(data, context));
  return placeholder === 'source' ? data.content : placeholder;
}

const authorOf = (data: PageMessage, { server }: Pick<Context, 'server'>) =>
  userById({ server } as Context, data.author.id) ?? data.author;

function pinPieces(data: PageMessage, context: Context): unknown[] {
  const { actions } = context;
  const { channel_id: channelId = data.channel_id, message_id: messageId = null } = data.message_reference ?? {};
  const opened = [() => actions.openChannel(channelId, messageId), () => actions.openPanel('pins')];
  return piecesOf(textOf(data, context)).map((piece, index) => {
    if (index % 2 === 0) return piece === '' ? nothing : piece;
    if (piece === 'name' || piece === 'source') return html`<strong>${filling(piece, data, context)}</strong>`;
    const open = opened.shift();
    return html`<button class="link" @click=${open}>${piece}</button>`;
  });
}
