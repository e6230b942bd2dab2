import type { PageMessage, PageState } from '../server/page-api.ts';
import { displayName } from './context.ts';
import { parseMarkdown } from './markdown/parse.ts';
import { plainText } from './markdown/plain.ts';
import { textOf } from './summary.ts';

const LONGEST = 160;

/** What a screen reader says of a new message. */
export function announcementOf(message: PageMessage, server: Pick<PageState, 'channels'>, nowMs: number): string {
  const channel = server.channels.find(({ id }) => id === message.channel_id)?.name ?? 'a channel';
  const words = plainText(parseMarkdown(textOf(message)), nowMs)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const text = words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
  return `${displayName(message.author)} in ${channel}: ${text}`;
}
