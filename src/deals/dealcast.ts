import { contentName } from './content-name.ts';
import type { Photo } from './offer.ts';

/** A featured video (specification: "v2: Dealcast"). HTML fields are as the catalog sent them. */
export interface Dealcast {
  title: string;
  site: string | null;
  startDateMs: number | null;
  teaser: string | null;
  text: string | null;
  blogUrl: string | null;
  discussionUrl: string | null;
  mp4Url: string | null;
  youTubeUrl: string | null;
  thumbnail: Photo | null;
  views: number | null;
}

/**
 * Identifies a dealcast, which has no id in the catalog, by a hash of its address and start: 16 characters of
 * base64url.
 */
export function dealcastSubject(dealcast: Dealcast): string {
  const address =
    dealcast.blogUrl ?? dealcast.discussionUrl ?? dealcast.youTubeUrl ?? dealcast.mp4Url ?? dealcast.title;
  return contentName(`${address}\n${dealcast.startDateMs}`);
}
