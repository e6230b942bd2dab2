const texts = new WeakMap<object, string>();

/** The JSON of a value. It is made once for each object: what has been served must not be changed afterwards. */
export function jsonText(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

/** Has `jsonText` answer with `text` for that value, to the letter. */
export function keepText<T extends object>(value: T, text: string): T {
  texts.set(value, text);
  return value;
}
