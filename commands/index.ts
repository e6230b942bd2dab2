import { dealcasts } from './dealcasts.ts';
import { event } from './event.ts';
import { events } from './events.ts';
import { feed } from './feed.ts';
import { createHelp } from './help.ts';
import { history } from './history.ts';
import { look } from './look/index.ts';
import { monkeychats } from './monkeychats.ts';
import { myData } from './my-data.ts';
import { offer } from './offer.ts';
import { offerDetails } from './offer-details.ts';
import { owner } from './owner.ts';
import { polls } from './polls.ts';
import { search } from './search.ts';
import type { Command, MessageMenuCommand } from './shared.ts';
import { status } from './status.ts';
import { subscription } from './subscription/index.ts';
import { watch } from './watch/index.ts';
import { watchThis } from './watch/this.ts';
import { why } from './why.ts';

/** All commands. */
export const COMMANDS: readonly (Command | MessageMenuCommand)[] = [
  feed,
  search,
  offer,
  offerDetails,
  history,
  events,
  event,
  dealcasts,
  polls,
  monkeychats,
  watch,
  watchThis,
  myData,
  subscription,
  look,
  why,
  status,
  owner,
  // The bot's owner knows of /owner; nobody else can use it.
  createHelp(() => COMMANDS.filter((command) => command !== owner)),
];
