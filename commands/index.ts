import { dealcasts } from './dealcasts.ts';
import { events } from './events.ts';
import { feed } from './feed.ts';
import { offer } from './offer.ts';
import { search } from './search.ts';
import type { Command } from './shared.ts';
import { subscription } from './subscription/index.ts';
import { why } from './why.ts';

/** Every slash command there is. */
export const COMMANDS: readonly Command[] = [feed, search, offer, events, dealcasts, subscription, why];
