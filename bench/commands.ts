import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFeed } from '../src/bot/catalog/portal/feeds.ts';
import { inOrder } from '../src/bot/deals/feed-order.ts';
import type { Offer } from '../src/bot/deals/offer.ts';
import { feedCard } from '../src/bot/discord/cards/list-cards.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import { translatorFor } from '../src/bot/discord/i18n/translator.ts';
import { createOfferBook } from '../src/bot/offers/offer-book.ts';
import { createOfferSearch } from '../src/bot/offers/search.ts';
import { FEED_NAMES } from '../src/catalog-service/content.ts';
import { createSimulator } from '../src/catalog-service/simulator/simulator.ts';
import { createLocalDiscord, type LocalDiscord } from '../src/local-discord/server/local-discord.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { type BotKind, type ChildBot, startBot } from './bots.ts';
import { KEY, UNLIMITED } from './limits.ts';
import { elapsedMs, formatCount, measure, ratioOf, type Section, spreadOf, spreadRows } from './measure.ts';
import { startServer } from './servers.ts';

const OFFERS = 12_400;
const MORE_SERVERS = 999;
const COMMANDS = 100;
const ROUNDS = { warmUp: 10, counted: 41 };
/** The last that the option takes; by the time the pages begin again, none is kept any more. */
const LAST_PAGE = 1_000;
const TYPED = 5_000;
const WARM_UP_TYPED = 1_000;
const LONGEST_TYPED = 40;

const PONG = 'a bare discord.js bot, /ping';
const BARE = 'a bare discord.js bot, default caches';
const DEALBELL = 'Dealbell';
const CARD = 'the bare bot, /card: a page of five offers that never changes';
const FEED = 'Dealbell, /feed feed:All';
const FRESH = 'Dealbell, /feed feed:All page:N, one after another';

/** A bot on a Discord of its own, so that no other hears what it is asked. */
interface Running {
  discord: LocalDiscord;
  bot: ChildBot;
}

export async function benchCommands(): Promise<Section[]> {
  const directory = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const undo: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];

  async function start(kind: BotKind, environment: Record<string, string> = {}): Promise<Running> {
    const discord = createLocalDiscord({
      host: '127.0.0.1',
      port: 0,
      stateUrl: `sqlite://${join(directory, `${kind}-discord.sqlite`)}`,
      clock: systemClock,
      log: createLog('silent'),
      moreServers: MORE_SERVERS,
      limits: { createMessage: { requests: 1e9, perMs: 1 }, global: { requests: 1e9, perMs: 1 } },
    });
    await discord.start();
    undo.push(() => discord.stop());
    const bot = await startBot(kind, {
      DISCORD_TOKEN: discord.token,
      DISCORD_API: discord.api,
      STATE_URL: `sqlite://${join(directory, `${kind}.sqlite`)}`,
      PORT: '0',
      ...environment,
    });
    undo.push(() => bot.stop());
    return { discord, bot };
  }

  try {
    const catalog = await startServer('catalog-service', String(OFFERS));
    undo.push(() => catalog.stop());
    const limits = Object.entries(UNLIMITED).flatMap(([name, value]) =>
      ['V2', 'PORTAL'].map((side) => [`CATALOG_${side}_${name.toUpperCase()}`, String(value)]),
    );
    const offers = await offersOfAllFeeds();
    // This runs before any bot starts, because it leaves their Discord, which lives in this process, no time to answer them.
    const completion = benchCompletion(offers);
    const card = JSON.stringify(cardOf(offers));
    const bare = await start('bare', { CARD: card });
    const dealbell = await start('dealbell', {
      CATALOG_V2_URL: catalog.origin,
      CATALOG_V2_KEY: KEY,
      CATALOG_PORTAL_URL: catalog.origin,
      CATALOG_PORTAL_KEY: KEY,
      ...Object.fromEntries(limits),
    });
    // No answer holds all the offers; those of all feeds together do, nearly.
    for (const feed of FEED_NAMES) {
      await run(dealbell, 'ada', `/subscription add feed feed:${feed} catch-up:0`);
    }
    const atRest = await measureMemory(bare, dealbell);
    const answers = await benchAnswers(bare, dealbell, Buffer.byteLength(card));
    return [answers, completion, memorySection(atRest, await measureMemory(bare, dealbell))];
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function run({ discord }: Running, who: 'ada' | 'ben', text: string) {
  return discord.runCommand({ personId: discord.people[who].id, channelId: discord.channel('deals').id, text });
}

async function benchAnswers(bare: Running, dealbell: Running, cardBytes: number): Promise<Section> {
  let page = 1;
  const nextPage = () => {
    page = page < LAST_PAGE ? page + 1 : 2;
    return page;
  };
  const each = (work: () => Promise<unknown>) => async () => {
    const samples: number[] = [];
    for (let count = 0; count < COMMANDS; count += 1) samples.push(await elapsedMs(work));
    return spreadOf(samples).median;
  };
  const samples = await measure(
    [
      { name: PONG, run: each(() => run(bare, 'ben', '/ping')) },
      { name: CARD, run: each(() => run(bare, 'ben', '/card')) },
      { name: FEED, run: each(() => run(dealbell, 'ben', '/feed feed:All')) },
      { name: FRESH, run: each(() => run(dealbell, 'ben', `/feed feed:All page:${nextPage()}`)) },
    ],
    ROUNDS,
  );
  const ratio = ratioOf(samples, FEED, PONG);
  const [card, fresh] = [ratioOf(samples, CARD, PONG), ratioOf(samples, FRESH, PONG)];
  return {
    title: 'Commands: what a cached answer takes',
    how: `\`npm run bench -- commands\`. From the command to its answer, through local Discord, one after the other; each bot in a process of its own, with a local Discord of its own, in ${formatCount(MORE_SERVERS + 1)} servers. A round is the median of ${COMMANDS}; ${ROUNDS.counted} rounds in turns after ${ROUNDS.warmUp} to warm up. The answer of \`/feed\` is a page of five out of the feed’s thousands.`,
    head: ['milliseconds', 'median', 'min', 'max'],
    rows: spreadRows(samples, (ms) => ms.toFixed(2)),
    claims: [
      {
        promise: 'A cached command takes at most 1.5 times what a bare bot’s “pong” takes, at the median',
        measured: `${ratio.median.toFixed(2)} times (${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}); a page that nobody asked for since its feed changed, and that therefore has to be made, takes ${fresh.median.toFixed(2)} times`,
        isKept: ratio.median <= 1.5,
        reason: `The same card from a bare bot that need not make it takes ${card.median.toFixed(2)} times what “pong” takes: ${formatCount(cardBytes)} bytes are written, sent, checked by local Discord and kept in its file.`,
      },
    ],
  };
}

/** The texts that people type on their way to a title: beginnings of every length, one in four with a wrong letter. */
function typedTexts(titles: readonly string[], random: (below: number) => number): string[] {
  return Array.from({ length: TYPED }, (_, index) => {
    const title = titles[random(titles.length)] ?? '';
    const typed = title.slice(0, 1 + random(Math.min(LONGEST_TYPED, title.length)));
    const wrong = random(typed.length);
    return index % 4 === 0 ? `${typed.slice(0, wrong)}x${typed.slice(wrong + 1)}` : typed;
  });
}

/** An answer is cut off at a few thousand; the bot knows those of all feeds. */
async function offersOfAllFeeds(): Promise<Offer[]> {
  const simulator = createSimulator({ seed: 'bench', offers: OFFERS, pace: 'store' });
  const { items } = simulator.at(systemClock.now(), 'http://127.0.0.1').feed('All');
  return (await parseFeed({ Items: items, MarketingName: null, TotalPages: 1 })).value.offers;
}

/** Builds nearly the same card as Dealbell answers with. */
function cardOf(offers: readonly Offer[]): Card {
  const nowMs = systemClock.now();
  const age = { fetchedAtMs: nowMs, isStale: false };
  return feedCard(
    {
      feed: 'All',
      marketingName: 'All',
      offers: inOrder(offers, 'newest'),
      page: 1,
      age,
      order: 'newest',
      filter: '',
      canSubscribe: true,
    },
    { translator: translatorFor('en-US'), nowMs },
  );
}

function benchCompletion(offers: readonly Offer[]): Section {
  const book = createOfferBook(
    offers.map((offer) => ({
      version: 1,
      offer,
      firstSeenMs: 0,
      feeds: {},
      prices: [],
      soldOutAtMs: null,
      endingSoonToldMs: null,
      before: null,
      overAtMs: null,
    })),
    () => undefined,
  );
  const search = createOfferSearch(book);
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const texts = typedTexts(
    offers.map(({ title }) => title),
    random,
  );
  const samples = texts.map((text) => {
    const startMs = performance.now();
    search.complete(text, 25);
    return performance.now() - startMs;
  });
  search.stop();
  const sorted = samples.slice(WARM_UP_TYPED).toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return {
    title: 'Commands: completing an offer’s title',
    how: `\`npm run bench -- commands\`. In the bot’s own process, over ${formatCount(book.size)} offers: ${formatCount(sorted.length)} beginnings of titles of one to ${LONGEST_TYPED} letters, one in four with a wrong letter, after ${formatCount(WARM_UP_TYPED)} to warm up.`,
    head: ['milliseconds', 'median', 'p99', 'max'],
    rows: [['25 choices', at(0.5).toFixed(2), at(0.99).toFixed(2), at(1).toFixed(2)]],
    claims: [{ promise: 'At most 10 ms at p99', measured: `${at(0.99).toFixed(2)} ms`, isKept: at(0.99) <= 10 }],
  };
}

type Samples = Awaited<ReturnType<typeof measure>>;

function measureMemory(bare: Running, dealbell: Running): Promise<Samples> {
  return measure(
    [
      { name: BARE, run: () => bare.bot.residentBytes() },
      { name: DEALBELL, run: () => dealbell.bot.residentBytes() },
    ],
    { warmUp: 2, counted: 5 },
  );
}

function memorySection(atRest: Samples, afterwards: Samples): Section {
  const [ratio, later] = [ratioOf(atRest, DEALBELL, BARE), ratioOf(afterwards, DEALBELL, BARE)];
  const when = (samples: Samples, moment: string) =>
    new Map([...samples].map(([name, values]) => [`${name}, ${moment}`, values]));
  const samples = new Map([...when(atRest, 'at rest'), ...when(afterwards, 'after the commands')]);
  return {
    title: 'Commands: memory',
    how: `\`npm run bench -- commands\`. Resident memory of the bot’s process after a collection, in ${formatCount(MORE_SERVERS + 1)} servers with 25 channels each, Dealbell knowing the offers of all feeds of a catalog with ${formatCount(OFFERS)}: at rest, and right after all the commands that were measured above.`,
    head: ['MiB', 'median', 'min', 'max'],
    rows: spreadRows(samples, (bytes) => (bytes / 2 ** 20).toFixed(0)),
    claims: [
      {
        promise: 'At most 1.5 times the bare bot',
        measured: `${ratio.median.toFixed(2)} times at rest; ${later.median.toFixed(2)} times after thousands of commands without a pause, whose buffers the C library has not given back`,
        isKept: ratio.median <= 1.5,
        reason:
          'Measured apart, of 88 MiB more 33 are modules (half of it their code and its text on the JavaScript heap), 31 the JavaScript heap of offers, their search index and subscriptions, with what V8 keeps free, and 24 buffers of the C library and the code that V8 has compiled.',
      },
    ],
  };
}
