import type { Feature } from '../../app/feature.ts';
import { ENVIRONMENT } from './environment.ts';
import { createWebFeedSource, webFeedRoutes } from './routes.ts';

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
