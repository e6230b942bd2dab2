import { actionsOf, field } from '../../discord/action-table.ts';

const { id, page } = field;

/** Shows a page of the hubs, one of them, and lets the chosen channel follow it. `hubId` is its channel. */
export const TABLE = {
  follow: { page },
  'follow-hub': { hubId: id },
  'follow-to': { hubId: id },
  /** Shows another page of the operator's list. */
  hubs: { page },
};

export const act = actionsOf(TABLE);
