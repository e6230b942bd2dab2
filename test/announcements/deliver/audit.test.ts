import { expect, onTestFinished, test } from 'vitest';
import { compare, createAudit } from '../../../src/announcements/deliver/audit.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import type { Courier, FindOutcome } from '../../../src/discord/courier.ts';
import type { FoundPosts } from '../../../src/discord/find-posted.ts';
import { createLog } from '../../../src/shared/log.ts';
import { openAudits } from '../../../src/store/audits.ts';
import type { PostedDelivery } from '../../../src/store/deliveries.ts';
import { openBackend } from '../../../src/store/table/backend.ts';
import { State } from '../../../src/store/table/state.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aSubscription, HOUR_MS } from '../../helpers/things.ts';

const foundIn = (ids: readonly string[], isCutOff = false, repeated: readonly string[] = []): FoundPosts => ({
  posted: new Map(ids.map((id) => [`d${id}`, { channelId: '10', messageId: id }])),
  repeated: new Set(repeated),
  isCutOff,
});
const postedAs = (...ids: string[]): PostedDelivery[] => ids.map((messageId) => ({ id: `d${messageId}`, messageId }));

interface House {
  subscriptions: readonly Subscription[];
  /** The ledger, by channel. */
  posted?: Readonly<Record<string, readonly PostedDelivery[]>>;
  findPosted?: Courier['findPosted'];
}

async function anAudit({ subscriptions, posted = {}, findPosted }: House) {
  const url = temporaryState();
  const clock = new ManualClock('2026-10-06T12:00:00Z');
  const read: Parameters<Courier['findPosted']>[] = [];
  const spans: [bigint, bigint][] = [];
  const stopping = new AbortController();
  const house = { subscriptions };
  async function open() {
    const backend = openBackend(url);
    onTestFinished(() => backend.close());
    return createAudit({
      store: {
        subscriptions: { all: () => house.subscriptions },
        deliveries: {
          postedBetween: async (...span: [bigint, bigint]) => {
            spans.push(span);
            return new Map(Object.entries(posted));
          },
        },
        audits: await openAudits(new State(backend, { log: createLog('silent') })),
      } as never,
      courier: {
        async findPosted(...asked): Promise<FindOutcome> {
          read.push(asked);
          return findPosted ? findPosted(...asked) : { kind: 'found', ...foundIn([]) };
        },
      },
      clock,
      log: createLog('silent'),
      signal: stopping.signal,
    });
  }
  return { audit: await open(), open, clock, read, spans, stopping, house };
}

test('of a channel that was read in part, only that part is judged', () => {
  const posted = postedAs('98', '99', '100', '101');
  expect(compare(posted, foundIn(['99', '101'], true))).toEqual({ owed: 3, there: 2, twice: 0, missing: 1 });
  expect(compare(posted, foundIn(['101', '99'], true))).toEqual({ owed: 3, there: 2, twice: 0, missing: 1 });
  expect(compare(posted, foundIn(['99', '101']))).toEqual({ owed: 4, there: 2, twice: 0, missing: 2 });
  expect(compare(posted, foundIn([], true))).toEqual({ owed: 0, there: 0, twice: 0, missing: 0 });
});

test('the figures of a server are those of its channels, and the audit’s are those of all servers', async () => {
  const { audit, open, clock } = await anAudit({
    subscriptions: [
      aSubscription('a', { guildId: '1', channelId: '10' }),
      aSubscription('b', { guildId: '1', channelId: '11' }),
      aSubscription('c', { guildId: '2', channelId: '12' }),
      aSubscription('d', { guildId: '3', channelId: '13' }),
    ],
    posted: { 10: postedAs('100', '101', '102'), 11: postedAs('110'), 12: postedAs('120', '121') },
    findPosted: async (channelId) => {
      if (channelId === '10') return { kind: 'found', ...foundIn(['100'], false, ['d100', 'd99']) };
      if (channelId === '13') return { kind: 'blocked', reason: 'cannot-read' };
      return { kind: 'found', ...foundIn(['110', '120']) };
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
  expect((await open()).last()).toMatchObject(expected);
});

test('an audit judges the day until an hour ago, by the times in Discord’s ids', async () => {
  const { audit, clock, read, spans } = await anAudit({ subscriptions: [aSubscription('a')] });
  await audit.run();
  // Discord counts milliseconds since 2015 from the 22nd bit on.
  const at = (id: bigint) => Number(id >> 22n) + Date.UTC(2015, 0, 1);
  expect(spans.flat().map(at)).toEqual([clock.now() - 25 * HOUR_MS, clock.now() - HOUR_MS]);
  expect(spans.flat().map((id) => id & 0x3f_ffffn)).toEqual([0n, 0n]);
  expect(read).toEqual([['10', String(spans[0]?.[0]), { pages: 3, threads: 30 }]]);
});

test('with a clock that is wrong by years, an audit finds nothing and says so', async () => {
  const { audit, clock, spans } = await anAudit({ subscriptions: [aSubscription('a')] });
  clock.set('1970-01-01T12:00:00Z');
  expect(await audit.run()).toMatchObject({ owed: 0, channels: 1 });
  expect(spans).toEqual([[0n, 0n]]);
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
  const { audit, read, house } = await anAudit({ subscriptions: manyChannels(150) });
  const channelsOf = (from: number, until: number) => read.slice(from, until).map(([id]) => Number(id) - 1000);
  const numbers = (from: number, until: number) => Array.from({ length: until - from }, (_, index) => from + index);
  expect((await audit.run()).channels).toBe(100);
  expect(channelsOf(0, 100)).toEqual(numbers(0, 100));
  await audit.run();
  expect(channelsOf(100, 200)).toEqual([...numbers(100, 150), ...numbers(0, 50)]);
  // The next one would begin with the 51st.
  house.subscriptions = manyChannels(50);
  await audit.run();
  expect(channelsOf(200, 250)).toEqual(numbers(0, 50));
  house.subscriptions = [];
  expect(await audit.run()).toMatchObject({ channels: 0, owed: 0 });
  house.subscriptions = manyChannels(150);
  await audit.run();
  expect(channelsOf(250, 350)).toEqual(numbers(0, 100));
});

test('a stop ends an audit, whose figures are those of what was read', async () => {
  const { audit, read, stopping } = await anAudit({
    subscriptions: manyChannels(20),
    findPosted: async () => {
      if (read.length === 7) stopping.abort();
      return { kind: 'found', ...foundIn([]) };
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
    findPosted: () =>
      isBroken ? Promise.reject(new Error('broken')) : Promise.resolve({ kind: 'found', ...foundIn([]) }),
  });
  await expect(audit.run()).rejects.toThrow('broken');
  isBroken = false;
  expect(await audit.run()).toMatchObject({ channels: 1 });
});
