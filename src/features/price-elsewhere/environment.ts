import { z } from 'zod';
import type { Feature } from '../../app/feature.ts';

/** What stands for the product's ASIN in the address. */
export const PLACE = '{asin}';

export const ENVIRONMENT = {
  priceHistoryUrl: {
    variable: 'PRICE_HISTORY_URL',
    schema: z
      .string()
      .refine((text) => text === 'none' || (text.includes(PLACE) && isWebAddress(text)), {
        error: `must be a web address with ${PLACE} in it, or none`,
      })
      .default(`https://camelcamelcamel.com/product/${PLACE}`)
      .transform((text) => (text === 'none' ? null : text)),
  },
} satisfies Feature['environment'];

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text.replaceAll(PLACE, 'B000000000'));
}

declare module '../../app/config.ts' {
  interface FeatureConfig {
    /** The address of a product's price history in other stores, with `{asin}` in it; null for no link. */
    priceHistoryUrl: string | null;
  }
}
