import { z } from 'zod';
import { fields, type Kind } from './table/kind.ts';
import type { Changes } from './table/state.ts';

/** A state's description of itself. */
export interface AboutRecord {
  /** The version of its format. */
  version: number;
  /** The first version of Dealbell that wrote this version of the format. */
  dealbell: string;
  /** Whether the first subscriptions were made. */
  isSetUp: boolean;
}

export const ABOUT: Kind<AboutRecord> = {
  name: 'about',
  read: fields<AboutRecord>({ version: z.int().min(1), dealbell: z.string(), isSetUp: z.boolean() }),
};
/** The key of its only record. */
export const ABOUT_KEY = 'state';

export function describe(changes: Changes, about: AboutRecord): void {
  changes.set(ABOUT, ABOUT_KEY, about);
}
