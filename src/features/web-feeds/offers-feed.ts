import { Feed } from 'feed';
import { type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import type { PriceHistory } from '../../deals/observed-prices.ts';
import { priceHistoryLines } from '../../discord/cards/price-history-lines.ts';
import { formatPrice } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { plainLine, safeUrl } from '../../discord/markdown.ts';
import { escapeHtml } from '../../shared/html.ts';

const MOST_TITLE = 200;
/** The names of Dealbell's own identifiers: they say nothing of where it runs. */
const NAMESPACE = 'tag:dealbell,2026:offers';

/** An offer, and what is known of its prices; null for nothing. */
export interface OfferEntry {
  known: KnownOffer;
  history: PriceHistory | null;
}

/** The feed whose offers these are, the filter that was asked for, and the address at which that was. */
export interface OffersFeedName {
  feed: string;
  filter: string;
  address: string;
}

/**
 * The offers as an Atom feed, with what each product cost. Those without an address are left out.
 * @param entries newest first
 * @param nowMs when the feed is made: epoch milliseconds
 * @see https://www.rfc-editor.org/rfc/rfc4287
 */
export function offersFeedOf(
  entries: readonly OfferEntry[],
  { feed: name, filter, address }: OffersFeedName,
  translator: Translator,
  nowMs: number,
): string {
  const updatedMs = Math.max(0, ...entries.map(({ known }) => changedMs(known)));
  const feed = new Feed({
    id: `${NAMESPACE}/${encodeURIComponent(name.toLowerCase())}?filter=${encodeURIComponent(filter)}`,
    title: plainLine(filter === '' ? name : `${name}: ${filter}`, MOST_TITLE),
    updated: new Date(updatedMs || nowMs),
    generator: 'Dealbell',
    author: { name: 'Dealbell' },
    feedLinks: { atom: address },
  });
  for (const { known, history } of entries) {
    const { id, title, url, salePrice, isSoldOut } = shownOffer(known);
    const link = safeUrl(url);
    if (link === null) continue;
    const price = isSoldOut ? translator.t('offer.soldOut') : salePrice && formatPrice(salePrice, translator);
    feed.addItem({
      id: `urn:uuid:${id}`,
      // The library calls an entry's title HTML.
      title: escapeHtml(plainLine([title, price].filter((part) => part !== null).join(' · '), MOST_TITLE)),
      link,
      date: new Date(changedMs(known)),
      published: new Date(known.firstSeenMs),
      content: contentOf(history, translator),
    });
  }
  return feed.atom1();
}

/** When what is shown of an offer last changed. */
function changedMs({ prices, stock = [], firstSeenMs, overAtMs, restatedAtMs }: KnownOffer): number {
  return Math.max(firstSeenMs, prices.at(-1)?.atMs ?? 0, stock.at(-1)?.atMs ?? 0, overAtMs ?? 0, restatedAtMs ?? 0);
}

/** What the product cost as HTML: our own words, numbers and dates. */
function contentOf(history: PriceHistory | null, translator: Translator): string {
  if (!history) return '';
  const lines = priceHistoryLines(history, translator);
  return `<ul>${lines.map((line) => `<li>${line.replaceAll('**', '')}</li>`).join('')}</ul>`;
}
