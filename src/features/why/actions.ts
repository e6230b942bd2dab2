import { actionsOf, field } from '../../discord/action-table.ts';

const { id, page, oneOf } = field;

export const TABLE = {
  /** Opens the form of a command's options that had a mistake; the same action receives the form. */
  'why-again': {},
  /** Explains anew. */
  why: { offerId: id, subscriptionId: id },
  /** Posts the offer's newest change now. */
  'post-now': { offerId: id, subscriptionId: id },
  /** Shows another page of a subscription's preview. */
  preview: { subscriptionId: id, page },
};

/** The feature's own step of a subscription's panel. */
export const STEPS = { subscription: { step: oneOf(['test']), subscriptionId: id } };

export const act = actionsOf(TABLE);
export const step = actionsOf(STEPS);
