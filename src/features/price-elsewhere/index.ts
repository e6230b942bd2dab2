import type { Feature } from '../../app/feature.ts';
import { termsOf } from '../../deals/terms.ts';
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
        const { asin } = termsOf(detail);
        if (priceHistoryUrl === null || asin === undefined) return null;
        return link(translator.t('elsewhere.history'), priceHistoryUrl.replaceAll(PLACE, asin));
      },
    },
  }),
};
