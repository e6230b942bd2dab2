import { html, nothing } from 'lit';
import { COMMAND } from '../server/numbers.ts';
import type { PageMessage } from '../server/page-api.ts';
import { pathOf } from './address.ts';
import { type Context, type MenuItem, offeredCommands, type Point } from './context.ts';
import { pointBelow } from './context-menu.ts';
import { icons } from './icons.ts';
import { textOf } from './summary.ts';

/** A button that opens the message's menu, for those who can't press the right mouse button. */
export function messageMenu(message: PageMessage, context: Context): unknown {
  if (offeredCommands(context, COMMAND.message).length === 0) return nothing;
  return html`<button
    class="icon-button message-menu"
    aria-haspopup="menu"
    aria-label="Apps for this message"
    @click=${(event: Event) => openMessageMenu(message, context, pointBelow(event))}
  >
    ${icons.apps}
  </button>`;
}

/** Opens the menu of a message: the message commands, which Discord lists under "Apps", and what can be copied. */
function openMessageMenu(message: PageMessage, context: Context, point: Point): void {
  const { actions, server } = context;
  const commands = offeredCommands(context, COMMAND.message).map(({ name }, index) => ({
    label: name,
    choose: () => actions.runOn(message, name),
    ...(index === 0 && { heading: 'Apps' }),
  }));
  const link = pathOf(server.guild.id, { channelId: message.channel_id, messageId: message.id });
  const others: MenuItem[] = [
    { label: 'Copy Text', choose: () => actions.copy(textOf(message)), heading: 'Message' },
    { label: 'Copy Message Link', choose: () => actions.copy(new URL(link, location.href).href) },
    { label: 'Copy Message ID', choose: () => actions.copy(message.id) },
  ];
  if (message.visible_to !== null) {
    others.push({ label: 'Dismiss Message', choose: () => actions.dismiss(message.id) });
  }
  actions.openMenu(point, 'Message', [...commands, ...others]);
}

/** Opens the message's menu where the pointer is, unless the browser's own is of more use: on a link or marked text. */
export function onMessageContextMenu(event: MouseEvent, context: Context): void {
  const { target } = event;
  if (!(target instanceof Element) || target.closest('a, input, textarea')) return;
  if (event.shiftKey || getSelection()?.isCollapsed === false) return;
  const id = target.closest('discord-message')?.id.replace('message-', '');
  const message = context.server.messages[context.view.channelId]?.find((one) => one.id === id);
  if (!message) return;
  event.preventDefault();
  openMessageMenu(message, context, { x: event.clientX, y: event.clientY });
}
