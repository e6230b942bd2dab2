import type { FastifyPluginAsync } from 'fastify';
import type { FeatureCommands, FeatureServices, StatusLines } from '../../commands/shared.ts';
import type { CurrentState } from '../announcements/current-state.ts';
import type { Deliverer } from '../announcements/deliver/deliverer.ts';
import type { KeptPosts } from '../announcements/deliver/kept.ts';
import type { Mentions } from '../announcements/deliver/mentions.ts';
import type { AppearanceOf, PostAttachment } from '../announcements/deliver/parts.ts';
import type { Explainer } from '../announcements/explain/explain.ts';
import type { FeatureKind } from '../announcements/kinds/kind.ts';
import type { OwedByOffers, OwedPosts } from '../announcements/poll/owed-posts.ts';
import type { Poller } from '../announcements/poll/poller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Announcement, EntityKey } from '../deals/announcement.ts';
import type { AppearanceLayer } from '../deals/appearance.ts';
import type { Setting } from '../deals/settings.ts';
import type { Subscription } from '../deals/subscription.ts';
import type { Card, OfferButtons } from '../discord/cards/parts.ts';
import type { BotClient, BotServer } from '../discord/client.ts';
import type { Courier } from '../discord/courier.ts';
import type { Words } from '../discord/i18n/catalog.ts';
import type { Translator, Translators } from '../discord/i18n/translator.ts';
import type { PictureRenderer } from '../discord/pictures/renderer.ts';
import type { OfferBook } from '../offers/offer-book.ts';
import type { Clock } from '../shared/clock.ts';
import type { WriteProblem } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { FeatureRecords, FeatureStores, Store } from '../store/store.ts';
import type { Accepted, Arguments } from './arguments.ts';
import type { Config, FeatureEnvironment } from './config.ts';
import type { Health } from './health.ts';
import type { FeatureGauge, Figures, Metrics } from './metrics.ts';
import type { AskedOfBot, Waiting } from './operator-socket.ts';

export type { FeatureGauge, Figures } from './metrics.ts';

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
  /** Its settings, which are variables of the environment. */
  readonly environment?: FeatureEnvironment;
  /** The kinds of announcement that it makes itself. `PayloadOfFeatures` is declared to have what each holds. */
  readonly kinds?: readonly FeatureKind[];
  /**
   * Its records. `FeatureStores` is declared to have the stores that it opens.
   * @example
   * records: { kinds: [GREETING], open: async (state) => ({ greetings: await openGreetings(state) }) }
   */
  readonly records?: FeatureRecords;
  /**
   * Its pages at the address of the health checks; null for none. Called before the bot runs.
   * @example
   * routes: ({ core }) => async (server) => {
   *   server.get('/greeting', async () => (core() ? 'Hello' : 'Ask again in a minute'));
   * }
   */
  routes?(parts: RouteParts): FastifyPluginAsync | null;
  /**
   * Mistakes in the set-up of a server, for check-setup: each in one sentence for the operator.
   * @example
   * checkServer: (guild, { stores }, english) => (mayGreet(guild, stores.greetings) ? [] : [english.t('greeting.notAllowed')])
   */
  checkServer?(guild: BotServer, set: SetInServer, english: Translator): readonly string[];
  /**
   * Starts the parts that run besides commands. Nothing has been polled or posted by then.
   * @example
   * start: ({ store }) => ({ services: { greetings: store.greetings }, jobs: [{ name: 'greetings', cron: '0 8 * * *', run: greetAll }] })
   */
  start?(core: Core): Running;
  /** A form of subscriptions that stands outside of the state. At most one feature has it. */
  readonly subscriptionForm?: SubscriptionForm;
  /** Its metrics, whose figures `start` gives. */
  readonly gauges?: readonly FeatureGauge[];
  /** Commands of the person who runs the bot, besides the bot itself: `npm run <name>`. */
  readonly operatorCommands?: readonly OperatorCommand[];
  /**
   * Called where the bot can't start, when all that had started is stopped. The process ends once it settles.
   * @example
   * startFailed: (error, { config }) => tellByHand(config.greeting, reasonOf(error))
   */
  startFailed?(error: unknown, parts: StartParts): Promise<void>;
}

/** What is set in a server. */
export interface SetInServer {
  subscriptions: readonly Subscription[];
  /** Of all servers; empty where the state can't be read. */
  stores: Partial<FeatureStores>;
}

/**
 * How a program that drives the bot writes the first subscriptions of a new state, and learns of those that exist.
 * Without any, a new state begins without subscriptions.
 * @example
 * subscriptionForm: { read: ({ text }, parts) => subscriptionsIn(text, parts), written: ({ channelId }) => ({ channelId }) }
 */
export interface SubscriptionForm {
  /** @throws UserError with every mistake of the text */
  read(first: FirstSubscriptions, parts: SubscriptionParts): readonly Subscription[];
  /** @param settings all those that a subscription can have */
  written(subscription: Subscription, settings: readonly Setting[]): WrittenSubscription;
}

/** The subscriptions of a new state. */
export interface FirstSubscriptions {
  /** In the form of `Feature.subscriptionForm`. */
  text: string;
  /** The id of the person who has made them. */
  createdBy: string;
}

/** The parts that read subscriptions. */
export interface SubscriptionParts {
  config: Config;
  /** All those that a subscription can have. */
  settings: readonly Setting[];
  clock: Clock;
}

/** A subscription for JSON. */
export type WrittenSubscription = Readonly<Record<string, unknown>>;

/** The parts of a bot that did not start. */
export interface StartParts {
  config: Config;
  clock: Clock;
  networkClock: Clock;
  log: Log;
}

/** The parts of routes. */
export interface RouteParts {
  config: Config;
  log: Log;
  /** null while the bot is starting or stopping. */
  core: () => Core | null;
}

/** The parts of the bot's core that a feature can use. */
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
  appearanceOf: AppearanceOf;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  health: () => Health;
  conditions: () => Conditions;
  /** The needs of all features. */
  needs: () => readonly Need[];
  pictures: PictureRenderer;
  /** How many requests Discord has answered well so far, whatever they were for. */
  successes: () => number;
  /** Makes metrics of its own, in `start` alone. */
  metrics: Metrics;
  clock: Clock;
  /** The clock of what the network is asked. */
  networkClock: Clock;
  log: Log;
  /** Aborts when the bot stops. */
  signal: AbortSignal;
  /** Registers how something that has started is stopped; the last one registered stops first. */
  onStop: (stop: () => unknown) => void;
}

export type { Arguments } from './arguments.ts';

/**
 * A command of the person who runs the bot, in a terminal.
 * @example
 * operatorCommands: [{ name: 'greet', help: 'Usage: npm run greet -- [name]', options: [], most: 1,
 *   run: async ({ given: [name] }, { say }) => (say(`Hello ${name}`), 0) }]
 */
export interface OperatorCommand extends Accepted {
  name: string;
  /** Printed for `--help`. */
  help: string;
  /**
   * Resolves with the exit status.
   * @throws AppError whose sentence the person reads
   */
  run(args: Arguments, around: OperatorSurroundings): Promise<number>;
  /** The exit status of an error, by all that stands behind the command's name; absent, or without one, for that of its kind. */
  failsWith?(args: readonly string[]): number | undefined;
}

export interface OperatorSurroundings {
  config: Config;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  /** What features keep in the state. */
  records: readonly FeatureRecords[];
  clock: Clock;
  /** The program's own version. */
  dealbell: string;
  say: (line: string) => void;
  /** Shows how far it is; null once it is through. */
  showProgress: (line: string | null) => void;
  /** Asks a person yes or no; null where nobody can answer. */
  ask: ((question: string) => Promise<boolean>) | null;
  /** Whether a bot runs that can be asked. @throws UserError where this user may not ask */
  isBotListening: () => Promise<boolean>;
  /** Where it listens: a file's path. */
  socket: string;
  /** Has the running bot do a job of `Running.operatorJobs`: yields what that tells, and last what it answers. */
  askBot: (job: string, asked: Iterable<unknown>, sentences: AskedOfBot) => AsyncIterable<unknown>;
}

/**
 * A job of the running bot for a command of its operator.
 * @example
 * operatorJobs: [{ name: 'greetings', run: async () => ({ sent: 3 }) }]
 */
export interface OperatorJob {
  name: string;
  /**
   * Resolves with the answer, an object for JSON; null where it can't read what it is asked, which another version may ask.
   * @param asked the lines that the command sends, each JSON
   */
  run(asked: readonly unknown[], waiting: Waiting): Promise<object | null>;
}

/** How the core is doing, where that can need the person who runs the bot. */
export interface Conditions {
  /** Why no poll succeeds; null while polls do. */
  pollsFailBecause: string | null;
  /** When a quota returns of which polling may spend nothing more: epoch milliseconds; null where there is none. */
  quotaResetsAtMs: number | null;
  /** Followed feeds that the catalog says it doesn't have. */
  unknownFeeds: readonly string[];
  /** Fields of the catalog that can't be read, as `Condition (Tools)`. */
  unreadable: readonly string[];
  /** Why the last backup failed; null where it didn't. */
  backupFailure: string | null;
  /** The titles of posts that Discord keeps answering with an error, or whose edits it does: foreign texts. */
  refusedMessages: readonly string[];
  stateProblem: WriteProblem | null;
}

/**
 * Something of a feature that can need the person who runs the bot.
 * @example
 * needs: [{ name: 'greetings', title: (translator) => translator.t('greeting.failed'), means: () => null }]
 */
export interface Need {
  /** Names it in the state and in the log. */
  name: string;
  title: (translator: Translator) => string;
  /** Its meaning now, and its remedy, as Markdown; null while it needs nobody. */
  means: (translator: Translator) => string | null;
}

/** The running parts of a feature. */
export interface Running {
  /** Services for its commands, in `request.services`. `FeatureServices` is declared to have them. */
  services?: Partial<FeatureServices>;
  /** Its part of posts. */
  post?: PostExtension;
  /**
   * Its jobs. One that takes longer than its pause is not started twice.
   * @example
   * jobs: [{ name: 'greetings', cron: '0 8 * * *', run: () => greetAll() }]
   */
  jobs?: readonly ScheduledJob[];
  needs?: readonly Need[];
  /** Its lines in the status of a server, and of the whole bot. */
  status?: StatusLines;
  /** What it adds to cards of offers in answers, besides `Feature.offerButtons`, where that depends on its settings. */
  onOffers?: OfferButtons;
  /**
   * The present figures of its gauges, by name; those of a label's values by these. Reading them makes no request.
   * @example
   * figures: () => ({ greetings_waiting: 3, greetings: { sent: 20, failed: 1 } })
   */
  figures?: () => Figures;
  operatorJobs?: readonly OperatorJob[];
  /**
   * A card that a person gets privately beside the answer to whatever they did; null for none.
   * @example
   * alsoTell: async (personId, translator) => (isNew(personId) ? noticeCard(translator.t('greeting.hello')) : null)
   */
  alsoTell?(personId: string, translator: Translator): Promise<Card | null>;
}

export interface ScheduledJob {
  /** Names it in the log. */
  name: string;
  /** @see https://nodecron.com/cron-syntax.html */
  cron: string;
  run: () => Promise<void>;
}

/**
 * A feature's part of posts.
 * @example
 * post: { isPublishedOnly: (channelId) => newsletters.has(channelId) }
 */
export interface PostExtension {
  /**
   * Whether a channel's posts are of use only once they are published, as where servers follow it: then it posts as fast
   * as Discord publishes, the best deal first.
   */
  isPublishedOnly?(channelId: string): boolean;
  /**
   * Settings of its for the appearance of posts in a server, or for a subscription in it; what they leave open is as usual.
   * @example
   * appearanceOf: (guildId) => (isLoud(guildId) ? { style: 'large' } : {})
   */
  appearanceOf?(guildId: string, subscription: Subscription | undefined): AppearanceLayer;
  /**
   * Its attachment to the post of an announcement, or to its edit; null for none. Asked only where the post's appearance
   * has attachments and the bot may attach files. The post waits for it. Never rejects.
   * @param translator of the reader's language
   * @example
   * attachmentOf: async ({ item }, { locale }) => (maps.has(item.id) ? mapOf(item.id, locale) : null)
   */
  attachmentOf?(announcement: Announcement, translator: Translator): Promise<PostAttachment | null>;
  /** Roles that posts mention. */
  mentions?: Mentions;
  /**
   * The thing whose post in the channel shows the announcement from now on, instead of a new one, where all subscriptions that
   * want it agree; null for a new one. The post is edited, so it mentions nobody.
   * @example
   * continues: (announcement) => (announcement.kind === 'greeting' ? `offer:${announcement.former}` : null)
   */
  continues?(announcement: Announcement, subscription: Subscription): EntityKey | null;
  /** Posts that it keeps. */
  kept?: KeptPosts;
  /** Posts that it owes to channels, besides those of polls. */
  owed?: OwedPosts;
  /** Announcements of its own kinds. */
  owedByOffers?: OwedByOffers;
}
