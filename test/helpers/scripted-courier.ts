import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { CurrentState } from '../../src/announcements/current-state.ts';
import { Deliverer } from '../../src/announcements/deliver/deliverer.ts';
import type { KeptPosts } from '../../src/announcements/deliver/kept.ts';
import type { DelivererParts } from '../../src/announcements/deliver/parts.ts';
import { enqueue } from '../../src/announcements/outbox/enqueue.ts';
import type { AppearanceLayer } from '../../src/deals/appearance.ts';
import type { Offer } from '../../src/deals/offer.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import type { ChangeOutcome, Courier, FindOutcome, NewMessage, PostOutcome } from '../../src/discord/courier.ts';
import { createTranslators } from '../../src/discord/i18n/translator.ts';
import { createOfferBook } from '../../src/offers/offer-book.ts';
import { createLog, type Log } from '../../src/shared/log.ts';
import { openRecords } from '../../src/store/store.ts';
import { State } from '../../src/store/table/state.ts';
import { appearancesIn, type Dressed } from './appearances.ts';
import { textOf } from './discord-form.ts';
import { ManualClock } from './manual-clock.ts';
import { MENTIONED } from './mentioned.ts';
import { type Backend, backendAt } from './opened-state.ts';
import { outboxOffers } from './outbox-offers.ts';
import type { Keeping } from './post-office.ts';
import { temporaryState } from './temporary-folder.ts';
import { aSubscription, newOfferOf } from './things.ts';

/** A message that the deliverer has tried to post. */
export interface Try {
  atMs: number;
  deliveryId: string;
  roles: readonly string[];
  text: string;
  message: NewMessage;
}

/** Counts what a backend has been asked and has not answered yet. */
function watched(backend: Backend, count: (change: 1 | -1) => void): Backend {
  const watch = <T>(answer: T): T => {
    if (answer instanceof Promise) {
      count(1);
      answer.then(
        () => count(-1),
        () => count(-1),
      );
    }
    return answer;
  };
  return {
    ...backend,
    keyv: Object.assign(Object.create(backend.keyv) as Backend['keyv'], {
      get: <Value>(key: string) => watch(backend.keyv.get<Value>(key)),
      getMany: <Value>(keys: string[]) => watch(backend.keyv.getMany?.<Value>(keys)),
    }),
    page: (...range) => watch(backend.page(...range)),
    under: (starts) => watch(backend.under(starts)),
    write: (rows) => watch(backend.write(rows)),
  };
}

/** Turns of the event loop in which nothing is asked of the state, after which nothing more will be. */
const IDLE_TURNS = 10;
/** More questions to the state than any work here asks before it rests. */
const MOST_QUESTIONS = 500;

/** A deliverer on a real state, whose courier answers as it is told, and posts where it is told nothing. */
export async function aScriptedDeliverer(
  through: (backend: Backend) => Backend = (backend) => backend,
  log: Log = createLog('silent'),
  keep?: Keeping,
  more: Pick<DelivererParts, 'personal'> = {},
) {
  const clock = new ManualClock('2026-10-06T12:00:00Z');
  const translatorFor = createTranslators(() => undefined, keep ? [keep.words] : []);
  const translatorOf = () => translatorFor('en-US');
  const url = temporaryState();
  const tries: Try[] = [];
  /** The channels whose posts are of use only once they are published. */
  const publishedOnly = new Set<string>();
  /** Answers to the next tries; then `otherwise` answers. */
  const answers: PostOutcome[] = [];
  const script = {
    otherwise: null as PostOutcome | null,
    reads: 0,
    /** The roles that the bot may not ring. */
    unrung: new Set<string>(),
    /** Runs while a channel is read. */
    whileReading: async (): Promise<void> => undefined,
    /** The result of reading a channel; null where it finds nothing. */
    found: null as FindOutcome | null,
    /** The message after which a channel was read last. */
    readAfter: null as string | null,
    /** Runs while Discord is asked to post. */
    whilePosting: async (): Promise<void> => undefined,
    /** The other requests to Discord. */
    others: [] as string[],
    /** Answers to the next edits, deletions and publications; after them all succeed. */
    changes: [] as ChangeOutcome[],
    /** Runs while Discord is asked to edit, delete or publish. */
    whileChanging: async (): Promise<void> => undefined,
    /** The channels that Discord was asked for themselves. */
    confirmed: [] as string[],
    /** Answers to the next such questions; after them all channels exist. */
    exists: [] as ChangeOutcome[],
    /** Whether the channels are such that a repeated post is none. */
    hasNonces: true,
    /** Whether the bot may pin messages. */
    mayPin: true,
    /** The requests to Discord that have succeeded for other things: nothing counts them but a test. */
    successes: 0,
    /** The appearance of the server's posts. */
    server: {} as AppearanceLayer,
    /** Answers a try by what it shows; null where `answers` and `otherwise` do. */
    answerTo: (_text: string): PostOutcome | null => null,
    /** The direct messages, with whom they are for. */
    told: [] as [personId: string, text: string][],
  };
  const book = createOfferBook([], () => undefined);
  const offers = outboxOffers(book);
  const sent = ({ channelId, deliveryId }: NewMessage): PostOutcome => ({
    kind: 'sent',
    place: { channelId, messageId: `m-${deliveryId}` },
  });
  async function change(request: string): Promise<ChangeOutcome> {
    script.others.push(request);
    await script.whileChanging();
    return script.changes.shift() ?? { kind: 'done' };
  }
  const courier: Courier = {
    async post(message) {
      const { deliveryId, mentionRoleIds, card } = message;
      tries.push({ atMs: clock.now(), deliveryId, roles: mentionRoleIds, text: textOf(card), message });
      await script.whilePosting();
      return script.answerTo(textOf(card)) ?? answers.shift() ?? script.otherwise ?? sent(message);
    },
    edit: ({ channelId, messageId }, { card }) => change(`edit ${channelId}/${messageId}: ${textOf(card)}`),
    remove: ({ channelId, messageId }) => change(`remove ${channelId}/${messageId}`),
    publish: ({ channelId, messageId }) => change(`publish ${channelId}/${messageId}`),
    reply: ({ channelId, messageId }, { roleIds, mayStand }) =>
      change(`reply ${channelId}/${messageId}: ${roleIds.join(' ')}${mayStand ? ' (again)' : ''}`),
    mayRing: (_, roleId) => !script.unrung.has(roleId),
    mayPin: () => script.mayPin,
    pin: ({ channelId, messageId }, isPinned) => change(`${isPinned ? 'pin' : 'unpin'} ${channelId}/${messageId}`),
    async findPosted(_, afterId) {
      script.reads += 1;
      script.readAfter = afterId;
      await script.whileReading();
      return script.found ?? { kind: 'found', posted: new Map(), messages: [], isCutOff: false };
    },
    async confirm(channelId) {
      script.confirmed.push(channelId);
      return script.exists.shift() ?? { kind: 'done' };
    },
    hasNonces: () => script.hasNonces,
    async sendDirectMessage(personId, text) {
      script.told.push([personId, text]);
    },
  };

  let asked = 0;
  let questions = 0;

  /** Resolves when all work has come to its end or to a wait, and rejects where it comes to none. */
  async function idle(): Promise<void> {
    questions = 0;
    for (let turns = 0; turns < IDLE_TURNS; turns += 1) {
      await setImmediate();
      if (questions >= MOST_QUESTIONS) throw new Error(`The work does not rest after ${questions} questions.`);
      if (asked > 0) turns = -1;
    }
  }

  /** Lets time pass, in steps short enough for each wait that ends to be followed by the next. */
  async function pass(ms: number, stepMs = 60_000): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      await clock.advance(Math.min(left, stepMs));
      await idle();
    }
  }

  /** @param clearFromMs as in `DelivererParts` */
  async function run(clearFromMs = 0) {
    const file = backendAt(url);
    onTestFinished(() => file.close());
    const backend = watched(through(file), (change) => {
      asked += change;
      questions += 1;
    });
    const state = new State(backend, { log: createLog('silent') });
    const store = await openRecords(state, clock);
    const currentState = new CurrentState(offers.of(store.deliveries), store);
    const deliverer: Deliverer = new Deliverer({
      ...more,
      store,
      courier,
      appearanceOf: (...asked) => appearancesIn(script.server)(...asked),
      translatorOf,
      currentState,
      mentions: MENTIONED,
      isPublishedOnly: (channelId) => publishedOnly.has(channelId),
      kept: () => kept,
      requestsPerSecond: 50,
      successes: () => script.successes,
      clock,
      log,
      clearFromMs,
    });
    onTestFinished(() => deliverer.stop());
    const kept: readonly KeptPosts[] = keep
      ? [keep.of({ store, currentState, deliverer, courier, translatorOf, clock, log })]
      : [];

    async function add(
      offers: readonly Offer[],
      subscriptions: readonly Subscription[],
      isLate: boolean,
    ): Promise<void> {
      const matches = offers.flatMap((offer) =>
        subscriptions.map((subscription) => ({ announcement: newOfferOf(offer), subscription, terms: [] })),
      );
      const occasion = { nowMs: clock.now(), isLate, clock, signal: new AbortController().signal };
      await store.transact((changes) => enqueue({ ...store, mentions: MENTIONED }, changes, matches, occasion));
    }

    return {
      store,
      deliverer,
      currentState,
      subscribe: async (id: string, changes: Dressed = {}): Promise<Subscription> => {
        const subscription = aSubscription(id, changes);
        await store.subscriptions.save(subscription);
        return subscription;
      },
      /** Puts an offer into the outbox for all who want it. */
      enqueue: (offer: Offer, ...subscriptions: Subscription[]) => add([offer], subscriptions, false),
      /** Puts in what was found after a long gap. */
      enqueueLate: (offers: readonly Offer[], ...subscriptions: Subscription[]) => add(offers, subscriptions, true),
      /** Does what a poll does after it has put something in. */
      kick: async (): Promise<void> => {
        deliverer.kick();
        await idle();
      },
    };
  }
  return { clock, tries, answers, script, publishedOnly, book, run, pass, idle };
}
