import { dealcasts } from './dealcasts.ts';

import { event, events } from './events.ts';
import { feed } from './feed.ts';
import { follow } from './follow.ts';
import { createHelp } from './help.ts';
import { history } from './history.ts';
import { hub } from './hub.ts';
import { lessLikeThis } from './less.ts';
import { look } from './look.ts';
import { monkeychats } from './monkeychats.ts';
import { myData } from './my-data.ts';
import { offer, offerDetails } from './offer.ts';

import { owner } from './owner.ts';
import { pings } from './pings/index.ts';
import { polls } from './polls.ts';
import { search } from './search.ts';
import type { Command, MessageMenuCommand } from './shared.ts';
import { status } from './status.ts';
import { subscription } from './subscription/index.ts';
import { watch, watchThis } from './watch/index.ts';

import { why } from './why.ts';

/** All commands. */
export const COMMANDS: readonly (Command | MessageMenuCommand)[] = [
  feed,
  search,
  offer,
  offerDetails,
  lessLikeThis,
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
  pings,
  look,
  why,
  follow,
  status,
  owner,
  hub,
  // The bot's owner knows of /owner and /hub; nobody else can use them.
  createHelp(() => COMMANDS.filter((command) => command !== owner && command !== hub)),
];
