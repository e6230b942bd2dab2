import { MINUTE_MS } from './time.ts';
/**
 * Time within which a request must arrive whole, in milliseconds, so that slow clients don't keep connections open. Node
 * checks every 30 s, answers a late request with 408 and closes its connection.
 */
export const REQUEST_TIMEOUT_MS = MINUTE_MS;
