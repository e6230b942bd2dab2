import type { Backend } from '../../shared/storage/backend.ts';
import { entityKey } from '../announcements/kinds/index.ts';
import type { Announcement, EntityKey } from '../deals/announcement.ts';
import type { DeliveryMatch } from './delivery.ts';
import { rowReader, sweep } from './rows.ts';

/** An announcement that stands in a channel, with what it takes to change it. */
export interface Post {
  version: 1;
  deliveryId: string;
  guildId: string;
  /** The channel that is subscribed. */
  channelId: string;
  /** Where the message is: that channel, or in a forum the thread that the announcement became. */
  messageChannelId: string;
  messageId: string;
  /** As it is shown. */
  announcement: Announcement;
  matches: DeliveryMatch[];
  mentionRoleIds: string[];
  isPublished: boolean;
  /** A digest of the card that is shown; null where it was posted by a run that did not live to say. */
  face: string | null;
  postedAtMs: number;
}

/** What stands in the channels. Roll-ups are not among it: they are not edited. */
export interface PostStore {
  save(post: Post): Promise<void>;
  get(thing: EntityKey, deliveryId: string): Promise<Post | undefined>;
  /** The posts that tell of a thing. */
  of(thing: EntityKey): Promise<Post[]>;
  /** What is told, as it is shown, of all things of one kind. */
  announcements(things: 'event'): Promise<Announcement[]>;
  /** The message is no more. */
  forget(post: Post): Promise<void>;
  /** Forgets the posts that `isOutdated` names. */
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

export function openPosts(backend: Backend): PostStore {
  const table = backend.table<Post>('posts', { read: readPost });
  const keyOf = ({ announcement, deliveryId }: Post) => `${entityKey(announcement)}/${deliveryId}`;
  return {
    save: (post) => table.set(keyOf(post), post),
    get: (thing, deliveryId) => table.get(`${thing}/${deliveryId}`),
    of: async (thing) => (await table.entriesWith(`${thing}/`)).map(([, post]) => post),
    announcements: async (things) =>
      (await table.entriesWith(`${things}:`)).map(([, { announcement }]) => announcement),
    forget: (post) => table.delete(keyOf(post)),
    sweep: (isOutdated) => sweep(table, isOutdated),
  };
}
