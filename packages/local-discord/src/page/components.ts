import type {
  APIButtonComponent,
  APIComponentInContainer,
  APIMessageTopLevelComponent,
  APISelectMenuComponent,
} from 'discord-api-types/v10';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { COMPONENT } from '../server/numbers.ts';
import type { PageMessage } from '../server/page-api.ts';
import { type Context, displayName, nameOfChannel } from './context.ts';
import { icons } from './icons.ts';
import { placeLink } from './links.ts';
import { safeLink } from './markdown/inline.ts';
import { markdown } from './markdown/render.ts';
import { fileLink, gallery, thumbnail } from './media.ts';
import type { SelectOption } from './select-menu.ts';
import { componentUse, topChannels } from './state.ts';

/** A message's components, of both versions: https://discord.com/developers/docs/components/reference. */
export function components(message: PageMessage, context: Context): TemplateResult {
  return html`<div class="components">
    ${drawAll(message.components ?? [], message, context)}
  </div>`;
}

type Component = APIMessageTopLevelComponent | APIComponentInContainer;

/**
 * Draws components so that each keeps its element, and with it the focus, when an edit of the message puts others before
 * it: a row is known by its first custom_id, everything else by its place among those of its type.
 */
function drawAll(components: readonly Component[], message: PageMessage, context: Context): unknown {
  const counts = new Map<string, number>();
  return repeat(
    components,
    (component) => {
      const [first] = component.type === COMPONENT.actionRow ? component.components : [];
      const name = `${component.type} ${first && 'custom_id' in first ? first.custom_id : ''}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return `${name} ${count}`;
    },
    (component) => drawComponent(component, message, context),
  );
}

function drawComponent(component: Component, message: PageMessage, context: Context): unknown {
  switch (component.type) {
    case COMPONENT.container: {
      const colour = component.accent_color;
      const accent =
        colour === null || colour === undefined ? 'transparent' : `#${colour.toString(16).padStart(6, '0')}`;
      return html`<div class="container" style="--accent: ${accent}" ?data-accent=${accent !== 'transparent'}>
        ${drawAll(component.components, message, context)}
      </div>`;
    }
    case COMPONENT.section:
      return html`<div class="section">
        <div class="section-text">${component.components.map(({ content }) => markdown(content, context))}</div>
        ${
          component.accessory.type === COMPONENT.thumbnail
            ? thumbnail(
                { url: component.accessory.media.url, description: component.accessory.description ?? null },
                context,
              )
            : drawButton(component.accessory, message, context)
        }
      </div>`;
    case COMPONENT.textDisplay:
      return markdown(component.content, context);
    case COMPONENT.mediaGallery:
      return gallery(
        component.items.map(({ media, description }) => ({ url: media.url, description: description ?? null })),
        context,
      );
    case COMPONENT.separator:
      return html`<div
        class="separator"
        ?data-large=${component.spacing === 2}
        ?data-line=${component.divider !== false}
        role="presentation"
      ></div>`;
    case COMPONENT.file:
      return fileLink(component.file.url, component.name ?? 'File');
    case COMPONENT.actionRow:
      return html`<div class="action-row" ?data-symbols=${isOfSymbols(component.components)}>
        ${component.components.map((child) =>
          child.type === COMPONENT.button ? drawButton(child, message, context) : drawSelect(child, message, context),
        )}
      </div>`;
    default:
      return nothing;
  }
}

/** The longest label of a button in a row that stays one on a phone: `100/120`. */
const MOST_SYMBOLS = 7;

/** Whether all buttons of a row are short, as those that turn pages. */
function isOfSymbols(parts: readonly (APIButtonComponent | APISelectMenuComponent)[]): boolean {
  return parts.every((part) => 'label' in part && (part.label ?? '').length <= MOST_SYMBOLS);
}

/** CSS classes by button style: https://discord.com/developers/docs/components/reference#button-button-styles. */
const BUTTON_CLASS: Record<number, string> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger' };

function drawButton(button: APIButtonComponent, message: PageMessage, context: Context): unknown {
  if ('sku_id' in button) return nothing;
  // An emoji with an id would load a picture from Discord, so its name is shown instead.
  const emoji = button.emoji && (button.emoji.id ? `:${button.emoji.name}:` : button.emoji.name);
  const label = html`${emoji ? html`<span class="emoji">${emoji}</span>` : nothing}${
    button.label ? html`<span>${button.label}</span>` : nothing
  }`;
  if ('url' in button) {
    const href = safeLink(button.url);
    if (href === undefined || button.disabled)
      return html`<button class="button secondary" disabled>${label}${icons.launch}</button>`;
    const own = placeLink(href, context);
    if (own) return html`<a class="button secondary" href=${own.path} @click=${own.open}>${label}</a>`;
    return html`<a class="button secondary" href=${href} target="_blank" rel="noopener noreferrer"
      >${label}${icons.launch}</a
    >`;
  }
  const use = componentUse(context.view, message.id);
  const waiting = use?.customId === button.custom_id && use.outcome?.state !== 'failed';
  return html`<button
    class="button ${BUTTON_CLASS[button.style] ?? 'secondary'}"
    ?disabled=${button.disabled ?? false}
    aria-busy=${waiting ? 'true' : 'false'}
    @click=${() => !waiting && context.actions.use(message, button.custom_id)}
  >
    <span class="button-label">${label}</span>${waiting ? html`<span class="dots"><i></i><i></i><i></i></span>` : nothing}
  </button>`;
}

function drawSelect(select: APISelectMenuComponent, message: PageMessage, context: Context): TemplateResult {
  return html`<select-menu
    .options=${selectOptions(select, context)}
    .placeholder=${select.placeholder ?? 'Make a selection'}
    .minValues=${select.min_values ?? 1}
    .maxValues=${select.max_values ?? 1}
    .disabled=${select.disabled ?? false}
    @choose=${(event: CustomEvent<string[]>) => context.actions.use(message, select.custom_id, event.detail)}
  ></select-menu>`;
}

/** The options of a select menu: those of a string select, or else the server's entities of the menu's type. */
export function selectOptions(select: APISelectMenuComponent, { server }: Context): SelectOption[] {
  if ('options' in select) {
    return select.options.map(({ label, value, description, emoji, default: chosen }) => ({
      label: emoji?.name && !emoji.id ? `${emoji.name} ${label}` : label,
      value,
      description: description ?? '',
      chosen: chosen ?? false,
    }));
  }
  const preset = new Set(select.default_values?.map(({ id }) => id));
  const option = (id: string, label: string) => ({ label, value: id, description: '', chosen: preset.has(id) });
  const people = () => server.people.map(({ user }) => option(user.id, displayName(user)));
  const roles = () => server.guild.roles.map(({ id, name }) => option(id, name));
  switch (select.type) {
    case COMPONENT.channelSelect: {
      const types = select.channel_types;
      return topChannels(server.channels)
        .filter(({ type }) => !types || types.includes(type))
        .map((channel) => option(channel.id, `#${nameOfChannel(channel)}`));
    }
    case COMPONENT.userSelect:
      return people();
    case COMPONENT.roleSelect:
      return roles();
    default:
      return [...people(), ...roles()];
  }
}
