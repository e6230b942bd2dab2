import type { EntityKey } from '../../src/deals/announcement.ts';
import type { Post } from '../../src/store/posts.ts';
import type { Store } from '../../src/store/store.ts';

/** The posts about one entity. */
export async function postsOf({ posts }: Pick<Store, 'posts'>, key: EntityKey): Promise<Post[]> {
  return (await posts.about([key])).get(key) ?? [];
}
