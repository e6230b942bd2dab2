import type { APIEmbed } from 'discord-api-types/v10';
import { html, nothing, type TemplateResult } from 'lit';
import type { Context } from './context.ts';
import { safeLink } from './markdown/inline.ts';
import { markdown } from './markdown/render.ts';
import { formatPosted } from './markdown/time.ts';

/** A classic embed: https://discord.com/developers/docs/resources/message#embed-object. */
export function embed(data: APIEmbed, context: Context): TemplateResult {
  const colour = data.color === undefined ? undefined : `#${data.color.toString(16).padStart(6, '0')}`;
  const posted = data.timestamp ? formatPosted(Date.parse(data.timestamp), context.nowMs) : '';
  const footer = [data.footer?.text, posted].filter(Boolean).join(' • ');
  return html`<discord-embed
    slot="embeds"
    .color=${colour}
    .embedTitle=${withoutEmoji(data.title)}
    .url=${safeLink(data.url ?? '') ?? ''}
    .authorName=${withoutEmoji(data.author?.name)}
    .authorUrl=${safeLink(data.author?.url ?? '')}
    .authorImage=${safeLink(data.author?.icon_url ?? '')}
    .image=${safeLink(data.image?.url ?? '')}
    .thumbnail=${safeLink(data.thumbnail?.url ?? '')}
  >
    ${
      data.description
        ? html`<discord-embed-description slot="description"
          >${markdown(data.description, context)}</discord-embed-description
        >`
        : nothing
    }
    ${
      data.fields?.length
        ? html`<div class="embed-fields" slot="fields">
          ${data.fields.map(
            (field) => html`<div ?data-inline=${field.inline ?? false}>
              <div class="embed-field-name">${markdown(field.name, context)}</div>
              ${markdown(field.value, context)}
            </div>`,
          )}
        </div>`
        : nothing
    }
    ${footer ? html`<discord-embed-footer slot="footer">${footer}</discord-embed-footer>` : nothing}
  </discord-embed>`;
}

/** The embed element would load an emoji's picture from Discord, so the emoji's name replaces it. */
function withoutEmoji(text = ''): string {
  return text.replaceAll(/<a?:(\w{2,32}):\d{17,21}>?/g, ':$1:');
}
