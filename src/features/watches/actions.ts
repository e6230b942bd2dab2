import { actionsOf, type Field, field } from '../../discord/action-table.ts';
import { OFFER_AIMS } from './watch.ts';

const { id, page, oneOf } = field;

/** A price with at most two decimal places. Whatever isn't one is null. */
const dollarsOrNull: Field<number | null> = {
  decode: (text) => (/^(?!0+(\.0+)?$)\d{1,9}(\.\d{1,2})?$/.test(text) ? Number(text) : null),
  usual: null,
};

const rest: Field<string> = { decode: (text) => text, usual: '', isRest: true };

export const TABLE = {
  /** Opens the form of the options of /alert add that had a mistake; the same action receives the form. */
  'watch-again': {},
  /** Offers to watch the offer. */
  watch: { offerId: id },
  /** Asks which of an event's offers to watch. */
  'watch-event': { eventId: id },
  /** Watches the offer; a price that isn't given is asked for in a form, which the same action receives. */
  'watch-for': { offerId: id, aim: oneOf(OFFER_AIMS), below: dollarsOrNull },
  /** Opens the form of a watch for new offers of a feed, with a filter; the same action receives the form. */
  'watch-feed': { feed: id, filter: rest },
  /** Gives a watch for new offers another filter. */
  'watch-filter': { watchId: id, filter: rest },
  /** Lets a watch for a low count the lowest price before, or not. */
  'watch-low': { watchId: id, lows: oneOf(['new', 'all']) },
  watches: { page },
  unwatch: { watchId: id },
  /** Tries to message the person again. */
  'watch-retry': {},
};

export const act = actionsOf(TABLE);

export const MY_DATA_TABLE = {
  /** Deletes what is kept of the person. */
  'my-data-delete': {},
};

export const actOnMyData = actionsOf(MY_DATA_TABLE);
