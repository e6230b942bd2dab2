export interface AddressOptions {
  name: 'v2' | 'portal';
  /** Where the interface's paths begin, without its `/2`. */
  url: string;
  key: string;
  /** The keys of both interfaces: one address may serve both. */
  secrets: readonly string[];
}

export type Query = readonly (readonly [name: string, value: string])[];

/** Where a request goes. Only `path` and `headers` hold the key. */
export interface Target {
  /** `https://host:port` */
  origin: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  /** What logs and errors call the request: no key, and no name or password of the base address. */
  label: string;
  /** Takes every key out of a text of the catalog's that may quote one. */
  redact(text: string): string;
}

/** Builds a request's target and its keyless label side by side (specification: "Authentication"). */
export function createAddress({ name, url, key, secrets }: AddressOptions) {
  const { origin, pathname } = new URL(url);
  const root = pathname.replace(/\/+$/, '');
  const spellings = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, encodeURIComponent(secret), queryText([['', secret]]).slice('?='.length)]);
  const redact = (text: string) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '***'), text);
  const headers: Record<string, string> = name === 'portal' ? { 'x-api-key': key } : {};
  const keyQuery: Query = name === 'portal' ? [] : [['key', key]];

  /** @param path encoded */
  return (method: 'GET' | 'POST', path: string, query: Query): Target => ({
    origin,
    path: `${root}${path}${queryText([...query, ...keyQuery])}`,
    label: `${method} ${origin}${root}${path}${queryText(query)}`,
    headers,
    redact,
  });
}

function queryText(query: Query): string {
  if (query.length === 0) return '';
  const parameters = new URLSearchParams();
  for (const [field, value] of query) parameters.append(field, value);
  return `?${parameters.toString()}`;
}
