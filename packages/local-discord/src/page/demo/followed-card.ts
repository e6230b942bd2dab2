import { isNotice } from '../../server/numbers.ts';
import type { PageMessage } from '../../server/page-api.ts';

/** The channel of what a lever changes, and the message; null: the bot's next post in the channel. */
export interface Place {
  channelId: string;
  messageId: string | null;
}

type Messages = Readonly<Record<string, readonly PageMessage[]>>;

/** For how long what a lever changes is waited for, so that it pulses when the change arrives: milliseconds. */
const FOLLOWED_MS = 60_000;

/** Follows the card that a lever changes until the change arrives. */
export class FollowedCard {
  readonly #place: Place;
  readonly #untilMs: number;
  /** The time of the message's latest edit, or the newest message of the channel, before the lever. */
  readonly #before: string | null;

  constructor(place: Place, messages: Messages, nowMs: number) {
    this.#place = place;
    this.#untilMs = nowMs + FOLLOWED_MS;
    this.#before =
      place.messageId === null
        ? (messages[place.channelId]?.at(-1)?.id ?? null)
        : editedAt(messages, { ...place, messageId: place.messageId });
  }

  isOver(nowMs: number): boolean {
    return nowMs > this.#untilMs;
  }

  /** The message that shows the change; null before it arrives. */
  changed(messages: Messages): string | null {
    const { channelId, messageId } = this.#place;
    if (messageId !== null) return editedAt(messages, { channelId, messageId }) === this.#before ? null : messageId;
    const all = messages[channelId] ?? [];
    const after = all.slice(all.findIndex(({ id }) => id === this.#before) + 1);
    return after.find(isAnnouncement)?.id ?? null;
  }
}

function editedAt(messages: Messages, { channelId, messageId }: { channelId: string; messageId: string }) {
  return messages[channelId]?.find(({ id }) => id === messageId)?.edited_timestamp ?? null;
}

/** Whether the bot posted it by itself. What Discord tells of a pin has the bot as its author, too. */
function isAnnouncement(message: PageMessage): boolean {
  const { author, interaction_metadata: asked, visible_to } = message;
  return author.bot === true && !asked && visible_to === null && !isNotice(message);
}
