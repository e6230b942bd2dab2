import { postKey, type Reply } from '../../store/channel-records.ts';
import { type DeliveryMatch, rolesOf } from '../../store/delivery.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import { entityKey, isDealOver } from '../kinds/index.ts';
import { type Channel, DONE, type Result, type Task } from './channel.ts';
import type { Messages } from './message.ts';
import type { DelivererParts } from './parts.ts';
import { quietUntil } from './plan.ts';
import type { Upkeep } from './upkeep.ts';

/** Mentions roles in replies to posts that were made before it was decided that the roles are mentioned. */
export class Replying implements Task {
  readonly #parts: DelivererParts;
  readonly #messages: Messages;
  readonly #upkeep: Upkeep;

  constructor(parts: DelivererParts, messages: Messages, upkeep: Upkeep) {
    this.#parts = parts;
    this.#messages = messages;
    this.#upkeep = upkeep;
  }

  dueAtMs(channel: Channel): number {
    const { store, clock } = this.#parts;
    const openMsOf = quietUntil(store.subscriptions, clock.now());
    const dueMs = store.replies
      .pending(channel.id)
      .map((reply) => Math.max(reply.dueAtMs, openMsOf(reply.matches), this.#upkeep.againAtMs(keyOf(reply))));
    return Math.min(...dueMs, Number.POSITIVE_INFINITY);
  }

  /** Commits the try → replies → commits the end. A reply that was tried before is looked for first. */
  async step(channel: Channel): Promise<Result> {
    const { store, courier, currentState, clock } = this.#parts;
    const nowMs = clock.now();
    const openMsOf = quietUntil(store.subscriptions, nowMs);
    const due = store.replies
      .pending(channel.id)
      .filter((one) => Math.max(one.dueAtMs, openMsOf(one.matches)) <= nowMs);
    const [waiting] = this.#upkeep.ready(due, keyOf);
    if (!waiting) return DONE;
    const { guildId, channelId, messageChannelId, messageId, deliveryId: delivery } = waiting;
    const post = await store.posts.get(waiting.thing, waiting.deliveryId);
    const { mentionRoleIds } = this.#messages.options(guildId, waiting.matches, nowMs);
    const mentioned = new Set([...(post?.mentionRoleIds ?? []), ...rolesOf(post?.repliedFor ?? [])]);
    const roleIds = mentionRoleIds.filter((roleId) => !mentioned.has(roleId));
    if (!post || roleIds.length === 0 || isDealOver(currentState.of(post.announcement), nowMs)) {
      await store.commit((changes) => store.replies.end(changes, waiting));
      return DONE;
    }
    const reply: Reply = { ...waiting, wasTried: true };
    if (!waiting.wasTried) await store.commit((changes) => store.replies.add(changes, [reply]));
    const tried = waiting.wasTried ? waiting : reply;
    const place = { channelId: messageChannelId, messageId };
    const { result } = await this.#upkeep.make({
      key: keyOf(waiting),
      done: 'replied',
      logged: { delivery, channel: channelId, roles: roleIds },
      about: null,
      send: () => courier.reply(place, { guildId, roleIds, mayStand: waiting.wasTried === true }),
      end: (changes, ending) => this.#end(changes, tried, ending === 'done' ? roleIds : []),
    });
    return result;
  }

  /** @param roleIds those that the reply mentions */
  async #end(changes: Changes, reply: Reply, roleIds: readonly string[]): Promise<void> {
    const { mentions, store } = this.#parts;
    const { posts, replies } = store;
    mentions?.noteMentioned?.(changes, reply.channelId, roleIds);
    const post = await posts.get(reply.thing, reply.deliveryId);
    if (post && roleIds.length > 0) {
      const rows = reply.matches.map((match) => withRoles(match, (roleId) => roleIds.includes(roleId)));
      posts.save(changes, { ...post, repliedFor: [...(post.repliedFor ?? []), ...rows] });
    }
    replies.end(changes, reply);
  }
}

/**
 * Owes a reply to a post for subscriptions that matched after it was made, and for roles that are decided only now
 * (`isUntried`), where neither the post nor a reply mentions their roles.
 */
export function addReply(
  changes: Changes,
  replies: Store['replies'],
  post: Post,
  found: { matches: readonly DeliveryMatch[]; dueAtMs: number },
  nowMs: number,
): void {
  const waiting = replies.get(postKey({ thing: entityKey(post.announcement), deliveryId: post.deliveryId }));
  const reply = replyTo(post, found, waiting, nowMs);
  if (reply) replies.add(changes, [reply]);
}

/** @param waiting the reply to the post that is to be made already; undefined for none */
function replyTo(
  post: Post,
  found: { matches: readonly DeliveryMatch[]; dueAtMs: number },
  waiting: Reply | undefined,
  nowMs: number,
): Reply | null {
  const known = [...post.matches, ...(post.repliedFor ?? []), ...(waiting?.matches ?? [])];
  const mentioned = new Set([
    ...post.mentionRoleIds,
    ...rolesOf(post.repliedFor ?? []),
    ...rolesOf(waiting?.matches ?? []),
  ]);
  const matches = found.matches.flatMap((match) => {
    const own = known.filter(({ subscriptionId }) => subscriptionId === match.subscriptionId);
    if (own.length > 0 && !match.isUntried) return [];
    const decided = new Set(rolesOf(own));
    const { isUntried: _, unlisted: _unlisted, ...row } = match;
    const missing = withRoles(row, (roleId) => !mentioned.has(roleId) && !decided.has(roleId));
    return missing.roleIds ? [missing] : [];
  });
  if (matches.length === 0) return null;
  const { deliveryId, guildId, channelId, messageChannelId, messageId, announcement } = post;
  return {
    thing: entityKey(announcement),
    deliveryId,
    guildId,
    channelId,
    messageChannelId,
    messageId,
    matches: [...(waiting?.matches ?? []), ...matches],
    dueAtMs: Math.min(found.dueAtMs, waiting?.dueAtMs ?? Number.POSITIVE_INFINITY),
    ...(waiting?.wasTried && { wasTried: true }),
    queuedAtMs: nowMs,
  };
}

/** The match with some of its roles. */
function withRoles({ roleIds = [], ...match }: DeliveryMatch, isMeant: (roleId: string) => boolean): DeliveryMatch {
  const meant = roleIds.filter(isMeant);
  return meant.length > 0 ? { ...match, roleIds: meant } : match;
}

/** Names a reply among the requests that Discord answers badly. */
function keyOf({ messageId, queuedAtMs }: Reply): string {
  return `reply/${messageId}/${queuedAtMs}`;
}
