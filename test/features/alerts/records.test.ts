import { expect, test } from 'vitest';
import { RECORDS } from '../../../src/features/alerts/records.ts';
import { openedRecords, openedState } from '../../helpers/opened-state.ts';

test('what needs the operator is known again until it is over', async () => {
  const { state, url } = openedState();
  const { alerts } = await openedRecords(state, undefined, [RECORDS]);
  await alerts.save('quota', { sinceMs: 2, isTold: false });
  await alerts.save('catalog', { sinceMs: 1, isTold: true });
  await alerts.save('state', { sinceMs: 3, isTold: false });
  await alerts.remove('state');
  const again = await openedRecords(openedState(url).state, undefined, [RECORDS]);
  for (const one of [alerts, again.alerts]) {
    expect(new Map(one.entries())).toEqual(
      new Map([
        ['catalog', { sinceMs: 1, isTold: true }],
        ['quota', { sinceMs: 2, isTold: false }],
      ]),
    );
  }
});
