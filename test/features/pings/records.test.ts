import { expect, test } from 'vitest';
import { type PendingRole, type PingsPanel, RECORDS } from '../../../src/features/pings/records.ts';
import { openedRecords, openedState } from '../../helpers/opened-state.ts';
import { aSubscription } from '../../helpers/things.ts';

/** The records of a state, in this run and in the next one. */
async function aState() {
  const { url, state } = openedState();
  const records = await openedRecords(state, undefined, [RECORDS]);
  const runs = async () => [records, await openedRecords(openedState(url).state, undefined, [RECORDS])];
  return { records, runs };
}

test('roles that are being made are known again until it is known what became of them', async () => {
  const { records, runs } = await aState();
  const role = (name: string): PendingRole => {
    return { guildId: '1', subscriptionId: 's', name, filter: '', afterId: '9', sinceMs: 1 };
  };
  await records.pendingRoles.save('a', role('A'));
  await records.pendingRoles.save('b', role('B'));
  await records.pendingRoles.remove('a');
  for (const { pendingRoles } of await runs()) expect(pendingRoles.entries()).toEqual([['b', role('B')]]);
});

test('the panels of a server are known again, and the server is not once it has none', async () => {
  const { records, runs } = await aState();
  const panel = (id: string): PingsPanel => ({ id, channelId: '10', afterId: null, messageId: null, digest: '' });
  for (const guildId of ['1', '2']) {
    for (const id of ['a', 'b']) await records.pingsPanels.update(guildId, (before) => [...before, panel(id)]);
  }
  await records.pingsPanels.update('2', () => []);
  for (const { pingsPanels } of await runs()) {
    expect(pingsPanels.guildIds()).toEqual(['1']);
    expect([pingsPanels.of('1'), pingsPanels.of('2')]).toEqual([[panel('a'), panel('b')], []]);
  }
});

test('a row that names one role, as before there were several pings, has one ping for every post', async () => {
  const { state, url } = openedState();
  const older = aSubscription('older');
  const kind = { name: 'subscription', read: () => undefined };
  await state.commit((changes) => {
    changes.set(kind, 'older', { ...older, mentionRoleId: '7' });
    changes.set(kind, 'silent', { ...older, id: 'silent', mentionRoleId: null });
    changes.set(kind, 'damaged', { ...older, id: 'damaged', pings: [{ role: 7 }] });
  });
  const { subscriptions } = await openedRecords(openedState(url).state, undefined, [RECORDS]);
  expect(subscriptions.get('older')).toEqual({ ...older, pings: [{ roleId: '7', filter: '', kinds: [] }] });
  expect(subscriptions.get('silent')).toEqual({ ...older, id: 'silent', pings: [] });
  // Saved again, it would have lost them.
  expect(subscriptions.get('damaged')).toBeUndefined();
});
