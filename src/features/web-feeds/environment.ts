import { z } from 'zod';
import type { Feature } from '../../app/feature.ts';

export const ENVIRONMENT = {
  webFeeds: {
    variable: 'WEB_FEEDS',
    schema: z
      .enum(['yes', 'no'], { error: 'must be yes or no' })
      .default('no')
      .transform((value) => value === 'yes'),
  },
} satisfies Feature['environment'];

declare module '../../app/config.ts' {
  interface FeatureConfig {
    /** Whether events and offers can be read by other programs, at the address of the health checks. */
    webFeeds: boolean;
  }
}
