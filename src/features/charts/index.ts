import type { Feature } from '../../app/feature.ts';
import { actionButton } from '../../discord/cards/parts.ts';
import type { PictureRenderer } from '../../discord/pictures/renderer.ts';
import type { PriceSources } from '../../offers/product-history.ts';
import { act } from './actions.ts';
import { history } from './history.ts';
import { PostCharts } from './post-charts.ts';
import { chartOn } from './with-chart.ts';
import { WORDS } from './words/index.ts';

/** What products cost, as pictures: with a command, and in posts. */
export const charts: Feature = {
  name: 'charts',
  words: WORDS,
  commands: [history],
  offerButtons: {
    ofOffer: ({ offerId, shownAs, isListed }, translator) =>
      shownAs === 'whole' && isListed
        ? actionButton(translator.t('button.history'), act({ do: 'history', offerId }))
        : null,
  },
  start({ offers, store: { prices }, pictures, clock, log }) {
    const made = new PostCharts({ offers, prices, pictures, clock, log });
    return {
      services: { charts: { pictures, prices } },
      post: {
        async attachmentOf(announcement, translator) {
          const chart = await made.of(announcement, translator);
          return chart && chartOn(chart, translator);
        },
      },
    };
  },
};

declare module '../../../commands/shared.ts' {
  interface FeatureServices {
    charts: {
      pictures: PictureRenderer;
      /** Those of former listings. */
      prices: PriceSources['prices'];
    };
  }
}
