import { shownOf } from '../../announcements/kinds/index.ts';
import type { Announcement } from '../../deals/announcement.ts';
import type { PriceHistory } from '../../deals/observed-prices.ts';
import { isRealPrice } from '../../deals/price-runs.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { PictureRenderer } from '../../discord/pictures/renderer.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import { type PriceSources, productHistory } from '../../offers/product-history.ts';
import { type Clock, within } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { DAY_MS, HOUR_MS } from '../../shared/time.ts';
import { postChart } from './post-chart.ts';
import type { PostChart } from './with-chart.ts';

/** The time since a product was first observed from which on its posts show a chart: milliseconds. */
const LEAST_MS = 30 * DAY_MS;
/** A post does not wait longer for its chart: milliseconds. */
const WITHIN_MS = 1_000;
/** The most charts of an hour that are kept: some 5 kB each. */
const MOST_KEPT = 500;

interface PostChartsParts {
  offers: OfferBook;
  prices: PriceSources['prices'];
  pictures: Pick<PictureRenderer, 'render'>;
  clock: Clock;
  log: Log;
}

/** Makes the charts of posts: one for each offer, price and language in an hour, whatever the number of channels. */
export class PostCharts {
  readonly #parts: PostChartsParts;
  /** By offer, price and language. */
  readonly #made = new Map<string, Promise<PostChart | null>>();
  #hour = 0;

  constructor(parts: PostChartsParts) {
    this.#parts = parts;
  }

  /**
   * The chart of what an announcement shows; null where it is no offer with a price, where its product was first observed
   * less than 30 days ago, where its history says nothing more than the post, and where the chart can't be made in a second. Never rejects.
   */
  async of(announcement: Announcement, translator: Translator): Promise<PostChart | null> {
    const { as, item } = shownOf(announcement);
    if (as !== 'offer' || !isRealPrice(item.salePrice)) return null;
    const { clock, log } = this.#parts;
    const key = `${item.id} ${item.salePrice.minimum} ${translator.locale}`;
    this.#forgetFormer();
    const chart = this.#made.get(key) ?? this.#make(item.id, item.salePrice.minimum, translator);
    this.#made.set(key, chart);
    // A failure is not kept.
    chart.catch(() => this.#made.delete(key));
    try {
      return await within(clock, WITHIN_MS, chart);
    } catch (error) {
      log.warn({ err: error }, 'a picture of prices could not be made');
      return null;
    }
  }

  async #make(offerId: string, price: number, translator: Translator): Promise<PostChart | null> {
    const { offers, prices, pictures, clock } = this.#parts;
    const known = offers.get(offerId);
    const untilMs = clock.now();
    const history = known ? await productHistory(known, { offers, prices }, untilMs) : null;
    if (!history || untilMs - history.sinceMs < LEAST_MS || !saysMore(history, price)) return null;
    const { sinceMs, low, high } = history;
    const drawn = { minimum: Math.min(low.price, price), maximum: Math.max(high.price, price) };
    const picture = await pictures.render(postChart(history, { prices: drawn, price, nowMs: untilMs }, translator));
    return { picture, sinceMs, untilMs, prices: drawn, price };
  }

  /** Forgets the charts of former hours, which lack the last prices, and all where they are too many. */
  #forgetFormer(): void {
    const hour = Math.floor(this.#parts.clock.now() / HOUR_MS);
    if (hour === this.#hour && this.#made.size < MOST_KEPT) return;
    this.#hour = hour;
    this.#made.clear();
  }
}

/** The post itself says that a price fell or rose once: a chart shows something from the second change on. */
function saysMore({ course }: PriceHistory, price: number): boolean {
  const all = [...course.flatMap((run) => run.price?.minimum ?? []), price];
  return all.filter((one, index) => index > 0 && one !== all[index - 1]).length >= 2;
}
