import type { PageMessage } from '../../src/local-discord/page-api.ts';

/** How the offers arrived in one channel, by their addresses. */
export interface Arrivals {
  lost: string[];
  repeated: string[];
}

/**
 * An offer arrives with each message of the bot that links to it, whether the message is about it alone or lists it
 * among others. An edit is no new message, and an answer to a command announces nothing.
 */
export function countArrivals(messages: readonly PageMessage[], offers: readonly string[]): Arrivals {
  const announced = messages.filter(({ author, interaction_metadata: asked }) => author.bot === true && !asked);
  const counts = new Map<string, number>();
  for (const { content, embeds, components } of announced) {
    const links = JSON.stringify([content, embeds, components]).match(/https?:\/\/[^\s"\\)\]>]+/g) ?? [];
    for (const link of new Set(links)) counts.set(link, (counts.get(link) ?? 0) + 1);
  }
  return {
    lost: offers.filter((offer) => !counts.has(offer)),
    repeated: offers.filter((offer) => (counts.get(offer) ?? 0) > 1),
  };
}
