import { html, nothing, type TemplateResult } from 'lit';
import type { PageMessage } from '../page-api.ts';
import { avatarOf } from './avatar.ts';
import { components } from './components.ts';
import { type Context, displayName, userById } from './context.ts';
import { MESSAGE_FLAG } from './discord.ts';
import { embed } from './embed.ts';
import { icons } from './icons.ts';
import { plainText } from './markdown/plain.ts';
import { markdown, parseOnce } from './markdown/render.ts';
import { formatPosted, formatTime } from './markdown/time.ts';
import { gallery } from './media.ts';
import { componentUse, type Outcome, type StartedInteraction } from './state.ts';
import { textOf } from './summary.ts';

/** A message as Discord draws it. `headless`: it goes on under the head of the one before. */
export function message(data: PageMessage, headless: boolean, context: Context): TemplateResult {
  const { author } = data;
  const postedMs = Date.parse(data.timestamp);
  const ephemeral = data.visible_to !== null;
  const loading = ((data.flags ?? 0) & MESSAGE_FLAG.loading) !== 0;
  const use = componentUse(context.view, data.id);
  const pictures = data.attachments.filter(({ content_type: type }) => type?.startsWith('image/'));
  return html`<discord-message
    id=${`message-${data.id}`}
    role="article"
    aria-label=${`${displayName(author)}, ${formatPosted(postedMs, context.nowMs)}`}
    .author=${displayName(author)}
    .avatar=${avatarOf(author.id, displayName(author))}
    .bot=${author.bot ?? false}
    .edited=${data.edited_timestamp !== null && !loading}
    .messageBodyOnly=${headless}
    ?message-body-only=${headless}
    ?data-ephemeral=${ephemeral}
    .timestamp=${headless ? formatTime(postedMs / 1000, 't', context.nowMs) : formatPosted(postedMs, context.nowMs)}
  >
    ${repliedTo(data, context)} ${loading ? thinking(displayName(author)) : nothing}
    ${data.content ? markdown(data.content, context) : nothing}
    ${pictures.length > 0 ? html`<div slot="attachments">${gallery(pictures)}</div>` : nothing}
    ${data.embeds.map((one) => embed(one, context))}
    ${data.components?.length ? html`<div slot="components">${components(data, context)}</div>` : nothing}
    ${
      use?.outcome?.state === 'failed'
        ? html`<p class="failed" slot="components">${use.outcome.problem ?? 'This interaction failed'}</p>`
        : nothing
    }
    ${ephemeral ? onlyYou(() => context.actions.dismiss(data.id)) : nothing}
  </discord-message>`;
}

/** A command on its way: the app thinks, or it never answered. */
export function pending(
  { id, personId, origin, startedMs, outcome }: StartedInteraction & { outcome: Outcome | null },
  context: Context,
): TemplateResult {
  const { bot } = context.server;
  const name = bot ? displayName(bot) : 'Dealbell';
  const failed = outcome?.state === 'failed';
  return html`<discord-message
    .author=${name}
    .avatar=${avatarOf(bot?.id ?? '', name)}
    .bot=${true}
    ?data-ephemeral=${failed}
    .timestamp=${formatPosted(startedMs, context.nowMs)}
  >
    ${usedCommand(personId, origin.type === 'command' ? origin.text : '', context)}
    ${
      failed
        ? html`<p class="failed">${icons.warning}${outcome.problem ?? 'The application did not respond'}</p>`
        : outcome
          ? thinking(name)
          : html`<p class="thinking">Sending command<span class="dots"><i></i><i></i><i></i></span></p>`
    }
    ${failed ? onlyYou(() => context.actions.dismiss(id)) : nothing}
  </discord-message>`;
}

function thinking(name: string): TemplateResult {
  return html`<p class="thinking"><span class="dots"><i></i><i></i><i></i></span> ${name} is thinking…</p>`;
}

function onlyYou(dismiss: () => void): TemplateResult {
  return html`<p class="only-you" slot="thread">
    ${icons.eye} Only you can see this • <button class="link" @click=${dismiss}>Dismiss message</button>
  </p>`;
}

function repliedTo(data: PageMessage, context: Context): unknown {
  const metadata = data.interaction_metadata;
  if (metadata && 'user' in metadata && metadata.type === 2) {
    const known = context.view.started.find(({ id }) => id === metadata.id)?.origin;
    const typed = known?.type === 'command' ? known.text : '';
    const name = data.interaction?.name ?? ('name' in metadata ? String(metadata.name) : commandName(typed));
    return usedCommand(metadata.user.id, name ? `/${name}` : 'a command', context);
  }
  const original = data.referenced_message;
  if (!original) return nothing;
  return html`<discord-reply
    slot="reply"
    .author=${displayName(original.author)}
    .avatar=${avatarOf(original.author.id, displayName(original.author))}
    .bot=${original.author.bot ?? false}
    >${plainText(parseOnce(textOf(original))).split('\n')[0]}</discord-reply
  >`;
}

function commandName(typed: string): string {
  return /^\/(\S+)/.exec(typed)?.[1] ?? '';
}

function usedCommand(personId: string, text: string, context: Context): TemplateResult {
  const user = userById(context, personId);
  const name = user ? displayName(user) : 'Someone';
  return html`<discord-command
    slot="reply"
    .author=${name}
    .avatar=${avatarOf(personId, name)}
    .type=${'slash_command'}
    .command=${text.startsWith('/') ? text.slice(1).split(' ')[0] : text}
    title=${text}
  ></discord-command>`;
}
