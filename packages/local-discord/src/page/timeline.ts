import { isNotice } from '../server/numbers.ts';
import type { PageMessage } from '../server/page-api.ts';
import { formatDay } from './markdown/time.ts';
import type { PendingCommand } from './state.ts';

/** A row of the conversation: a message with or without its header, or the divider between two days. */
export type Row =
  | { type: 'day'; key: string; label: string }
  | { type: 'new'; key: string }
  | { type: 'pending'; key: string; command: PendingCommand }
  | MessageRow;

export interface MessageRow {
  type: 'message';
  key: string;
  message: PageMessage;
  headless: boolean;
}

/** Messages of one author this close together share one header, as on Discord. */
const SAME_HEAD_MS = 7 * 60 * 1000;

/** The rows of a conversation, oldest first. A divider "New" stands above the message `firstUnreadId`. */
export function timelineOf(
  messages: readonly PageMessage[],
  pending: readonly PendingCommand[],
  firstUnreadId: string | null,
  timeZone?: string,
): Row[] {
  const rows: Row[] = [];
  const waiting = [...pending];
  let previous: PageMessage | undefined;
  let day = '';
  const putPending = (untilMs: number) => {
    for (let next = waiting[0]; next && next.startedMs < untilMs; next = waiting[0]) {
      rows.push({ type: 'pending', key: next.id, command: next });
      waiting.shift();
      previous = undefined;
    }
  };
  for (const message of messages) {
    const postedMs = Date.parse(message.timestamp);
    putPending(postedMs);
    const ownDay = formatDay(postedMs, timeZone);
    if (ownDay !== day) {
      rows.push({ type: 'day', key: `day-${message.id}`, label: ownDay });
      previous = undefined;
    }
    if (message.id === firstUnreadId) {
      rows.push({ type: 'new', key: 'new' });
      previous = undefined;
    }
    rows.push({ type: 'message', key: message.id, message, headless: continues(previous, message) });
    previous = message;
    day = ownDay;
  }
  putPending(Number.POSITIVE_INFINITY);
  return rows;
}

function continues(previous: PageMessage | undefined, message: PageMessage): boolean {
  return (
    previous !== undefined &&
    !isNotice(previous) &&
    previous.author.id === message.author.id &&
    previous.visible_to === message.visible_to &&
    !message.interaction_metadata &&
    !message.message_reference &&
    Date.parse(message.timestamp) - Date.parse(previous.timestamp) < SAME_HEAD_MS
  );
}
