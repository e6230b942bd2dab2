import { ComponentType } from 'discord-api-types/v10';
import type { PostAttachment } from '../../announcements/deliver/parts.ts';
import { shownOf } from '../../announcements/kinds/index.ts';
import type { PriceRange } from '../../deals/price.ts';
import { attachedPicture, type Card, factsOf, fitting, smallLine, text } from '../../discord/cards/parts.ts';
import { formatPrice } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';

/** A picture of the prices of an offer's product, as they had been observed when it was made. */
export interface PostChart {
  /** A PNG. */
  picture: Buffer;
  /** The first and the last moment that it shows: epoch milliseconds. */
  sinceMs: number;
  untilMs: number;
  /** All prices in it, and the offer's own among them: US dollars. */
  prices: PriceRange;
  price: number;
}

const PICTURE = 'prices.png';

/** The chart for posts at its price: beside another one, it is untrue. */
export function chartOn(chart: PostChart, translator: Translator): PostAttachment {
  return {
    isOf(announcement) {
      const { as, item } = shownOf(announcement);
      return as === 'offer' && item.salePrice?.minimum === chart.price;
    },
    addTo: (card) => withChart(card, chart, translator),
  };
}

/** The card with the chart above its buttons. Its words are dated: they stay true, whatever is observed later. */
function withChart(card: Card, chart: PostChart, translator: Translator): Card {
  const { picture, sinceMs, untilMs } = chart;
  const prices = formatPrice(chart.prices, translator);
  const description = translator.t('chart.described', {
    since: translator.date(sinceMs),
    until: translator.date(untilMs),
    prices,
  });
  const parts = [
    attachedPicture(PICTURE, description),
    text(smallLine([factsOf([`${translator.date(sinceMs)} – ${translator.date(untilMs)}`, prices])])),
  ];
  const components = card.components.map((part) => {
    if (part.type !== ComponentType.Container) return part;
    const last = part.components.at(-1);
    const at = part.components.length - (last?.type === ComponentType.ActionRow ? 1 : 0);
    return { ...part, components: part.components.toSpliced(at, 0, ...parts) };
  });
  return fitting({ components, files: [...(card.files ?? []), { name: PICTURE, content: picture }] });
}
