import { html, nothing } from 'lit';
import { COMMAND, isNotice } from '../server/numbers.ts';
import type { PageMessage } from '../server/page-api.ts';
import { pathOf } from './address.ts';
import { type Context, type MenuItem, offeredCommands, type Point, personOf } from './context.ts';
import { pointBelow, under } from './context-menu.ts';
import { icons } from './icons.ts';
import { inLanguage, localeOf } from './localized.ts';
import { reactionItem } from './reactions.ts';
import { textOf } from './summary.ts';
import { wordsOf } from './words.ts';

/** A button that opens the message's menu, for those who can't press the right mouse button. */
export function messageMenu(message: PageMessage, context: Context): unknown {
  const hasCommands = !isNotice(message) && offeredCommands(context, COMMAND.message).length > 0;
  if (!hasCommands && !canReact(message) && !canManage(message, context)) return nothing;
  return html`<button
    class="icon-button message-menu"
    aria-haspopup="menu"
    aria-label=${wordsOf(context).messageMenu}
    @click=${(event: Event) => openMessageMenu(message, context, pointBelow(event))}
  >
    ${icons.more}
  </button>`;
}

/** Opens the menu of a message: the message commands, which Discord lists under "Apps", and what can be copied. */
function openMessageMenu(message: PageMessage, context: Context, point: Point): void {
  const { actions, server } = context;
  const offered = isNotice(message) ? [] : offeredCommands(context, COMMAND.message);
  const words = wordsOf(context);
  const commands = offered.map((command) => ({
    label: inLanguage(command, localeOf(context)).name,
    choose: () => actions.runOn(message, command.name),
  }));
  const link = pathOf(server.guild.id, { channelId: message.channel_id, messageId: message.id });
  const others = [
    ...(canReact(message) ? [reactionItem(message, context, point)] : []),
    { label: words.copyText, choose: () => actions.copy(textOf(message)) },
    { label: words.copyMessageLink, choose: () => actions.copy(new URL(link, location.href).href) },
    { label: words.copyMessageId, choose: () => actions.copy(message.id) },
    ...(message.visible_to === null
      ? managing(message, context)
      : [{ label: words.dismissMessage, choose: () => actions.dismiss(message.id) }]),
  ];
  actions.openMenu(point, words.message, [...under(words.apps, commands), ...under(words.message, others)]);
}

/** Whether people may react to the message: not to one that one person alone sees, or that Discord wrote. */
function canReact(message: PageMessage): boolean {
  return message.visible_to === null && !isNotice(message);
}

/** Whether the chosen person may pin and delete the message: not one that only they see. */
function canManage(message: PageMessage, context: Context): boolean {
  return message.visible_to === null && (personOf(context)?.canManage ?? false);
}

/** What those who may manage the server can do with a message. */
function managing(message: PageMessage, context: Context): MenuItem[] {
  if (!canManage(message, context)) return [];
  const words = wordsOf(context);
  const on = { channelId: message.channel_id, messageId: message.id };
  const act = (what: 'pin' | 'unpin' | 'delete-message') => () => context.actions.act({ do: what, ...on });
  const pin = message.pinned
    ? { label: words.unpinMessage, choose: act('unpin') }
    : { label: words.pinMessage, choose: act('pin') };
  return [...(isNotice(message) ? [] : [pin]), { label: words.deleteMessage, choose: act('delete-message') }];
}

/** Opens the message's menu where the pointer is, unless the browser's own is of more use: on a link or marked text. */
export function onMessageContextMenu(event: MouseEvent, context: Context): void {
  const { target } = event;
  if (!(target instanceof Element) || target.closest('a, input, textarea')) return;
  if (event.shiftKey || getSelection()?.isCollapsed === false) return;
  const id = target.closest('discord-message, .notice-line')?.id.replace('message-', '');
  const message = context.server.messages[context.view.channelId]?.find((one) => one.id === id);
  if (!message) return;
  event.preventDefault();
  openMessageMenu(message, context, { x: event.clientX, y: event.clientY });
}
