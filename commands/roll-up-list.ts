import type { Card } from '../src/bot/discord/cards/parts.ts';
import { rollUpListCard } from '../src/bot/discord/cards/roll-up-card.ts';
import { say, type Words } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import type { Command, Shared } from './shared.ts';

/** What the buttons of a roll-up do: it opens its whole list for the person who asked, whose pages then turn. */
export const rollUpActions = {
  'roll-up': {
    answer: 'private',
    run: ({ deliveryId, page }, _, shared, words) => listPage(deliveryId, page, shared, words),
  },
  'roll-up-page': {
    answer: 'update',
    run: ({ rollUpId, page }, _, shared, words) => listPage(rollUpId, page, shared, words),
  },
} satisfies Command['actions'];

async function listPage(rollUpId: string, page: number, { deliveries, clock }: Shared, words: Words): Promise<Card> {
  const rollUp = await deliveries.findRollUp(rollUpId);
  if (!rollUp) throw new UserError(say('rollUp.gone'));
  const announcements = rollUp.members.map(({ announcement }) => announcement);
  return rollUpListCard({ rollUpId, announcements, page }, { words, nowMs: clock.now() });
}
