import type { Feature } from '../../app/feature.ts';
import type { OfferDetail } from '../../deals/offer.ts';
import { link } from '../../discord/markdown.ts';
import { ENVIRONMENT, PLACE } from './environment.ts';
import { WORDS } from './words/index.ts';

/** A link from an offer's details to what its product cost in other stores. */
export const priceElsewhere: Feature = {
  name: 'price-elsewhere',
  words: WORDS,
  environment: ENVIRONMENT,
  start: ({ config: { priceHistoryUrl } }) => ({
    onOffers: {
      ofDetail(detail, translator) {
        const asin = asinOf(detail);
        if (priceHistoryUrl === null || asin === null) return null;
        return link(translator.t('elsewhere.history'), priceHistoryUrl.replaceAll(PLACE, asin));
      },
    },
  }),
};

/** The only ASIN of an offer; null where it has none, or its variants are several products. */
function asinOf({ items }: OfferDetail): string | null {
  const [asin, ...others] = new Set(items.flatMap((item) => item.asin?.trim().toUpperCase() ?? []));
  // An address is made of it, so it has to be one.
  return asin !== undefined && others.length === 0 && /^[A-Z0-9]{10}$/.test(asin) ? asin : null;
}
