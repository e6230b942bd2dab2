/**
 * A demo around local Discord shows this on the page and lets people do this, on the same origin:
 *
 * - `POST /demo/actions` DemoAction → DemoResult
 *
 * Its state comes with PageState, and each new one as a PageUpdate. An action that can't be done answers 4xx with
 * PageProblem.
 */
export interface DemoState {
  time: DemoTime;
  bot: { state: 'starting' | 'running' | 'killed'; restartsAtMs: number | null; kills: number };
  /** The newest offer that was posted, which the levers change; null before the first. */
  offer: DemoOffer | null;
  /** It is about the last lever that breaks something or changes the offer; null before the first. */
  story: DemoStory | null;
  /** The faults of the moment, and until when they last by the machine's clock: epoch milliseconds. */
  faults: { discord: number | null; catalog: number | null; requests: number | null };
  counters: DemoCounters;
  /** null while the bot has told no plan. */
  plan: DemoPlan | null;
  /** The channels that the permission levers act on; null where one has been deleted by hand. */
  places: Record<DemoPlace, string | null>;
  permissions: { canSend: boolean; needsTag: boolean; isLocked: boolean; isDeleted: boolean; othersPublish: boolean };
  locales: { server: string; people: Readonly<Record<string, string>> };
}

/** A story tells what came of a lever, as it was seen in the channels and of the process. */
export interface DemoStory {
  /** The part of the panel in which the lever stands. */
  part: 'offer' | 'faults';
  /** `afterMs` counts from the pull of the lever. */
  lines: { afterMs: number; is: DemoHappening }[];
}

/** `taken`: Discord has taken the post in whose middle it happened. `between`: it was in the middle of none. */
export type DemoHappening =
  | 'killed-taken'
  | 'killed-not-taken'
  | 'killed-between'
  | 'runs-again'
  | 'cut-off-taken'
  | 'catalog-away'
  | 'requests-fail'
  | 'back'
  | 'went-on'
  | 'not-repeated'
  | 'repeated'
  | 'edited'
  | 'news';

export type DemoPlace = 'deals' | 'digest' | 'events' | 'forum' | 'thread';

/** The demo's time as a linear function of the machine's: `demoMs` at `realMs`, then `speed` times as fast; 0: paused. */
export interface DemoTime {
  realMs: number;
  demoMs: number;
  speed: number;
}

export interface DemoOffer {
  title: string;
  /** Its address in the store. */
  url: string;
  channelId: string;
  messageId: string;
  state: 'live' | 'sold out' | 'ended';
}

/** Measured in what the catalog served and what stands in the demo's channels, without a question to the bot. */
export interface DemoCounters {
  /** News for the demo's subscriptions that the catalog has served since the start and that were due, so far as they stayed true. */
  owed: number;
  posted: number;
  /** Owed, and not to be expected yet. */
  waiting: number;
  /** Not owed now: it comes with the next digest, after the quiet hours, or when its offer is back. */
  held: number;
  /** News that a person chose to skip: their subscription is paused, removed or changed. */
  skipped: number;
  twice: number;
  lost: number;
  edits: number;
  /** The names of the channels whose subscriptions are paused, removed or changed now. */
  skippedIn: string[];
  /** The names of the channels where a person's subscription allows fewer posts an hour than the demo's. */
  limitedIn: string[];
}

/** The bot's plan. */
export interface DemoPlan {
  /** Whether the application's owner has paused all posting. */
  isPaused: boolean;
  /** 1,000 requests a day, as a live catalog allows; false: as many as the bot likes. */
  isReal: boolean;
  /** When requests that are used up return: epoch milliseconds of the demo's time; null where some are left. */
  usedUpUntilMs: number | null;
  /** `limit` is null where there is none. */
  interfaces: { name: 'portal' | 'v2'; limit: number | null; spent: number }[];
  /** The next poll of each resource: epoch milliseconds of the demo's time; null where none is planned today. */
  polls: { resource: string; nextMs: number | null; everyMs: number }[];
}

export type DemoAction =
  | { do: 'offer'; messageId: string; change: 'sell-out' | 'drop-price' | 'end' | 'bring-back' }
  | { do: 'kill' | 'cut-discord' | 'cut-catalog' | 'fail-requests' | 'recover' }
  | { do: 'time'; to: 'pause' | 'normal' | 'fast' | 'evening' | 'morning' | 'midnight' }
  | { do: 'quota'; as: 'real' | 'unlimited' | 'used-up' }
  | { do: 'permissions'; change: keyof DemoState['permissions']; is: boolean }
  | { do: 'server-locale'; locale: string }
  | { do: 'person-locale'; personId: string; locale: string }
  | { do: 'direct-message'; personId: string };

export interface DemoResult {
  /** The channel, and the message in it, that the action concerns; null where it concerns none, as message: the next post. */
  shown: { channelId: string; messageId: string | null } | null;
}
