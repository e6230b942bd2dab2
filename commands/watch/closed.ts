import type { Interaction } from 'discord.js';
import { shownOf } from '../../src/bot/announcements/kinds/index.ts';
import { placeOfPerson } from '../../src/bot/deals/watch.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { closedMessagesCard } from '../../src/bot/discord/cards/watch-cards.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import type { Command, CommandServices } from '../shared.ts';
import { listPage } from './list.ts';

/**
 * Tells a person beside an answer what waits for them, because the bot can't message them. Once each time that
 * more waits; null where there is nothing to tell.
 */
export async function closedMessages(
  { user }: Interaction,
  { people, deliveries, clock }: Pick<CommandServices, 'people' | 'deliveries' | 'clock'>,
  translator: Translator,
): Promise<Card | null> {
  const person = people.get(user.id);
  if (!person?.closed) return null;
  const { channelId } = person;
  const waiting = [...deliveries.pending(channelId), ...(deliveries.pendingRollUp(channelId)?.members ?? [])];
  if (person.shownWaiting === waiting.length) return null;
  await people.update(person.id, (before) => ({ ...before, shownWaiting: waiting.length }));
  const titles = waiting.map(({ announcement }) => titleOf(shownOf(announcement).item));
  return closedMessagesCard(titles, { translator, nowMs: clock.now() });
}

const titleOf = (item: object): string => ('title' in item ? String(item.title) : '');

export const closedActions = {
  'watch-retry': {
    answer: 'update',
    async run(_, interaction, shared, translator) {
      const { people, subscriptions, deliverer, clock } = shared;
      const { id } = interaction.user;
      const nowMs = clock.now();
      await people.update(id, (person) => ({
        ...person,
        closed: person.closed && { ...person.closed, sinceMs: nowMs, retryAtMs: nowMs },
      }));
      // Watches of somebody who could not be messaged for a month are paused.
      for (const watch of subscriptions.ofGuild(placeOfPerson(id))) {
        if (watch.pausedBy === 'gone')
          await subscriptions.update(watch.id, (before) => ({ ...before, pausedBy: null }));
      }
      const channelId = people.get(id)?.channelId;
      if (channelId !== undefined) deliverer.retry(channelId);
      // After a restart, no pause is known but the one that was just ended in the state.
      deliverer.kick();
      return listPage(1, interaction, shared, translator);
    },
  },
} satisfies Command['actions'];
