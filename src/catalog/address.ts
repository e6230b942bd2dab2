export interface AddressOptions {
  name: 'v2' | 'portal';
  /** Where the interface's paths begin, without its `/2`. */
  url: string;
  key: string;
  /** The keys of both interfaces: one address may serve both. */
  secrets: readonly string[];
}

export type Query = readonly (readonly [name: string, value: string])[];

/** Where a request goes. Only `url` and `headers` hold the key. */
export interface Target {
  url: URL;
  headers: Record<string, string>;
  /** What logs and errors call the request: no key, and no name or password of the base address. */
  label: string;
  /** Takes every key out of a text of the catalog's that may quote one. */
  redact(text: string): string;
}

/** Builds a request's target and its keyless label side by side (specification: "Authentication"). */
export function createAddress({ name, url: base, key, secrets }: AddressOptions) {
  const root = base.replace(/\/+$/, '');
  const spellings = secrets.flatMap((secret) => (secret === '' ? [] : [secret, encodeURIComponent(secret)]));
  const redact = (text: string) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '***'), text);

  return (method: 'GET' | 'POST', path: string, query: Query): Target => {
    const url = new URL(root + path);
    for (const [field, value] of query) url.searchParams.append(field, value);
    const label = `${method} ${url.origin}${url.pathname}${url.search}`;
    if (name === 'portal') return { url, label, headers: { 'x-api-key': key }, redact };
    url.searchParams.append('key', key);
    return { url, label, headers: {}, redact };
  };
}
