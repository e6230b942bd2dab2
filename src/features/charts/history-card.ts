import { isOver } from '../../deals/life.ts';
import type { PriceHistory } from '../../deals/observed-prices.ts';
import type { Offer } from '../../deals/offer.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import {
  actionButton,
  attachedPicture,
  buttons,
  type Card,
  type CardContext,
  card,
  linkButton,
  smallLine,
  titleLine,
} from '../../discord/cards/parts.ts';
import { priceHistoryLines } from '../../discord/cards/price-history-lines.ts';
import { formatPrice } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';

const MOST_TITLE = 200;
/** The latest changes that a card without a picture lists. */
const MOST_LISTED = 12;
const PICTURE = 'prices.png';

/** @param picture a PNG of the same history; null where none could be made: then the latest prices are listed */
export function historyCard(offer: Offer, history: PriceHistory, picture: Buffer | null, context: CardContext): Card {
  const { translator, nowMs } = context;
  const shown = card(isOver(offer, nowMs) ? ACCENT.over : ACCENT.offer, [
    [titleLine(clamp(offer.title, MOST_TITLE), offer.url, isOver(offer, nowMs))],
    picture && attachedPicture(PICTURE, describedHistory(history, translator)),
    priceHistoryLines(history, translator),
    picture ? null : listed(history, translator),
    smallLine([translator.t('history.gaps')]),
    buttons([
      linkButton(translator.t('button.open'), offer.url),
      actionButton(translator.t('button.details'), { do: 'offer', offerId: offer.id, deliveryId: null }),
    ]),
  ]);
  return picture ? { ...shown, files: [{ name: PICTURE, content: picture }] } : shown;
}

/** The picture in words, for people who don't see it: the same numbers. */
function describedHistory(history: PriceHistory, translator: Translator): string {
  return priceHistoryLines(history, translator)
    .map((line) => line.replaceAll('**', ''))
    .join('. ');
}

/** `1 March 2026 – 9 March 2026 · $34.00`, the latest first. */
function listed({ course }: PriceHistory, translator: Translator): string[] {
  return course
    .slice(-MOST_LISTED)
    .toReversed()
    .map(({ fromMs, untilMs, price }) => {
      const what = price ? `**${formatPrice(price, translator)}**` : translator.t('offer.soldOut');
      return `${translator.date(fromMs)} – ${translator.date(untilMs)} · ${what}`;
    });
}
