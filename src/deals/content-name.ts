import { createHash } from 'node:crypto';

/** Derives an id for an entity that has none in the catalog: a hash of `identity`, 16 characters of base64url. */
export function contentName(identity: string): string {
  return createHash('sha256').update(identity).digest('base64url').slice(0, 16);
}
