import type { Card } from '../../src/discord/cards/parts.ts';
import type { Courier, NewMessage, PostOutcome } from '../../src/discord/courier.ts';
import type { Moment } from '../model/catalog.ts';
import type { Life } from './memory.ts';
import type { Event } from './story.ts';

/** A message that stands in a channel. */
export interface Message {
  channelId: string;
  messageId: string;
  deliveryId: string;
  at: Moment;
  /** As it is now. */
  card: Card;
}

/** Something that people in a channel see happen. */
export interface Sight {
  kind: 'post' | 'edit';
  channelId: string;
  card: Card;
  at: Moment;
}

type NextPost = Extract<Event, { do: 'next post' }>['outcome'];

/** For so long Discord answers a repeated nonce with the message that exists: milliseconds. */
const NONCE_MS = 5 * 60_000;

/** A Discord that closes and opens channels, loses requests, and outlives the processes that use it. */
export class Discord {
  readonly #now: () => Moment;
  readonly #isDirect: (channelId: string) => boolean;
  readonly #closed = new Set<string>();
  readonly #next = new Map<string, NextPost[]>();
  readonly messages: Message[] = [];
  /** What has happened since it was last taken. */
  sights: Sight[] = [];
  requests = 0;

  /** @param isDirect whether a channel is a person's direct messages */
  constructor(now: () => Moment, isDirect: (channelId: string) => boolean) {
    this.#now = now;
    this.#isDirect = isDirect;
  }

  close(channelId: string): void {
    this.#closed.add(channelId);
  }

  open(channelId: string): void {
    this.#closed.delete(channelId);
  }

  calm(): void {
    this.#closed.clear();
    this.#next.clear();
  }

  nextPost(channelId: string, outcome: NextPost): void {
    this.#next.set(channelId, [...(this.#next.get(channelId) ?? []), outcome]);
  }

  /** Discord for one process. */
  courier(life: Life): Courier {
    const refusal = (channelId: string, isNew = true) => {
      this.requests += 1;
      if (life.isOver) return { kind: 'unknown', reason: 'The process has ended.' } as const;
      if (!this.#closed.has(channelId)) return null;
      // Messages that a person has can be edited.
      if (this.#isDirect(channelId)) return isNew ? ({ kind: 'blocked', reason: 'messages-closed' } as const) : null;
      return { kind: 'blocked', reason: 'cannot-post' } as const;
    };
    return {
      post: async (message) => refusal(message.channelId) ?? this.#post(message),
      edit: async ({ channelId, messageId }, { card }) => {
        const refused = refusal(channelId, false);
        if (refused) return refused;
        const message = this.messages.find((one) => one.messageId === messageId);
        if (!message) return { kind: 'missing', reason: 'unknown-message' };
        message.card = card;
        this.sights.push({ kind: 'edit', channelId, card, at: this.#now() });
        return { kind: 'done' };
      },
      remove: async ({ channelId }) => refusal(channelId) ?? { kind: 'done' },
      publish: async ({ channelId }) => refusal(channelId) ?? { kind: 'done' },
      reply: async ({ channelId }) => refusal(channelId) ?? { kind: 'done' },
      mayRing: () => true,
      mayPin: () => false,
      pin: async () => ({ kind: 'done' }),
      findPosted: async (channelId, afterId) => {
        this.requests += 1;
        if (life.isOver) return { kind: 'unknown', reason: 'The process has ended.' };
        const here = this.messages.filter((one) => one.channelId === channelId);
        const found = here.filter(({ messageId }) => Number(messageId) > Number(afterId ?? 0));
        const posted = new Map(found.map(({ deliveryId, messageId }) => [deliveryId, { channelId, messageId }]));
        return { kind: 'found', posted, messages: [], isCutOff: false };
      },
      confirm: async (channelId) => refusal(channelId) ?? { kind: 'done' },
      hasNonces: () => true,
      sendDirectMessage: async () => undefined,
    };
  }

  #post({ channelId, deliveryId, card }: NewMessage): PostOutcome {
    const [next, ...later] = this.#next.get(channelId) ?? [];
    this.#next.set(channelId, later);
    if (next === 'lost, no answer') return { kind: 'unknown', reason: 'The connection was reset.' };
    if (next === 'later') return { kind: 'later', reason: 'Too many requests.', afterMs: 90_000 };
    if (next === '404') return { kind: 'unfound', reason: 'channel-gone' };
    const at = this.#now();
    const same = this.messages.find(
      (one) => one.channelId === channelId && one.deliveryId === deliveryId && at.trueMs - one.at.trueMs < NONCE_MS,
    );
    const messageId = same?.messageId ?? String(this.messages.length + 1);
    if (!same) {
      this.messages.push({ channelId, messageId, deliveryId, at, card });
      this.sights.push({ kind: 'post', channelId, card, at });
    }
    if (next === 'arrives, no answer') return { kind: 'unknown', reason: 'The connection was reset.' };
    return { kind: 'sent', place: { channelId, messageId } };
  }
}
