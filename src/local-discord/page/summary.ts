import type { APIComponentInContainer, APIMessage, APIMessageTopLevelComponent } from 'discord-api-types/v10';
import { COMPONENT } from '../server/numbers.ts';

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
