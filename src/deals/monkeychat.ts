import { contentName } from './content-name.ts';

/** An exchange between two characters. The specification shows no fields: the object is kept as it came. */
export interface Monkeychat {
  raw: Record<string, unknown>;
}

/** Ids first, then links: whatever else an object holds may change while it stays the same thing. */
const NAMING = [/^(\w*id|key)$/i, /url$/i, /^(title|name|subject)$/i, /date$/i];

/** A name for an exchange, made of the first of its fields that can tell it apart. 16 characters of base64url. */
export function monkeychatSubject({ raw }: Monkeychat): string {
  for (const name of NAMING) {
    const found = Object.entries(raw).filter(([key, value]) => name.test(key) && isTelling(value));
    if (found.length > 0) return contentName(JSON.stringify(found.toSorted(([a], [b]) => (a < b ? -1 : 1))));
  }
  return contentName(JSON.stringify(raw));
}

function isTelling(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}
