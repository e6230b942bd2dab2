/**
 * A request that has not arrived whole by then is answered with 408 and its connection closed, at the next of Node's looks
 * every 30 s: milliseconds. Shorter than Discord remembers a nonce, so that local Discord takes no repeat of a message for a
 * new one because it came slowly.
 */
export const REQUEST_TIMEOUT_MS = 60_000;
