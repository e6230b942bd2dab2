import { expect, test } from 'vitest';
import { placeOfPerson } from '../../src/deals/person.ts';
import { USUAL_PACING_OF_PERSON } from '../../src/deals/settings.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import type { Person } from '../../src/store/server-records.ts';
import type { FeatureRecords } from '../../src/store/store.ts';
import { openedRecords, openedState } from '../helpers/opened-state.ts';
import { aSubscription, NOW_MS } from '../helpers/things.ts';

const BEN: Person = {
  id: 'ben',
  channelId: '10',
  locale: 'de',
  ...USUAL_PACING_OF_PERSON,
  usedAtMs: NOW_MS,
  closed: null,
  shownWaiting: null,
};

test('people are found again, changes don’t overwrite each other, and whoever was removed stays so', async () => {
  const { url, state } = openedState();
  const { people } = await openedRecords(state);
  const again = async () => (await openedRecords(openedState(url).state)).people;
  await Promise.all([
    people.save('ben', BEN),
    people.save('ada', { ...BEN, id: 'ada' }),
    people.update('ada', (person) => ({ ...person, mostPerHour: 4 })),
    people.update('ben', (person) => ({ ...person, mostPerHour: 3 })),
    people.update('ben', (person) => ({ ...person, locale: 'fr' })),
  ]);
  expect((await again()).get('ben')).toEqual({ ...BEN, mostPerHour: 3, locale: 'fr' });
  expect((await again()).get('ada')).toEqual({ ...BEN, id: 'ada', mostPerHour: 4 });
  await state.commit((changes) => {
    people.change(changes, 'ada', (person) => ({ ...person, locale: 'es' }));
    people.delete(changes, 'ben');
    people.change(changes, 'ben', () => BEN);
  });
  await people.update('ben', () => BEN);
  for (const run of [people, await again()]) {
    expect([...run.all()]).toEqual([{ ...BEN, id: 'ada', mostPerHour: 4, locale: 'es' }]);
  }
});

test('a person without a channel counts as not there', async () => {
  const { state, backend } = openedState();
  await backend.write(new Map([['person:ben', JSON.stringify({ value: { ...BEN, channelId: undefined } })]]));
  expect([...(await openedRecords(state)).people.all()]).toEqual([]);
});

/** A feature whose subscriptions of people all have a filter. */
const OF_PEOPLE = { kinds: [], open: async () => ({}), isPersonal: ({ filter }: Subscription) => filter !== '' };
const FILTER = 'kettle';

test('subscriptions of people stand beside those of servers, and are apart from them', async () => {
  const { url, state } = openedState();
  const records = (opened = openedState(url).state) => openedRecords(opened, undefined, [OF_PEOPLE]);
  const { subscriptions } = await records(state);
  const own = aSubscription('w', { guildId: placeOfPerson('ben'), filter: FILTER });
  await subscriptions.save(aSubscription('s'));
  await subscriptions.save(own);
  const { subscriptions: again } = await records();
  expect(again.ofGuild(placeOfPerson('ben'))).toEqual([own]);
  expect(again.ofGuild('1').map(({ id }) => id)).toEqual(['s']);
  expect(again.ofServers().map(({ id }) => id)).toEqual(['s']);
  expect(again.all().map(({ id }) => id)).toEqual(['s', 'w']);
  await again.remove('w');
  expect(again.ofGuild(placeOfPerson('ben'))).toEqual([]);
  expect((await records()).subscriptions.all().map(({ id }) => id)).toEqual(['s']);
});

test('one that no feature knows counts as not there: it would match a whole feed; its row stays', async () => {
  const { url, state } = openedState();
  const { subscriptions } = await openedRecords(state, undefined, [OF_PEOPLE]);
  await subscriptions.save(aSubscription('a', { guildId: placeOfPerson('ben') }));
  await subscriptions.save(aSubscription('b', { guildId: placeOfPerson('ben'), filter: FILTER }));
  const ids = async (features: readonly FeatureRecords[]) =>
    (await openedRecords(openedState(url).state, undefined, features)).subscriptions.all().map(({ id }) => id);
  expect(await ids([])).toEqual([]);
  expect(await ids([OF_PEOPLE])).toEqual(['b']);
});
