import { DAY_MS, HOUR_MS } from '../../shared/time.ts';
import type { Pin } from '../../store/channel-records.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import { entityKey } from '../kinds/index.ts';
import { type Channel, DONE, type Result, type Task } from './channel.ts';
import type { DelivererParts } from './parts.ts';
import type { Upkeep } from './upkeep.ts';

/** How long it is tried to take away a pin that the bot may not take away. */
const UNPINNED_WITHIN_MS = 7 * DAY_MS;
/** When a pin is tried again that Discord denies although the gateway has said that the bot may do it. */
const DENIED_MS = HOUR_MS;

/** Wants a post pinned, in a commit. In a forum it is a thread, which moderators pin. */
export function wantPin(changes: Changes, pins: Store['pins'], post: Post): void {
  const { channelId, messageChannelId, messageId, announcement, postedAtMs } = post;
  const known = pins.get(messageId);
  if (channelId !== messageChannelId || (known && known.is !== 'unwanted')) return;
  pins.add(changes, [{ channelId, messageId, thing: entityKey(announcement), is: 'wanted', queuedAtMs: postedAtMs }]);
}

/** Wants a message pinned no more. One whose pin is wanted may be pinned already: a request may be on its way. */
export function unwantPin(changes: Changes, pins: Store['pins'], pin: Pin, nowMs: number): void {
  if (pin.is === 'refused') pins.end(changes, pin);
  else if (pin.is !== 'unwanted') pins.add(changes, [{ ...pin, is: 'unwanted', queuedAtMs: nowMs }]);
}

/** Pins messages, and takes pins away, where the bot may. Where it may not, nothing is tried and nothing said. */
export class Pinning implements Task {
  readonly #parts: DelivererParts;
  readonly #upkeep: Upkeep;

  constructor(parts: DelivererParts, upkeep: Upkeep) {
    this.#parts = parts;
    this.#upkeep = upkeep;
  }

  dueAtMs(channel: Channel): number {
    const { store, courier } = this.#parts;
    const waiting = store.pins.pending(channel.id);
    const dueMs = courier.mayPin(channel.id)
      ? waiting.map((pin) => Math.max(pin.queuedAtMs, this.#upkeep.againAtMs(pinKey(pin))))
      : waiting.filter(({ is }) => is === 'unwanted').map((pin) => pin.queuedAtMs + UNPINNED_WITHIN_MS);
    return Math.min(...dueMs, Number.POSITIVE_INFINITY);
  }

  async step({ id: channelId }: Channel): Promise<Result> {
    const { store, courier, clock } = this.#parts;
    const nowMs = clock.now();
    const waiting = store.pins.pending(channelId);
    if (!courier.mayPin(channelId)) {
      const late = waiting.find(({ is, queuedAtMs }) => is === 'unwanted' && nowMs >= queuedAtMs + UNPINNED_WITHIN_MS);
      if (late) await store.commit((changes) => this.#end(changes, late, null));
      return DONE;
    }
    const [pin] = this.#upkeep.ready(waiting, pinKey);
    if (!pin) return DONE;
    const { messageId } = pin;
    const isWanted = pin.is === 'wanted';
    const { result } = await this.#upkeep.make({
      key: pinKey(pin),
      done: isWanted ? 'pinned' : 'unpinned',
      logged: { channel: channelId, message: messageId },
      about: null,
      isOptional: true,
      send: () => courier.pin({ channelId, messageId }, isWanted),
      end: (changes, ending) => this.#end(changes, pin, isWanted ? (ending === 'done' ? 'pinned' : 'refused') : null),
    });
    return result.kind === 'blocked' ? { kind: 'later', afterMs: DENIED_MS } : result;
  }

  /** Records what became of it, unless something else is wanted meanwhile. @param is null where nothing is left to do */
  #end(changes: Changes, pin: Pin, is: Pin['is'] | null): void {
    const { pins } = this.#parts.store;
    if (pins.get(pin.messageId) !== pin) return;
    if (is === null) pins.end(changes, pin);
    else pins.add(changes, [{ ...pin, is }]);
  }
}

/** Names a pin among the requests that Discord answers badly: to pin a message is one, to take its pin away another. */
function pinKey({ messageId, is }: Pin): string {
  return `pin/${messageId}/${is}`;
}
