import { expect, onTestFinished, test } from 'vitest';
import { Audit } from '../../../src/announcements/deliver/audit.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import type { Courier, FindOutcome } from '../../../src/discord/courier.ts';
import { createLog } from '../../../src/shared/log.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDelivery, aSubscription, HOUR_MS, NOW_MS } from '../../helpers/things.ts';

/** Discord counts milliseconds since 2015 from the 22nd bit of an id on. */
const idAt = (ms: number) => String(BigInt(ms - Date.UTC(2015, 0, 1)) << 22n);
/** The id of a message of this many minutes after ten o'clock. */
const message = (minute: number) => idAt(NOW_MS - 2 * HOUR_MS + minute * 60_000);

const foundIn = (ids: readonly string[], isCutOff = false, repeated: readonly string[] = []): FindOutcome => ({
  kind: 'found',
  posted: new Map(ids.map((id) => [`d${id}`, { channelId: '10', messageId: id }])),
  repeated: new Set(repeated),
  isCutOff,
});

interface House {
  subscriptions: readonly Subscription[];
  /** The ids of the messages in the ledger, by channel. */
  posted?: Readonly<Record<string, readonly string[]>>;
  findPosted?: Courier['findPosted'];
}

/** Replaces the store's subscriptions by these. */
async function subscribe(store: Store, all: readonly Subscription[]): Promise<void> {
  await store.commit((changes) => {
    for (const { id } of store.subscriptions.all()) store.subscriptions.delete(changes, id);
  });
  await store.commit((changes) => {
    for (const subscription of all) store.subscriptions.put(changes, subscription);
  });
}

async function anAudit({ subscriptions, posted = {}, findPosted = async () => foundIn([]) }: House) {
  const url = temporaryState();
  const clock = new ManualClock('2026-10-06T12:00:00Z');
  const read: Parameters<Courier['findPosted']>[] = [];
  const stopping = new AbortController();
  async function open() {
    const store = await openStore(url, clock);
    onTestFinished(() => store.close());
    const courier: Pick<Courier, 'findPosted'> = {
      findPosted(...asked) {
        read.push(asked);
        return findPosted(...asked);
      },
    };
    return { store, audit: new Audit({ store, courier, clock, log: createLog('silent'), signal: stopping.signal }) };
  }
  const { store, audit } = await open();
  await subscribe(store, subscriptions);
  await store.commit((changes) => {
    for (const [channelId, messageIds] of Object.entries(posted)) {
      for (const messageId of messageIds) {
        const ending = { outcome: 'posted', messageChannelId: channelId, messageId, endedAtMs: clock.now() } as const;
        store.deliveries.end(changes, aDelivery(`d${messageId}`, { channelId }), ending);
      }
    }
  });
  return {
    store,
    audit,
    clock,
    read,
    stopping,
    /** The audit of the next run of the program. */
    reopen: async () => {
      await store.close();
      return (await open()).audit;
    },
  };
}

test.each([
  [[1, 3], true, { owed: 3, there: 2, twice: 0, missing: 1 }],
  [[3, 1], true, { owed: 3, there: 2, twice: 0, missing: 1 }],
  [[1, 3], false, { owed: 4, there: 2, twice: 0, missing: 2 }],
  [[], true, { owed: 0, there: 0, twice: 0, missing: 0 }],
] as const)('of a channel with messages 0 to 3 where %j are found, in part: %s, that is judged', async (...row) => {
  const [there, isCutOff, figures] = row;
  const { audit } = await anAudit({
    subscriptions: [aSubscription('a')],
    posted: { 10: [0, 1, 2, 3].map(message) },
    findPosted: async () => foundIn(there.map(message), isCutOff),
  });
  expect(await audit.run()).toMatchObject(figures);
});

test('the figures of a server are those of its channels, and the audit’s are those of all servers', async () => {
  const { audit, reopen, clock } = await anAudit({
    subscriptions: [
      aSubscription('a', { guildId: '1', channelId: '10' }),
      aSubscription('b', { guildId: '1', channelId: '11' }),
      aSubscription('c', { guildId: '2', channelId: '12' }),
      aSubscription('d', { guildId: '3', channelId: '13' }),
    ],
    posted: { 10: [0, 1, 2].map(message), 11: [message(10)], 12: [20, 21].map(message) },
    findPosted: async (channelId) => {
      if (channelId === '10') return foundIn([message(0)], false, ['d100', 'd99']);
      if (channelId === '13') return { kind: 'blocked', reason: 'cannot-read' };
      return foundIn([message(10), message(20)]);
    },
  });
  expect(audit.last()).toBeNull();
  const expected = {
    owed: 6,
    there: 3,
    twice: 2,
    missing: 3,
    atMs: clock.now(),
    channels: 4,
    unread: 1,
    byServer: new Map([
      ['1', { owed: 4, there: 2, twice: 2, missing: 2 }],
      ['2', { owed: 2, there: 1, twice: 0, missing: 1 }],
    ]),
  };
  expect(await audit.run()).toEqual(expected);
  expect(audit.last()).toEqual(expected);
  expect((await reopen()).last()).toEqual(expected);
});

test.each([
  [25 * HOUR_MS + 1, 0],
  [25 * HOUR_MS, 1],
  [HOUR_MS + 1, 1],
  [HOUR_MS, 0],
])('an audit judges the day until an hour ago: of a post %i ms ago it judges %i', async (agoMs, owed) => {
  const { audit, read } = await anAudit({
    subscriptions: [aSubscription('a')],
    posted: { 10: [idAt(NOW_MS - agoMs)] },
  });
  expect(await audit.run()).toMatchObject({ owed, missing: owed });
  expect(read).toEqual([['10', idAt(NOW_MS - 25 * HOUR_MS), { pages: 3, threads: 30 }]]);
});

test('with a clock that is wrong by years, an audit finds nothing and says so', async () => {
  const { audit, clock, read } = await anAudit({ subscriptions: [aSubscription('a')], posted: { 10: [message(0)] } });
  clock.set('1970-01-01T12:00:00Z');
  expect(await audit.run()).toMatchObject({ owed: 0, channels: 1 });
  expect(read.map(([, afterId]) => afterId)).toEqual(['0']);
});

test('a channel is read once however many subscriptions it has, and not where all are paused', async () => {
  const { audit, read } = await anAudit({
    subscriptions: [
      aSubscription('a', { channelId: '12' }),
      aSubscription('b', { channelId: '11' }),
      aSubscription('c', { channelId: '12' }),
      aSubscription('d', { channelId: '13', pausedBy: 'person' }),
      aSubscription('e', { channelId: '14', pausedBy: 'gone' }),
    ],
  });
  expect((await audit.run()).channels).toBe(2);
  expect(read.map(([channelId]) => channelId)).toEqual(['11', '12']);
});

const manyChannels = (count: number) =>
  Array.from({ length: count }, (_, number) => aSubscription(`s${number}`, { channelId: String(1000 + number) }));

test('an audit reads a hundred channels, and the next one the others before it begins anew', async () => {
  const { audit, read, store } = await anAudit({ subscriptions: manyChannels(150) });
  const channelsOf = (from: number, until: number) => read.slice(from, until).map(([id]) => Number(id) - 1000);
  const numbers = (from: number, until: number) => Array.from({ length: until - from }, (_, index) => from + index);
  expect((await audit.run()).channels).toBe(100);
  expect(channelsOf(0, 100)).toEqual(numbers(0, 100));
  await audit.run();
  expect(channelsOf(100, 200)).toEqual([...numbers(100, 150), ...numbers(0, 50)]);
  // The next one would begin with the 51st.
  await subscribe(store, manyChannels(50));
  await audit.run();
  expect(channelsOf(200, 250)).toEqual(numbers(0, 50));
  await subscribe(store, []);
  expect(await audit.run()).toMatchObject({ channels: 0, owed: 0 });
  await subscribe(store, manyChannels(150));
  await audit.run();
  expect(channelsOf(250, 350)).toEqual(numbers(0, 100));
});

test('a stop ends an audit, whose figures are those of what was read', async () => {
  const { audit, read, stopping } = await anAudit({
    subscriptions: manyChannels(20),
    findPosted: async () => {
      if (read.length === 7) stopping.abort();
      return foundIn([]);
    },
  });
  expect((await audit.run()).channels).toBe(7);
  expect(read).toHaveLength(7);
});

test('two who ask at once get the same audit, and whoever asks after it a new one', async () => {
  const { audit, read } = await anAudit({ subscriptions: [aSubscription('a')] });
  const [one, other] = await Promise.all([audit.run(), audit.run()]);
  expect(one).toBe(other);
  expect(read).toHaveLength(1);
  await audit.run();
  expect(read).toHaveLength(2);
});

test('an audit that failed is followed by one that does not', async () => {
  let isBroken = true;
  const { audit } = await anAudit({
    subscriptions: [aSubscription('a')],
    findPosted: async () => {
      if (isBroken) throw new Error('broken');
      return foundIn([]);
    },
  });
  await expect(audit.run()).rejects.toThrow('broken');
  isBroken = false;
  expect(await audit.run()).toMatchObject({ channels: 1 });
});
