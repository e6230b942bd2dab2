import { copyFileSync, existsSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { createLocalDiscord, type LocalDiscord, type PageMessage } from '../../packages/local-discord/src/index.ts';
import { CurrentState } from '../../src/announcements/current-state.ts';
import { RETRY } from '../../src/announcements/deliver/channel.ts';
import { Deliverer } from '../../src/announcements/deliver/deliverer.ts';
import type { KeptPosts } from '../../src/announcements/deliver/kept.ts';
import type { Mentions } from '../../src/announcements/deliver/mentions.ts';
import type { DelivererParts } from '../../src/announcements/deliver/parts.ts';
import { enqueue, type Match } from '../../src/announcements/outbox/enqueue.ts';
import type { Announcement } from '../../src/deals/announcement.ts';
import type { AppearanceLayer } from '../../src/deals/appearance.ts';
import type { Offer } from '../../src/deals/offer.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { type Courier, createCourier } from '../../src/discord/courier.ts';
import type { Words } from '../../src/discord/i18n/catalog.ts';
import { createTranslators, type Translator } from '../../src/discord/i18n/translator.ts';
import { watchPermissions } from '../../src/discord/permissions.ts';
import { countSuccesses } from '../../src/discord/rest.ts';
import { createOfferBook, type WritableOfferBook } from '../../src/offers/offer-book.ts';
import { createLog, type Log } from '../../src/shared/log.ts';
import { type FeatureRecords, openRecords } from '../../src/store/store.ts';
import { State } from '../../src/store/table/state.ts';
import { appearancesIn, type Dressed } from './appearances.ts';
import { loginBot } from './login-bot.ts';
import { ManualClock } from './manual-clock.ts';
import { MENTIONED } from './mentioned.ts';
import { type Backend, backendAt } from './opened-state.ts';
import { outboxOffers } from './outbox-offers.ts';
import { temporaryState } from './temporary-folder.ts';
import { aSubscription, newOfferOf } from './things.ts';

const PLENTY = { requests: 10_000, perMs: 1_000 };

/** One life of the bot's delivering half. */
export interface Run {
  deliverer: Deliverer;
  courier: Courier;
  currentState: CurrentState;
  store: Awaited<ReturnType<typeof openRecords>>;
  subscribe(changes: Dressed): Promise<Subscription>;
  /** Puts what is new to the subscription into the outbox. */
  enqueue(subscription: Subscription, offers: readonly Offer[], isLate?: boolean): Promise<string[]>;
  /** Puts announcements into the outbox, each for all of these subscriptions. */
  announce(subscriptions: readonly Subscription[], announcements: readonly Announcement[]): Promise<string[]>;
  /** Starts, and lets the waits between two tries pass, until all that is due is done. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostOffice {
  /** The channels whose posts are of use only once they are published. */
  publishedOnly: Set<string>;
  clock: ManualClock;
  discord: LocalDiscord;
  /** The state's address. */
  stateUrl: string;
  /** The offers as they are known. */
  book: WritableOfferBook;
  channelId(name: string): string;
  /** The bot's posts there, oldest first. */
  posts(channelId: string): PageMessage[];
  /**
   * @param through what stands before the state's file
   * @param url the state's, where it is a copy
   */
  run(through?: (backend: Backend) => Backend, url?: string): Promise<Run>;
  /** The state as it is in its files at this moment, as a power cut or a backup would leave it: its address. */
  copyState(): string;
}

/** What a feature keeps, with the sentences in it. */
export interface Keeping {
  words: Words;
  of: (parts: KeepingParts) => KeptPosts;
}

/** What a feature's kept posts are made of. */
export interface KeepingParts {
  store: Run['store'];
  currentState: CurrentState;
  deliverer: Deliverer;
  courier: Courier;
  translatorOf: () => Translator;
  clock: ManualClock;
  log: Log;
}

/** The deliverer with the real client, a local Discord and a state in a file that outlives a run. */
export async function aPostOffice({
  discordClock,
  log = createLog('silent'),
  attachmentsOf,
  offerButtons = [],
  server = {},
  features = [],
  keep,
  mentions = MENTIONED,
  continues,
  answeredWithinMs,
}: {
  discordClock?: ManualClock;
  log?: Log;
  attachmentsOf?: DelivererParts['attachmentsOf'];
  offerButtons?: DelivererParts['offerButtons'];
  /** The appearance of the server's posts. */
  server?: AppearanceLayer;
  /** What features keep in the state. */
  features?: readonly FeatureRecords[];
  keep?: Keeping;
  mentions?: Mentions;
  continues?: DelivererParts['continues'];
  /** How long the bot waits for an answer of Discord: real milliseconds. */
  answeredWithinMs?: number;
} = {}): Promise<PostOffice> {
  const clock = new ManualClock('2026-10-06T12:00:00Z');
  const translatorFor = createTranslators(() => undefined, keep ? [keep.words] : []);
  const translatorOf = () => translatorFor('en-US');
  const publishedOnly = new Set<string>();
  const stateUrl = temporaryState();
  const book = createOfferBook([], () => undefined);
  const offers = outboxOffers(book);
  const limits = { createMessage: PLENTY, editMessage: PLENTY, createThread: PLENTY, global: PLENTY };
  const discord = createLocalDiscord({
    application: { name: 'Dealbell' },
    host: '127.0.0.1',
    port: 0,
    stateUrl: temporaryState(),
    clock: discordClock ?? clock,
    log,
    limits,
    privilegedIntents: [],
  });
  onTestFinished(() => discord.stop());
  await discord.start();
  const client = await loginBot(discord, clock, log, answeredWithinMs);
  // Each run listens.
  client.setMaxListeners(0);
  const successes = countSuccesses(client);

  async function run(through: (backend: Backend) => Backend = (backend) => backend, url = stateUrl): Promise<Run> {
    const file = backendAt(url);
    onTestFinished(() => file.close());
    const backend = through(file);
    const state = new State(backend, { log: createLog('silent') });
    const store = await openRecords(state, clock, features);
    const stopping = new AbortController();
    const currentState = new CurrentState(offers.of(store.deliveries), store);
    const courier = createCourier(client, stopping.signal);
    const deliverer = new Deliverer({
      store,
      courier,
      appearanceOf: appearancesIn(server),
      translatorOf,
      currentState,
      mentions,
      isPublishedOnly: (channelId) => publishedOnly.has(channelId),
      kept: () => kept,
      requestsPerSecond: 50,
      successes,
      clock,
      log,
      offerButtons,
      ...(attachmentsOf && { attachmentsOf }),
      ...(continues && { continues }),
    });
    const kept = keep ? [keep.of({ store, currentState, deliverer, courier, translatorOf, clock, log })] : [];
    watchPermissions(client, deliverer);
    async function stop(): Promise<void> {
      stopping.abort(new Error('The run ends.'));
      await deliverer.stop();
      // A store does it as it closes.
      await store.rateLog.restamp();
    }
    onTestFinished(stop);
    async function put(matches: readonly Match[], isLate = false): Promise<string[]> {
      const occasion = { nowMs: clock.now(), isLate, clock, signal: new AbortController().signal };
      const added = await store.transact((changes) =>
        enqueue({ ...store, replied: store, mentions }, changes, matches, occasion),
      );
      return added.map(({ id }) => id);
    }
    return {
      deliverer,
      courier,
      currentState,
      store,
      stop,
      async subscribe(changes) {
        const subscription = aSubscription(changes.id ?? 's', { guildId: discord.guildId, ...changes });
        await store.subscriptions.save(subscription);
        return subscription;
      },
      enqueue: (subscription, offers, isLate) =>
        put(
          offers.map((offer) => ({ announcement: newOfferOf(offer), subscription, terms: [] })),
          isLate,
        ),
      announce: (subscriptions, announcements) =>
        put(
          announcements.flatMap((announcement) =>
            subscriptions.map((subscription) => ({ announcement, subscription, terms: [] })),
          ),
        ),
      async settle() {
        deliverer.kick();
        let hasSettled = false;
        const settled = deliverer.settled().then(() => {
          hasSettled = true;
        });
        for (;;) {
          await Promise.race([settled, clock.untilSleeping((ms) => ms >= RETRY.firstMs && ms <= RETRY.longestMs)]);
          if (hasSettled) return;
          await clock.advance(RETRY.longestMs);
        }
      },
    };
  }

  return {
    clock,
    discord,
    publishedOnly,
    stateUrl,
    book,
    channelId: (name) => discord.channel(name).id,
    posts: (channelId) => discord.messages(channelId).filter(({ author }) => author.bot === true),
    run,
    copyState() {
      const copy = temporaryState();
      for (const ending of ['', '-wal']) {
        const [from, to] = [stateUrl, copy].map((url) => url.slice('sqlite://'.length) + ending) as [string, string];
        if (existsSync(from)) copyFileSync(from, to);
      }
      return copy;
    },
  };
}
