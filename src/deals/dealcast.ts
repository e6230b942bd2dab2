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
