import type { APIComponentInContainer, APIMessage, APIMessageTopLevelComponent } from 'discord-api-types/v10';
import { COMPONENT } from '../server/numbers.ts';
import type { PageMessage, PageState } from '../server/page-api.ts';
import { displayName } from './context.ts';
import { parseMarkdown } from './markdown/parse.ts';
import { plainText } from './markdown/plain.ts';

const LONGEST = 160;

/** All the Markdown text of a message, in reading order: content, embeds, components. */
export function textOf(message: Pick<APIMessage, 'content' | 'embeds' | 'components'>): string {
  const embeds = message.embeds.flatMap(({ title, description }) => [title ?? '', description ?? '']);
  const texts = (message.components ?? []).flatMap(componentText);
  return [message.content, ...embeds, ...texts].filter((text) => text !== '').join('\n');
}

function componentText(component: APIMessageTopLevelComponent | APIComponentInContainer): string[] {
  switch (component.type) {
    case COMPONENT.textDisplay:
      return [component.content];
    case COMPONENT.section:
      return component.components.map(({ content }) => content);
    case COMPONENT.container:
      return component.components.flatMap(componentText);
    default:
      return [];
  }
}

/** The text that a screen reader announces for a new message. */
export function announcementOf(message: PageMessage, server: Pick<PageState, 'channels'>, nowMs: number): string {
  const channel = server.channels.find(({ id }) => id === message.channel_id)?.name ?? 'a channel';
  const words = plainText(parseMarkdown(textOf(message)), nowMs)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const text = words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
  return `${displayName(message.author)} in ${channel}: ${text}`;
}
