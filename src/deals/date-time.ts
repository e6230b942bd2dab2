const DATE_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * Parses a date or date and time of the catalog (RFC 3339, the zone is optional) into epoch milliseconds. Without a
 * zone it is UTC (specification: "StartDate … in UTC"), whatever the machine's zone. Null for any other text, for days
 * that do not exist, and for years before 1970, which stand for "none".
 */
export function dateTimeMs(given: string): number | null {
  const text = given.toUpperCase();
  const [whole, day, time, zone] = DATE_TIME.exec(text) ?? [];
  if (whole === undefined) return null;
  // Date.parse accepts 30 February as a day in March.
  if (Number(day) > 28 && new Date(text.slice(0, 'yyyy-mm-dd'.length)).getUTCDate() !== Number(day)) return null;
  const epochMs = Date.parse(time !== undefined && zone === undefined ? `${text}Z` : text);
  return epochMs > 0 ? epochMs : null;
}

/** The three formats of HTTP dates; the third has no zone and is UTC as well. */
const HTTP_DATE =
  /^(?:[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d gmt|[a-z]{6,9}, \d\d-[a-z]{3}-\d\d \d\d:\d\d:\d\d gmt|([a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}))$/i;

/** Parses an HTTP date (RFC 9110, 5.6.7) into epoch milliseconds; null for any other text. */
export function httpDateMs(text: string): number | null {
  const [whole, withoutZone] = HTTP_DATE.exec(text) ?? [];
  if (whole === undefined) return null;
  const epochMs = Date.parse(withoutZone === undefined ? whole : `${whole} GMT`);
  return Number.isNaN(epochMs) ? null : epochMs;
}
