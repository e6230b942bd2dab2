import { describe, expect, onTestFinished, test } from 'vitest';
import { COPIED_TABLES, copyState, type StateCopy } from '../../src/app/state-copy.ts';
import type { Person } from '../../src/bot/store/people.ts';
import type { PublishedStore } from '../../src/bot/store/published.ts';
import { openStore, type Store } from '../../src/bot/store/store.ts';
import { LeaderNeededError, StoreError } from '../../src/shared/errors.ts';
import { createLog } from '../../src/shared/log.ts';
import { openBackend } from '../../src/shared/storage/backend.ts';
import { type GatewayTables, openGatewayTables } from '../../src/shared/storage/gateway-tables.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../helpers/postgres.ts';
import { aKnownOffer, anEvent, aSubscription, uuid } from '../helpers/things.ts';

/** A copy that was true longer ago answers nobody. */
const TRUE_FOR_MS = 5_000;
const RECORD = {
  version: 2,
  firstSeenMs: 1,
  polledAtMs: 2,
  isFollowed: true,
  isCutOff: false,
  marketingName: null,
} as const;
const EVENT = { kind: 'event-started', subject: uuid(1), occurrence: '', item: anEvent(1) } as const;

function aPerson(id: string): Person {
  const { timing, mostPerHour } = aSubscription('any');
  const more = { locale: 'de', usedAtMs: 1, closed: null, shownWaiting: null };
  return { version: 1, id, channelId: `${id}0`, timing, mostPerHour, ...more };
}

interface Shared {
  store: Store;
  published: PublishedStore;
  tables: GatewayTables;
  clock: ManualClock;
  copied: () => Promise<StateCopy | null>;
  stateUrl: string;
}

/** A state that one process writes and another one copies. */
async function aState(): Promise<Shared> {
  const stateUrl = temporaryPostgres();
  const clock = new ManualClock();
  const store = await openStore(stateUrl);
  onTestFinished(() => store.close());
  await store.markSetUp();
  const published = await store.openPublished();
  const tables = await openGatewayTables(stateUrl, { count: 1, holder: 'test', log: createLog('silent') });
  onTestFinished(() => tables.close());
  return {
    store,
    published,
    tables,
    clock,
    stateUrl,
    copied() {
      const backend = openBackend(stateUrl, { isReadOnly: true });
      onTestFinished(() => backend.close());
      return copyState(backend, tables.changes, clock);
    },
  };
}

async function aCopy(): Promise<Shared & { copy: StateCopy }> {
  const state = await aState();
  await state.tables.changes.follow(COPIED_TABLES);
  const copy = await state.copied();
  if (!copy) throw new Error('There is nothing to be copied.');
  return { ...state, copy };
}

describe.runIf(hasPostgres)('a copy of the state', () => {
  test('is made once a process leads that has its changes numbered, of the same version', async () => {
    const { copied, tables, stateUrl } = await aState();
    expect(await copied()).toBeNull();
    await tables.changes.follow(COPIED_TABLES);
    expect(await copied()).not.toBeNull();
    await runPostgres(stateUrl, `UPDATE about SET value = replace(value, '"version":', '"version":9')`);
    expect(await copied()).toBeNull();
  });

  test('begins with what is stored, and follows each change of it', async () => {
    const { store, published, copied, tables } = await aState();
    await store.subscriptions.save(aSubscription('a', { filter: 'before' }));
    await store.offers.save([aKnownOffer(1)]);
    await tables.changes.follow(COPIED_TABLES);
    const copy = await copied();
    expect(copy?.subscriptions.get('a')?.filter).toBe('before');
    expect(copy?.offers.get(uuid(1))).toEqual(aKnownOffer(1));
    expect(copy?.currentState.seen('events')).toBeNull();
    const told: string[] = [];
    copy?.offers.onChange(({ put, removed }) => told.push(...put.map(({ offer }) => offer.title), ...removed));

    await store.subscriptions.save(aSubscription('a', { filter: 'after' }));
    await store.subscriptions.save(aSubscription('b'));
    await store.subscriptions.save(aSubscription('w', { guildId: '@me/1', watch: { aim: 'feed' } as never }));
    await store.subscriptions.remove('b');
    await store.offers.save([aKnownOffer(2)]);
    await store.offers.remove([uuid(1)]);
    await store.people.save(aPerson('1'));
    await store.people.save(aPerson('2'));
    await store.people.remove('1');
    await store.resources.save('events', RECORD);
    await published.save({ events: [EVENT], stock: { [uuid(101)]: [{ atMs: 1, percent: 90 }] } });
    expect(await copy?.update()).toBe(true);

    expect(copy?.subscriptions.all().map(({ id, filter }) => [id, filter])).toEqual([
      ['a', 'after'],
      ['w', ''],
    ]);
    expect([...(copy?.people.all() ?? [])]).toEqual([aPerson('2')]);
    expect([...(copy?.offers.all() ?? [])]).toEqual([aKnownOffer(2)]);
    expect(told).toEqual([aKnownOffer(2).offer.title, uuid(1)]);
    expect(copy?.currentState.seen('events')).toEqual({ announcements: [EVENT], fetchedAtMs: RECORD.polledAtMs });
    expect(copy?.currentState.stock.points()).toEqual({ [uuid(101)]: [{ atMs: 1, percent: 90 }] });

    await store.subscriptions.remove('w');
    expect(await copy?.update()).toBe(true);
    expect(copy?.subscriptions.all().map(({ id }) => id)).toEqual(['a']);
  });

  test('is true for 5 seconds after it was brought up to date, counted from the question', async () => {
    const { copy, clock, tables } = await aCopy();
    await clock.advance(TRUE_FOR_MS);
    expect(copy.isTrue()).toBe(true);
    await clock.advance(1);
    expect(copy.isTrue()).toBe(false);
    const updating = copy.update();
    await clock.advance(TRUE_FOR_MS);
    await updating;
    expect(copy.isTrue()).toBe(true);
    await clock.advance(1);
    expect(copy.isTrue()).toBe(false);
    await tables.close();
    await expect(copy.update()).rejects.toThrow(StoreError);
    expect(copy.isTrue()).toBe(false);
  });

  test('has to be made anew where changes are missing, or the state is converted', async () => {
    const { copy, tables, store, stateUrl } = await aCopy();
    await store.markSetUp();
    expect(await copy.update()).toBe(false);
    const gateway = `${new URL(stateUrl).searchParams.get('schema')}_gateway`;
    await runPostgres(stateUrl, `TRUNCATE ${gateway}.changes`);
    expect(await copy.update()).toBe(false);
    expect((await tables.changes.latest())?.number).toBe(1);
  });

  test('takes over nothing of a state that a newer process converts', async () => {
    const { store, copy, stateUrl } = await aCopy();
    await store.subscriptions.save(aSubscription('a'));
    expect(await copy.update()).toBe(true);
    // Rows come before the version in the one transaction of a conversion.
    await runPostgres(
      stateUrl,
      `UPDATE subscriptions SET value = replace(value, '"version":', '"version":9');
       UPDATE about SET value = replace(value, '"version":', '"version":9')`,
    );
    expect(await copy.update()).toBe(false);
    expect(copy.subscriptions.get('a')).toEqual(aSubscription('a'));
  });

  test('leaves to the process that leads what it does not hold', async () => {
    const { copy } = await aCopy();
    await expect(copy.currentState.entities('events')).rejects.toThrow(LeaderNeededError);
  });
});
