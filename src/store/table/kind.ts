import { z } from 'zod';

/** A kind of record, declared once: the name that its keys begin with, how its rows are read, how long they are kept. */
export interface Kind<T> {
  /** Letters and hyphens. The key of a row is this name, a colon and the record's own key. */
  readonly name: string;
  /** The record of a row; undefined where the row holds none. `row` is null where it is not JSON. */
  readonly read: (row: unknown) => T | undefined;
  /** Absent where records stay until something deletes them. */
  readonly kept?: {
    ms: number;
    /** Since when: epoch milliseconds. */
    since: (record: T) => number;
  };
}

/**
 * Reads rows that have these fields, each of its form. Any other row (damaged, or written by a program that knew other
 * fields) reads as undefined, so that the problem stays confined to it.
 * @param shape the fields that readers rely on; others are kept as they are
 */
export function fields<T extends object>(
  shape: Partial<Record<keyof T & string, z.ZodType>>,
): (row: unknown) => T | undefined {
  const schema = z.looseObject(shape as Record<string, z.ZodType>);
  return (row) => (schema.safeParse(row).success ? (row as T) : undefined);
}

/** Forms of fields whose own readers check what is in them. */
export const OBJECT = z.looseObject({});
export const LIST = z.array(z.unknown());
