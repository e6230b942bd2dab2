import type { FieldRules } from './belief.ts';
import { contentName } from './content-name.ts';
import { firm, moving, plain, whole } from './field-rules.ts';
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

const ADDRESSES = ['blogUrl', 'discussionUrl', 'youTubeUrl', 'mp4Url'] as const;

/**
 * Whether two answers may mean the same dealcast although an address or its start differs: they share an address, or the
 * title and contradict each other in no address.
 */
export function mayBeSameDealcast(one: Dealcast, other: Dealcast): boolean {
  const both = ADDRESSES.filter((address) => one[address] !== null && other[address] !== null);
  if (both.some((address) => one[address] === other[address])) return true;
  return both.length === 0 && one.title === other.title;
}

/** Whether a dealcast with the same address or title is another one: it starts later. */
export function isLaterDealcast(was: Dealcast, is: Dealcast): boolean {
  return was.startDateMs !== null && is.startDateMs !== null && is.startDateMs > was.startDateMs;
}

/** What is believed of a dealcast. How often it was seen rises with every answer. */
export const DEALCAST_RULES: FieldRules<Dealcast> = {
  title: firm,
  site: plain,
  startDateMs: plain,
  teaser: plain,
  text: plain,
  blogUrl: plain,
  discussionUrl: plain,
  mp4Url: plain,
  youTubeUrl: plain,
  thumbnail: whole,
  views: moving,
};
