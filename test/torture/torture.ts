// Kills the bot again and again while offers appear and Discord misbehaves, and counts what arrived.
// Usage: npm run torture -- [--kills N] [--seed S]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createCatalogService } from '../../src/catalog-service/service.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { Fault } from '../../src/local-discord/faults.ts';
import { createLocalDiscord } from '../../src/local-discord/local-discord.ts';
import { createLog } from '../../src/log.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { createShop, FEED } from './shop.ts';

const HELP = `Usage: npm run torture -- [options]

  --kills N   how often the bot is killed (default 300)
  --seed S    what chance is drawn from (default: the time; it is printed)
  --help      this text

Exit status 1, with the seed, on any announcement that was lost or posted twice.
`;

/** The bot is killed at a moment up to this long after its start: before the login, while posting, while idle. */
const LONGEST_LIFE_MS = 2_500;
/** Longer than Discord remembers a nonce: what keeps a repeat away is reading the channel. */
const OUTAGE_MS = 30 * 60_000;
/** Share of the requests to Discord that go wrong. */
const FAULT_RATE = 0.15;
const MOST_NEW_OFFERS = 3;
const GIVE_UP_MS = 120_000;
const PLENTY = { requests: 1_000_000, perMs: 1_000 };
const CHANNELS = ['deals', 'announcements'];

const { values } = parseArgs({
  options: { kills: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const kills = Number(values.kills ?? 300);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!Number.isInteger(kills) || kills < 0 || !Number.isInteger(seed)) {
  process.stderr.write(`--kills and --seed take whole numbers.\n\n${HELP}`);
  process.exit(2);
}
const random = seededRandom(seed);
const upTo = (most: number) => Math.floor(random() * (most + 1));

const folder = mkdtempSync(join(tmpdir(), 'dealbell-torture-'));
const log = createLog('silent');

/** Discord's time, which leaps over each outage. */
let leaptMs = 0;
const discordClock: Clock = { now: () => Date.now() + leaptMs, sleep: (...wait) => systemClock.sleep(...wait) };

const shop = createShop(join(folder, 'catalog'));
const service = createCatalogService({
  host: '127.0.0.1',
  port: 0,
  keys: ['torture'],
  clock: systemClock,
  log,
  content: shop.content,
  limits: { rate: 10_000, burst: 10_000, quota: 1_000_000_000 },
});
const discord = createLocalDiscord({
  host: '127.0.0.1',
  port: 0,
  stateUrl: `sqlite://${join(folder, 'discord.sqlite')}`,
  clock: discordClock,
  log,
  limits: { global: PLENTY, createMessage: PLENTY, createCommand: PLENTY },
});

const catalogUrl = await service.start();
await discord.start();
const botLog = openSync(join(folder, 'bot.log'), 'a');
const environment = {
  PATH: process.env['PATH'],
  DISCORD_TOKEN: discord.token,
  DISCORD_API: discord.api,
  CATALOG_V2_URL: catalogUrl,
  CATALOG_V2_KEY: 'torture',
  CATALOG_PORTAL_URL: catalogUrl,
  CATALOG_PORTAL_KEY: 'torture',
  CATALOG_PORTAL_RATE: '1000',
  CATALOG_PORTAL_BURST: '1000',
  CATALOG_PORTAL_QUOTA: '100000000',
  STATE_URL: `sqlite://${join(folder, 'bot.sqlite')}`,
  POLL_CRON: '* * * * * *',
  POLL_MIN_SECONDS: '0.1',
  PORT: '0',
};

function startBot(): ChildProcess {
  const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  return spawn(process.execPath, [program], { env: environment, stdio: ['ignore', 'pipe', botLog], cwd: folder });
}

async function kill(bot: ChildProcess): Promise<void> {
  const gone = once(bot, 'exit');
  bot.kill('SIGKILL');
  await gone;
}

/** How often each offer stands in a channel, by its id. */
function posts(channelName: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { components } of discord.messages(discord.channel(channelName).id)) {
    const id = /"custom_id":"offer:([^:"]+)/.exec(JSON.stringify(components ?? []))?.[1];
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function drawFault(): Fault | undefined {
  if (random() >= FAULT_RATE) return undefined;
  const accepted = random() < 0.5;
  const drawn = random();
  if (drawn < 0.4) return { kind: 'drop', accepted };
  if (drawn < 0.8) return { kind: 'error', status: random() < 0.5 ? 500 : 502, accepted };
  return { kind: 'rate-limit', retryAfterMs: 50, scope: 'shared' };
}

say(`Seed ${seed}, ${kills} kills.`);
const expected: string[] = [];

const first = startBot();
await once(first.stdout ?? first, 'data');
for (const name of CHANNELS) {
  const text = `/subscription add source:feed feed:${FEED} catch-up:0 channel:#${name}`;
  const channelId = discord.channel(name).id;
  await discord.runCommand({ personId: discord.people.ada.id, channelId, text });
}
await kill(first);

// Posts and the readings that look for them go wrong; a login that fails would only end the bot sooner.
discord.faults.use(({ path }) => (path.endsWith('/messages') ? drawFault() : undefined));
for (let round = 1; round <= kills; round += 1) {
  leaptMs += OUTAGE_MS;
  const bot = startBot();
  const lifeMs = upTo(LONGEST_LIFE_MS);
  const offers = upTo(MOST_NEW_OFFERS);
  for (let index = 0; index < offers; index += 1) {
    await sleep(lifeMs / (offers + 1));
    expected.push(shop.addOffer());
  }
  await sleep(lifeMs / (offers + 1));
  await kill(bot);
  if (round % 25 === 0) say(`${round} kills, ${expected.length} offers, ${posts('deals').size} of them posted so far`);
}

discord.faults.use(null);
leaptMs += OUTAGE_MS;
const last = startBot();
const deadlineMs = Date.now() + GIVE_UP_MS;
while (Date.now() < deadlineMs && CHANNELS.some((name) => posts(name).size < expected.length)) await sleep(250);
// Whatever would come twice comes now.
await sleep(3_000);
await kill(last);

let isKept = true;
for (const name of CHANNELS) {
  const counts = posts(name);
  const lost = expected.filter((id) => !counts.has(id));
  const repeated = [...counts].filter(([, count]) => count > 1);
  say(
    `#${name}: ${expected.length} expected, ${counts.size} posted, ${lost.length} lost, ${repeated.length} posted twice`,
  );
  isKept &&= lost.length === 0 && repeated.length === 0;
}
await discord.stop();
await service.stop();
if (isKept) rmSync(folder, { recursive: true, force: true });
else say(`The promise is broken. Repeat it with --seed ${seed}; state and log are in ${folder}.`);
process.exit(isKept ? 0 : 1);
