import type { Interaction } from 'discord.js';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { watchesCard } from '../../src/bot/discord/cards/watch-cards.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import type { Command, CommandServices } from '../shared.ts';
import { requireWatch, watchesOf } from './save.ts';

export const listActions = {
  watches: {
    answer: 'private',
    run: async ({ page }, interaction, shared, translator) => listPage(page, interaction, shared, translator),
  },
  unwatch: {
    answer: 'update',
    run: ({ watchId }, interaction, shared, translator) => removeWatch(watchId, interaction, shared, translator),
  },
} satisfies Command['actions'];

export function listPage(
  page: number,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Card {
  const isClosed = (shared.people.get(interaction.user.id)?.closed ?? null) !== null;
  return watchesCard(
    { watches: watchesOf(interaction, shared), page, isClosed },
    { translator, nowMs: shared.clock.now() },
  );
}

/** Removes one of the person's watches; what waits for it alone is dropped. Answers with those that are left. */
export async function removeWatch(
  id: string,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  await shared.subscriptions.remove(requireWatch(id, interaction, shared).id);
  await shared.people.update(interaction.user.id, (person) => ({ ...person, usedAtMs: shared.clock.now() }));
  return listPage(1, interaction, shared, translator);
}
