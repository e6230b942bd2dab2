import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, GatewayIntentBits, MessageFlags, type TextBasedChannel } from 'discord.js';
import { createCatalogService } from '../packages/catalog-service/src/index.ts';
import { createLocalDiscord, type LocalDiscord } from '../packages/local-discord/src/index.ts';
import { newSubscription } from '../src/announcements/kinds/of-source.ts';
import { createApp } from '../src/app/app.ts';
import { parseConfig } from '../src/app/config.ts';
import { FEATURES } from '../src/features/index.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { openStore } from '../src/store/store.ts';
import { createShop, FEED } from '../test/torture/shop.ts';
import { KEY, UNLIMITED } from './limits.ts';
import { elapsedMs, formatCount, type Section } from './measure.ts';
import { onDistantPostgres, onEachBackend, type StatePlace } from './states.ts';

const CHANNELS = 5_000;
/** One after another takes a whole way to Discord and back for each: fewer show it as well. */
const CHANNELS_IN_TURN = 250;
/** Discord's limit for all requests of a bot. */
const PER_SECOND = 50;
/** Discord takes up a request this late, as it does over a long way. */
const LATENCY_MS = 80;
/** A database elsewhere in the same region: the way there and back. */
const DATABASE_AWAY_MS = 20;

interface Delivered {
  name: string;
  posts: number;
  ms: number;
  /** Answers of 429. */
  refused: number;
}

/** One announcement to many channels, within the limits of local Discord, which are Discord's. */
export async function benchDelivery(): Promise<Section[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const discord = createLocalDiscord({
    host: '127.0.0.1',
    port: 0,
    stateUrl: `sqlite://${join(folder, 'discord.sqlite')}`,
    clock: systemClock,
    log: createLog('warn'),
  });
  await discord.start();
  try {
    const channelIds = Array.from({ length: CHANNELS }, (_, index) => discord.createChannel(`deals-${index}`).id);
    const ours: Delivered[] = [];
    for (const [place, state] of [...onEachBackend(), await onDistantPostgres(DATABASE_AWAY_MS)].entries()) {
      // In the other's channels the post would be found, and not made again.
      const own = channelIds.map((_, index) => discord.createChannel(`deals-${place}-${index}`).id);
      ours.push(...(await deliverWithApp(discord, state, own)));
      await state.remove();
    }
    return [sectionOf(ours, await deliverWithClient(discord, channelIds))];
  } finally {
    await discord.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The app as it is composed, a subscription of each channel, and two offers that appear, one after the other. */
async function deliverWithApp(
  discord: LocalDiscord,
  { backend, url: stateUrl }: StatePlace,
  channelIds: readonly string[],
): Promise<Delivered[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const shop = createShop(folder, systemClock);
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
  await subscribeAll(stateUrl, discord, channelIds);
  // Time goes faster for the bot only between its two looks at the feed.
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
  const look = async () => {
    leaptMs += 300_000;
    await app.tick();
    await app.settled();
  };
  try {
    await app.start();
    await look();
    shop.addOffer();
    const first = await measured(`Dealbell, ${backend}, first after a start`, discord, look);
    shop.addOffer();
    return [first, await measured(`Dealbell, ${backend}, later`, discord, look)];
  } finally {
    await app.stop();
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

async function subscribeAll(stateUrl: string, discord: LocalDiscord, channelIds: readonly string[]): Promise<void> {
  const store = await openStore(stateUrl);
  await store.commit((changes) => {
    for (const channelId of channelIds) {
      const subscription = newSubscription({
        id: channelId,
        guildId: discord.guildId,
        channelId,
        source: { kind: 'feed', feed: FEED },
        createdBy: discord.people.ada.id,
        createdAtMs: Date.now(),
        catchUp: 0,
      });
      store.subscriptions.put(changes, subscription);
    }
    store.markSetUp(changes);
  });
  await store.close();
}

/** A bare bot that sends to all channels at once, and one that sends to one after another. */
async function deliverWithClient(
  discord: LocalDiscord,
  channelIds: readonly string[],
): Promise<[Delivered, Delivered]> {
  const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: discord.api } });
  const ready = new Promise<void>((resolve) => {
    client.once('clientReady', () => resolve());
  });
  await client.login(discord.token);
  await ready;
  try {
    const channels = channelIds.flatMap((id) => client.channels.cache.get(id) ?? []).filter((one) => one.isTextBased());
    const together = await measured('bare discord.js, Promise.all', discord, () => Promise.all(channels.map(send)));
    const inTurn = await measured('bare discord.js, one after another', discord, async () => {
      for (const channel of channels.slice(0, CHANNELS_IN_TURN)) await send(channel);
    });
    return [together, inTurn];
  } finally {
    await client.destroy();
  }
}

/** About what a card of ours is. */
function send(channel: TextBasedChannel): Promise<unknown> {
  if (!channel.isSendable()) throw new Error(`Nothing can be sent to ${channel.id}.`);
  const text = { type: 10, content: '### [Offer 1](https://www.example.com/offers/1)\n**$1**' } as const;
  return channel.send({ flags: MessageFlags.IsComponentsV2, components: [{ type: 17, components: [text] }] });
}

/** Counts what arrives while `work` lasts, and what is refused. */
async function measured(name: string, discord: LocalDiscord, work: () => Promise<unknown>): Promise<Delivered> {
  let posts = 0;
  let refused = 0;
  const onAnswer = (message: unknown) => {
    const { response } = message as { response: { statusCode: number } };
    if (response.statusCode === 429) refused += 1;
  };
  const endUpdates = discord.onUpdate(({ type }) => {
    if (type === 'message') posts += 1;
  });
  subscribe('undici:request:headers', onAnswer);
  discord.faults.use(() => ({ kind: 'latency', ms: LATENCY_MS }));
  try {
    const ms = await elapsedMs(work);
    return { name, posts, ms, refused };
  } finally {
    discord.faults.use(null);
    unsubscribe('undici:request:headers', onAnswer);
    endUpdates();
  }
}

const rateOf = ({ posts, ms }: Delivered) => posts / (ms / 1000);

function sectionOf(ours: readonly Delivered[], peers: readonly Delivered[]): Section {
  const [load = Number.NaN] = loadavg();
  return {
    title: `Delivery: one announcement to ${formatCount(CHANNELS)} channels`,
    how: `\`npm run bench -- delivery\`. Each through the real discord.js client to local Discord with Discord's limits (${PER_SECOND} requests a second in all, 5 messages in 5 s and channel), which takes every request up ${LATENCY_MS} ms late; one after another in one process. Dealbell from the look at the feed to the last message in its ledger; before its first post in a channel after a start it reads the channel, which is a request more for each. The distant PostgreSQL is behind a proxy that holds back all bytes for half of that time in each direction. Its peers keep no record and would post twice after a crash. discord.js sends 50 requests at once, then waits for its second to pass and 50 ms more (its \`offset\`), which makes 47.6 a second; Dealbell spreads them evenly, 50 in 1,035 ms, which makes 48.3. The machine’s load was ${load.toFixed(1)} at the end.`,
    head: ['', 'posts', 'seconds', 'posts a second', 'answers of 429'],
    rows: [...ours, ...peers].map((one) => [
      one.name,
      formatCount(one.posts),
      (one.ms / 1000).toFixed(1),
      rateOf(one).toFixed(1),
      formatCount(one.refused),
    ]),
    claims: ours
      .filter(({ name }) => name.endsWith('later'))
      .flatMap((one) => [
        {
          promise: `${one.name}: every channel gets it, at 95% of Discord's ${PER_SECOND} a second or more`,
          measured: `${formatCount(one.posts)} posts at ${((100 * rateOf(one)) / PER_SECOND).toFixed(1)}%`,
          isKept: one.posts === CHANNELS && rateOf(one) >= 0.95 * PER_SECOND,
          reason: 'The machine was too busy to send a request each 20.7 ms, or took long to find whom to tell.',
        },
        {
          promise: `${one.name}: no answer of 429`,
          measured: formatCount(one.refused),
          isKept: one.refused === 0,
          reason: 'A machine under load lets requests arrive closer together than they were sent.',
        },
      ]),
  };
}
