import type { APIApplicationCommandInteractionMetadata } from 'discord-api-types/v10';
import { html, nothing, type TemplateResult } from 'lit';
import { readCommandText } from '../server/command-line/text.ts';
import { MESSAGE, MESSAGE_FLAG } from '../server/numbers.ts';
import { hasPoll, type PageMessage } from '../server/page-api.ts';
import { avatarOf } from './avatar.ts';
import { components } from './components.ts';
import { avatarOfUser, type Context, displayName, userById } from './context.ts';
import { embed } from './embed.ts';
import { icons } from './icons.ts';
import { plainText } from './markdown/plain.ts';
import { markdown, parseOnce } from './markdown/render.ts';
import { formatPosted, formatTime } from './markdown/time.ts';
import { fileLink, gallery } from './media.ts';
import { messageMenu } from './message-menu.ts';
import { poll, pollResult } from './poll.ts';
import { reactions } from './reactions.ts';
import { componentUse, type Outcome, type PendingCommand } from './state.ts';
import { textOf } from './summary.ts';
import { filled, wordsOf } from './words.ts';

/** A no-break space: the element puts none between a name and the tag SERVER. */
const BEFORE_TAG = '\u00a0';

/** A message as Discord renders it. `headless` leaves out the header when the message continues the one before. */
export function message(data: PageMessage, headless: boolean, context: Context): TemplateResult {
  const author = userById(context, data.author.id) ?? data.author;
  const postedMs = Date.parse(data.timestamp);
  const ephemeral = data.visible_to !== null;
  const loading = ((data.flags ?? 0) & MESSAGE_FLAG.loading) !== 0;
  const edited = data.edited_timestamp !== null && !loading;
  const isCrosspost = ((data.flags ?? 0) & MESSAGE_FLAG.isCrosspost) !== 0;
  const use = componentUse(context.view, data.id);
  // Where a message is of components, those show its files.
  const isOfComponents = ((data.flags ?? 0) & MESSAGE_FLAG.componentsV2) !== 0;
  const attachments = isOfComponents ? [] : data.attachments;
  const pictures = attachments.filter(({ content_type: type }) => type?.startsWith('image/'));
  const files = attachments.filter((file) => !pictures.includes(file));
  const embedsHidden = ((data.flags ?? 0) & MESSAGE_FLAG.suppressEmbeds) !== 0;
  const isResult = data.type === MESSAGE.pollResult;
  return html`<discord-message
    id=${`message-${data.id}`}
    role="article"
    tabindex="-1"
    aria-label=${`${displayName(author)}, ${formatPosted(postedMs, context.nowMs)}`}
    ?data-linked=${context.view.linkedId === data.id}
    @pointerover=${(event: Event) => showWholeTime(event, postedMs)}
    .author=${isCrosspost ? `${displayName(author)}${BEFORE_TAG}` : displayName(author)}
    .avatar=${avatarOfUser(author)}
    .bot=${(author.bot ?? false) && !isCrosspost}
    .server=${isCrosspost}
    .edited=${edited && data.content !== ''}
    .messageBodyOnly=${headless}
    ?message-body-only=${headless}
    ?data-ephemeral=${ephemeral}
    .timestamp=${headless ? formatTime(postedMs / 1000, 't', context.nowMs) : formatPosted(postedMs, context.nowMs)}
  >
    ${repliedTo(data, context)} ${messageMenu(data, context)} ${loading ? loadingState(data, context) : nothing}
    ${data.content ? markdown(data.content, context) : nothing}
    ${pictures.length > 0 ? html`<div slot="attachments">${gallery(pictures, context)}</div>` : nothing}
    ${files.length > 0 ? html`<div class="files" slot="attachments">${files.map(({ url, filename }) => fileLink(url, filename))}</div>` : nothing}
    ${isResult ? pollResult(data, context) : nothing}
    ${embedsHidden || isResult ? nothing : data.embeds.map((one) => embed(one, context))}
    ${data.components?.length ? html`<div slot="components">${components(data, context)}</div>` : nothing}
    ${hasPoll(data) ? poll(data, context) : nothing}
    ${
      use?.outcome?.state === 'failed'
        ? html`<p class="failed" slot="components">${use.outcome.problem ?? wordsOf(context).failed}</p>`
        : nothing
    }
    ${reactions(data, context)}
    ${edited && data.content === '' ? html`<span class="edited" slot="thread">${wordsOf(context).edited}</span>` : nothing}
    ${ephemeral ? onlyYou(() => context.actions.dismiss(data.id), context) : nothing}
  </discord-message>`;
}

/** Tells the whole date and time when the pointer rests on the time in a message's header. */
function showWholeTime(event: Event, postedMs: number): void {
  // The header stands in the shadow tree of the message's element.
  const [over] = event.composedPath();
  if (over instanceof HTMLTimeElement) over.title = formatTime(postedMs / 1000, 'F', postedMs);
}

/** Time that an app has for its answer after it has deferred it, in milliseconds. */
const ANSWER_WITHIN_MS = 15 * 60 * 1000;

function loadingState(data: PageMessage, context: Context): TemplateResult {
  const { view, nowMs } = context;
  const outcome = view.outcomes[data.interaction_metadata?.id ?? ''];
  const late = nowMs - Date.parse(data.timestamp) > ANSWER_WITHIN_MS;
  return outcome?.state === 'failed' || late ? noAnswer(outcome, context) : thinking(displayName(data.author), context);
}

function noAnswer(outcome: Outcome | undefined, context: Context): TemplateResult {
  return html`<p class="failed">${icons.warning}${outcome?.problem ?? wordsOf(context).noAnswer}</p>`;
}

/** A command without an answer: the app is thinking, or it never answered. */
export function pending(
  { id, personId, origin, startedMs, outcome }: PendingCommand,
  context: Context,
): TemplateResult {
  const { bot, botName } = context.server;
  const name = bot ? displayName(bot) : botName;
  const failed = outcome?.state === 'failed';
  return html`<discord-message
    .author=${name}
    .avatar=${bot ? avatarOfUser(bot) : avatarOf({ id: '', name, bot: true })}
    .bot=${true}
    ?data-ephemeral=${failed}
    .timestamp=${formatPosted(startedMs, context.nowMs)}
  >
    ${usedCommand(personId, origin.type === 'command' ? commandName(origin.text) : '', context)}
    ${
      failed
        ? noAnswer(outcome, context)
        : outcome
          ? thinking(name, context)
          : html`<p class="thinking">${wordsOf(context).sending} <span class="dots"><i></i><i></i><i></i></span></p>`
    }
    ${failed ? onlyYou(() => context.actions.dismiss(id), context) : nothing}
  </discord-message>`;
}

function thinking(name: string, context: Context): TemplateResult {
  return html`<p class="thinking"><span class="dots"><i></i><i></i><i></i></span> ${filled(wordsOf(context).thinking, name)}</p>`;
}

function onlyYou(dismiss: () => void, context: Context): TemplateResult {
  const words = wordsOf(context);
  return html`<p class="only-you" slot="thread">
    ${icons.eye} ${words.onlyYou} • <button class="link" @click=${dismiss}>${words.dismissThis}</button>
  </p>`;
}

function repliedTo(data: PageMessage, context: Context): unknown {
  const metadata = data.interaction_metadata;
  if (metadata && 'user' in metadata && metadata.type === 2) {
    const known = context.view.started.find(({ id }) => id === metadata.id)?.origin;
    const typed = known?.type === 'command' ? known.text : '';
    const name = data.interaction?.name ?? ('name' in metadata ? String(metadata.name) : commandName(typed));
    if (data.type === MESSAGE.contextMenuCommand) return usedMenu(metadata, name, data.channel_id, context);
    return usedCommand(metadata.user.id, name || 'a command', context);
  }
  if (data.type !== MESSAGE.reply) return nothing;
  const { channel_id: channelId = '', message_id: originalId } = data.message_reference ?? {};
  const original = data.referenced_message ?? context.server.messages[channelId]?.find(({ id }) => id === originalId);
  if (!original) return nothing;
  return html`<discord-reply
    slot="reply"
    .author=${displayName(original.author)}
    .avatar=${avatarOfUser(original.author)}
    .bot=${original.author.bot ?? false}
    >${plainText(parseOnce(textOf(original)), context.nowMs).split('\n')[0]}</discord-reply
  >`;
}

function commandName(typed: string): string {
  return readCommandText(typed)
    .names.map(({ text }) => text)
    .join(' ');
}

function usedCommand(personId: string, name: string, context: Context): TemplateResult {
  const author = nameOf(personId, context);
  return html`<discord-command
    slot="reply"
    .author=${author}
    .avatar=${avatarOf({ id: personId, name: author, bot: false })}
    .type=${'slash_command'}
    .command=${name}
  ></discord-command>`;
}

/** The header line for a command from a menu: the person, the command, and the message or the person it was used on. */
function usedMenu(
  metadata: APIApplicationCommandInteractionMetadata,
  name: string,
  channelId: string,
  context: Context,
): TemplateResult {
  const author = nameOf(metadata.user.id, context);
  const targetId = 'target_message_id' in metadata ? metadata.target_message_id : undefined;
  const message = context.server.messages[channelId]?.find(({ id }) => id === targetId);
  const user = 'target_user' in metadata ? metadata.target_user : message?.author;
  return html`<discord-command
    slot="reply"
    .author=${author}
    .avatar=${avatarOf({ id: metadata.user.id, name: author, bot: false })}
    .type=${'target_user' in metadata ? 'user_command' : 'message_command'}
    .command=${name}
    .contextUserName=${user ? displayName(user) : ''}
    .contextUserAvatar=${user ? avatarOfUser(user) : ''}
    .contextUserBot=${user?.bot ?? false}
    .contextMessageDeleted=${user === undefined}
  ></discord-command>`;
}

function nameOf(personId: string, context: Context): string {
  const user = userById(context, personId);
  return user ? displayName(user) : 'Someone';
}
