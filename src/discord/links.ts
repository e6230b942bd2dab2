import type { ActionTable, FeatureAction } from './action-table.ts';
import { type Action, decodeAction, decodeAnyAction } from './custom-id.ts';

/** References in a message. */
export interface Leads {
  /** Every http(s) address in the message's texts, buttons and pictures, each once. */
  links: string[];
  /** The actions of its buttons and menus, where they are ours. */
  actions: Action[];
}

const LINK = /https?:\/\/[^\s<>()[\]"'`|\\]+/gi;
/**
 * Trailing punctuation belongs to the sentence rather than the address. The lookbehind tries each run only once.
 */
const TRAILING = /(?<![.,;:!?*_~])[.,;:!?*_~]+$/;

/** Searches all texts, embeds and components of a message, as Discord's API sends them. */
export function extractReferences(message: unknown): Leads {
  const texts = textsIn(message);
  const links = texts.flatMap((text) => text.match(LINK) ?? []).map((link) => link.replace(TRAILING, ''));
  const actions = texts.map(decodeAction).filter((action) => action !== null);
  return { links: [...new Set(links)], actions };
}

/** The actions of features in such a message, which these tables read. */
export function featureActionsIn(message: unknown, tables: readonly ActionTable[]): FeatureAction[] {
  return textsIn(message)
    .map((text) => decodeAnyAction(text, tables))
    .filter((action) => action !== null && 'table' in action);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
