import { dealcasts } from './dealcasts.ts';
import { events } from './events.ts';
import { feed } from './feed.ts';
import { offer } from './offer.ts';
import { offerDetails } from './offer-details.ts';
import { search } from './search.ts';
import type { Command, MessageMenuCommand } from './shared.ts';
import { subscription } from './subscription.ts';

/** Every command there is. */
export const COMMANDS: readonly (Command | MessageMenuCommand)[] = [
  feed,
  search,
  offer,
  offerDetails,
  events,
  dealcasts,
  subscription,
];
