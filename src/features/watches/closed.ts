import { shownOf } from '../../announcements/kinds/index.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { Records } from '../../store/store.ts';
import { closedMessagesCard } from './cards.ts';

/**
 * Tells a person beside an answer what waits for them, because the bot can't message them. Once each time that
 * more waits; null where there is nothing to tell.
 */
export async function closedMessages(
  personId: string,
  { people, deliveries }: Records,
  translator: Translator,
): Promise<Card | null> {
  const person = people.get(personId);
  if (!person?.closed) return null;
  const { channelId } = person;
  const waiting = [...deliveries.pending(channelId), ...(deliveries.pendingRollUp(channelId)?.members ?? [])];
  if (person.shownWaiting === waiting.length) return null;
  await people.update(person.id, (before) => ({ ...before, shownWaiting: waiting.length }));
  const titles = waiting.map(({ announcement }) => titleOf(shownOf(announcement).item));
  return closedMessagesCard(titles, translator);
}

const titleOf = (item: object): string => ('title' in item ? String(item.title) : '');
