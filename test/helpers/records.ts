import type { EntityKey } from '../../src/bot/deals/announcement.ts';
import type { Post } from '../../src/bot/store/posts.ts';
import type { Store } from '../../src/bot/store/store.ts';

/** The posts about one entity. */
export async function postsOf({ posts }: Pick<Store, 'posts'>, key: EntityKey): Promise<Post[]> {
  return (await posts.about([key])).get(key) ?? [];
}
