import { actionsOf, field } from '../../discord/action-table.ts';

const { id, oneOf } = field;

export const TABLE = {
  /** `digest` names the plan that was shown; no other one is applied. */
  import: { step: oneOf(['apply', 'cancel']), importId: id, digest: id },
};

export const act = actionsOf(TABLE);
