import { actionsOf, type Field, field } from '../../discord/action-table.ts';

const { id } = field;
/** How many characters a filter has. */
const length: Field<number> = { decode: (text) => (/^\d{1,4}$/.test(text) ? Number(text) : undefined) };

export const TABLE = {
  /** Asks which subscription should announce less like an offer in the post or roll-up. */
  less: { offerId: id, postId: id },
  /** Proposes filters to a subscription. */
  'less-for': { offerId: id, subscriptionId: id },
  /** `digest` names the filter that was proposed; no other one is applied. */
  'less-apply': { offerId: id, subscriptionId: id, digest: id },
  /** Takes the exclusion back from the filter that `digest` names. `length` is that of the filter before it. */
  'less-undo': { subscriptionId: id, length, digest: id },
};

export const act = actionsOf(TABLE);
