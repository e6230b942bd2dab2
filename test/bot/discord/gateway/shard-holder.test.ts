import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createShardHolder } from '../../../../src/bot/discord/gateway/shard-holder.ts';
import { StateInUseError, StoreError } from '../../../../src/shared/errors.ts';
import { createLog } from '../../../../src/shared/log.ts';
import type { GatewayEvent } from '../../../../src/shared/storage/gateway-writer.ts';
import { ManualClock } from '../../../helpers/manual-clock.ts';

const READY = { t: 'READY', d: { user: { id: '900' }, session_id: 'one', guilds: [{ id: '5' }] } };

/** A holder of shard 0 of 2 whose database is a script. */
function aHolder(refusal: () => Error | null = () => null) {
  const clock = new ManualClock();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const lost: Error[] = [];
  const written: string[] = [];
  const guilds = new Map<string, unknown>();
  const begun: string[] = [];
  const relays: (() => void)[] = [];
  let beats = 0;
  let claims = 0;
  let isFree = true;
  function use(): void {
    const error = refusal();
    if (error) throw error;
  }
  const holder = createShardHolder({
    writer: {
      async claim() {
        claims += 1;
        use();
        return isFree ? 7 : null;
      },
      async write(shard: number, position: number, { dispatch, guild, isUp }: GatewayEvent) {
        use();
        const { t } = (dispatch ?? { t: 'nothing' }) as { t: string };
        written.push(`${shard}:${position} ${t}${isUp === undefined ? '' : ` up ${isUp}`}`);
        if (guild) guilds.set(guild.id, guild.data);
      },
      async keepGuilds(_: number, ids: readonly string[]) {
        use();
        written.push(`keeps ${ids.join(' ')}`);
      },
      async guild(id: string) {
        use();
        return guilds.get(id) ?? null;
      },
      async beat() {
        beats += 1;
      },
      identifyTurn: async (key: number) => key * 1_000,
    } as never,
    commands: {
      begin: (ready) => begun.push(ready.d.session_id),
      take(dispatch, relay) {
        if (dispatch.d.id !== '70') return false;
        relays.push(relay);
        return true;
      },
    },
    ids: [0],
    count: 2,
    clock,
    log: createLog('silent'),
    signal: stopping.signal,
    onLost: (error) => lost.push(error),
  });
  const manager = Object.assign(new EventEmitter(), {
    fetchGatewayInformation: async () => ({ session_start_limit: { max_concurrency: 16 } }),
  });
  holder.sharding.buildStrategy(() => 'connects' as never)(manager as never);
  async function settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  }
  return {
    clock,
    holder,
    manager,
    lost,
    guilds,
    begun,
    relays,
    settled,
    receive: (...events: object[]) => {
      for (const data of events) manager.emit('dispatch', { data, shardId: 0 });
    },
    setFree: (free: boolean) => {
      isFree = free;
    },
    written: () => written.splice(0),
    figures: () => ({ beats, claims }),
  };
}

test('a session’s events are written in order, after those of the former holder, with what each server is by then', async () => {
  const { holder, receive, written, guilds, manager } = aHolder();
  await holder.claim();
  receive(
    READY,
    { t: 'GUILD_CREATE', d: { id: '5', emojis: [{}] } },
    { t: 'CHANNEL_CREATE', d: { id: '30', guild_id: '5' } },
  );
  manager.emit('closed', { shardId: 0, code: 1006 });
  manager.emit('resumed', { shardId: 0 });
  await holder.written();
  expect(written()).toEqual([
    'keeps 5',
    '0:8 READY up true',
    '0:9 GUILD_CREATE',
    '0:10 CHANNEL_CREATE',
    '0:11 nothing up false',
    '0:12 nothing up true',
  ]);
  expect(guilds.get('5')).toEqual({ id: '5', members: [], channels: [{ id: '30', guild_id: '5' }] });
});

test('a shard that another process holds is looked at every second', async () => {
  const { clock, holder, setFree, settled, figures } = aHolder();
  setFree(false);
  let isHeld = false;
  void holder.claim().then(() => {
    isHeld = true;
  });
  await settled();
  await clock.advance(999);
  await settled();
  expect(figures().claims).toBe(1);
  setFree(true);
  await clock.advance(1);
  await settled();
  expect({ isHeld, ...figures() }).toEqual({ isHeld: true, claims: 2, beats: 1 });
  await clock.advance(4_999);
  expect(figures().beats).toBe(1);
  await clock.advance(1);
  await settled();
  expect(figures().beats).toBe(2);
});

test('while the database is away nothing is lost or swapped, and people’s commands come first when it is back', async () => {
  let isAway = false;
  const { clock, holder, receive, written, settled } = aHolder(() => (isAway ? new StoreError('away') : null));
  await holder.claim();
  receive(READY);
  await holder.written();
  written();
  isAway = true;
  receive({ t: 'GUILD_CREATE', d: { id: '5' } }, { t: 'GUILD_ROLE_CREATE', d: { guild_id: '5', role: { id: '1' } } });
  receive({ t: 'INTERACTION_CREATE', d: { id: '60', guild_id: '5' } });
  await settled();
  await clock.advance(999);
  isAway = false;
  expect(written()).toEqual([]);
  await clock.advance(1);
  await holder.written();
  expect(written()).toEqual(['0:9 GUILD_CREATE', '0:10 INTERACTION_CREATE', '0:11 GUILD_ROLE_CREATE']);
});

test('a database that stays away fills no memory with commands: a thousand wait, not more', async () => {
  let isAway = false;
  const { clock, holder, receive, written, settled } = aHolder(() => (isAway ? new StoreError('away') : null));
  await holder.claim();
  isAway = true;
  for (let id = 0; id < 1_500; id += 1) receive({ t: 'INTERACTION_CREATE', d: { id: String(id) } });
  receive({ t: 'GUILD_DELETE', d: { id: '5' } });
  await settled();
  isAway = false;
  await clock.advance(1_000);
  await holder.written();
  const all = written();
  expect(all.filter((line) => line.endsWith('INTERACTION_CREATE'))).toHaveLength(1_000);
  expect(all.at(-1)).toContain('GUILD_DELETE');
});

test('who has lost a shard says so', async () => {
  let isTaken = false;
  const { holder, receive, lost, settled } = aHolder(() => (isTaken ? new StateInUseError('taken') : null));
  await holder.claim();
  isTaken = true;
  receive({ t: 'INTERACTION_CREATE', d: { id: '60' } });
  await settled();
  expect(lost).toEqual([expect.any(StateInUseError)]);
});

test('a session begins when its turn has come', async () => {
  const { clock, holder, manager, settled } = aHolder();
  const throttler = await holder.sharding.buildIdentifyThrottler?.(manager as never);
  const begun: number[] = [];
  for (const shard of [0, 17]) {
    void throttler?.waitForIdentify(shard, new AbortController().signal).then(() => begun.push(shard));
  }
  await settled();
  expect(begun).toEqual([0]);
  await clock.advance(999);
  expect(begun).toEqual([0]);
  await clock.advance(1);
  await settled();
  expect(begun).toEqual([0, 17]);
});

test('a command that is answered here is not passed on, unless it is handed back', async () => {
  const { holder, receive, written, begun, relays } = aHolder();
  await holder.claim();
  receive(READY);
  await holder.written();
  written();
  receive({ t: 'INTERACTION_CREATE', d: { id: '60' } }, { t: 'INTERACTION_CREATE', d: { id: '70' } });
  await holder.written();
  expect(begun).toEqual(['one']);
  expect(written()).toEqual(['0:9 INTERACTION_CREATE']);
  relays[0]?.();
  await holder.written();
  expect(written()).toEqual(['0:10 INTERACTION_CREATE']);
});
