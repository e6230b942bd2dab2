import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalDiscord, type LocalDiscord } from '../src/local-discord/server/local-discord.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { runPostgres } from '../test/helpers/postgres.ts';
import { type ChildBot, spawnBot } from './bots.ts';
import { benchCopyAge } from './copy-age.ts';
import { KEY, UNLIMITED } from './limits.ts';
import { elapsedMs, formatCount, type Section, spreadOf } from './measure.ts';
import { startServer } from './servers.ts';

const DATABASE = process.env['DEALBELL_TEST_POSTGRES'] ?? 'postgres://root@127.0.0.1:5432/postgres';
const SERVERS = 10_000;
const SHARDS = 8;
const OFFERS = 12_400;
const COMMAND = '/feed feed:All';
const ONE_BY_ONE = 300;
const AT_ONCE = 50;
const COMMANDS = 3_000;

/** Who holds the shard of the server in which commands are given. */
const ARRANGEMENTS = [
  { name: 'one process, without SHARDS', halves: [null] },
  { name: '2 processes, the leader receives the commands', halves: ['0-3', '4-7'] },
  { name: '2 processes, the other one receives them', halves: ['4-7', '0-3'] },
  { name: '4 processes, another one receives them', halves: ['6-7', '4-5', '2-3', '0-1'] },
] as const;

interface Measured {
  name: string;
  startMs: number;
  medianMs: number;
  perSecond: number;
  leaderBytes: number;
  othersBytes: number[];
}

/** Gateway connections shared out over processes, on a PostgreSQL of `DEALBELL_TEST_POSTGRES`. */
export async function benchShards(): Promise<Section[]> {
  const catalog = await startServer('catalog-service', String(OFFERS));
  const measured: Measured[] = [];
  try {
    for (const { name, halves } of ARRANGEMENTS) measured.push(await arrange(name, halves, catalog.origin));
  } finally {
    catalog.stop();
  }
  return [section(measured), await benchCopyAge(DATABASE)];
}

async function arrange(name: string, halves: readonly (string | null)[], catalogUrl: string): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const schema = `bench_${randomUUID().replaceAll('-', '')}`;
  const stateUrl = `${DATABASE}?schema=${schema}`;
  const discord = createLocalDiscord({
    host: '127.0.0.1',
    port: 0,
    stateUrl: `sqlite://${join(directory, 'discord.sqlite')}`,
    clock: systemClock,
    log: createLog('silent'),
    moreServers: SERVERS - 1,
    shards: SHARDS,
    limits: { createMessage: { requests: 1e9, perMs: 1 }, global: { requests: 1e9, perMs: 1 } },
  });
  await discord.start();
  const bots: ChildBot[] = [];
  try {
    const startedMs = performance.now();
    const environment = environmentOf(discord, stateUrl, catalogUrl);
    let leading: Promise<unknown> | null = null;
    for (const half of shardsOf(halves, discord.guildId)) {
      const { bot, ready } = spawnBot('dealbell', { ...environment, ...(half !== null && { SHARDS: half }) });
      bots.push(bot);
      // The first one is to lead: the others come once it has taken the lease.
      leading ??= ready;
      await Promise.race([ready, systemClock.sleep(LEASE_TAKEN_MS)]);
    }
    await leading;
    await untilAnswered(discord);
    const startMs = performance.now() - startedMs;
    await run(discord, 'ada', '/subscription add feed feed:All catch-up:0');
    const { medianMs, perSecond } = await answers(discord);
    const [leaderBytes = 0, ...othersBytes] = await Promise.all(bots.map((bot) => bot.residentBytes()));
    return { name, startMs, medianMs, perSecond, leaderBytes, othersBytes };
  } finally {
    for (const bot of bots) bot.stop();
    await discord.stop();
    rmSync(directory, { recursive: true, force: true });
    await runPostgres(stateUrl, `DROP SCHEMA IF EXISTS ${schema}, ${schema}_gateway CASCADE`);
  }
}

/** A process needs no longer until it has the lease; it reads the state afterwards. */
const LEASE_TAKEN_MS = 3_000;

/** The shards of the processes, the first of which leads: 0-3 stands for the half with the server of the commands. */
function shardsOf(halves: readonly (string | null)[], guildId: string): (string | null)[] {
  const shift = Number(BigInt(guildId) >> 22n) % SHARDS < SHARDS / 2 ? 0 : SHARDS / 2;
  return halves.map((half) => {
    if (half === null) return null;
    const [first = 0, last = 0] = half.split('-').map((shard) => (Number(shard) + shift) % SHARDS);
    return `${first}-${last}/${SHARDS}`;
  });
}

function environmentOf(discord: LocalDiscord, stateUrl: string, catalogUrl: string): Record<string, string> {
  const limits = Object.entries(UNLIMITED).flatMap(([name, value]) =>
    ['V2', 'PORTAL'].map((side) => [`CATALOG_${side}_${name.toUpperCase()}`, String(value)]),
  );
  return {
    DISCORD_TOKEN: discord.token,
    DISCORD_API: discord.api,
    STATE_URL: stateUrl,
    PORT: '0',
    CATALOG_V2_URL: catalogUrl,
    CATALOG_V2_KEY: KEY,
    CATALOG_PORTAL_URL: catalogUrl,
    CATALOG_PORTAL_KEY: KEY,
    ...Object.fromEntries(limits),
  };
}

/** With thousands of servers, commands are registered later than the health check answers. */
async function untilAnswered(discord: LocalDiscord): Promise<void> {
  for (;;) {
    const isAnswered = await run(discord, 'ben', '/help').then(
      () => true,
      () => false,
    );
    if (isAnswered) return;
    await systemClock.sleep(250);
  }
}

function run(discord: LocalDiscord, who: 'ada' | 'ben', text: string) {
  return discord.runCommand({ personId: discord.people[who].id, channelId: discord.channel('deals').id, text });
}

async function answers(discord: LocalDiscord): Promise<Pick<Measured, 'medianMs' | 'perSecond'>> {
  const ask = () => run(discord, 'ben', COMMAND);
  const samples: number[] = [];
  for (let count = 0; count < ONE_BY_ONE; count += 1) samples.push(await elapsedMs(ask));
  let asked = 0;
  async function askOn(): Promise<void> {
    while (asked < COMMANDS) {
      asked += 1;
      await ask();
    }
  }
  const tookMs = await elapsedMs(() => Promise.all(Array.from({ length: AT_ONCE }, askOn)));
  return { medianMs: spreadOf(samples).median, perSecond: (COMMANDS / tookMs) * 1_000 };
}

const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(0);

function section(measured: readonly Measured[]): Section {
  const [alone, own, other] = measured;
  const ratio = (other?.medianMs ?? 0) / (own?.medianMs ?? 1);
  const addedMs = (other?.medianMs ?? 0) - (alone?.medianMs ?? 0);
  return {
    title: 'Shards: gateway connections shared out over processes',
    how: `\`npm run bench -- shards\`. A state on PostgreSQL, a local Discord with ${formatCount(SERVERS)} servers of 25 channels in ${SHARDS} shards, a catalog with ${formatCount(OFFERS)} offers. From the start of the first process until the one that leads answers; \`${COMMAND}\` ${ONE_BY_ONE} times one after another, then ${formatCount(COMMANDS)} times, ${AT_ONCE} at once; resident memory after a collection.`,
    head: ['', 'start', 'a command, median', 'commands a second', 'leader', 'others'],
    rows: measured.map(({ name, startMs, medianMs, perSecond, leaderBytes, othersBytes }) => [
      name,
      `${(startMs / 1_000).toFixed(1)} s`,
      `${medianMs.toFixed(2)} ms`,
      perSecond.toFixed(0),
      `${mib(leaderBytes)} MiB`,
      othersBytes.length === 0 ? '' : `${othersBytes.map(mib).join(', ')} MiB`,
    ]),
    claims: [
      {
        promise:
          'A cached command that another process receives takes at most 1.2 times as long as one that the leader receives',
        measured: `${ratio.toFixed(2)} times; ${addedMs.toFixed(2)} ms more than without SHARDS`,
        isKept: ratio <= 1.2,
      },
    ],
  };
}
