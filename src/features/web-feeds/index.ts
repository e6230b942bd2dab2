import { z } from 'zod';
import type { Feature } from '../../app/feature.ts';
import { createWebFeedSource, webFeedRoutes } from './routes.ts';

const ENVIRONMENT = {
  webFeeds: {
    variable: 'WEB_FEEDS',
    schema: z
      .enum(['yes', 'no'], { error: 'must be yes or no' })
      .default('no')
      .transform((value) => value === 'yes'),
  },
} satisfies Feature['environment'];

/** Events as a calendar and a feed's offers as an Atom feed, for other programs. */
export const webFeeds: Feature = {
  name: 'web-feeds',
  environment: ENVIRONMENT,
  routes({ config, log, core }) {
    if (!config.webFeeds) return null;
    return webFeedRoutes(() => {
      const running = core();
      return running && createWebFeedSource(running);
    }, log);
  },
};

declare module '../../app/config.ts' {
  interface FeatureConfig {
    /** Whether events and offers can be read by other programs, at the address of the health checks. */
    webFeeds: boolean;
  }
}
