import type { Backend } from '../../shared/storage/backend.ts';
import { entityKey } from '../announcements/kinds/index.ts';
import type { Announcement, EntityKey } from '../deals/announcement.ts';
import { type Look, lookOf, readLook } from '../deals/look.ts';
import type { DeliveryMatch } from './delivery.ts';
import { rowReader, sweep } from './rows.ts';

/** An announcement that was posted in a channel, with all that is needed to edit it. */
export interface Post {
  version: 1;
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
  /** How it looks, as of its posting; absent in posts from before there were looks. */
  look?: Look;
  /** The ids of the other deliveries that it stands for; absent in posts from before that was recorded. */
  alsoTells?: string[];
  /** A hash of the posted card; null where the run that posted it ended before recording that. */
  face: string | null;
  postedAtMs: number;
}

/** The bot's posts. Roll-ups are not among them, because they are never edited. */
export interface PostStore {
  save(post: Post): Promise<void>;
  get(key: EntityKey, deliveryId: string): Promise<Post | undefined>;
  /** The posts about an entity. */
  of(key: EntityKey): Promise<Post[]>;
  /** The posts in a server, or to a person. Reads all. */
  inPlace(guildId: string): Promise<Post[]>;
  /** The announcements, as posted, about all entities of one kind. */
  announcements(entity: 'event'): Promise<Announcement[]>;
  /** Removes the record: the message no longer exists. */
  forget(post: Post): Promise<void>;
  /** Forgets the posts for which `isOutdated` returns true. */
  sweep(isOutdated: (post: Post) => boolean): Promise<void>;
}

const readPost = rowReader<Post>([1], {
  deliveryId: 'string',
  guildId: 'string',
  channelId: 'string',
  messageChannelId: 'string',
  messageId: 'string',
  announcement: 'object',
  matches: 'list',
  mentionRoleIds: 'list',
  postedAtMs: 'number',
});

function read(row: unknown): Post | undefined {
  const post = readPost(row);
  return post?.look ? { ...post, look: lookOf(readLook(post.look)) } : post;
}

export function openPosts(backend: Backend): PostStore {
  const table = backend.table<Post>('posts', { read });
  const keyOf = ({ announcement, deliveryId }: Post) => `${entityKey(announcement)}/${deliveryId}`;
  return {
    save: (post) => table.set(keyOf(post), post),
    get: (key, deliveryId) => table.get(`${key}/${deliveryId}`),
    of: async (key) => (await table.entriesWith(`${key}/`)).map(([, post]) => post),
    async inPlace(guildId) {
      const found: Post[] = [];
      for await (const [, post] of table.entries()) if (post.guildId === guildId) found.push(post);
      return found;
    },
    announcements: async (entity) =>
      (await table.entriesWith(`${entity}:`)).map(([, { announcement }]) => announcement),
    forget: (post) => table.delete(keyOf(post)),
    sweep: (isOutdated) => sweep(table, isOutdated),
  };
}
