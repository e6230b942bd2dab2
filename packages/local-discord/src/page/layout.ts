import type { APIChannel } from 'discord-api-types/v10';
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import { CHANNEL, isNotice, MESSAGE_FLAG } from '../server/numbers.ts';
import type { SubmitModal } from '../server/page-api.ts';
import { ProblemError } from './api.ts';
import { appearanceItems } from './appearance.ts';
import { channelIcon, channelList, forum, serverRail } from './channels.ts';
import type { CommandComposer } from './composer.ts';
import {
  type Actions,
  type Context,
  channelById,
  displayName,
  nameOfChannel,
  titleOfChannel,
  userById,
} from './context.ts';
import { pointBelow } from './context-menu.ts';
import { languageItems } from './demo/languages.ts';
import { demoNotice } from './demo/panel.ts';
import { thingsToTry } from './demo/tour.ts';
import { followButton } from './following.ts';
import { icons } from './icons.ts';
import { walkMessages } from './keyboard.ts';
import { localeOf } from './localized.ts';
import { members } from './members.ts';
import { message, pending } from './message.ts';
import { onMessageContextMenu } from './message-menu.ts';
import { ModalDialog } from './modal.ts';
import { notice } from './notices.ts';
import { panelOf } from './panels.ts';
import {
  componentUse,
  currentModal,
  isThread,
  pendingCommands,
  TYPING_MS,
  type View,
  visibleMessages,
} from './state.ts';
import { type MessageRow, type Row, timelineOf } from './timeline.ts';
import { filled, wordsOf } from './words.ts';

/** Renders the whole page. */
export function drawPage(view: View, nowMs: number, actions: Actions, run: CommandComposer['run']): TemplateResult {
  if (!view.server) {
    return html`<p class="loading">${view.connection === 'connecting' ? 'Connecting…' : 'Reconnecting…'}</p>`;
  }
  const context: Context = { view, server: view.server, nowMs, actions };
  const channel = channelById(context, view.channelId);
  return html`
    ${view.connection === 'reconnecting' ? html`<p class="banner" role="status">Reconnecting…</p>` : nothing}
    <a class="skip" href="#messages" @click=${skipToMessages}>Skip to messages</a>
    ${demoNotice(context)}
    <div class="app">
      <div class="sidebar" id="drawer" popover="auto">${serverRail(context)}${channelList(context)}</div>
      <main class="main">
        ${channelHeader(channel, context)}
        <div class="body">
          <div class="chat">
            ${keyed(view.channelId, conversation(channel, context))}
            ${
              view.below > 0
                ? html`<button class="pill" @click=${actions.jumpToNewest}>
                  ${view.below} new ${view.below === 1 ? 'message' : 'messages'} ${icons.down}
                </button>`
                : nothing
            }
            ${
              view.notice
                ? html`<p class="notice" role="alert">
                  ${icons.warning} <span>${view.notice}</span>
                  <button class="icon-button" aria-label="Close" @click=${actions.closeNotice}>${icons.close}</button>
                </p>`
                : nothing
            }
            ${typingLine(context)}
            ${
              channel?.type === CHANNEL.forum
                ? html`<p class="forum-note">Open a post, or another channel, to use slash commands.</p>`
                : html`${thingsToTry(context, run)}<command-composer .context=${context} .run=${run}></command-composer>`
            }
          </div>
          ${members(context)}
          <demo-panel .context=${context}></demo-panel>
        </div>
        <context-menu></context-menu>
      </main>
    </div>
    ${modalOf(context)} ${panelOf(context)}
    <picture-lightbox></picture-lightbox>
  `;
}

function skipToMessages(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#messages')?.focus();
}

/** The title of the browser's tab: the number of unread messages, the open channel, and the bot. */
export function titleOf({ server, channelId, unread, below }: View): string {
  const count = Object.values(unread).reduce((sum, each) => sum + each, below);
  const channel = server?.channels.find(({ id }) => id === channelId);
  return `${count > 0 ? `(${count}) ` : ''}${channel ? `${titleOfChannel(channel, server?.botName)} · ` : ''}${server?.botName ?? 'Local Discord'}`;
}

function channelHeader(channel: APIChannel | undefined, context: Context): TemplateResult {
  const { actions, server } = context;
  const topic = channel && 'topic' in channel ? channel.topic : undefined;
  const parent =
    channel && isThread(channel) && 'parent_id' in channel
      ? server.channels.find(({ id }) => id === channel.parent_id)
      : undefined;
  return html`<header class="header">
    <button class="icon-button menu" popovertarget="drawer" aria-label="Channels">${icons.menu}</button>
    ${
      parent
        ? html`<button class="crumb" @click=${() => actions.openChannel(parent.id)}>
            ${channelIcon(parent)}${nameOfChannel(parent)}</button
          ><span class="crumb-arrow" aria-hidden="true">›</span>`
        : nothing
    }
    ${channel ? channelIcon(channel) : nothing}
    <h1>${channel ? nameOfChannel(channel, server.botName) : 'No channel'}</h1>
    <span class="topic" title=${topic ?? ''}>${topic ?? ''}</span>
    <span class="header-end">${followButton(channel, context)}</span>
    ${channel && channel.type !== CHANNEL.forum ? panelButton('pins', icons.pin, context) : nothing}
    ${server.demo ? nothing : panelButton('requests', icons.log, context)}
    <button
      class="icon-button"
      aria-haspopup="menu"
      aria-label=${server.demo ? 'Appearance and language' : 'Appearance'}
      title=${server.demo ? 'Appearance and language' : 'Appearance'}
      @click=${(event: Event) =>
        actions.openMenu(pointBelow(event), 'Appearance', [...appearanceItems(), ...languageItems(context)])}
    >
      ${icons.appearance}
    </button>
  </header>`;
}

/** Who is typing in the open channel. */
function typingLine(context: Context): TemplateResult {
  const { view, nowMs } = context;
  const last = view.typing[view.channelId];
  const user = last && nowMs - last.atMs < TYPING_MS ? userById(context, last.userId) : undefined;
  return html`<p class="typing" role="status">${user ? filled(wordsOf(context).typing, displayName(user)) : nothing}</p>`;
}

function panelButton(panel: 'pins' | 'requests', icon: unknown, context: Context): TemplateResult {
  const label = wordsOf(context)[panel];
  return html`<button
    class="icon-button"
    aria-haspopup="dialog"
    aria-label=${label}
    title=${label}
    @click=${() => context.actions.openPanel(panel)}
  >
    ${icon}
  </button>`;
}

function conversation(channel: APIChannel | undefined, context: Context): TemplateResult {
  if (channel?.type === CHANNEL.forum) {
    return html`<div class="conversation" id="messages" tabindex="0" role="region" aria-label="Posts">${forum(channel, context)}</div>`;
  }
  const { view, actions } = context;
  const all = visibleMessages(view);
  const shown = all.slice(-view.limit);
  const rows = timelineOf(shown, pendingCommands(view), view.firstUnreadId);
  return html`<div
    class="conversation"
    id="messages"
    tabindex="0"
    role="region"
    aria-label="Messages"
    @keydown=${(event: KeyboardEvent) => walkMessages(event, actions.focusComposer)}
    @contextmenu=${(event: MouseEvent) => onMessageContextMenu(event, context)}
  >
    <div class="conversation-content">
      ${
        all.length > shown.length
          ? html`<button class="button plain earlier" @click=${actions.showEarlier}>Show earlier messages</button>`
          : channelBeginning(channel, all.length, context.server.botName)
      }
      <discord-messages no-background>
        ${repeat(
          rows,
          ({ key }) => key,
          (row) => drawRow(row, context),
        )}
      </discord-messages>
    </div>
  </div>`;
}

/**
 * Everything that a message's look depends on besides itself. Where none of it has changed, the message is not drawn again; relative
 * times are renewed without that (markdown/render.ts).
 */
function dependenciesOf(
  { message: { id, flags, interaction_metadata: used } }: MessageRow,
  context: Context,
): unknown[] {
  const { view, server, nowMs } = context;
  const isLoading = ((flags ?? 0) & MESSAGE_FLAG.loading) !== 0;
  const { customId, outcome } = componentUse(view, id) ?? {};
  return [
    server.guild,
    server.channels,
    server.people,
    server.bot,
    server.commands,
    view.personId,
    view.started,
    view.linkedId === id,
    view.outcomes[used?.id ?? ''],
    customId,
    outcome,
    localeOf(context),
    // The header says "Yesterday" after midnight, and an answer that never comes is late after some minutes.
    isLoading ? nowMs : new Date(nowMs).getDate(),
  ];
}

function drawRow(row: Row, context: Context): unknown {
  if (row.type === 'message') {
    const dependencies = [row.message, row.headless, ...dependenciesOf(row, context)];
    const draw = () =>
      isNotice(row.message) ? notice(row.message, context) : message(row.message, row.headless, context);
    return guard(dependencies, draw);
  }
  if (row.type === 'pending') return pending(row.command, context);
  if (row.type === 'day') return html`<div class="day" role="separator"><span>${row.label}</span></div>`;
  return html`<div class="day new" role="separator"><span>New</span></div>`;
}

function channelBeginning(channel: APIChannel | undefined, count: number, botName: string): TemplateResult {
  const name = channel ? titleOfChannel(channel, botName) : '';
  return html`<div class="beginning">
    <div class="empty-icon">${channel ? channelIcon(channel) : icons.bell}</div>
    <h2>${channel && isThread(channel) ? name : `Welcome to ${name}!`}</h2>
    <p>
      ${
        count === 0
          ? 'Announcements will ring here. Type / below to ask for deals or to subscribe this channel.'
          : `This is the start of ${channel && isThread(channel) ? 'this post' : `the ${name} channel`}.`
      }
    </p>
  </div>`;
}

function modalOf(context: Context): unknown {
  const open = currentModal(context.view);
  if (!open) return nothing;
  const submit = (event: CustomEvent<SubmitModal['values']>) => {
    const dialog = event.target;
    context.actions.submitModal(open, event.detail).catch((error: unknown) => {
      if (!(dialog instanceof ModalDialog)) return;
      dialog.problem = error instanceof ProblemError ? error.message : 'Something went wrong. Try again.';
    });
  };
  return keyed(
    open.interactionId,
    html`<modal-dialog
      .modal=${open}
      .context=${context}
      @submit-modal=${submit}
      @close-modal=${() => context.actions.closeModal(open.interactionId)}
    ></modal-dialog>`,
  );
}
