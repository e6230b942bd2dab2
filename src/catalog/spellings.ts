import { EVENT_TYPES } from '../deals/event.ts';

// Names of deployments that differ from the specification. Answers are mapped as they arrive.

/** The specification's fields, by their other names. */
const FIELDS = new Map([
  ['IsWootOff', 'IsDealOff'],
  ['IsFulfilledByAmazon', 'IsFulfilledByPartner'],
  ['LastWooterToWoot', 'LastBuyerToDeal'],
  ['OverallWootsSold', 'OverallDealsSold'],
  ['SiteWootsSold', 'SiteDealsSold'],
  ['SpeedToFirstWoot', 'SpeedToFirstDeal'],
  ['WootsByState', 'DealsByState'],
]);

/** Whether a field is one of the specification's by another name. */
export function isOtherSpelling(name: string): boolean {
  return FIELDS.has(name);
}

/** The specification's event types, by all of their names in lower case. */
const SPECIFIED_TYPES = new Map<string, string>([
  ...EVENT_TYPES.map((type): [string, string] => [type.toLowerCase(), type]),
  ['wootoff', 'DealOff'],
  ['wootplus', 'DealPlus'],
]);

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
