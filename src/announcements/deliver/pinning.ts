import type { Failure } from '../../discord/outcome.ts';
import { DAY_MS, HOUR_MS } from '../../shared/time.ts';
import type { Pin } from '../../store/channel-records.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import { entityKey } from '../kinds/index.ts';
import { type Channel, type DelivererParts, DONE, type Result, type Task } from './channel.ts';

/** How long it is tried to take away a pin that the bot may not take away. */
const UNPINNED_WITHIN_MS = 7 * DAY_MS;
/** When a pin is tried again that Discord denies although the gateway has told that the bot may do it. */
const DENIED_MS = HOUR_MS;

/** Wants a post pinned, in a commit. In a forum it is a thread, which moderators pin. */
export function wantPin(changes: Changes, pins: Store['pins'], post: Post): void {
  const { channelId, messageChannelId, messageId, announcement, postedAtMs } = post;
  const known = pins.of(messageId);
  if (channelId !== messageChannelId || (known && known.is !== 'unwanted')) return;
  pins.save(changes, { channelId, messageId, thing: entityKey(announcement), is: 'wanted', queuedAtMs: postedAtMs });
}

/** Wants a message pinned no more. One whose pin is wanted may be pinned already: a request may be on its way. */
export function unwantPin(changes: Changes, pins: Store['pins'], pin: Pin, nowMs: number): void {
  if (pin.is === 'refused') pins.forget(changes, pin.messageId);
  else if (pin.is !== 'unwanted') pins.save(changes, { ...pin, is: 'unwanted', queuedAtMs: nowMs });
}

/** Pins messages, and takes pins away, where the bot may. Where it may not, nothing is tried and nothing said. */
export class Pinning implements Task {
  readonly #parts: DelivererParts;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  dueAtMs(channel: Channel): number {
    const { store, courier } = this.#parts;
    const [next] = store.pins.pending(channel.id);
    if (!next) return Number.POSITIVE_INFINITY;
    if (courier.mayPin(channel.id)) return next.queuedAtMs;
    const unwanted = store.pins.pending(channel.id).find(({ is }) => is === 'unwanted');
    return unwanted ? unwanted.queuedAtMs + UNPINNED_WITHIN_MS : Number.POSITIVE_INFINITY;
  }

  async step({ id: channelId }: Channel): Promise<Result> {
    const { store, courier, clock, log } = this.#parts;
    const isAllowed = courier.mayPin(channelId);
    const next = store.pins.pending(channelId).find(({ is }) => isAllowed || is === 'unwanted');
    if (!next) return DONE;
    const { messageId, is } = next;
    if (!isAllowed) {
      if (clock.now() >= next.queuedAtMs + UNPINNED_WITHIN_MS) await this.#end(next, null);
      return DONE;
    }
    const isPinned = is === 'wanted';
    const outcome = await courier.pin({ channelId, messageId }, isPinned);
    const about = { channel: channelId, message: messageId };
    if (outcome.kind === 'done') {
      await this.#end(next, isPinned ? 'pinned' : null);
      log.info(about, isPinned ? 'pinned' : 'unpinned');
      return DONE;
    }
    log.debug({ ...about, reason: outcome.reason }, 'not pinned');
    return this.#failed(next, outcome);
  }

  async #failed(pin: Pin, outcome: Failure): Promise<Result> {
    switch (outcome.kind) {
      case 'unknown':
      case 'later':
        return outcome;
      case 'blocked':
        return { kind: 'later', afterMs: DENIED_MS };
      case 'refused':
      case 'missing':
      case 'unfound':
      case 'gone':
        await this.#end(pin, pin.is === 'wanted' ? 'refused' : null);
        return DONE;
    }
  }

  /** Records what became of it, unless something else is wanted meanwhile. @param is null where nothing is left to do */
  #end(pin: Pin, is: Pin['is'] | null): Promise<void> {
    const { pins, commit } = this.#parts.store;
    return commit((changes) => {
      if (pins.of(pin.messageId) !== pin) return;
      if (is === null) pins.forget(changes, pin.messageId);
      else pins.save(changes, { ...pin, is });
    });
  }
}
