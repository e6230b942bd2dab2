import { createSimulator } from '../packages/catalog-service/src/index.ts';
import { parseFeed } from '../src/catalog/portal/feeds.ts';
import type { Offer } from '../src/deals/offer.ts';
import { createOfferBook } from '../src/offers/offer-book.ts';
import { createOfferSearch } from '../src/offers/search.ts';
import { systemClock } from '../src/shared/clock.ts';
import { formatCount, percentileOf, type Section } from './measure.ts';

const OFFERS = 12_400;
const TYPED = 5_000;
const WARM_UP_TYPED = 1_000;
const LONGEST_TYPED = 40;

export async function benchCommands(): Promise<Section[]> {
  return [benchCompletion(await offersOfAllFeeds())];
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
  const counted = samples.slice(WARM_UP_TYPED);
  const at = (share: number) => percentileOf(counted, share);
  return {
    title: 'Commands: completing an offer’s title',
    how: `\`npm run bench -- commands\`. In the bot’s own process, over ${formatCount(book.size)} offers: ${formatCount(counted.length)} beginnings of titles of one to ${LONGEST_TYPED} letters, one in four with a wrong letter, after ${formatCount(WARM_UP_TYPED)} to warm up.`,
    head: ['milliseconds', 'median', 'p99', 'max'],
    rows: [['25 choices', at(0.5).toFixed(2), at(0.99).toFixed(2), at(1).toFixed(2)]],
    claims: [{ promise: 'At most 10 ms at p99', measured: `${at(0.99).toFixed(2)} ms`, isKept: at(0.99) <= 10 }],
  };
}
