import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIButtonComponentWithURL,
  type APIComponentInContainer,
  type APIContainerComponent,
  type APIMediaGalleryComponent,
  type APISectionComponent,
  type APISeparatorComponent,
  type APITextDisplayComponent,
  ButtonStyle,
  ComponentType,
  SeparatorSpacingSize,
} from 'discord-api-types/v10';
import type { Photo } from '../../deals/offer.ts';
import { type Action, encodeAction } from '../custom-id.ts';
import { clamp, LIMITS } from '../limits.ts';
import { safeUrl } from '../markdown.ts';

/** What a message shows: components of the second generation, without the message around them. */
export interface Card {
  components: APIContainerComponent[];
}

/** The stripe at a card's side tells what kind of thing it is. */
export const ACCENT = {
  offer: 0x2f9e6e,
  event: 0xe0a030,
  dealcast: 0x8a63d2,
  over: 0x747f8d,
  notice: 0x5865f2,
} as const;

type CardButton = APIButtonComponentWithURL | APIButtonComponentWithCustomId;

export function card(accentColor: number, parts: readonly (APIComponentInContainer | null)[]): Card {
  return {
    components: [
      {
        type: ComponentType.Container,
        accent_color: accentColor,
        components: parts.filter((part) => part !== null),
      },
    ],
  };
}

/** Takes Markdown that is already safe. */
export function text(content: string): APITextDisplayComponent {
  return { type: ComponentType.TextDisplay, content };
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
