import type { Post } from '../../store/posts.ts';
import { isLive } from '../kinds/index.ts';

const DAY_MS = 86_400_000;
/** A post whose thing is over is kept this long after it was posted: what is sold out may come back. */
const OVER_MS = 45 * DAY_MS;
/** Any other, that has no end or whose end nobody saw. */
const ANY_MS = 120 * DAY_MS;

/** Whether a post is so old that it is not edited any more, and need not be known. */
export function isOutdated({ postedAtMs, announcement }: Post, nowMs: number): boolean {
  return postedAtMs < nowMs - ANY_MS || (postedAtMs < nowMs - OVER_MS && !isLive(announcement, nowMs));
}
