// How the actions of buttons and menu choices are written as a `custom_id`, whosever they are.

/** Separates the parts of an id; only the last part of one with a rest can contain it. */
export const SEPARATOR = ':';

/** One part of an id. It is written as its own text, null as an empty one. */
export interface Field<T> {
  /** The value that a text stands for; undefined where it stands for none, because anybody can send any text. */
  decode: (text: string) => T | undefined;
  /** The value of a part that is missing. Such parts come last, and are left out where all of them have this value. */
  usual?: T;
  /** Whether the part is the rest of the id, separators included. */
  isRest?: true;
}

/**
 * Actions by name, with their fields in the order in which an id has them. An id belongs to the first table that can read
 * it, the core's last.
 */
export type ActionTable = Readonly<Record<string, Readonly<Record<string, Field<unknown>>>>>;

type Values<Fields> = { [Name in keyof Fields]: Fields[Name] extends Field<infer T> ? T : never };

/** The actions of a table. */
export type ActionOf<Table extends ActionTable> = {
  [Name in keyof Table & string]: { do: Name } & Values<Table[Name]>;
}[keyof Table & string];

/** An action of a feature. It carries its table, by which its id is written. */
export interface FeatureAction {
  do: string;
  table: ActionTable;
}

/**
 * Returns a function that makes the actions of a feature's table.
 * @example
 * const act = actionsOf({ roll: { page: field.page } });
 * actionButton('Roll', act({ do: 'roll', page: 1 }));
 */
export function actionsOf<Table extends ActionTable>(table: Table) {
  return <A extends ActionOf<Table>>(action: A): A & FeatureAction => ({ ...action, table });
}

/** An id of the catalog's, of Discord's or of the bot's own. */
const id: Field<string> = { decode: (text) => (/^[\w-]{1,64}$/.test(text) ? text : undefined) };
const page: Field<number> = { decode: (text) => (isPage(text) ? Number(text) : undefined) };

/** The fields that actions are made of. */
export const field = {
  id,
  page,
  oneOf: <const T extends string>(values: readonly T[]): Field<T> => ({
    decode: (text) => values.find((value) => value === text),
  }),
  /** `usual` where the text stands for nothing. */
  usually: <const U extends string, T>(usual: U, { decode }: Field<T>): Field<T | U> => ({
    decode: (text) => decode(text) ?? usual,
    usual,
  }),
  /** Only an empty text is null. */
  orNull: <T>({ decode }: Field<T>): Field<T | null> => ({ decode: (text) => (text === '' ? null : decode(text)) }),
  /** Whatever isn't one of the values is null. */
  oneOfOrNull: <const T extends string>(values: readonly T[]): Field<T | null> => ({
    decode: (text) => values.find((value) => value === text) ?? null,
  }),
};

/** Encodes an action of the table. */
export function encodeIn(table: ActionTable, action: { do: string }): string {
  const values: Readonly<Record<string, unknown>> = { ...action };
  const fields = Object.entries(table[action.do] ?? {});
  const isUsual = fields.every(([name, { usual }]) => usual === undefined || values[name] === usual);
  const written = isUsual ? fields.filter(([, { usual }]) => usual === undefined) : fields;
  return joined(action.do, ...written.map(([name]) => values[name]));
}

/** Decodes the parts of an id; null where the table has no such action, or a part stands for nothing. */
export function decodeIn(table: ActionTable, [name = '', ...parts]: readonly string[]): { do: string } | null {
  const fields = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!fields) return null;
  const values = Object.entries(fields).map(([field, { decode, isRest }], place) => {
    const text = isRest ? parts.slice(place).join(SEPARATOR) : (parts[place] ?? '');
    return [field, decode(text)] as const;
  });
  if (values.some(([, value]) => value === undefined)) return null;
  return { do: name, ...Object.fromEntries(values) };
}

/** A part that is null leaves its place empty. */
export function joined(...parts: unknown[]): string {
  return parts.join(SEPARATOR);
}

/** Whether a text is a page's number, 1 to 99999. */
export function isPage(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text);
}
