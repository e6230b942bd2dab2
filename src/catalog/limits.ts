/** Why an item, or a part of one, was left out. Contains no text of the catalog's. */
export interface Problem {
  /** The place in the answer: `3`, `3.Offers.0`. */
  at: string;
  reason: string;
  /** True where it was not malformed, but exceeded a limit. */
  isCut?: boolean;
}

export type Report = (problem: Problem) => void;

/**
 * The limits on an answer. All are generous: several times the sizes in the specification's examples and in live
 * deployments. A value over a limit is cut or left out, counted and logged. Lengths are in UTF-16 units.
 */
export const LIMITS = {
  /** Items of a feed. A live deployment truncates feeds at 5,000. */
  feedItems: 10_000,
  /** Events, dealcasts, polls or monkeychats of an answer. */
  entities: 1_000,
  /** The length of an event as JSON: each post about it stores it. */
  eventLength: 1_000_000,
  /** The length of a dealcast, a poll or a monkeychat as JSON. */
  entityLength: 200_000,
  /** The length of a text that is not named in `TEXTS`: mostly HTML. */
  text: 100_000,
  /** The length of a link. A longer one is left out, because a cut link would lead elsewhere. */
  link: 2_000,
  /** Entries of a list that is not named in `LISTS`. */
  list: 200,
  /** Fields of an object. */
  fields: 200,
  /** The nesting depth of objects and lists. Deeper values are left out. */
  depth: 12,
  /** The problems of an answer that are counted, each with its place. */
  problems: 1_000,
} as const;

/** The maximum lengths of texts, by the name of their field or, in a list, of the list's field. */
const TEXTS: ReadonlyMap<string, number> = new Map([
  ...['Id', 'OfferId', 'EventId', 'Type', 'StartDate', 'EndDate', 'SoldOutOn', 'PostedOn', 'LastPurchase'].map(
    (name) => [name, 100] as const,
  ),
  ...['Condition', 'Site', 'Categories', 'Tags', 'Name', 'Key', 'Username', 'MarketingName'].map(
    (name) => [name, 200] as const,
  ),
  ...['ExcludedStates', 'ExcludedPostalCodes'].map((name) => [name, 50] as const),
  ...['Title', 'FullTitle', 'Value', 'Slug', 'Caption', 'MessagePrefix', 'MessageBody'].map(
    (name) => [name, 1_000] as const,
  ),
  ['Subtitle', 2_000],
]);

/** The maximum lengths of lists, by the name of their field. */
const LISTS: ReadonlyMap<string, number> = new Map([
  ['Offers', 500],
  ['Items', 500],
  ['Questions', 50],
  ['Responses', 100],
  ['Categories', 50],
  ['Attributes', 50],
  ['Tags', 50],
  ['ShippingMethods', 50],
  ['ExcludedPostalCodes', 10_000],
]);

const LINK = /^(?:photo|avatar|\w*url)$/i;

/** Cuts a value to the limits, in place, and reports each cut. `name` is the field that holds the value. */
export function cutToLimits(value: unknown, report: Report, name = '', depth = 0): unknown {
  if (typeof value === 'string') return cutText(value, name, report);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > LIMITS.depth) {
    report({ at: '', reason: `deeper than ${LIMITS.depth}`, isCut: true });
    return null;
  }
  const record = value as Record<string, unknown>;
  const cutIn = (key: string, field: string) => {
    const inside = record[key];
    if (!isCuttable(inside) || (typeof inside === 'string' && inside.length <= longestText(field))) return;
    const reportInside: Report = (problem) => report({ ...problem, at: placeOf(key, problem.at) });
    const cut = cutToLimits(inside, reportInside, field, depth + 1);
    if (cut !== inside) record[key] = cut;
  };
  if (Array.isArray(value)) {
    const most = LISTS.get(name) ?? LIMITS.list;
    if (value.length > most) {
      report({ at: '', reason: `${value.length} entries, ${most} at most`, isCut: true });
      value.length = most;
    }
    for (const index of value.keys()) cutIn(String(index), name);
    return value;
  }
  let fields = 0;
  for (const field in record) {
    fields += 1;
    if (fields > LIMITS.fields) delete record[field];
    else cutIn(field, field);
  }
  if (fields > LIMITS.fields) report({ at: '', reason: `${fields} fields, ${LIMITS.fields} at most`, isCut: true });
  return record;
}

/** The place of a problem. It includes the catalog's known field names, but none that may be arbitrary text. */
function placeOf(field: string, inside: string): string {
  const name = /^\w{1,40}$/.test(field) ? field : '?';
  return inside === '' ? name : `${name}.${inside}`;
}

/** Whether a value may exceed a limit. Most values are short texts, numbers and flags, which can't. */
function isCuttable(value: unknown): boolean {
  return typeof value === 'string' ? value.length > SHORTEST_LIMIT : typeof value === 'object';
}

const SHORTEST_LIMIT = Math.min(...TEXTS.values());

function longestText(name: string): number {
  return TEXTS.get(name) ?? (LINK.test(name) ? LIMITS.link : LIMITS.text);
}

function cutText(text: string, name: string, report: Report): string | null {
  const most = longestText(name);
  if (text.length <= most) return text;
  report({ at: '', reason: `${text.length} characters, ${most} at most`, isCut: true });
  // Drops half a surrogate pair at the cut.
  return LINK.test(name) ? null : text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}
