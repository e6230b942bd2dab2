import { actionsOf, field } from '../../discord/action-table.ts';

/** Shows what an offer's product cost; `history-again` opens the form of the options that had a mistake. */
export const TABLE = {
  history: { offerId: field.id },
  'history-again': {},
};

export const act = actionsOf(TABLE);
