export interface AddressOptions {
  name: 'v2' | 'portal';
  /** The base of the interface's paths, without its `/2`. */
  url: string;
  key: string;
  /** The keys of both interfaces, because one address may serve both. */
  secrets: readonly string[];
}

export type Query = readonly (readonly [name: string, value: string])[];

/** The destination of a request. Only `path` and `headers` contain the key. */
export interface Target {
  /** `https://host:port` */
  origin: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  /** The request's name in logs and errors: it contains no key, and no user name or password of the base address. */
  label: string;
  /** Removes every key from a text of the catalog, which may quote one. */
  redact(text: string): string;
}

/** Builds a request's target and its label without a key side by side (specification: "Authentication"). */
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
