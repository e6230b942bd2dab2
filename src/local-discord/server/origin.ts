import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Whether a request may come from where it says: a page of another site, also one whose name was pointed at this
 * machine, must not speak for the people here. Programs other than browsers send no Origin.
 * @param ownHost the name or address this server was told to listen on
 */
export function isOwnOrigin(headers: IncomingHttpHeaders, ownHost: string): boolean {
  const { host, origin } = headers;
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  // Only a name can be pointed elsewhere; an address is what it says.
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  if (!isAddress && hostname !== 'localhost' && hostname !== ownHost) return false;
  return origin === undefined || origin === `http://${host}`;
}
