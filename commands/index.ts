import { dealcasts } from './dealcasts.ts';
import { event } from './event.ts';
import { events } from './events.ts';
import { feed } from './feed.ts';
import { createHelp } from './help.ts';
import { look } from './look/index.ts';
import { monkeychats } from './monkeychats.ts';
import { offer } from './offer.ts';
import { offerDetails } from './offer-details.ts';
import { polls } from './polls.ts';
import { search } from './search.ts';
import type { Command, MessageMenuCommand } from './shared.ts';
import { status } from './status.ts';
import { subscription } from './subscription/index.ts';
import { why } from './why.ts';

/** All commands. */
export const COMMANDS: readonly (Command | MessageMenuCommand)[] = [
  feed,
  search,
  offer,
  offerDetails,
  events,
  event,
  dealcasts,
  polls,
  monkeychats,
  subscription,
  look,
  why,
  status,
  createHelp(() => COMMANDS),
];
