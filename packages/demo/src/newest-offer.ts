import { isAnnouncement, readPost } from '../../../test/model/reading.ts';
import type { DemoOffer, PageMessage } from '../../local-discord/src/index.ts';
import type { AlterableStore } from './alterable-store.ts';

/** The feed that #deals announces. */
const FEED = 'Electronics';
/**
 * How long the levers stay with an offer that a person has changed, although newer ones are posted: milliseconds. Meanwhile its
 * post is edited and read.
 */
const STAYS_MS = 120_000;
/** An offer that ends by itself sooner is left out: a person could not bring it back. Milliseconds. */
const LEAST_LEFT_MS = 120_000;
/** How many of the last posts can be changed: a page may not have heard of the newest one yet. */
const MOST_POSTS = 20;

interface PostedOffer {
  offerId: string;
  title: string;
  url: string;
  channelId: string;
  messageId: string;
}

/** Follows which offer was posted last: the one that the levers change. */
export function createNewestOffer(store: AlterableStore, now: () => number) {
  const posts = new Map<string, PostedOffer>();
  let chosen: { post: PostedOffer; untilMs: number } | null = null;

  function itemsOf(): Record<string, unknown>[] {
    return store.at(now(), '').feed(FEED).items as Record<string, unknown>[];
  }

  function stateOf({ offerId }: PostedOffer): DemoOffer['state'] {
    const item = itemsOf().find(({ OfferId: id }) => id === offerId);
    if (!item) return 'ended';
    return item['IsSoldOut'] === true ? 'sold out' : 'live';
  }

  return {
    post(message: PageMessage): void {
      const { news: found, unlisted } = readPost(message);
      const [news] = found;
      // A combined post doesn't follow the offers that it lists.
      if (!isAnnouncement(message) || news?.kind !== 'new' || found.length + unlisted > 1) return;
      const item = itemsOf().find(({ Url: url }) => url === news.url);
      if (!item || Date.parse(String(item['EndDate'])) - now() < LEAST_LEFT_MS) return;
      posts.set(message.id, {
        offerId: String(item['OfferId']),
        title: String(item['Title']),
        url: news.url,
        channelId: message.channel_id,
        messageId: message.id,
      });
      for (const [oldest] of posts) if (posts.size > MOST_POSTS) posts.delete(oldest);
    },
    /** The offer of a post; undefined where it is none of the last ones. From now on it is the one that is shown. */
    choose(messageId: string): PostedOffer | undefined {
      const post = posts.get(messageId);
      if (post) chosen = { post, untilMs: Date.now() + STAYS_MS };
      return post;
    },
    shown(): DemoOffer | null {
      const post = chosen && chosen.untilMs > Date.now() ? chosen.post : [...posts.values()].at(-1);
      if (!post) return null;
      const { offerId: _, ...shown } = post;
      return { ...shown, state: stateOf(post) };
    },
    stateOf,
  };
}

export type NewestOffer = ReturnType<typeof createNewestOffer>;
