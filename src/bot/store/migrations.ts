import type { Backend } from '../../shared/storage/backend.ts';
import * as first from './first-rows.ts';
import * as second from './second-rows.ts';

/** A change of the stored format. */
interface Migration {
  /** The version that it leads to, from the one before. */
  to: number;
  /** For each table that changes, the new row; the same object where a row stays. */
  changes: Parameters<Backend['rewrite']>[0];
}

/** In order: a state goes through all that come after its version. A released one is never changed again. */
const MIGRATIONS: readonly Migration[] = [
  {
    to: 2,
    changes: {
      outbox: first.outboxRow,
      ledger: first.ledgerRow,
      roll_ups: first.rollUpRow,
      known: first.knownRow,
      subscriptions: first.subscriptionRow,
    },
  },
  {
    to: 3,
    changes: {
      subscriptions: second.subscriptionRow,
      watches: second.subscriptionRow,
      removed_subscriptions: second.removedRow,
    },
  },
];

/**
 * The version of the stored format that this program reads and writes. A migration raises it, with every change that
 * older programs would misread.
 */
export const STATE_VERSION = MIGRATIONS.at(-1)?.to ?? 1;

/** The version of a state that does not tell its own. */
const FIRST_VERSION = 1;

/**
 * Brings a state to this program's version, step by step. Each step is one transaction that the state's new version is
 * part of, so that one that is cut off was not begun.
 * @param version the state's own
 * @param dealbell the program's version
 * @param copyAside makes a copy of the state; is called once, before the first step
 */
export async function migrate(
  backend: Pick<Backend, 'rewrite'>,
  { version = FIRST_VERSION, dealbell }: { version: number | undefined; dealbell: string },
  copyAside: (version: number) => Promise<unknown>,
): Promise<void> {
  const steps = MIGRATIONS.filter(({ to }) => to > version);
  if (steps.length === 0) return;
  await copyAside(version);
  for (const { to, changes } of steps) {
    await backend.rewrite({ ...changes, about: () => ({ version: to, dealbell }) });
  }
}
