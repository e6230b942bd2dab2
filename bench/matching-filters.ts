import { createSimulator } from '../packages/catalog-service/src/index.ts';
import { feedAnswer } from '../packages/catalog-service/src/portal/feed-page.ts';
import { parseFeed } from '../src/catalog/portal/feeds.ts';
import type { Offer } from '../src/deals/offer.ts';
import { seededRandom } from '../test/helpers/seeded-random.ts';

/** The moment at which the benches play. */
export const NOW_MS = Date.UTC(2026, 10, 21, 12);

/** The live offers of a simulated store. */
export async function simulatedOffers(): Promise<Offer[]> {
  const moment = createSimulator({ seed: 'bench', offers: 12_400, pace: 'store' }).at(NOW_MS, 'http://127.0.0.1');
  const offers = new Map<string, Offer>();
  for (const feed of ['All', 'Home', 'Electronics', 'Computers', 'Sports', 'Tools', 'Shirts'] as const) {
    const answer = feedAnswer(moment.feed(feed), undefined);
    const json: unknown = JSON.parse(typeof answer === 'string' ? answer : JSON.stringify(answer));
    for (const offer of (await parseFeed(json)).value.offers) offers.set(offer.id, offer);
  }
  return [...offers.values()];
}

/**
 * Filters as people could write them, the same for the same seed: half of the words stand in the offers, as often as they
 * stand there; the other half are of what is hardly ever on offer. In a spelling that liqe reads as well.
 */
export function filterSource(offers: readonly Offer[], seed: number): () => string {
  const random = seededRandom(seed);
  const pick = <V>(values: readonly V[], otherwise: V): V => values[Math.floor(random() * values.length)] ?? otherwise;
  const titles = offers.map(({ title }) => title.toLowerCase().match(/\b(?!and|not)[a-z]{3,}/g) ?? []);
  const categories = [...new Set(offers.flatMap((offer) => offer.categories))];
  const price = () => pick([10, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250, 300, 500], 50);
  const off = () => pick([20, 25, 30, 40, 50, 60, 70], 50);
  // Few names are asked for by many, most by hardly anyone.
  const wantedName = () =>
    `${pick(['sol', 'ver', 'mak', 'zen', 'tor'], 'a')}${Math.floor(20_000 * random() ** 3).toString(36)}`;
  const word = () => (random() < 0.5 ? pick(pick(titles, []), 'laptop') : wantedName());
  const phrase = () => {
    const title = pick(titles, []);
    const at = Math.floor(random() * Math.max(1, title.length - 1));
    return `"${title.slice(at, at + 2).join(' ')}"`;
  };
  const shapes: readonly (readonly [share: number, write: () => string])[] = [
    [0.1, () => ''],
    [0.26, word],
    [0.2, () => `${word()} price:<${price()}`],
    [0.08, () => `${word()} ${word()}`],
    [0.08, () => `${word()} -refurbished off:>=${off()}`],
    [0.06, () => `price:<${price()} off:>=${off()}`],
    [0.04, () => `category:"${pick(categories, 'PC')}" off:>=${off()}`],
    [0.05, phrase],
    [0.04, () => `${word().slice(0, 5)}*`],
    [0.04, () => `(${word()} OR ${word()}) price:<${price()}`],
    [0.02, () => `featured:true off:>=${off()}`],
    [0.02, () => `condition:${pick(['new', 'refurbished'], 'new')} ${word()}`],
    [0.01, () => `/${word()}.*${pick(['pro', 'max', 'set', 'kit'], 'pro')}/i`],
  ];
  return () => {
    let left = random();
    for (const [share, write] of shapes) {
      left -= share;
      if (left < 0) return write();
    }
    return word();
  };
}
