/** An exchange between two characters. The specification shows no fields: the object is kept as it came. */
export interface Monkeychat {
  raw: Record<string, unknown>;
}
