import { createHash } from 'node:crypto';

/** A name for a thing that the catalog gives no id, made of what tells it apart: 16 characters of base64url. */
export function contentName(identity: string): string {
  return createHash('sha256').update(identity).digest('base64url').slice(0, 16);
}
