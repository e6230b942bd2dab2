// Lives through a year of a store whose prices move, and compares each claim about prices with what its answers have said.
// Usage: npm run prices -- [options]; --help

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FEED_NAMES, type FeedName } from '../../packages/catalog-service/src/index.ts';
import { KINDS_OF, newSubscription } from '../../src/announcements/kinds/of-source.ts';
import type { Answer } from '../../src/catalog/catalog.ts';
import { isGone, type KnownOffer, productKey } from '../../src/deals/known-offer.ts';
import type { Offer, OfferDetail } from '../../src/deals/offer.ts';
import { placeOfPerson } from '../../src/deals/person.ts';
import { knownOfferCard } from '../../src/discord/cards/offer-card.ts';
import type { Card, CardContext } from '../../src/discord/cards/parts.ts';
import type { Courier } from '../../src/discord/courier.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { aPersonal } from '../helpers/announcing-features.ts';
import { textOf } from '../helpers/discord-form.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { historyShown } from '../helpers/price-history.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { translatorFor, withExactDates } from '../helpers/translator.ts';
import { createSimulatedCatalog, openBot } from './bot.ts';
import { createArrivals } from './courier.ts';
import { claimsOfCard, claimsOfHistory } from './price-judge.ts';
import { createPriceMemory } from './price-memory.ts';
import { createPriceWorld, type Listing } from './price-world.ts';

interface Shown {
  offerId: string;
  text: string;
  postedAtMs: number;
  /** What was remembered of its product when it was judged last. */
  judgedAt: string;
}

const START = '2025-10-01T00:00:00Z';
/** The longest time between two answers in which an offer counts as seen. */
const TICK_HOURS = 2;
const EDITS_PACED_MS = 6_000;
/** Enough for each feed at each tick. */
const QUOTA = 2_000;
const HISTORIES_A_DAY = 10;
/** So many products are watched, for a low and for a price by turns. */
const WATCHES = 40;
const PROGRESS_DAYS = 10;
/** Of each claim. */
const MOST_SAID = 10;
/** How long a post is kept up to date: src/store/README.md. */
const KEPT_MS = 120 * 24 * HOUR_MS;
/** Days on which the bot is off at night, and days on which it is off. */
const OFF = {
  nights: [60, 120],
  days: [
    [150, 153],
    [220, 228],
    [300, 301],
  ],
} as const;

const HELP = `Usage: npm run prices -- [options]

A year of a store whose prices move: each claim about prices, in posts, cards, the history and watches, is compared with what the
catalog's answers have said. Exit status 1 on a claim that is false, and where none was made.

  --seed S       what chance is drawn from (default 1)
  --days N       default 365
  --products N   default 200
  --help         this text
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '365' },
    products: { type: 'string', default: '200' },
    help: { type: 'boolean' },
  },
});
const [seed, days, products] = [values.seed, values.days, values.products].map(Number);
if (values.help || !seed || !days || !products) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}
const say = (line: string) => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), 'dealbell-prices-'));
const clock = new ManualClock(START);
const random = seededRandom(seed);
const world = createPriceWorld(products, random, clock.now());
const memory = createPriceMemory();
/** What each message shows that is kept up to date. */
const shown = new Map<string, Shown>();
/** When each message was posted: one that is kept no more may still get the edit that was queued before. */
const postedMs = new Map<string, number>();
const arrivals = createArrivals(() => ({ trueMs: clock.now(), botMs: clock.now() }));
const courier: Courier = {
  ...arrivals.courier,
  async post(message) {
    const outcome = await arrivals.courier.post(message);
    if (outcome.kind === 'sent') show(outcome.place.messageId, message.card);
    return outcome;
  },
  edit(place, message) {
    show(place.messageId, message.card);
    return arrivals.courier.edit(place, message);
  },
};
const served = createSimulatedCatalog({
  content: world.content,
  quota: () => QUOTA,
  clock,
  trueNow: () => clock.now(),
  spoil(feed, items) {
    remember(feed, items);
    return { items: [...items], hidden: [] };
  },
});
const catalog = { ...served.catalog, offers: { get: askFor } };
const open = () => openBot({ stateUrl: `sqlite://${join(folder, 'bot.sqlite')}`, catalog, courier, clock });
let bot = await open();
for (const [index, feed] of (['All', 'Home'] as const).entries()) {
  const given = {
    id: `s${index}`,
    guildId: '1',
    channelId: `${index + 1}`,
    createdBy: '1',
    createdAtMs: 0,
    catchUp: 0,
  };
  const subscription = newSubscription({ ...given, source: { kind: 'feed', feed } });
  await bot.store.subscriptions.save({
    ...subscription,
    kinds: [...KINDS_OF.feed.all],
    mostPerHour: 60,
    priceDropPercent: 0,
  });
}
for (const [index, { id, name, cents }] of world.listings().slice(0, WATCHES).entries()) {
  const watcher = `person-${index}`;
  const product = { key: productKey({ title: name, condition: null }), title: name, offerId: id };
  const given = {
    id: `w${index}`,
    guildId: placeOfPerson(watcher),
    channelId: watcher,
    source: { kind: 'feed', feed: 'All' } as const,
    createdBy: watcher,
    createdAtMs: 0,
    catchUp: 0,
  };
  const aim =
    index % 2 === 0
      ? ({ aim: 'price', below: Math.round(cents * 0.8) / 100 } as const)
      : ({ aim: 'low', below: null } as const);
  const watch = aPersonal({ ...newSubscription(given), watch: { ...aim, product } });
  await bot.store.subscriptions.save(watch);
}

const startedMs = performance.now();
const checked = new Map<string, number>();
const wrong = new Map<string, number>();
for (let day = 0; day < days; day += 1) {
  for (let hour = 0; hour < 24; hour += TICK_HOURS) {
    world.step(clock.now());
    const nextMs = clock.now() + TICK_HOURS * HOUR_MS;
    if (!isOff(day, hour)) {
      await bot.poller.tick();
      await keepUp(nextMs);
    }
    await clock.advance(nextMs - clock.now());
    await bot.deliverer.settled();
  }
  for (const [messageId, one] of shown) {
    if (clock.now() - one.postedAtMs >= KEPT_MS) shown.delete(messageId);
    else judgeAgain(one);
  }
  if (!isOff(day, 24 - TICK_HOURS)) await askForHistories();
  await bot.sweep();
  if (day % PROGRESS_DAYS === PROGRESS_DAYS - 1) {
    const facts = [
      `${arrivals.arrived.length} posts`,
      `${arrivals.edits()} edits`,
      `${total(checked)} claims`,
      `${total(wrong)} false`,
      `${Math.round((performance.now() - startedMs) / 1000)} s`,
    ];
    say(`day ${day + 1}: ${facts.join(', ')}`);
  }
  if (day % 30 === 29) {
    await bot.stop();
    bot = await open();
  }
}
await bot.stop();
rmSync(folder, { recursive: true, force: true });
say(
  Object.entries(world.counts)
    .map(([what, count]) => `${what}: ${count}`)
    .join(', '),
);
for (const [claim, count] of [...checked].sort(([, a], [, b]) => b - a)) {
  const isWrong = wrong.has(claim) ? `, ${wrong.get(claim)} of them false` : '';
  say(`${String(count).padStart(8)} ${claim}${isWrong}`);
}
const split = memory.names().filter((name) => memory.isSplit(name)).length;
say(
  `What ${split} of ${memory.names().length} products had cost may count for two names: a listing got another name while nobody looked.`,
);
const isEnough = total(checked) > 0;
say(`${total(checked)} claims were checked, ${total(wrong)} of them are false.`);
process.exit(wrong.size === 0 && isEnough ? 0 : 1);

function isOff(day: number, hour: number): boolean {
  const isNight = day >= OFF.nights[0] && day < OFF.nights[1] && hour < 9;
  return isNight || OFF.days.some(([from, until]) => day >= from && day < until);
}

/** Lets the time pass that edits of old posts take, as Discord paces them. */
async function keepUp(untilMs: number): Promise<void> {
  await bot.deliverer.settled();
  while (bot.store.edits.size() > 0 && clock.now() < untilMs) {
    await clock.advance(EDITS_PACED_MS);
    await bot.deliverer.settled();
  }
}

/** What an offer says of itself is the truth. */
async function askFor(id: string): Promise<Answer<OfferDetail | null>> {
  const one = world.listings().find((listing) => listing.id === id);
  if (one) memory.sight({ ...one, isItself: true }, clock.now());
  return { value: one ? detailOf(one) : null, fetchedAtMs: clock.now(), isStale: false, malformed: 0 };
}

function detailOf({ id, name, cents, isSoldOut }: Listing): OfferDetail {
  const item = {
    id,
    title: null,
    // One for all of them: a title that counts differently is another product.
    asin: 'B00TEST123',
    salePrice: cents / 100,
    listPrice: null,
    purchaseLimit: null,
    attributes: [],
    photos: [],
  };
  return {
    id,
    eventId: null,
    title: name,
    fullTitle: null,
    subtitle: null,
    teaser: null,
    url: null,
    features: null,
    specs: null,
    snippet: null,
    writeUpIntro: null,
    writeUpBody: null,
    extendedWarranty: null,
    purchaseLimit: null,
    percentageRemaining: null,
    isDealOff: false,
    isSoldOut,
    isOfferLiveNow: true,
    items: [item],
    photos: [],
    shippingMethods: [],
  };
}

function remember(feed: FeedName, items: readonly object[]): void {
  if (!FEED_NAMES.includes(feed)) return;
  for (const item of items as readonly Record<string, unknown>[]) {
    const price = (item['SalePrice'] as { Minimum?: number } | null)?.Minimum;
    const sight = {
      id: String(item['OfferId']),
      name: String(item['Title']),
      cents: typeof price === 'number' && price > 0 ? Math.round(price * 100) : null,
      isSoldOut: typeof item['IsSoldOut'] === 'boolean' ? item['IsSoldOut'] : null,
    };
    memory.sight(sight, clock.now());
  }
}

function show(messageId: string, card: Card): void {
  const text = textOf(card);
  const offerId = /example\.com\/offers\/([\da-f-]{36})/.exec(text)?.[1];
  if (offerId === undefined) return;
  const postedAtMs = postedMs.get(messageId) ?? clock.now();
  postedMs.set(messageId, postedAtMs);
  const one = { offerId, text, postedAtMs, judgedAt: '' };
  shown.set(messageId, one);
  judgeAgain(one);
}

/** Judges what a message shows, unless nothing has happened to its product since that was done. */
function judgeAgain(one: Shown): void {
  const name = memory.nameOf(one.offerId, clock.now()) ?? '';
  const version = `${memory.versionOf(name)} ${name}`;
  if (version === one.judgedAt) return;
  one.judgedAt = version;
  judge(claimsOfCard(one.text, one.offerId, memory, clock.now()), one.text);
}

function judge(claims: readonly { is: string; problem: string | null }[], text: string): void {
  for (const { is, problem } of claims) {
    const kind = is.replaceAll(/\$[\d,.]+|<t:\d+:D>|[\d,]+%?/g, '…');
    checked.set(kind, (checked.get(kind) ?? 0) + 1);
    if (problem === null) continue;
    wrong.set(kind, (wrong.get(kind) ?? 0) + 1);
    if ((wrong.get(kind) ?? 0) > MOST_SAID) continue;
    const at = new Date(clock.now()).toISOString().slice(0, 16);
    say(`${at}: “${is}”: ${problem}. In: ${text.replaceAll('\n', ' | ').slice(0, 300)}`);
  }
}

async function askForHistories(): Promise<void> {
  for (let index = 0; index < HISTORIES_A_DAY; index += 1) {
    const listings = world.listings();
    const one = listings[Math.floor(random() * listings.length)];
    const name = one && memory.nameOf(one.id, clock.now());
    const known = one && bot.offers.get(one.id);
    if (name === undefined || !known) continue;
    const cardContext = { translator: withExactDates(translatorFor('en-US')), nowMs: clock.now() };
    // What one costs that is sold out isn't remembered.
    if (!isGone(known, clock.now())) judgeDetails(known.offer, cardContext);
    const text = await historyOf(known, cardContext);
    if (text !== null) judge(claimsOfHistory(text, name, memory, clock.now()), text);
  }
}

function judgeDetails(offer: Offer, cardContext: CardContext): void {
  const text = textOf(knownOfferCard({ offer, openedFrom: null, reason: '', age: null }, cardContext));
  judge(claimsOfCard(text, offer.id, memory, clock.now()), text);
}

/** What opens where a person asks for a history and no picture can be made; null in a bot without histories. */
async function historyOf({ offer }: KnownOffer, cardContext: CardContext): Promise<string | null> {
  const card = await historyShown(offer.id, {
    offers: bot.offers,
    prices: bot.store.prices,
    pictures: { render: () => Promise.reject(new Error('Nobody looks at it.')) },
    cardContext,
  });
  return card && textOf(card);
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
