/**
 * Time within which a request must arrive whole, in milliseconds. Node checks every 30 s, answers a late request with
 * 408 and closes its connection. Discord remembers a nonce for longer, so that local Discord does not take a slow
 * repeat of a message for a new one.
 */
export const REQUEST_TIMEOUT_MS = 60_000;
