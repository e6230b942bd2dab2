import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIButtonComponentWithURL,
  type APIComponentInContainer,
  type APIContainerComponent,
  type APIMediaGalleryComponent,
  type APIRoleSelectComponent,
  type APISectionComponent,
  type APISelectMenuOption,
  type APISeparatorComponent,
  type APIStringSelectComponent,
  type APITextDisplayComponent,
  ButtonStyle,
  ComponentType,
  SelectMenuDefaultValueType,
  SeparatorSpacingSize,
} from 'discord-api-types/v10';
import type { Photo } from '../../deals/offer.ts';
import { type Action, encodeAction, encodeMarked } from '../custom-id.ts';
import { clamp, LIMITS } from '../limits.ts';
import { clampMarkdown, link, safeUrl } from '../markdown.ts';

/** What a message shows: components of the second generation, without the message around them. */
export interface Card {
  components: APIContainerComponent[];
}

type CardButton = APIButtonComponentWithURL | APIButtonComponentWithCustomId;

/** A card of the parts there are. Text that is more than a message holds is cut where there is most of it. */
export function card(accentColor: number, parts: readonly (APIComponentInContainer | null)[]): Card {
  const components = parts.filter((part) => part !== null);
  return fitting({ components: [{ type: ComponentType.Container, accent_color: accentColor, components }] });
}

/** Several cards as one message. */
export function together(...cards: readonly Card[]): Card {
  return fitting({ components: cards.flatMap(({ components }) => components) });
}

function fitting(whole: Card): Card {
  const texts = whole.components.flatMap(({ components }) => components.flatMap(textsIn));
  let excess = texts.reduce((sum, { content }) => sum + content.length, 0) - LIMITS.cardText;
  while (excess > 0) {
    const longest = texts.reduce((a, b) => (b.content.length > a.content.length ? b : a));
    const cut = clampMarkdown(longest.content, Math.max(1, longest.content.length - excess));
    excess -= longest.content.length - cut.length;
    longest.content = cut;
  }
  return whole;
}

function textsIn(part: APIComponentInContainer): APITextDisplayComponent[] {
  if (part.type === ComponentType.TextDisplay) return [part];
  return part.type === ComponentType.Section ? part.components : [];
}

/** Takes Markdown that is already safe. */
export function text(content: string): APITextDisplayComponent {
  return { type: ComponentType.TextDisplay, content };
}

/** The heading of a thing: a link to it, struck out where it is over. Takes foreign text. */
export function titleLine(title: string, address: string | null, isOver: boolean, mark = '###'): string {
  return `${mark} ${linkedTitle(title, address, isOver)}`;
}

/** The same without the heading's mark. */
export function linkedTitle(title: string, address: string | null, isOver: boolean): string {
  const linked = link(title, address);
  return isOver ? `~~${linked}~~` : linked;
}

/** `-# Dealcast · 12 views`: what is known of the parts, in small. */
export function smallLine(parts: readonly (string | null | undefined)[]): string {
  return `-# ${parts.filter((part) => part !== null && part !== undefined && part !== '').join(' · ')}`;
}

/** Lines of Markdown beside a picture; just the lines where there is no picture. */
export function pictured(
  lines: readonly (string | null)[],
  picture: string | null,
  description: string,
): APISectionComponent | APITextDisplayComponent {
  const content = text(lines.filter((line) => line !== null).join('\n'));
  const url = safeUrl(picture);
  if (url === null) return content;
  return {
    type: ComponentType.Section,
    components: [content],
    accessory: {
      type: ComponentType.Thumbnail,
      media: { url },
      description: clamp(description, LIMITS.mediaDescription),
    },
  };
}

/** Up to ten pictures, or null for none. */
export function gallery(photos: readonly Photo[], description: string): APIMediaGalleryComponent | null {
  const urls = new Set(photos.map((photo) => safeUrl(photo.url)).filter((url) => url !== null));
  if (urls.size === 0) return null;
  return {
    type: ComponentType.MediaGallery,
    items: [...urls].slice(0, LIMITS.galleryItems).map((url) => ({
      media: { url },
      description: clamp(description, LIMITS.mediaDescription),
    })),
  };
}

export function separator(): APISeparatorComponent {
  return { type: ComponentType.Separator, divider: true, spacing: SeparatorSpacingSize.Small };
}

/** A row of the buttons there are, or null for none. */
export function buttons(row: readonly (CardButton | null)[]): APIActionRowComponent<CardButton> | null {
  const components = row.filter((button) => button !== null);
  return components.length > 0 ? { type: ComponentType.ActionRow, components } : null;
}

/** A button that opens an address, or null where the address is none that Discord takes. */
export function linkButton(label: string, address: string | null): APIButtonComponentWithURL | null {
  const url = safeUrl(address);
  if (url === null || url.length > LIMITS.buttonUrl) return null;
  return { type: ComponentType.Button, style: ButtonStyle.Link, label: clamp(label, LIMITS.buttonLabel), url };
}

export function actionButton(label: string, action: Action, disabled = false): APIButtonComponentWithCustomId {
  return {
    type: ComponentType.Button,
    style: ButtonStyle.Secondary,
    label: clamp(label, LIMITS.buttonLabel),
    custom_id: encodeAction(action),
    disabled,
  };
}

/** As `actionButton`, for a message on which more than one button may do the same. */
export function markedButton(
  mark: string,
  label: string,
  action: Action,
  disabled = false,
): APIButtonComponentWithCustomId {
  return { ...actionButton(label, action, disabled), custom_id: encodeMarked(mark, action) };
}

/** What a menu offers; at most one is chosen. */
export interface Choice {
  label: string;
  description?: string;
  action: Action;
  isChosen: boolean;
}

/** A menu of at most 25 choices that are all different, or null for less than two. `name` tells it from the message's others. */
export function menu(
  name: string,
  placeholder: string,
  choices: readonly Choice[],
): APIActionRowComponent<APIStringSelectComponent> | null {
  if (choices.length < 2) return null;
  return {
    type: ComponentType.ActionRow,
    components: [
      {
        type: ComponentType.StringSelect,
        custom_id: `menu:${name}`,
        placeholder: clamp(placeholder, LIMITS.menuPlaceholder),
        options: choices.slice(0, LIMITS.menuOptions).map(menuOption),
      },
    ],
  };
}

/** Says only what is not so anyway: a page of a list has thirty of them. */
function menuOption({ label, description, action, isChosen }: Choice): APISelectMenuOption {
  const option: APISelectMenuOption = { label: clamp(label, LIMITS.menuLabel), value: encodeAction(action) };
  if (description) option.description = clamp(description, LIMITS.menuLabel);
  if (isChosen) option.default = true;
  return option;
}

/** One of what a menu lets a person choose as many of as they like. */
export interface Option {
  label: string;
  /** What the action is told. */
  value: string;
  isChosen: boolean;
}

/** A menu of at most 25 options, whose action takes all that are chosen. @param least how many have to be */
export function optionsMenu(
  action: Action,
  placeholder: string,
  options: readonly Option[],
  { least, most }: { least: number; most: number },
): APIActionRowComponent<APIStringSelectComponent> {
  const offered = options.slice(0, LIMITS.menuOptions);
  return {
    type: ComponentType.ActionRow,
    components: [
      {
        type: ComponentType.StringSelect,
        custom_id: encodeAction(action),
        placeholder: clamp(placeholder, LIMITS.menuPlaceholder),
        min_values: least,
        max_values: Math.min(most, offered.length),
        options: offered.map(({ label, value, isChosen }) => ({
          label: clamp(label, LIMITS.menuLabel),
          value,
          default: isChosen,
        })),
      },
    ],
  };
}

/** A menu of the server's roles, of which one or none is chosen. */
export function roleMenu(
  action: Action,
  placeholder: string,
  roleId: string | null,
): APIActionRowComponent<APIRoleSelectComponent> {
  return {
    type: ComponentType.ActionRow,
    components: [
      {
        type: ComponentType.RoleSelect,
        custom_id: encodeAction(action),
        placeholder: clamp(placeholder, LIMITS.menuPlaceholder),
        min_values: 0,
        max_values: 1,
        ...(roleId !== null && { default_values: [{ id: roleId, type: SelectMenuDefaultValueType.Role }] }),
      },
    ],
  };
}
