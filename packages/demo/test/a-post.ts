import type { PageMessage } from '../../local-discord/src/index.ts';

/** A post of the bot whose card has these texts; the roles that it calls stand above the card. */
export function aPost(...texts: string[]): PageMessage {
  const shown = texts.map((content) => ({ type: 10, content }));
  const isCall = ({ content }: { content: string }) => content.startsWith('<@&');
  const components = [...shown.filter(isCall), { type: 17, components: shown.filter((text) => !isCall(text)) }];
  return { author: { bot: true }, visible_to: null, components } as unknown as PageMessage;
}
