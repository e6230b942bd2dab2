import { expect, test } from 'vitest';
import { inOrder, RECORDS } from '../../../src/features/hubs/records.ts';
import { openedRecords, openedState } from '../../helpers/opened-state.ts';

test('hubs are known again, in the order in which they were added, until they are removed', async () => {
  const { state, url } = openedState();
  const { hubs } = await openedRecords(state, undefined, [RECORDS]);
  const hub = (channelId: string, addedAtMs: number) => ({ channelId, guildId: '1', description: 'Deals', addedAtMs });
  for (const [channelId, addedAtMs] of Object.entries({ 10: 2, 11: 1, 12: 3 }))
    await hubs.save(channelId, hub(channelId, addedAtMs));
  await hubs.remove('12');
  const again = await openedRecords(openedState(url).state, undefined, [RECORDS]);
  for (const one of [hubs, again.hubs]) {
    expect(inOrder(one)).toEqual([hub('11', 1), hub('10', 2)]);
    expect([one.get('10'), one.get('12')]).toEqual([hub('10', 2), undefined]);
  }
});
