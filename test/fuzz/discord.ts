import type { Card } from '../../src/discord/cards/parts.ts';
import type { ChangeOutcome, Courier, NewMessage, PostOutcome } from '../../src/discord/courier.ts';
import type { Failure, MessagePlace } from '../../src/discord/outcome.ts';
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
  isPublished: boolean;
  /** The roles that it and the replies to it have rung, each as often as it was. */
  rung: string[];
}

/** Something that people in a channel see happen. */
export interface Sight {
  kind: 'post' | 'edit' | 'publication' | 'reply';
  channelId: string;
  messageId: string;
  card: Card;
  at: Moment;
}

type NextPost = Extract<Event, { do: 'next post' }>['outcome'];
type NextChange = Extract<Event, { do: 'next change' }>['outcome'];

const SILENCE: Failure = { kind: 'unknown', reason: 'The connection was reset.' };
const LATER: Failure = { kind: 'later', reason: 'Too many requests.', afterMs: 90_000 };
/** For so long Discord answers a repeated nonce with the message that exists: milliseconds. */
const NONCE_MS = 5 * 60_000;

/** A Discord that closes and opens channels, loses requests, and outlives the processes that use it. */
export class Discord {
  readonly #now: () => Moment;
  readonly #isDirect: (channelId: string) => boolean;
  readonly #closed = new Set<string>();
  readonly #next = new Map<string, NextPost[]>();
  readonly #nextChange = new Map<string, NextChange[]>();
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
    this.#nextChange.clear();
  }

  nextPost(channelId: string, outcome: NextPost): void {
    this.#next.set(channelId, [...(this.#next.get(channelId) ?? []), outcome]);
  }

  nextChange(channelId: string, outcome: NextChange): void {
    this.#nextChange.set(channelId, [...(this.#nextChange.get(channelId) ?? []), outcome]);
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
    /** A request about a message that stands there. */
    const about = async (
      { channelId, messageId }: MessagePlace,
      change: (message: Message) => void,
      isNew = true,
    ): Promise<ChangeOutcome> => {
      const refused = refusal(channelId, isNew);
      if (refused) return refused;
      const message = this.messages.find((one) => one.messageId === messageId);
      if (!message) return { kind: 'missing', reason: 'unknown-message' };
      const [next, ...later] = this.#nextChange.get(channelId) ?? [];
      this.#nextChange.set(channelId, later);
      if (next === 'lost, no answer') return SILENCE;
      if (next === 'later') return LATER;
      change(message);
      return next === 'arrives, no answer' ? SILENCE : { kind: 'done' };
    };
    return {
      post: async (message) => refusal(message.channelId) ?? this.#post(message),
      edit: (place, { card }) => {
        const edit = (message: Message) => {
          message.card = card;
          this.sights.push({ kind: 'edit', ...place, card, at: this.#now() });
        };
        return about(place, edit, false);
      },
      remove: async ({ channelId }) => refusal(channelId) ?? { kind: 'done' },
      publish: (place) =>
        about(place, (message) => {
          message.isPublished = true;
          this.sights.push({ kind: 'publication', ...place, card: message.card, at: this.#now() });
        }),
      reply: (place, { roleIds, mayStand }) =>
        about(place, ({ rung, card }) => {
          rung.push(...roleIds.filter((roleId) => !mayStand || !rung.includes(roleId)));
          this.sights.push({ kind: 'reply', ...place, card, at: this.#now() });
        }),
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

  #post({ channelId, deliveryId, card, mentionRoleIds }: NewMessage): PostOutcome {
    const [next, ...later] = this.#next.get(channelId) ?? [];
    this.#next.set(channelId, later);
    if (next === 'lost, no answer') return SILENCE;
    if (next === 'later') return LATER;
    if (next === '404') return { kind: 'unfound', reason: 'channel-gone' };
    const at = this.#now();
    const same = this.messages.find(
      (one) => one.channelId === channelId && one.deliveryId === deliveryId && at.trueMs - one.at.trueMs < NONCE_MS,
    );
    const messageId = same?.messageId ?? String(this.messages.length + 1);
    if (!same) {
      const rung = [...mentionRoleIds];
      this.messages.push({ channelId, messageId, deliveryId, at, card, isPublished: false, rung });
      this.sights.push({ kind: 'post', channelId, messageId, card, at });
    }
    if (next === 'arrives, no answer') return SILENCE;
    return { kind: 'sent', place: { channelId, messageId } };
  }
}
