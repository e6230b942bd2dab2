import { z } from 'zod';
import { entityKey } from '../announcements/kinds/index.ts';
import type { Announcement, Entity, EntityKey } from '../deals/announcement.ts';
import { type Appearance, appearanceFrom, readAppearance } from '../deals/appearance.ts';
import type { DeliveryMatch } from './delivery.ts';
import { type Changes, kind, LIST, OBJECT, type State } from './table/state.ts';

/** Marks in the record of a post by the features that keep it: each adds a flag, which is absent where it is not set. */
// biome-ignore lint/suspicious/noEmptyInterface: Features add members by declaration merging.
export interface KeptMarks {}

/** An announcement that was posted in a channel, with all that is needed to edit it. */
export interface Post extends KeptMarks {
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
  /** The subscriptions that came later, with the roles that replies mention for them; absent for none. */
  repliedFor?: DeliveryMatch[];
  isPublished: boolean;
  /** How it looks, as of its posting. */
  look: Appearance;
  /** The ids of the other deliveries that it stands for. */
  alsoTells: string[];
  /** A hash of the posted card; null where it is not known which one stands there. */
  face: string | null;
  postedAtMs: number;
}

export const POST = kind<Post>(
  'post',
  {
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
  },
  { complete: (post) => ({ ...post, look: appearanceFrom(readAppearance(post.look)) }) },
);

/** The bot's posts. Roll-ups are not among them, because they are never edited. */
export function openPosts(state: State) {
  const keyOf = ({ announcement, deliveryId }: Post) => `${entityKey(announcement)}/${deliveryId}`;
  return {
    save: (changes: Changes, post: Post) => changes.set(POST, keyOf(post), post),
    get: (key: EntityKey, deliveryId: string) => state.get(POST, `${key}/${deliveryId}`),
    /** The posts about these entities, by the entities' keys. */
    async about(keys: readonly EntityKey[]): Promise<Map<EntityKey, Post[]>> {
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
    /** The posts in a server, or to a person. Reads all. */
    async inPlace(guildId: string): Promise<Post[]> {
      const found: Post[] = [];
      for await (const [, post] of state.entries(POST)) if (post.guildId === guildId) found.push(post);
      return found;
    },
    /** The posts in these channels, by channel. Reads all. */
    async inChannels(channelIds: ReadonlySet<string>): Promise<Map<string, Post[]>> {
      const found = new Map<string, Post[]>([...channelIds].map((channelId) => [channelId, []]));
      for await (const [, post] of state.entries(POST)) found.get(post.channelId)?.push(post);
      return found;
    },
    /** The announcements, as posted, about all entities of one kind. */
    async announcements(entity: Entity): Promise<Announcement[]> {
      return (await state.under(POST, [`${entity}:`])).map(([, { announcement }]) => announcement);
    },
    /** Removes the record: the message no longer exists. */
    forget: (changes: Changes, post: Post) => changes.delete(POST, keyOf(post)),
    /** Forgets the posts for which `isOutdated` returns true. */
    sweep: (isOutdated: (post: Post) => boolean) => state.sweep(POST, isOutdated),
  };
}
