import { expect, onTestFinished, test } from 'vitest';
import type { Subscription } from '../../../src/deals/subscription.ts';
import type { Courier, FindOutcome } from '../../../src/discord/courier.ts';
import { Audit } from '../../../src/features/audit/audit.ts';
import { RECORDS } from '../../../src/features/audit/records.ts';
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { sampleSize } from '../../helpers/sampled.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDelivery, aSubscription, NOW_MS } from '../../helpers/things.ts';

const WEEK_MS = 7 * DAY_MS;

/** Discord counts milliseconds since 2015 from the 22nd bit of an id on. */
const idAt = (ms: number) => String(BigInt(ms - Date.UTC(2015, 0, 1)) << 22n);
/** The id of a message of this many minutes after ten o'clock. */
const message = (minute: number) => idAt(NOW_MS - 2 * HOUR_MS + minute * 60_000);

interface Standing {
  ids: readonly string[];
  texts?: readonly string[];
  isAnswer?: boolean;
}

/** What stands in channel 10, by message id. */
function found(standing: Readonly<Record<string, Standing>>, isCutOff = false): FindOutcome {
  const messages = Object.entries(standing).map(([messageId, about]) => ({
    channelId: '10',
    messageId,
    texts: [],
    isAnswer: false,
    ...about,
  }));
  const posted = new Map(
    messages.flatMap(({ messageId, ids }) => ids.map((id) => [id, { channelId: '10', messageId }] as const)),
  );
  return { kind: 'found', posted, messages, isCutOff };
}

const foundIn = (ids: readonly string[], isCutOff = false): FindOutcome =>
  found(Object.fromEntries(ids.map((id) => [id, { ids: [`d${id}`] }])), isCutOff);

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
  const lines: Record<string, unknown>[] = [];
  const stopping = new AbortController();
  async function open() {
    const store = await openStore(url, clock, null, [RECORDS]);
    onTestFinished(() => store.close());
    const courier: Pick<Courier, 'findPosted'> = {
      findPosted(...asked) {
        read.push(asked);
        return findPosted(...asked);
      },
    };
    const audit = new Audit({
      settings: [],
      store,
      courier,
      // Nothing is known of any offer here: test/end-to-end/audit.test.ts has that.
      deliverer: { currentCard: () => Promise.reject(new Error('no post has a record')) as never },
      offers: { all: () => [][Symbol.iterator](), get: () => undefined },
      currentState: { seen: () => null, fateOf: () => 'over' },
      clock,
      log: createTestLog((line) => lines.push(JSON.parse(line) as Record<string, unknown>)),
      signal: stopping.signal,
    });
    return { store, audit };
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
    /** What the log has told of each finding. */
    told: () =>
      lines.filter(({ what }) => what !== undefined).map(({ what, delivery, link }) => [what, delivery, link]),
    lines,
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
      if (channelId === '13') return { kind: 'blocked', reason: 'cannot-read' };
      if (channelId !== '10') return foundIn([message(10), message(20)]);
      const copies = [30, 31].map((minute) => [message(minute), { ids: [`d${message(0)}`] }] as const);
      return found({ [message(0)]: { ids: [`d${message(0)}`] }, ...Object.fromEntries(copies) });
    },
  });
  expect(audit.last()).toBeNull();
  const figures = { owed: 6, there: 3, twice: 2, missing: 3, untrue: 0 };
  expect(await audit.run()).toMatchObject({ ...figures, channels: 4, unread: 1 });
  const expected = {
    ...figures,
    atMs: clock.now(),
    channels: 3,
    all: 4,
    byServer: new Map([
      ['1', { owed: 4, there: 2, twice: 2, missing: 2, untrue: 0, channels: 2, all: 2 }],
      ['2', { owed: 2, there: 1, twice: 0, missing: 1, untrue: 0, channels: 1, all: 1 }],
      ['3', { owed: 0, there: 0, twice: 0, missing: 0, untrue: 0, channels: 0, all: 1 }],
    ]),
  };
  expect(audit.last()).toEqual(expected);
  const again = await reopen();
  expect(again.last()).toEqual(expected);
  await clock.advance(WEEK_MS);
  expect(again.last()).toMatchObject({ channels: 0, all: 4 });
});

test('each finding is logged with its message, and twenty of a channel at most', async () => {
  const heading = '### [Kettle](https://www.example.com/kettle)';
  const { audit, told, lines } = await anAudit({
    subscriptions: [aSubscription('a')],
    posted: { 10: [0, 1].map(message) },
    findPosted: async () =>
      found({
        [message(1)]: { ids: [`d${message(1)}`], texts: [heading] },
        [message(2)]: { ids: [`d${message(1)}`], texts: [heading] },
        [message(3)]: { ids: [], texts: [`<@&7>`, `${heading}\nfor $5`] },
        [message(4)]: { ids: [], texts: [heading], isAnswer: true },
        [message(5)]: { ids: [`d${message(1)}`], texts: [heading], isAnswer: true },
        [message(6)]: { ids: [], texts: ['### [Pot](https://www.example.com/pot)'] },
        [message(7)]: { ids: ['unknown'], texts: ['### [Pan](https://www.example.com/pan)'] },
        // So young that its record may be on its way.
        [message(60)]: { ids: ['young'] },
      }),
  });
  await audit.run();
  const link = (minute: number) => `https://discord.com/channels/1/10/${message(minute)}`;
  expect(told()).toEqual([
    ['missing', `d${message(0)}`, link(0)],
    ['twice', `d${message(1)}`, link(2)],
    ['copy', null, link(3)],
    ['unrecorded', 'unknown', link(7)],
  ]);
  const many = await anAudit({
    subscriptions: [aSubscription('a')],
    posted: { 10: Array.from({ length: 25 }, (_, index) => message(index)) },
  });
  await many.audit.run();
  expect(many.told()).toHaveLength(20);
  expect(many.lines.find(({ more }) => more !== undefined)).toMatchObject({
    channel: '10',
    more: 5,
  });
  expect(lines.some(({ more }) => more !== undefined)).toBe(false);
});

test('a post without buttons that has the heading of another one is no copy', async () => {
  const heading = '### [Kettle](https://www.example.com/kettle)';
  const { audit } = await anAudit({
    subscriptions: [aSubscription('a')],
    posted: { 10: [1, 2].map(message) },
    findPosted: async () =>
      found({
        [message(1)]: { ids: [`d${message(1)}`], texts: [heading] },
        [message(2)]: { ids: [], texts: [heading] },
      }),
  });
  expect((await audit.run()).findings).toEqual([]);
});

test('of two messages of a delivery, the one of the ledger is kept', async () => {
  const { audit } = await anAudit({
    subscriptions: [aSubscription('a')],
    posted: { 10: [message(5)] },
    findPosted: async () =>
      found({ [message(4)]: { ids: [`d${message(5)}`] }, [message(5)]: { ids: [`d${message(5)}`] } }),
  });
  expect((await audit.run()).findings).toMatchObject([{ what: 'twice', place: { messageId: message(4) } }]);
});

test.each([
  [8 * DAY_MS + 1, 0],
  [8 * DAY_MS, 1],
  [HOUR_MS + 1, 1],
  [HOUR_MS, 0],
])(
  'the first audit of a channel judges eight days until an hour ago: of a post %i ms ago it judges %i',
  async (agoMs, owed) => {
    const { audit, read } = await anAudit({
      subscriptions: [aSubscription('a')],
      posted: { 10: [idAt(NOW_MS - agoMs)] },
    });
    expect(await audit.run()).toMatchObject({ owed, missing: owed });
    expect(read).toMatchObject([['10', idAt(NOW_MS - 8 * DAY_MS), { pages: 10, threads: 50 }]]);
  },
);

test('the next audit judges what the last one did not, a day later at the earliest; one that is asked for, all', async () => {
  let isReadable = true;
  const { audit, read, clock } = await anAudit({
    subscriptions: [aSubscription('a')],
    posted: { 10: [message(0)] },
    findPosted: async () => (isReadable ? foundIn([]) : { kind: 'blocked', reason: 'cannot-read' }),
  });
  expect(await audit.run()).toMatchObject({ missing: 1, channels: 1 });
  await clock.advance(20 * HOUR_MS - 1);
  expect(await audit.run()).toMatchObject({ missing: 0, channels: 0 });
  await clock.advance(1);
  isReadable = false;
  expect(await audit.run()).toMatchObject({ missing: 0, channels: 1, unread: 1 });
  expect(audit.last(), 'what was found before stands').toMatchObject({ missing: 1, channels: 0, all: 1 });
  isReadable = true;
  await clock.advance(20 * HOUR_MS);
  expect(await audit.run()).toMatchObject({ missing: 0, channels: 1, unread: 0 });
  // What could not be read is read the next time.
  expect(read.map(([, afterId]) => afterId)).toEqual([
    idAt(NOW_MS - 8 * DAY_MS),
    idAt(NOW_MS - HOUR_MS),
    idAt(NOW_MS - HOUR_MS),
  ]);
  expect(audit.last()).toMatchObject({ missing: 0, channels: 1 });
  expect(await audit.runNow()).toMatchObject({ missing: 1, channels: 1 });
});

test('with a clock that is wrong by years, an audit finds nothing and says so, and judges all once it is right', async () => {
  const { audit, clock, read } = await anAudit({ subscriptions: [aSubscription('a')], posted: { 10: [message(0)] } });
  clock.set('1970-01-01T12:00:00Z');
  expect(await audit.run()).toMatchObject({ owed: 0, channels: 1 });
  expect(read.map(([, afterId]) => afterId)).toEqual(['0']);
  clock.set('2026-10-06T12:00:00Z');
  expect(await audit.run()).toMatchObject({ owed: 1, missing: 1 });
  clock.set('2026-10-04T12:00:00Z');
  expect(await audit.runNow()).toMatchObject({ owed: 0, channels: 1 });
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
  Array.from({ length: count }, (_, number) => aSubscription(`s${number}`, { channelId: String(10_000 + number) }));
const numbers = (from: number, until: number) => Array.from({ length: until - from }, (_, index) => from + index);

test('an audit reads 160 channels, and the next one goes on with the others, also after a restart', async () => {
  const { audit, read, store, clock, reopen } = await anAudit({ subscriptions: manyChannels(200) });
  const channelsOf = (from: number, until: number) => read.slice(from, until).map(([id]) => Number(id) - 10_000);
  expect((await audit.run()).channels).toBe(160);
  expect(channelsOf(0, 160)).toEqual(numbers(0, 160));
  await clock.advance(4 * HOUR_MS);
  await subscribe(store, manyChannels(190));
  const again = await reopen();
  expect((await again.run()).channels).toBe(30);
  expect(channelsOf(160, 190)).toEqual(numbers(160, 190));
  expect(again.last()).toMatchObject({ channels: 190, all: 190 });
  await clock.advance(16 * HOUR_MS);
  expect((await again.run()).channels).toBe(160);
  expect(channelsOf(190, 350)).toEqual(numbers(0, 160));
});

test('each of thousands of channels is read within a week, and a channel without a subscription is forgotten', async () => {
  const count = sampleSize(5_000, 1_000);
  const { audit, read, store, clock } = await anAudit({ subscriptions: manyChannels(count) });
  while (new Set(read.map(([channelId]) => channelId)).size < count) {
    const before = read.length;
    await audit.run();
    expect(read.length - before).toBeLessThanOrEqual(160);
    await clock.advance(4 * HOUR_MS);
  }
  // From then on they come again in the same order, so that each is read as often.
  expect(read.slice(count).map(([channelId]) => channelId)).toEqual(
    numbers(0, read.length - count).map((one) => String(10_000 + one)),
  );
  expect(clock.now() - NOW_MS).toBeLessThan(WEEK_MS);
  expect(audit.last()).toMatchObject({ channels: count, all: count });
  await subscribe(store, manyChannels(1));
  await clock.advance(20 * HOUR_MS);
  await audit.run();
  expect([store.audits.channel('10000')?.isRead, store.audits.channel('10001')]).toEqual([true, undefined]);
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
  await audit.runNow();
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
