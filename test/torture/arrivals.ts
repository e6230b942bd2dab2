import { decodeAction } from '../../src/bot/discord/custom-id.ts';
import { translatorFor } from '../../src/bot/discord/i18n/translator.ts';
import type { PageMessage } from '../../src/local-discord/server/page-api.ts';

/** The arrivals of the offers in one channel, by their addresses. */
export interface Arrivals {
  lost: string[];
  repeated: string[];
  /** Roll-ups that say another number than they list. */
  wrong: string[];
}

/** Messages that show an offer as over. None of the offers here ever is. */
export function endedIn(messages: readonly PageMessage[]): string[] {
  return messages.filter((message) => textOf(message).includes(OVER)).map(({ id }) => id);
}

/** The addresses that a roll-up lists when it is asked to show all; undefined where nothing is kept of it. */
export type RollUpLists = ReadonlyMap<string, readonly string[]>;

const WORDS = translatorFor('en-US');
/** The words with which an offer's card says that it is over. */
const OVER = `**${WORDS.t('offer.ended', { at: '<t:' }).replace(/(?<=<t:).*/, '')}`;

/**
 * An offer arrives with each message of the bot that links to it, and with each roll-up whose list holds it: its card shows
 * only the best few. An edit is no new message, and an answer to a command announces nothing.
 */
export function countArrivals(
  messages: readonly PageMessage[],
  offers: readonly string[],
  lists: RollUpLists,
): Arrivals {
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  for (const message of messages.filter(isAnnouncement)) {
    const told = linksIn(message);
    const id = rollUpIn(message);
    if (id !== null) {
      const list = lists.get(id) ?? [];
      for (const address of list) told.add(address);
      if (!textOf(message).includes(`## ${WORDS.t('rollUp.title', { count: list.length })}"`)) wrong.push(id);
    }
    for (const address of told) counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  return {
    lost: offers.filter((offer) => !counts.has(offer)),
    repeated: offers.filter((offer) => (counts.get(offer) ?? 0) > 1),
    wrong,
  };
}

/** The id of the roll-up that a message is; null where it is none. */
export function rollUpIn(message: PageMessage): string | null {
  for (const [, customId = ''] of textOf(message).matchAll(/"custom_id":"([^"]+)"/g)) {
    const action = decodeAction(customId);
    if (action?.do === 'roll-up') return action.deliveryId;
  }
  return null;
}

export function isAnnouncement({ author, interaction_metadata: asked }: PageMessage): boolean {
  return author.bot === true && !asked;
}

/** The addresses that a message links to. */
export function linksIn(message: PageMessage): Set<string> {
  return new Set(textOf(message).match(/https?:\/\/[^\s"\\)\]>]+/g));
}

function textOf({ content, embeds, components }: PageMessage): string {
  return JSON.stringify([content, embeds, components]);
}
