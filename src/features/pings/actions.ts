import type { FeatureCommand } from '../../../commands/shared.ts';
import { actionsOf, type Field, field } from '../../discord/action-table.ts';
import { decodeAnyAction } from '../../discord/custom-id.ts';

const { id, page, oneOf, orNull } = field;
const rest: Field<string> = { decode: (text) => text, usual: '', isRest: true };

export const TABLE = {
  /** Shows the pings of a subscription. */
  pings: { subscriptionId: id },
  /** Opens the form of a ping, of a new one where `roleId` is null; the same action receives the form. */
  ping: { subscriptionId: id, roleId: orNull(id) },
  /** Gives a ping another filter. */
  'ping-filter': { subscriptionId: id, roleId: id, filter: rest },
  /** Takes the chosen role, or leaves it where the person has it. A panel may have several menus. */
  'toggle-pings': { panelId: id, menu: page },
  /** Takes the chosen roles, and leaves all other ones that the menu shows, which is that of a page. */
  'set-pings': { menu: page },
  /** Shows a person's own pings, and all others. */
  'my-pings': {},
  /** Turns a page of them. */
  'pings-page': { page },
  /** Proposes a role for a filter. */
  'propose-ping': { subscriptionId: id, filter: rest },
  /** Makes a role for the filter on its card, and its ping. */
  'make-ping': { subscriptionId: id },
  /** Lets the subscription ping a role that another one pings for the filter on its card. */
  'same-ping': { subscriptionId: id, roleId: id },
  /** Deletes a role that was made for a filter, and its ping. */
  'unmake-ping': { subscriptionId: id, roleId: id },
};

/** The feature's own step of a subscription's panel. */
export const STEPS = { subscription: { step: oneOf(['role']), subscriptionId: id } };

type Handlers = FeatureCommand<typeof TABLE>;
export type Actions = Handlers['actions'];
export type Forms = Handlers['forms'];

export const act = actionsOf(TABLE);
export const step = actionsOf(STEPS);

/** The id of the panel of pings that a `custom_id` belongs to; null where it belongs to none. */
export function panelIdOf(customId: string): string | null {
  const action = decodeAnyAction(customId, [TABLE]);
  return action && 'panelId' in action ? String(action.panelId) : null;
}
