import type { APIPartialEmoji, APIReaction } from 'discord-api-types/v10';
import { DiscordError } from './discord-error.ts';
import { PERMISSION } from './numbers.ts';
import type { PageMessage } from './page-api.ts';
import { IDS } from './seed.ts';

/** The most different emojis that a message has. */
const MOST_EMOJIS = 20;

/** A change of a message's reactions, as the gateway tells it. */
export type ReactionChange =
  | { do: 'add' | 'remove'; emoji: APIPartialEmoji; personId: string }
  | { do: 'remove-emoji'; emoji: APIPartialEmoji }
  | { do: 'remove-all' };

/**
 * The emoji that a path names: one of Unicode, or `name:id` for a server's own.
 * @throws DiscordError 10014 where it is none
 */
export function emojiFrom(text: string): APIPartialEmoji {
  const [, name = '', id] = /^(?:a:)?(\w{2,32}):(\d{16,20})$/.exec(text) ?? [];
  if (id !== undefined) return { id, name };
  if (/^\p{Emoji}[\p{Emoji}\p{Emoji_Component}]*$/u.test(text) && !/^\d+$/.test(text)) return { id: null, name: text };
  throw new DiscordError('unknownEmoji');
}

/** Stands for an emoji among a message's reactions. */
const keyOf = ({ id, name }: APIPartialEmoji) => (id ? `${name}:${id}` : String(name));

/** The ids of those who reacted with an emoji, the first one first. */
export function reactorsWith(message: PageMessage, emoji: APIPartialEmoji): readonly string[] {
  return message.reactors?.[keyOf(emoji)] ?? [];
}

/** The permission that a reaction takes: none where somebody has reacted with the emoji already. */
export function permissionToReact(message: PageMessage, emoji: APIPartialEmoji): bigint {
  return reactorsWith(message, emoji).length === 0 ? PERMISSION.addReactions : 0n;
}

/**
 * The message after a change; the same object where nothing changes.
 * @throws DiscordError 30010 beyond twenty emojis
 */
export function withReaction(message: PageMessage, change: ReactionChange): PageMessage {
  const { reactors: before = {}, ...rest } = message;
  if (change.do === 'remove-all') return message.reactors ? rest : message;
  const key = keyOf(change.emoji);
  const { [key]: own = [], ...others } = before;
  if (change.do === 'remove-emoji') return own.length > 0 ? { ...rest, reactors: others } : message;
  const isIn = own.includes(change.personId);
  if (isIn === (change.do === 'add')) return message;
  if (change.do === 'add') {
    if (own.length === 0 && Object.keys(before).length >= MOST_EMOJIS) throw new DiscordError('tooManyReactions');
    return { ...rest, reactors: { ...before, [key]: [...own, change.personId] } };
  }
  const left = own.filter((id) => id !== change.personId);
  return { ...rest, reactors: left.length > 0 ? { ...before, [key]: left } : others };
}

/** A message's reactions as the API shows them to the bot. */
export function reactionsOf({ reactors = {} }: Pick<PageMessage, 'reactors'>): APIReaction[] {
  return Object.entries(reactors).map(([key, ids]) => ({
    emoji: emojiFrom(key),
    count: ids.length,
    count_details: { burst: 0, normal: ids.length },
    burst_colors: [],
    me: ids.includes(IDS.application),
    me_burst: false,
  }));
}
