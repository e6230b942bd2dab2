import { copyFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { placeOfPerson } from '../../../src/deals/person.ts';
import { watches } from '../../../src/features/watches/index.ts';
import { openStore } from '../../../src/store/store.ts';
import { openedRecords, openedState } from '../../helpers/opened-state.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aSubscription } from '../../helpers/things.ts';

const RECORDS = watches.records ? [watches.records] : [];
const recordsAt = (state: ReturnType<typeof openedState>['state']) => openedRecords(state, undefined, RECORDS);

const WATCH = { aim: 'stock', product: { key: 'kettle|', title: 'Kettle', offerId: '1' }, below: null } as const;

test('watches stand beside the subscriptions of servers, and are apart from them', async () => {
  const { url, state } = openedState();
  const { subscriptions } = await recordsAt(state);
  const watch = aSubscription('w', { guildId: placeOfPerson('ben'), watch: WATCH });
  await subscriptions.save(aSubscription('s'));
  await subscriptions.save(watch);
  const { subscriptions: again } = await recordsAt(openedState(url).state);
  expect(again.ofGuild(placeOfPerson('ben'))).toEqual([watch]);
  expect(again.ofGuild('1').map(({ id }) => id)).toEqual(['s']);
  expect(again.ofServers().map(({ id }) => id)).toEqual(['s']);
  expect(again.all().map(({ id }) => id)).toEqual(['s', 'w']);
  await again.remove('w');
  expect(again.ofGuild(placeOfPerson('ben'))).toEqual([]);
  expect((await recordsAt(openedState(url).state)).subscriptions.all().map(({ id }) => id)).toEqual(['s']);
});

test('a watch that lost what it watches counts as not there: it would match a whole feed', async () => {
  const { state, backend } = openedState();
  const watch = aSubscription('a', { guildId: placeOfPerson('ben') });
  await backend.write(new Map([['subscription:a', JSON.stringify({ value: watch })]]));
  expect((await recordsAt(state)).subscriptions.all()).toEqual([]);
});

test('the watches in a stored state of version 1 are read', async () => {
  const url = temporaryState();
  copyFileSync('test/store/states/version-1.sqlite', url.slice('sqlite://'.length));
  const store = await openStore(url, undefined, null, RECORDS);
  expect(store.subscriptions.all().map(({ id }) => id)).toEqual(['settings', 'usual', 'watch']);
  expect(store.subscriptions.ofGuild(placeOfPerson('100'))).toMatchObject([{ watch: { aim: 'stock' } }]);
  await store.close();
});
