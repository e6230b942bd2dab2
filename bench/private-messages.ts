import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCatalogService } from '../packages/catalog-service/src/index.ts';
import { createLocalDiscord, IDS, type LocalDiscord } from '../packages/local-discord/src/index.ts';
import { createPersistence } from '../packages/local-discord/src/server/persistence.ts';
import { World } from '../packages/local-discord/src/server/world.ts';
import { newSubscription } from '../src/announcements/kinds/of-source.ts';
import { createApp } from '../src/app/app.ts';
import { parseConfig } from '../src/app/config.ts';
import { placeOfPerson } from '../src/deals/person.ts';
import { USUAL_PACING_OF_PERSON } from '../src/deals/settings.ts';
import { FEATURES } from '../src/features/index.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { openStore } from '../src/store/store.ts';
import { aPersonal } from '../test/helpers/announcing-features.ts';
import { createShop, FEED } from '../test/torture/shop.ts';
import { KEY, UNLIMITED } from './limits.ts';
import { formatCount, type Section } from './measure.ts';

const PEOPLE = 1_000;
/** Discord takes up a request this late, as it does over a long way. */
const LATENCY_MS = 80;
/** How long private messages have been leaving when a server gets news. */
const LEAVING_MS = 3_000;
const MOST_MS = 2_000;
/** Earlier than every id that the clock can make. */
const FIRST_ID = 1_100_000_002_000_000_000n;
const personIds = Array.from({ length: PEOPLE }, (_, index) => String(FIRST_ID + BigInt(index)));

interface Round {
  name: string;
  /** From the look that finds the news until the post stands in the server's channel. */
  postMs: number;
  /** From the look that makes them due until the last private message stands. */
  privateMs: number;
}

/** A post in a server while a private message is due to each of many people. */
export async function benchPrivateMessages(): Promise<Section[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const stateUrl = `sqlite://${join(folder, 'discord.sqlite')}`;
  await populate(stateUrl);
  const discord = createLocalDiscord({
    host: '127.0.0.1',
    port: 0,
    stateUrl,
    clock: systemClock,
    log: createLog('warn'),
  });
  await discord.start();
  try {
    return [sectionOf(await measureRounds(discord, folder))];
  } finally {
    await discord.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a Discord whose server has so many people. */
async function populate(stateUrl: string): Promise<void> {
  const persistence = createPersistence(stateUrl);
  const world = new World();
  const ben = world.members.get(IDS.ben);
  if (!ben) throw new Error('Local Discord lacks Ben.');
  persistence.recordFirst(world.channels(), world.roles.values());
  for (const [index, id] of personIds.entries()) {
    const name = `person-${index}`;
    const user = { ...ben.user, id, username: name, global_name: name };
    persistence.record({ type: 'member-edited', guildId: IDS.guild, member: { ...ben, user } });
  }
  await persistence.settled();
  await persistence.close();
}

/** Odd offers are for the people, even ones for the server; the first round has every channel read. */
async function subscribeAll(stateUrl: string, discord: LocalDiscord, channelId: string): Promise<void> {
  const store = await openStore(stateUrl);
  const common = { source: { kind: 'feed', feed: FEED }, createdAtMs: Date.now() } as const;
  await store.commit((changes) => {
    for (const id of personIds) {
      const watch = aPersonal({
        ...common,
        ...USUAL_PACING_OF_PERSON,
        id,
        guildId: placeOfPerson(id),
        channelId: discord.directChannel(id).id,
        createdBy: id,
        filter: '1 OR 3',
        watch: { aim: 'new', below: null, product: null },
      });
      store.subscriptions.put(changes, watch);
    }
    const guildId = discord.guildId;
    const given = { ...common, id: 'server', guildId, channelId, createdBy: IDS.ada, catchUp: 0 };
    store.subscriptions.put(changes, { ...newSubscription(given), filter: '2 OR 4' });
    store.markSetUp(changes);
  });
  await store.close();
}

async function measureRounds(discord: LocalDiscord, folder: string): Promise<Round[]> {
  const shop = createShop(mkdtempSync(join(folder, 'shop-')), systemClock);
  const service = createCatalogService({
    host: '127.0.0.1',
    port: 0,
    keys: [KEY],
    clock: systemClock,
    log: createLog('warn'),
    content: shop.content,
    limits: UNLIMITED,
  });
  const catalogUrl = await service.start();
  const channelId = discord.channel('deals').id;
  const stateUrl = `sqlite://${join(folder, 'bot.sqlite')}`;
  await subscribeAll(stateUrl, discord, channelId);
  // Time goes faster for the bot only between its looks at the feed.
  let leaptMs = 0;
  const app = createApp(
    parseConfig(
      {
        DISCORD_TOKEN: discord.token,
        DISCORD_API: discord.api,
        CATALOG_V2_URL: catalogUrl,
        CATALOG_V2_KEY: KEY,
        CATALOG_PORTAL_URL: catalogUrl,
        CATALOG_PORTAL_KEY: KEY,
        STATE_URL: stateUrl,
        POLL_MIN_SECONDS: '1',
        PORT: '0',
      },
      FEATURES,
    ),
    {
      clock: { ...systemClock, now: () => Date.now() + leaptMs, monotonicMs: () => performance.now() + leaptMs },
      schedule: () => ({ stop: async () => undefined }),
      log: createLog('warn'),
      features: FEATURES,
      version: '0.0.0',
    },
  );
  /** Resolves with the moment at which so many messages have been posted in the server, or elsewhere. */
  function arrival(isInServer: boolean, count: number): Promise<number> {
    let seen = 0;
    return new Promise((resolve) => {
      const end = discord.onUpdate((update) => {
        if (update.type !== 'message' || (update.message.channel_id === channelId) !== isInServer) return;
        seen += 1;
        if (seen < count) return;
        end();
        resolve(performance.now());
      });
    });
  }
  async function round(name: string): Promise<Round> {
    const look = async () => {
      shop.addOffer();
      leaptMs += 120_000;
      await app.tick();
    };
    const [post, last] = [arrival(true, 1), arrival(false, PEOPLE)];
    const dueMs = performance.now();
    await look();
    await sleep(LEAVING_MS);
    const newsMs = performance.now();
    await look();
    const postMs = (await post) - newsMs;
    const privateMs = (await last) - dueMs;
    await app.settled();
    return { name, postMs, privateMs };
  }
  try {
    await app.start();
    await app.tick();
    await app.settled();
    discord.faults.use(() => ({ kind: 'latency', ms: LATENCY_MS }));
    return [await round('first after a start'), await round('later')];
  } finally {
    discord.faults.use(null);
    await app.stop();
    await service.stop();
  }
}

function sectionOf(rounds: readonly Round[]): Section {
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  return {
    title: `Private messages: a post in a server while ${formatCount(PEOPLE)} people are written to`,
    how: `\`npm run bench -- private-messages\`. The bot as it is composed, through the real discord.js client to local Discord with Discord's limits, which takes every request up ${LATENCY_MS} ms late. An offer makes a message due to each of ${formatCount(PEOPLE)} people; ${LEAVING_MS / 1000} s later the feed shows one that a server follows. The post is timed from that look at the feed. Before its first post in a channel after a start the bot reads it, which is a request more for each.`,
    head: ['', 'seconds until the post', 'seconds until the last private message'],
    rows: rounds.map(({ name, postMs, privateMs }) => [name, seconds(postMs), seconds(privateMs)]),
    claims: rounds.map(({ name, postMs }) => ({
      promise: `${name}: the post stands within ${MOST_MS / 1000} s`,
      measured: `${seconds(postMs)} s`,
      isKept: postMs <= MOST_MS,
      reason: 'Too many requests for private messages were in the line before it, or the machine was busy.',
    })),
  };
}
