import { type ActionOf, actionsOf, type FeatureAction, field } from '../../discord/action-table.ts';

const { id, oneOf, orNull } = field;
const STEPS = ['open', 'change', 'reset', 'chart'] as const;

/** `subscriptionId` is null for the server's own look. */
export const TABLE = {
  /** Shows a look, changes it in a form, takes it back, or shows or hides the charts of posts. */
  look: { step: oneOf(STEPS), subscriptionId: orNull(id) },
  /** Opens the form of the command's options that had a mistake; the same action receives the form. */
  'look-again': { subscriptionId: orNull(id) },
};

export type LookAgain = Extract<ActionOf<typeof TABLE>, { do: 'look-again' }> & FeatureAction;
export type LookStep = (typeof STEPS)[number];

export const act = actionsOf(TABLE);
