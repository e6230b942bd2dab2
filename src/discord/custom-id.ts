import { EVENT_TYPES, type EventType, SITE_PREFIXES, type SitePrefix } from '../deals/event.ts';

/**
 * What a button does. A button keeps its whole state in its `custom_id`, so that it works after a restart and for as
 * long as its message exists. `deliveryId` marks the announcement that the button stands on; on answers it is null.
 */
export type Action =
  | { do: 'offer'; offerId: string; deliveryId: string | null }
  | { do: 'event'; eventId: string; deliveryId: string | null }
  | { do: 'dealcast'; subject: string; deliveryId: string | null }
  /** Opens a roll-up's whole list; its pages then turn with `roll-up-page`. */
  | { do: 'roll-up'; deliveryId: string; page: number }
  | { do: 'roll-up-page'; rollUpId: string; page: number }
  | { do: 'feed'; feed: string; page: number }
  | { do: 'events'; site: SitePrefix | null; type: EventType | null; page: number };

/** Between the parts; none of them can hold it. */
const SEPARATOR = ':';

/** The action as a `custom_id` of at most 100 characters. */
export function encodeAction(action: Action): string {
  switch (action.do) {
    case 'offer':
      return join('offer', action.offerId, action.deliveryId);
    case 'event':
      return join('event', action.eventId, action.deliveryId);
    case 'dealcast':
      return join('dealcast', action.subject, action.deliveryId);
    case 'roll-up':
      return join('roll-up', action.deliveryId, String(action.page));
    case 'roll-up-page':
      return join('roll-up-page', action.rollUpId, String(action.page));
    case 'feed':
      return join('feed', action.feed, String(action.page));
    case 'events':
      return join('events', action.site, action.type, String(action.page));
  }
}

/** The action of a `custom_id`, or null where it is not one of ours: anybody can send anything. */
export function decodeAction(customId: string): Action | null {
  const [name, first = '', second = '', third = ''] = customId.split(SEPARATOR);
  switch (name) {
    case 'offer':
      return isId(first) ? { do: 'offer', offerId: first, deliveryId: second || null } : null;
    case 'event':
      return isId(first) ? { do: 'event', eventId: first, deliveryId: second || null } : null;
    case 'dealcast':
      return isId(first) ? { do: 'dealcast', subject: first, deliveryId: second || null } : null;
    case 'roll-up':
      return isId(first) && isPage(second) ? { do: 'roll-up', deliveryId: first, page: Number(second) } : null;
    case 'roll-up-page':
      return isId(first) && isPage(second) ? { do: 'roll-up-page', rollUpId: first, page: Number(second) } : null;
    case 'feed':
      return isId(first) && isPage(second) ? { do: 'feed', feed: first, page: Number(second) } : null;
    case 'events': {
      const site = SITE_PREFIXES.find((prefix) => prefix === first) ?? null;
      const type = EVENT_TYPES.find((eventType) => eventType === second) ?? null;
      return isPage(third) ? { do: 'events', site, type, page: Number(third) } : null;
    }
    default:
      return null;
  }
}

/** The delivery that a `custom_id` marks, if it marks one. */
export function deliveryIdOf(customId: string): string | null {
  const action = decodeAction(customId);
  return action && 'deliveryId' in action ? action.deliveryId : null;
}

const join = (...parts: (string | null)[]) => parts.map((part) => part ?? '').join(SEPARATOR);
const isId = (text: string) => /^[\w-]{1,64}$/.test(text);
const isPage = (text: string) => /^[1-9]\d{0,4}$/.test(text);
