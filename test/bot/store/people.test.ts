import { expect, onTestFinished, test } from 'vitest';
import { USUAL_TIMING } from '../../../src/bot/deals/subscription.ts';
import { placeOfPerson } from '../../../src/bot/deals/watch.ts';
import { openPeople, type Person } from '../../../src/bot/store/people.ts';
import { openSubscriptions } from '../../../src/bot/store/subscriptions.ts';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aSubscription, NOW_MS } from '../../helpers/things.ts';

const BEN: Person = {
  version: 1,
  id: 'ben',
  channelId: '10',
  locale: 'de',
  timing: USUAL_TIMING,
  mostPerHour: 10,
  usedAtMs: NOW_MS,
  closed: null,
  shownWaiting: null,
};

function aBackend(url: string) {
  const backend = openBackend(url);
  onTestFinished(() => backend.close());
  return backend;
}

test('people are found again, changes don’t overwrite each other, and whoever was removed stays so', async () => {
  const url = temporaryState();
  const people = await openPeople(aBackend(url));
  await people.save(BEN);
  await Promise.all([
    people.update('ben', (person) => ({ ...person, mostPerHour: 3 })),
    people.update('ben', (person) => ({ ...person, locale: 'fr' })),
  ]);
  expect((await openPeople(aBackend(url))).get('ben')).toEqual({ ...BEN, mostPerHour: 3, locale: 'fr' });
  await people.remove('ben');
  await people.update('ben', () => BEN);
  expect([...(await openPeople(aBackend(url))).all()]).toEqual([]);
});

test('a person without a channel, or of a later version, counts as not there', async () => {
  const url = temporaryState();
  const table = aBackend(url).table<unknown>('people');
  await table.set('ben', { ...BEN, channelId: undefined });
  await table.set('ada', { ...BEN, id: 'ada', version: 2 });
  expect([...(await openPeople(aBackend(url))).all()]).toEqual([]);
});

const WATCH = { aim: 'stock', product: { key: 'kettle|', title: 'Kettle', offerId: '1' }, below: null } as const;

test('watches stand in a table of their own, which earlier versions don’t read, and beside subscriptions', async () => {
  const url = temporaryState();
  const backend = aBackend(url);
  const subscriptions = await openSubscriptions(backend);
  const watch = aSubscription('w', { guildId: placeOfPerson('ben'), watch: WATCH });
  await subscriptions.save(aSubscription('s'));
  await subscriptions.save(watch);
  expect(await backend.table('subscriptions').get('w')).toBeUndefined();
  const again = await openSubscriptions(aBackend(url));
  expect(again.ofGuild(placeOfPerson('ben'))).toEqual([watch]);
  expect(again.ofGuild('1').map(({ id }) => id)).toEqual(['s']);
  await again.remove('w');
  expect(again.ofGuild(placeOfPerson('ben'))).toEqual([]);
  expect((await openSubscriptions(aBackend(url))).all().map(({ id }) => id)).toEqual(['s']);
});

test('a watch that lost what it watches, or whom it is for, counts as not there: it would match a whole feed', async () => {
  const url = temporaryState();
  const table = aBackend(url).table<unknown>('watches');
  await table.set('a', aSubscription('a', { guildId: placeOfPerson('ben') }));
  await table.set('b', aSubscription('b', { watch: WATCH }));
  expect((await openSubscriptions(aBackend(url))).all()).toEqual([]);
});
