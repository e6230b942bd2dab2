import { EVENT_TYPES } from '../deals/event.ts';
import { CatalogHttpError } from './errors.ts';

// Names of deployments that differ from the specification. Answers are mapped as they arrive; requests use the
// specification's spelling first.

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

/** The other names of event types, by the specification's. */
const OTHER_EVENT_TYPES = new Map([
  ['DealOff', 'WootOff'],
  ['DealPlus', 'WootPlus'],
]);

/** The specification's event types, by all of their names in lower case. */
const SPECIFIED_TYPES = new Map<string, string>([
  ...EVENT_TYPES.map((type): [string, string] => [type.toLowerCase(), type]),
  ...[...OTHER_EVENT_TYPES].map(([specified, other]): [string, string] => [other.toLowerCase(), specified]),
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

/** The other spelling of an event type, or the type itself where there is none. */
export function otherEventType(type: string): string {
  return OTHER_EVENT_TYPES.get(type) ?? type;
}

/**
 * Makes requests in the specification's spelling or the deployment's other one: in the one that worked last, and where
 * that is refused with the status `refusal`, in the other.
 */
export class EitherSpelling {
  readonly #refusal: number;
  #isOther = false;

  constructor(refusal: 400 | 404) {
    this.#refusal = refusal;
  }

  async request<T>(send: (isOther: boolean) => Promise<T>): Promise<T> {
    const isOther = this.#isOther;
    try {
      return await send(isOther);
    } catch (error) {
      if (!(error instanceof CatalogHttpError) || error.status !== this.#refusal) throw error;
      const answer = await send(!isOther);
      this.#isOther = !isOther;
      return answer;
    }
  }
}
