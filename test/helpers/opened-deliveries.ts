import { putIn } from '../../src/announcements/outbox/enqueue.ts';
import type { DeliveryStore } from '../../src/store/deliveries.ts';
import type { Delivery } from '../../src/store/delivery.ts';
import type { Changes, State } from '../../src/store/table/state.ts';
import { openedRecords, openedState } from './opened-state.ts';

type Rest<Name extends keyof DeliveryStore> = DeliveryStore[Name] extends (
  changes: Changes,
  ...rest: infer R
) => unknown
  ? R
  : never;

/** A store of deliveries of which each change is a commit of its own. */
export async function openedDeliveries(state: State) {
  const { deliveries: store } = await openedRecords(state);
  const commit = <R>(decide: (changes: Changes) => R | Promise<R>): Promise<R> =>
    state.transact(async (changes) => decide(changes));
  return {
    ...store,
    /** By default each that is new stays a delivery of its own. */
    add: (found: Rest<'add'>[0], merge: Rest<'add'>[1] = (fresh) => [...fresh]) =>
      commit((changes) => store.add(changes, found, merge)),
    join: (...rest: Rest<'join'>) => commit((changes) => store.join(changes, ...rest)),
    noteTried: (...rest: Rest<'noteTried'>) => commit((changes) => store.noteTried(changes, ...rest)),
    rollUp: (...rest: Rest<'rollUp'>) => commit((changes) => store.rollUp(changes, ...rest)),
    dissolve: (...rest: Rest<'dissolve'>) => commit((changes) => store.dissolve(changes, ...rest)),
    end: (...rest: Rest<'end'>) => commit((changes) => store.end(changes, ...rest)),
    endRollUp: (...rest: Rest<'endRollUp'>) => commit((changes) => store.endRollUp(changes, ...rest)),
    withdraw: (...rest: Rest<'withdraw'>) => commit((changes) => store.withdraw(changes, ...rest)),
    abandon: (...rest: Rest<'abandon'>) => commit((changes) => store.abandon(changes, ...rest)),
    noteFound: (...rest: Rest<'noteFound'>) => commit((changes) => store.noteFound(changes, ...rest)),
  };
}

/** The deliveries that an empty outbox makes of these. */
export async function putInEmpty(found: readonly Delivery[]): Promise<Delivery[]> {
  const { state } = openedState();
  const records = await openedRecords(state);
  return state.transact((changes) => putIn(records, changes, found));
}
