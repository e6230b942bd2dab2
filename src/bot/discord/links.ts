import { type Action, decodeAction } from './custom-id.ts';

/** What can be followed in a message. */
export interface Leads {
  /** Every http(s) address in its texts, buttons and pictures, each once. */
  links: string[];
  /** What its buttons and menus do, where they are ours. */
  actions: Action[];
}

const LINK = /https?:\/\/[^\s<>()[\]"'`|\\]+/gi;
/** What ends a sentence more likely than an address; looked for once in a run of it. */
const TRAILING = /(?<![.,;:!?*_~])[.,;:!?*_~]+$/;

/** Looks through all of a message's texts, embeds and components, as Discord's API gives them. */
export function extractReferences(message: unknown): Leads {
  const texts = textsIn(message);
  const links = texts.flatMap((text) => text.match(LINK) ?? []).map((link) => link.replace(TRAILING, ''));
  const actions = texts.map(decodeAction).filter((action) => action !== null);
  return { links: [...new Set(links)], actions };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
