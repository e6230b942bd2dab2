import { EVENT_TYPES } from '../deals/event.ts';

/**
 * Field, type and resource names of deployments that differ from the specification. Answers are mapped as they arrive;
 * requests use the specification's spelling first.
 */
const SPELLINGS = {
  fields: {
    IsWootOff: 'IsDealOff',
    IsFulfilledByAmazon: 'IsFulfilledByPartner',
    LastWooterToWoot: 'LastBuyerToDeal',
    OverallWootsSold: 'OverallDealsSold',
    SiteWootsSold: 'SiteDealsSold',
    SpeedToFirstWoot: 'SpeedToFirstDeal',
    WootsByState: 'DealsByState',
  },
  eventTypes: { WootOff: 'DealOff', WootPlus: 'DealPlus' },
  resources: { wootcasts: 'dealcasts' },
} as const;

const FIELDS = new Map<string, string>(Object.entries(SPELLINGS.fields));
/** The specification's type names, by themselves and by their other spellings, all in lower case. */
const SPECIFIED_TYPES = new Map<string, string>([
  ...EVENT_TYPES.map((type): [string, string] => [type.toLowerCase(), type]),
  ...Object.entries(SPELLINGS.eventTypes).map(([other, specified]): [string, string] => [
    other.toLowerCase(),
    specified,
  ]),
]);
const OTHER_EVENT_TYPES = new Map<string, string>(
  Object.entries(SPELLINGS.eventTypes).map(([other, specified]) => [specified, other]),
);
const OTHER_RESOURCES = new Map<string, string>(
  Object.entries(SPELLINGS.resources).map(([other, specified]) => [specified, other]),
);

/** The deepest nesting of the interface's values; deeper ones are foreign and stay as they are. */
const MAX_DEPTH = 12;

/** Adds the specification's name beside every other spelling in a parsed JSON value, in place. */
export function normaliseKeys(json: unknown, depth = 0): void {
  if (typeof json !== 'object' || json === null || depth > MAX_DEPTH) return;
  if (Array.isArray(json)) {
    for (const item of json) normaliseKeys(item, depth + 1);
    return;
  }
  const record = json as Record<string, unknown>;
  for (const name in record) {
    const value = record[name];
    if (typeof value === 'object') normaliseKeys(value, depth + 1);
    const specified = FIELDS.get(name);
    if (specified !== undefined) record[specified] ??= value;
    else if (name === 'Type' && typeof value === 'string')
      record[name] = SPECIFIED_TYPES.get(value.toLowerCase()) ?? value;
  }
}

/** The other spelling of an event type, or the type itself where there is none. */
export function otherEventType(type: string): string {
  return OTHER_EVENT_TYPES.get(type) ?? type;
}

/** The other spelling of a resource in a path, or the resource itself where there is none. */
export function otherResource(resource: string): string {
  return OTHER_RESOURCES.get(resource) ?? resource;
}
