import { type Dealcast, dealcastSubject } from '../../deals/dealcast.ts';
import type { Catalog } from '../catalog.ts';
import type { Demand } from '../demand.ts';
import { CatalogHttpError } from '../errors.ts';
import { isNone, readAmount, readDateTime, readHtml, readLink, readText, readTitle } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { readPhoto } from '../parts.ts';
import type { ResponseCache } from '../response-cache.ts';
import { type FieldReader, type Fields, namesIn, partOf, type RequiredReader, readerOf, required } from '../table.ts';
import type { Transport } from '../transport.ts';
import { type Parsed, parseList, upTo } from '../wire.ts';

/** Specification: "v2: Dealcast". */
const DEALCAST: Fields<Dealcast> = {
  title: required(readTitle),
  site: readText,
  startDateMs: naming(readDateTime),
  teaser: readHtml,
  text: readHtml,
  blogUrl: naming(readLink),
  discussionUrl: naming(readLink),
  mp4Url: naming(readLink),
  youTubeUrl: naming(readLink),
  thumbnail: partOf(readPhoto),
  views: readAmount,
};

const readDealcast = upTo(LIMITS.entityLength, readerOf(DEALCAST));

/**
 * A dealcast has no id, so its address and start identify it. Where one of them has a wrong type, the dealcast is
 * malformed: read without it, it would be taken for another dealcast.
 */
function naming<T>(read: FieldReader<T>): RequiredReader<T> {
  return (value, field, unread, report) =>
    typeof value === 'string' || isNone(value) ? read(value, field, unread, report) : undefined;
}

function parseDealcasts(json: unknown): Parsed<Dealcast[]> {
  return parseList(json, 'dealcasts', readDealcast, { subjectOf: dealcastSubject, fields: namesIn(DEALCAST) });
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
