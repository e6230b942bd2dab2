import { z } from 'zod';
import { entityKey } from '../announcements/kinds/index.ts';
import type { Announcement, EntityKey } from '../deals/announcement.ts';
import { type Look, lookOf, readLook } from '../deals/look.ts';
import type { DeliveryMatch } from './delivery.ts';
import { fields, type Kind, LIST, OBJECT } from './table/kind.ts';
import type { Changes, State } from './table/state.ts';

/** An announcement that was posted in a channel, with all that is needed to edit it. */
export interface Post {
  deliveryId: string;
  guildId: string;
  /** The subscribed channel. */
  channelId: string;
  /** The location of the message: that channel, or in a forum the thread of the announcement. */
  messageChannelId: string;
  messageId: string;
  /** As posted. */
  announcement: Announcement;
  matches: DeliveryMatch[];
  mentionRoleIds: string[];
  isPublished: boolean;
  /** How it looks, as of its posting. */
  look: Look;
  /** The ids of the other deliveries that it stands for. */
  alsoTells: string[];
  /** A hash of the posted card; null where it is not known which one stands there. */
  face: string | null;
  postedAtMs: number;
}

/** The bot's posts. Roll-ups are not among them, because they are never edited. */
export interface PostStore {
  save(changes: Changes, post: Post): void;
  get(key: EntityKey, deliveryId: string): Promise<Post | undefined>;
  /** The posts about these entities, by the entities' keys. */
  about(keys: readonly EntityKey[]): Promise<Map<EntityKey, Post[]>>;
  /** The posts in a server, or to a person. Reads all. */
  inPlace(guildId: string): Promise<Post[]>;
  /** The announcements, as posted, about all entities of one kind. */
  announcements(entity: 'event'): Promise<Announcement[]>;
  /** Removes the record: the message no longer exists. */
  forget(changes: Changes, post: Post): void;
  /** Forgets the posts for which `isOutdated` returns true. */
  sweep(isOutdated: (post: Post) => boolean): Promise<void>;
}

const readPost = fields<Post>({
  deliveryId: z.string(),
  guildId: z.string(),
  channelId: z.string(),
  messageChannelId: z.string(),
  messageId: z.string(),
  announcement: OBJECT,
  matches: LIST,
  mentionRoleIds: LIST,
  look: OBJECT,
  alsoTells: LIST,
  postedAtMs: z.number(),
});

const POST: Kind<Post> = {
  name: 'post',
  read(row) {
    const post = readPost(row);
    return post && { ...post, look: lookOf(readLook(post.look)) };
  },
};

export function openPosts(state: State): PostStore {
  const keyOf = ({ announcement, deliveryId }: Post) => `${entityKey(announcement)}/${deliveryId}`;
  return {
    save: (changes, post) => changes.set(POST, keyOf(post), post),
    get: (key, deliveryId) => state.get(POST, `${key}/${deliveryId}`),
    async about(keys) {
      const posts = new Map<EntityKey, Post[]>();
      const found = await state.under(
        POST,
        keys.map((key) => `${key}/`),
      );
      for (const [, post] of found) {
        const key = entityKey(post.announcement);
        posts.set(key, [...(posts.get(key) ?? []), post]);
      }
      return posts;
    },
    async inPlace(guildId) {
      const found: Post[] = [];
      for await (const [, post] of state.entries(POST)) if (post.guildId === guildId) found.push(post);
      return found;
    },
    async announcements(entity) {
      return (await state.under(POST, [`${entity}:`])).map(([, { announcement }]) => announcement);
    },
    forget: (changes, post) => changes.delete(POST, keyOf(post)),
    sweep: (isOutdated) => state.sweep(POST, isOutdated),
  };
}
