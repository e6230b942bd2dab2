import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { relayShards } from '../../../../src/bot/discord/gateway/relayed-shards.ts';
import type { ShardState } from '../../../../src/shared/storage/gateway-reader.ts';
import { createTestLog } from '../../../helpers/keys.ts';
import { ManualClock } from '../../../helpers/manual-clock.ts';

const LOOK_MS = 2_000;
const READY = { session_id: 'one', user: { id: '900' } };
const of = (t: string, id: string) => ({ t, d: { id } });

/** A client without a network, and the database as a script. */
async function aClient(count = 1) {
  const clock = new ManualClock();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const logLines: string[] = [];
  const states = new Map<number, ShardState>();
  const events = new Map<number, { position: number; dispatch: unknown }[]>();
  const guilds: unknown[] = [
    { id: '5', name: 'Hunters' },
    { id: '6', unavailable: true },
  ];
  let isAway = false;
  let reads = 0;
  const { sharding, look } = relayShards({
    reader: {
      listen: async () => undefined,
      async since(shard: number, position: number) {
        reads += 1;
        if (isAway) throw new Error('away');
        const state = states.get(shard);
        return state ? { state, events: (events.get(shard) ?? []).filter((event) => event.position > position) } : null;
      },
      async *guilds() {
        yield* guilds;
      },
    },
    count,
    clock,
    log: createTestLog((line) => logLines.push(line)),
    signal: stopping.signal,
  });
  const manager = new EventEmitter();
  const told: string[] = [];
  manager.on('ready', ({ data, shardId }: { data: { guilds: unknown[] }; shardId: number }) =>
    told.push(`${shardId} begins with ${data.guilds.length}`),
  );
  manager.on('dispatch', ({ data, shardId }: { data: { t: string; d: { id?: string } }; shardId: number }) => {
    if (data.t === 'BROKEN') throw new Error('a handler failed');
    if (data.t !== 'READY') told.push(`${shardId} ${data.t} ${data.d.id}`);
  });
  manager.on('closed', ({ shardId }: { shardId: number }) => told.push(`${shardId} closed`));
  manager.on('resumed', ({ shardId }: { shardId: number }) => told.push(`${shardId} resumed`));
  const strategy = sharding.buildStrategy(() => {
    throw new Error('it must not connect itself');
  })(manager as never);

  async function settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  }
  return {
    clock,
    logLines,
    states,
    events,
    guilds,
    strategy,
    setAway: (away: boolean) => {
      isAway = away;
    },
    reads: () => reads,
    connected: async () => {
      await strategy.connect();
      await settled();
    },
    looked: async (shard: number) => {
      look(shard);
      await settled();
    },
    settled,
    /** The client was told this since the last call. */
    told: () => told.splice(0),
  };
}

test('a client is told of every server as if the session had just begun, then of each event once, in order', async () => {
  const { states, events, connected, looked, told } = await aClient();
  states.set(0, { position: 3, ready: READY, isUp: true });
  events.set(0, [{ position: 3, dispatch: of('INTERACTION_CREATE', 'before') }]);
  await connected();
  expect(told()).toEqual(['0 begins with 2', '0 GUILD_CREATE 5']);
  states.set(0, { position: 5, ready: READY, isUp: true });
  events.set(0, [
    { position: 4, dispatch: of('CHANNEL_CREATE', 'a') },
    { position: 5, dispatch: of('INTERACTION_CREATE', 'b') },
  ]);
  await looked(0);
  await looked(0);
  expect(told()).toEqual(['0 CHANNEL_CREATE a', '0 INTERACTION_CREATE b']);
});

test('whoever was told nothing looks after 2 s', async () => {
  const { clock, states, connected, told, settled } = await aClient();
  await connected();
  states.set(0, { position: 3, ready: READY, isUp: true });
  await clock.advance(LOOK_MS - 1);
  await settled();
  expect(told()).toEqual([]);
  await clock.advance(1);
  await settled();
  expect(told()).toEqual(['0 begins with 2', '0 GUILD_CREATE 5']);
});

test.each([
  ['some events are gone', [{ position: 6, dispatch: of('CHANNEL_CREATE', 'a') }]],
  ['all are', []],
])('where %s, it is told of every server again, and of nothing twice', async (_, left) => {
  const { states, events, guilds, connected, looked, told } = await aClient();
  states.set(0, { position: 3, ready: READY, isUp: true });
  await connected();
  told();
  states.set(0, { position: 6, ready: READY, isUp: true });
  events.set(0, left);
  guilds.push({ id: '7' });
  await looked(0);
  expect(told()).toEqual(['0 begins with 3', '0 GUILD_CREATE 5', '0 GUILD_CREATE 7']);
  await looked(0);
  expect(told()).toEqual([]);
});

test('a connection that is down is reported once each shard has been told of: else no client would ever be ready', async () => {
  const { states, connected, looked, told, strategy } = await aClient(2);
  states.set(0, { position: 1, ready: READY, isUp: false });
  await connected();
  expect(told()).toEqual(['0 begins with 2', '0 GUILD_CREATE 5']);
  await looked(0);
  expect(told()).toEqual([]);
  states.set(1, { position: 1, ready: READY, isUp: true });
  await looked(1);
  await looked(0);
  expect(told()).toEqual(['1 begins with 2', '1 GUILD_CREATE 5', '0 closed']);
  expect([...(await strategy.fetchStatus()).values()]).toEqual([1, 3]);
  states.set(0, { position: 1, ready: READY, isUp: true });
  await looked(0);
  expect(told()).toEqual(['0 resumed']);
});

test('shards that no process has connected yet are named once, after 2 s', async () => {
  const { clock, states, connected, logLines, settled } = await aClient(3);
  states.set(1, { position: 1, ready: READY, isUp: true });
  await connected();
  await clock.advance(LOOK_MS - 1);
  expect(logLines).toEqual([]);
  for (let looks = 0; looks < 3; looks += 1) {
    await clock.advance(LOOK_MS);
    await settled();
  }
  expect(logLines).toEqual([expect.stringContaining('waiting for shards that no process has connected yet')]);
  expect(logLines[0]).toContain('"shards":[0,2]');
});

test('a session that begins anew is up by itself', async () => {
  const { states, events, connected, looked, told } = await aClient();
  states.set(0, { position: 1, ready: READY, isUp: true });
  await connected();
  states.set(0, { position: 1, ready: READY, isUp: false });
  await looked(0);
  told();
  states.set(0, { position: 3, ready: READY, isUp: true });
  events.set(0, [
    { position: 2, dispatch: { t: 'READY', d: { guilds: [{ id: '5' }] } } },
    { position: 3, dispatch: of('GUILD_CREATE', '5') },
  ]);
  await looked(0);
  expect(told()).toEqual(['0 begins with 1', '0 GUILD_CREATE 5']);
});

test('a command whose handler fails is not told again', async () => {
  const { states, events, connected, looked, told } = await aClient();
  states.set(0, { position: 1, ready: READY, isUp: true });
  await connected();
  told();
  states.set(0, { position: 3, ready: READY, isUp: true });
  events.set(0, [
    { position: 2, dispatch: of('BROKEN', 'a') },
    { position: 3, dispatch: of('INTERACTION_CREATE', 'b') },
  ]);
  await looked(0);
  await looked(0);
  expect(told()).toEqual(['0 INTERACTION_CREATE b']);
});

test('a database that is away for a moment costs nothing, and what is notified while it looks is one more look', async () => {
  const { states, connected, looked, told, setAway, reads, clock, settled } = await aClient();
  states.set(0, { position: 1, ready: READY, isUp: true });
  setAway(true);
  await connected();
  expect(told()).toEqual([]);
  setAway(false);
  const before = reads();
  await Promise.all([looked(0), looked(0), looked(0), looked(0)]);
  expect(reads() - before).toBe(2);
  expect(told()).toEqual(['0 begins with 2', '0 GUILD_CREATE 5']);
  await clock.advance(LOOK_MS);
  await settled();
  expect(told()).toEqual([]);
});

test('after it is destroyed, a client is told nothing, and nothing is sent for it', async () => {
  const { states, strategy, connected, looked, told } = await aClient();
  states.set(0, { position: 1, ready: READY, isUp: true });
  await connected();
  told();
  await strategy.destroy();
  states.set(0, { position: 9, ready: READY, isUp: true });
  await looked(0);
  expect(told()).toEqual([]);
  await expect(strategy.send(0, {} as never)).rejects.toThrow();
});
