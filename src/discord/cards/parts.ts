import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIButtonComponentWithCustomId,
  type APIButtonComponentWithURL,
  type APIChannelSelectComponent,
  type APIComponentInContainer,
  type APIContainerComponent,
  type APIFileComponent,
  type APIMediaGalleryComponent,
  type APIRoleSelectComponent,
  type APISectionComponent,
  type APISelectMenuOption,
  type APISeparatorComponent,
  type APIStringSelectComponent,
  type APITextDisplayComponent,
  ButtonStyle,
  type ChannelType,
  ComponentType,
  SelectMenuDefaultValueType,
  SeparatorSpacingSize,
} from 'discord-api-types/v10';
import type { FeatureKind } from '../../announcements/kinds/kind.ts';
import type { DealEvent } from '../../deals/event.ts';
import type { OfferDetail, Photo } from '../../deals/offer.ts';
import { type AnyAction, encodeAction, encodeMarked } from '../custom-id.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp, LIMITS } from '../limits.ts';
import { clampMarkdown, link, safeUrl } from '../markdown.ts';
import { ACCENT } from './accent.ts';

/** The content of a message: version 2 components, without the message itself. A text stands above the card. */
export interface Card {
  components: (APITextDisplayComponent | APIContainerComponent | APIFileComponent)[];
  /** Files that the message carries. A component shows each. */
  files?: readonly CardFile[];
}

export interface CardFile {
  name: string;
  content: Buffer;
}

/** The reader and the time of a card. */
export interface CardContext {
  translator: Translator;
  nowMs: number;
  /** Features' buttons on cards of an offer, in their order; absent: none. */
  offerButtons?: readonly OfferButtons[];
  /** Features' kinds of announcement, on cards that can show one; absent: none. */
  kinds?: readonly FeatureKind[];
}

/** A card of an offer, to which features add buttons. */
export interface OfferOnCard {
  offerId: string;
  /** As a whole, or in short that it was sold out or has ended: only what was sold out may come back under its id. */
  shownAs: 'whole' | 'sold-out' | 'ended';
  /** Whether a feed has listed it, so that the bot keeps what it knows of it. */
  isListed: boolean;
}

/**
 * Buttons and lines that a feature adds to cards of an offer. A row has five buttons at most, the card's own among them.
 * @example
 * { ofOffer: ({ offerId }, t) => actionButton(t.t('button.praise'), act({ do: 'praise', offerId })) }
 */
export interface OfferButtons {
  /** The button on any card of an offer, posts included; null where that one gets none. It goes by these facts alone. */
  ofOffer?(offer: OfferOnCard, translator: Translator): CardButton | null;
  /** The same on any card of an event, which is about its offers. */
  ofEvent?(event: DealEvent, translator: Translator): CardButton | null;
  /** A row of buttons on an offer's details, below the card's own. */
  belowDetail?(offer: OfferOnCard, translator: Translator): readonly CardButton[];
  /** A line on an offer's details, below its price; none where there is nothing to say. */
  ofDetail?(detail: OfferDetail, translator: Translator): Line;
  /**
   * The button on a card that somebody has opened from an announcement, which nobody else sees. Asked for those alone who
   * may change the filter of what announced it.
   */
  ofAnnouncement?(opened: { offerId: string; announcementId: string }, translator: Translator): CardButton | null;
}

export type CardButton = APIButtonComponentWithURL | APIButtonComponentWithCustomId;

/** A line of safe Markdown; none where it is no text. */
export type Line = string | false | null | undefined;

/** A part of a card: a text of safe Markdown, the lines of one, or a component; none where there is no text. */
export type Part = Line | readonly Line[] | APIComponentInContainer;

/** The card of these parts. Text beyond a message's limit is cut, the longest first. */
export function card(accentColor: number, parts: readonly Part[]): Card {
  const components = parts.map(componentOf).filter((part) => part !== null);
  return fitting({ components: [{ type: ComponentType.Container, accent_color: accentColor, components }] });
}

function componentOf(part: Part): APIComponentInContainer | null {
  if (!part) return null;
  if (typeof part !== 'string' && 'type' in part) return part;
  const content = typeof part === 'string' ? part : linesOf(part);
  return content === '' ? null : text(content);
}

/** One plain sentence by the bot. Takes Markdown that is already safe. */
export function noticeCard(sentence: string): Card {
  return card(ACCENT.notice, [sentence]);
}

/** The card below a line of safe Markdown; the line counts toward the card's text. */
export function below(line: string, { components }: Card): Card {
  return fitting({ components: [text(line), ...components] });
}

/** The card with a file below it, which people can download. */
export function withFile({ components }: Card, file: CardFile): Card {
  const shown: APIFileComponent = { type: ComponentType.File, file: { url: `attachment://${file.name}` } };
  return { components: [...components, shown], files: [file] };
}

/** Joins several cards into one message. */
export function together(...cards: readonly Card[]): Card {
  return fitting({ components: cards.flatMap(({ components }) => components) });
}

/** The card with at most that much text: the longest text is cut. */
export function fitting(card: Card, most: number = LIMITS.cardText): Card {
  if (excessOf(textsOf(card), most) <= 0) return card;
  const whole = { ...card, components: structuredClone(card.components) };
  const texts = textsOf(whole);
  let excess = excessOf(texts, most);
  while (excess > 0) {
    const longest = texts.reduce((a, b) => (b.content.length > a.content.length ? b : a));
    const cut = clampMarkdown(longest.content, Math.max(1, longest.content.length - excess));
    excess -= longest.content.length - cut.length;
    longest.content = cut;
  }
  return whole;
}

function textsOf({ components }: Card): APITextDisplayComponent[] {
  return components.flatMap((part) =>
    part.type === ComponentType.Container ? part.components.flatMap(textsIn) : textsIn(part),
  );
}

function excessOf(texts: readonly APITextDisplayComponent[], most: number): number {
  return texts.reduce((sum, { content }) => sum + content.length, 0) - most;
}

/** The buttons of a card, in the order in which they are shown. */
export function buttonsOf({ components }: Card): APIButtonComponent[] {
  return components
    .flatMap((part) => (part.type === ComponentType.Container ? part.components : []))
    .flatMap((part): readonly { type: ComponentType }[] => {
      if (part.type === ComponentType.ActionRow) return part.components;
      return part.type === ComponentType.Section ? [part.accessory] : [];
    })
    .filter((part): part is APIButtonComponent => part.type === ComponentType.Button);
}

function textsIn(part: APIComponentInContainer): APITextDisplayComponent[] {
  if (part.type === ComponentType.TextDisplay) return [part];
  return part.type === ComponentType.Section ? part.components : [];
}

/** Takes Markdown that is already safe. */
export function text(content: string): APITextDisplayComponent {
  return { type: ComponentType.TextDisplay, content };
}

/** The heading of an entity: a link to it, struck through where it is over. Takes foreign text. */
export function titleLine(title: string, address: string | null, isOver: boolean, mark = '###'): string {
  return `${mark} ${linkedTitle(title, address, isOver)}`;
}

/** The same without the heading mark. */
export function linkedTitle(title: string, address: string | null, isOver: boolean): string {
  const linked = link(title, address);
  return isOver ? `~~${linked}~~` : linked;
}

/** `Dealcast · 12 views`: the known parts of a line. */
export function factsOf(parts: readonly Line[]): string {
  return parts.filter(Boolean).join(' · ');
}

/** `-# Dealcast · 12 views`: the known parts in small print. */
export function smallLine(parts: readonly Line[]): string {
  return `-# ${factsOf(parts)}`;
}

/** The lines that there are; an empty one stays. */
export function linesOf(lines: readonly Line[]): string {
  return lines.filter((line) => typeof line === 'string').join('\n');
}

/** Lines of Markdown beside a picture; only the lines where there is none. */
export function pictured(
  lines: readonly Line[],
  picture: string | null,
  description: string,
): APISectionComponent | APITextDisplayComponent {
  const content = text(linesOf(lines));
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

/** Lines of Markdown beside a button. */
export function withButton(lines: readonly Line[], button: CardButton): APISectionComponent {
  return {
    type: ComponentType.Section,
    components: [text(linesOf(lines))],
    accessory: button,
  };
}

/** A picture in the card's whole width that the card carries as a file. */
export function attachedPicture(name: string, description: string): APIMediaGalleryComponent {
  return {
    type: ComponentType.MediaGallery,
    items: [{ media: { url: `attachment://${name}` }, description: clamp(description, LIMITS.mediaDescription) }],
  };
}

/** Up to ten pictures, or null for none. */
export function gallery(photos: readonly Pick<Photo, 'url'>[], description: string): APIMediaGalleryComponent | null {
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

/** A row of the buttons that are not null; null where there is none. */
export function buttons(row: readonly (CardButton | null)[]): APIActionRowComponent<CardButton> | null {
  const components = row.filter((button) => button !== null);
  return components.length > 0 ? { type: ComponentType.ActionRow, components } : null;
}

/** A button that opens an address; null where Discord would refuse the address. */
export function linkButton(label: string, address: string | null): APIButtonComponentWithURL | null {
  const url = safeUrl(address);
  if (url === null || url.length > LIMITS.buttonUrl) return null;
  return { type: ComponentType.Button, style: ButtonStyle.Link, label: clamp(label, LIMITS.buttonLabel), url };
}

/** A button that shows a post; null where its address isn't known. */
export function postButton(address: string | null, translator: Translator): APIButtonComponentWithURL | null {
  return linkButton(translator.t('button.showPost'), address);
}

/** Opens the settings of a subscription. */
export function settingsButton(subscriptionId: string, translator: Translator): APIButtonComponentWithCustomId {
  return actionButton(translator.t('button.settings'), { do: 'subscription', step: 'open', subscriptionId });
}

/** Lists the server's subscriptions. */
export function subscriptionsButton(translator: Translator): APIButtonComponentWithCustomId {
  return actionButton(translator.t('button.subscriptions'), { do: 'subscriptions', page: 1 });
}

export function actionButton(label: string, action: AnyAction, disabled = false): APIButtonComponentWithCustomId {
  return {
    type: ComponentType.Button,
    style: ButtonStyle.Secondary,
    label: clamp(label, LIMITS.buttonLabel),
    custom_id: encodeAction(action),
    disabled,
  };
}

/** The buttons that features add to a card of an offer. */
export function addedButtons(offer: OfferOnCard, { offerButtons = [], translator }: CardContext): CardButton[] {
  return offerButtons.flatMap((buttons) => buttons.ofOffer?.(offer, translator) ?? []);
}

/** The row of buttons that features add to an offer's details; null for none. */
export function detailButtons(
  offer: OfferOnCard,
  { offerButtons = [], translator }: CardContext,
): APIActionRowComponent<CardButton> | null {
  return buttons(offerButtons.flatMap((added) => added.belowDetail?.(offer, translator) ?? []));
}

/** The lines that features add to an offer's details. */
export function detailLines(detail: OfferDetail, { offerButtons = [], translator }: CardContext): Line[] {
  return offerButtons.map((buttons) => buttons.ofDetail?.(detail, translator));
}

/** The buttons that features add to the card of an event. */
export function addedToEvent(event: DealEvent, { offerButtons = [], translator }: CardContext): CardButton[] {
  return offerButtons.flatMap((buttons) => buttons.ofEvent?.(event, translator) ?? []);
}

/** The buttons that features add to a card that was opened from an announcement; none where that is null. */
export function announcementButtons(
  offerId: string,
  announcementId: string | null,
  { offerButtons = [], translator }: CardContext,
): CardButton[] {
  if (announcementId === null) return [];
  return offerButtons.flatMap((buttons) => buttons.ofAnnouncement?.({ offerId, announcementId }, translator) ?? []);
}

/** The button of a card's main action. */
export function primaryButton(label: string, action: AnyAction): APIButtonComponentWithCustomId {
  return { ...actionButton(label, action), style: ButtonStyle.Primary };
}

/** The red button of an action that deletes something. */
export function dangerButton(label: string, action: AnyAction): APIButtonComponentWithCustomId {
  return { ...actionButton(label, action), style: ButtonStyle.Danger };
}

/** Same as `actionButton`, for messages in which several buttons may have the same action. */
export function markedButton(
  mark: string,
  label: string,
  action: AnyAction,
  disabled = false,
): APIButtonComponentWithCustomId {
  return { ...actionButton(label, action, disabled), custom_id: encodeMarked(mark, action) };
}

/** A choice of a menu; at most one is chosen. */
export interface Choice {
  label: string;
  description?: string;
  action: AnyAction;
  isChosen?: boolean;
}

/**
 * A menu of at most 25 choices; null for fewer than two. Those with the same action become one. `name` distinguishes it
 * from the message's other menus.
 */
export function menu(
  name: string,
  placeholder: string,
  choices: readonly Choice[],
): APIActionRowComponent<APIStringSelectComponent> | null {
  const options = [...new Map(choices.map(menuOption).map((option) => [option.value, option])).values()];
  if (options.length < 2) return null;
  return {
    type: ComponentType.ActionRow,
    components: [
      {
        type: ComponentType.StringSelect,
        custom_id: `menu:${name}`,
        placeholder: clamp(placeholder, LIMITS.menuPlaceholder),
        options: options.slice(0, LIMITS.menuOptions),
      },
    ],
  };
}

/** Omits default fields, because a page of a list has thirty options. */
function menuOption({ label, description, action, isChosen }: Choice): APISelectMenuOption {
  // Discord takes no empty label, and a catalog's title may be of spaces alone.
  const option: APISelectMenuOption = {
    label: clamp(label, LIMITS.menuLabel).trim() || '—',
    value: encodeAction(action),
  };
  if (description) option.description = clamp(description, LIMITS.menuLabel);
  if (isChosen) option.default = true;
  return option;
}

/** An option of a menu that allows multiple choices. */
export interface Option {
  label: string;
  /** Plain text below the label. */
  description?: string;
  /** The value that the action receives. */
  value: string;
  isChosen: boolean;
}

/** A menu of at most 25 options, whose action receives all chosen values. @param least the fewest that must be chosen */
export function optionsMenu(
  action: AnyAction,
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
        options: offered.map(selectOption),
      },
    ],
  };
}

export function selectOption({ label, description, value, isChosen }: Option): APISelectMenuOption {
  return {
    label: clamp(label, LIMITS.menuLabel),
    ...(description && { description: clamp(description, LIMITS.menuLabel) }),
    value,
    default: isChosen,
  };
}

/**
 * A menu of the server's roles.
 * @param most the most that can be chosen
 * @public for features
 */
export function roleMenu(
  action: AnyAction,
  placeholder: string,
  roleIds: readonly string[],
  most: number,
): APIActionRowComponent<APIRoleSelectComponent> {
  return {
    type: ComponentType.ActionRow,
    components: [
      {
        type: ComponentType.RoleSelect,
        custom_id: encodeAction(action),
        placeholder: clamp(placeholder, LIMITS.menuPlaceholder),
        min_values: 0,
        max_values: most,
        ...(roleIds.length > 0 && {
          default_values: roleIds.map((id) => ({ id, type: SelectMenuDefaultValueType.Role })),
        }),
      },
    ],
  };
}

/** A menu of the server's channels of these types, of which one is chosen. */
export function channelMenu(
  action: AnyAction,
  placeholder: string,
  types: readonly ChannelType[],
): APIActionRowComponent<APIChannelSelectComponent> {
  return {
    type: ComponentType.ActionRow,
    components: [
      {
        type: ComponentType.ChannelSelect,
        custom_id: encodeAction(action),
        placeholder: clamp(placeholder, LIMITS.menuPlaceholder),
        channel_types: [...types],
      },
    ],
  };
}
