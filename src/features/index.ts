import type { Feature } from '../app/feature.ts';
import { alerts } from './alerts/index.ts';
import { audit } from './audit/index.ts';
import { boards } from './boards/index.ts';
import { charts } from './charts/index.ts';
import { eventsList } from './events-list/index.ts';
import { hubs } from './hubs/index.ts';
import { lessLike } from './less-like/index.ts';
import { looks } from './looks/index.ts';
import { noMatch } from './no-match/index.ts';
import { owner } from './owner/index.ts';
import { phrases } from './phrases/index.ts';
import { pings } from './pings/index.ts';
import { priceElsewhere } from './price-elsewhere/index.ts';
import { reports } from './reports/index.ts';
import { reposts } from './reposts/index.ts';
import { subscriptionFiles } from './subscription-files/index.ts';
import { watches } from './watches/index.ts';
import { webFeeds } from './web-feeds/index.ts';
import { whyAndPreview } from './why/index.ts';

/** All features: each is its folder and its lines here. */
export const FEATURES: readonly Feature[] = [
  phrases,
  noMatch,
  watches,
  pings,
  looks,
  lessLike,
  charts,
  priceElsewhere,
  reports,
  reposts,
  boards,
  eventsList,
  whyAndPreview,
  owner,
  hubs,
  webFeeds,
  alerts,
  audit,
  subscriptionFiles,
];
