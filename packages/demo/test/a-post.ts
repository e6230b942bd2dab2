import type { PageMessage } from '../../local-discord/src/index.ts';

/** A post of the bot with these texts. */
export function aPost(...texts: string[]): PageMessage {
  const components = [{ type: 17, components: texts.map((content) => ({ type: 10, content })) }];
  return { author: { bot: true }, visible_to: null, components } as unknown as PageMessage;
}
