import { z } from 'zod';
import { type Dealcast, dealcastSubject } from '../../deals/dealcast.ts';
import type { Catalog } from '../catalog.ts';
import type { Demand } from '../demand.ts';
import { CatalogHttpError } from '../errors.ts';
import { readAmount, readDateTime, readLink, readText, title } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { readPhoto } from '../parts.ts';
import type { ResponseCache } from '../response-cache.ts';
import type { Transport } from '../transport.ts';
import { check, type Parsed, parseList, type Reader, readPart, upTo } from '../wire.ts';

/**
 * A dealcast has no id, so its address and start identify it. Where one of them has a wrong type, the dealcast is
 * malformed: read without it, it would be taken for another dealcast.
 */
const naming = z.string().nullish();

/** Specification: "v2: Dealcast". */
const wireDealcast = z.looseObject({
  Title: title,
  StartDate: naming,
  BlogUrl: naming,
  DiscussionUrl: naming,
  Mp4Url: naming,
  YouTubeUrl: naming,
});

const readDealcast: Reader<Dealcast> = (json, report, unread) => {
  const wire = check(wireDealcast, json, report);
  return (
    wire && {
      title: wire.Title,
      site: readText(wire['Site'], 'site', unread),
      startDateMs: readDateTime(wire.StartDate, 'startDateMs', unread),
      teaser: readText(wire['Teaser'], 'teaser', unread),
      text: readText(wire['Text'], 'text', unread),
      blogUrl: readLink(wire.BlogUrl, 'blogUrl', unread),
      discussionUrl: readLink(wire.DiscussionUrl, 'discussionUrl', unread),
      mp4Url: readLink(wire.Mp4Url, 'mp4Url', unread),
      youTubeUrl: readLink(wire.YouTubeUrl, 'youTubeUrl', unread),
      thumbnail: readPart(wire['Thumbnail'], 'thumbnail', readPhoto, report, unread),
      views: readAmount(wire['Views'], 'views', unread),
    }
  );
};

const DEALCAST_FIELDS: ReadonlySet<string> = new Set([
  'Title',
  'Site',
  'StartDate',
  'Teaser',
  'Text',
  'BlogUrl',
  'DiscussionUrl',
  'Mp4Url',
  'YouTubeUrl',
  'Thumbnail',
  'Views',
]);

function parseDealcasts(json: unknown): Parsed<Dealcast[]> {
  return parseList(json, 'dealcasts', upTo(LIMITS.entityLength, readDealcast), {
    subjectOf: dealcastSubject,
    fields: DEALCAST_FIELDS,
  });
}

/** GET {base_url}/2/dealcasts.json, or the path of deployments that know only that: the one that answered last goes first. */
export function createDealcasts(v2: Transport, cache: ResponseCache): Catalog['dealcasts'] {
  let paths: readonly [string, string] = ['/2/dealcasts.json', '/2/wootcasts.json'];

  async function request(demand: Demand): Promise<unknown> {
    const [first, second] = paths;
    try {
      return await v2.request({ path: first }, demand);
    } catch (error) {
      if (!(error instanceof CatalogHttpError) || error.status !== 404) throw error;
      const answer = await v2.request({ path: second }, demand);
      paths = [second, first];
      return answer;
    }
  }

  return {
    list: (options) => cache.get('dealcasts', '', options, async (demand) => parseDealcasts(await request(demand))),
  };
}
