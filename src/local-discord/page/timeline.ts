import type { PageMessage } from '../page-api.ts';
import { formatDay } from './markdown/time.ts';

/** A line of the conversation: a message with or without its head, or the line between two days. */
export type Row =
  | { type: 'day'; key: string; label: string }
  | { type: 'new'; key: string }
  | { type: 'message'; key: string; message: PageMessage; headless: boolean };

/** Messages of one author this close together share one head, as on Discord. */
const SAME_HEAD_MS = 7 * 60 * 1000;

/** The rows of a conversation, oldest first. `firstUnreadId` gets the line "New" above it. */
export function timelineOf(messages: readonly PageMessage[], firstUnreadId: string | null, timeZone?: string): Row[] {
  const rows: Row[] = [];
  let previous: PageMessage | undefined;
  let day = '';
  for (const message of messages) {
    const ownDay = formatDay(Date.parse(message.timestamp), timeZone);
    const dayBegins = ownDay !== day;
    if (dayBegins) rows.push({ type: 'day', key: `day-${message.id}`, label: ownDay });
    if (message.id === firstUnreadId) rows.push({ type: 'new', key: 'new' });
    const headless = !dayBegins && message.id !== firstUnreadId && continues(previous, message);
    rows.push({ type: 'message', key: message.id, message, headless });
    previous = message;
    day = ownDay;
  }
  return rows;
}

function continues(previous: PageMessage | undefined, message: PageMessage): boolean {
  return (
    previous !== undefined &&
    previous.author.id === message.author.id &&
    previous.visible_to === message.visible_to &&
    !message.interaction_metadata &&
    !message.message_reference &&
    Date.parse(message.timestamp) - Date.parse(previous.timestamp) < SAME_HEAD_MS
  );
}
