import type { FeatureCommands, FeatureServices } from '../../commands/shared.ts';
import type { CurrentState } from '../announcements/current-state.ts';
import type { Deliverer } from '../announcements/deliver/deliverer.ts';
import type { Explainer } from '../announcements/explain/explain.ts';
import type { Poller } from '../announcements/poll/poller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { BotClient } from '../discord/client.ts';
import type { Courier } from '../discord/courier.ts';
import type { Words } from '../discord/i18n/catalog.ts';
import type { Translators } from '../discord/i18n/translator.ts';
import type { OfferBook } from '../offers/offer-book.ts';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { FeatureRecords, Store } from '../store/store.ts';
import type { Config, FeatureEnvironment } from './config.ts';

/**
 * Anything that one can imagine the bot without. Each has a folder in src/features and one object, which
 * src/features/index.ts lists. Every member but the name may be absent.
 * @example
 * export const greetings: Feature = { name: 'greetings', words: WORDS, commands: [greet] };
 */
export interface Feature extends FeatureCommands {
  /** That of its folder. */
  readonly name: string;
  /** Its sentences in every language: `words/index.ts`, which `npm run types` writes. */
  readonly words?: Words;
  /** What it can be told by the environment. */
  readonly environment?: FeatureEnvironment;
  /**
   * What it keeps in the state. `FeatureStores` is declared to have what it opens.
   * @example
   * records: { kinds: [GREETING], open: async (state) => ({ greetings: await openGreetings(state) }) }
   */
  readonly records?: FeatureRecords;
  /** Starts what runs besides commands. Nothing has been polled or posted by then. */
  start?(core: Core): Running;
}

/** What of the bot's core a feature can use. */
export interface Core {
  config: Config;
  store: Store;
  catalog: Catalog;
  offers: OfferBook;
  client: BotClient;
  courier: Courier;
  poller: Poller;
  deliverer: Deliverer;
  currentState: CurrentState;
  explainer: Explainer;
  translators: Translators;
  clock: Clock;
  log: Log;
  /** Aborts when the bot stops. */
  signal: AbortSignal;
  /** Registers how something that has started is stopped; the last one registered stops first. */
  onStop: (stop: () => unknown) => void;
}

/** What of a feature runs. */
export interface Running {
  /** What its commands find in `request.services`. `FeatureServices` is declared to have it. */
  services?: Partial<FeatureServices>;
  /** What it changes about posts. */
  post?: PostExtension;
  /**
   * What it does from time to time. A job that takes longer than its pause is not started twice.
   * @example
   * jobs: [{ name: 'greetings', cron: '0 8 * * *', run: () => greetAll() }]
   */
  jobs?: readonly ScheduledJob[];
}

export interface ScheduledJob {
  /** Names it in the log. */
  name: string;
  /** @see https://nodecron.com/cron-syntax.html */
  cron: string;
  run: () => Promise<void>;
}

/** What a feature changes about posts. */
export interface PostExtension {
  /**
   * Whether a channel's posts are of use only once they are published, as where servers follow it: then it posts as fast
   * as Discord publishes, the best deal first.
   */
  isPublishedOnly?(channelId: string): boolean;
}
