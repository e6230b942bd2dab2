import { z } from 'zod';
import type { Dealcast } from '../../deals/dealcast.ts';
import type { Demand } from '../demand.ts';
import { CatalogHttpError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { readPhoto } from '../parts.ts';
import { otherResource } from '../spellings.ts';
import type { Transport } from '../transport.ts';
import {
  check,
  type Parsed,
  parseList,
  type Reader,
  readAmount,
  readDateTime,
  readLink,
  readText,
  title,
  upTo,
} from '../wire.ts';
import { type Selection, selectQuery } from './select.ts';

/**
 * A dealcast has no id, so its address and start identify it. One of another type makes it malformed: without it, it
 * would be taken for another dealcast.
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

const readDealcast: Reader<Dealcast> = (json, report) => {
  const wire = check(wireDealcast, json, report);
  return (
    wire && {
      title: wire.Title,
      site: readText(wire['Site']),
      startDateMs: readDateTime(wire.StartDate),
      teaser: readText(wire['Teaser']),
      text: readText(wire['Text']),
      blogUrl: readLink(wire.BlogUrl),
      discussionUrl: readLink(wire.DiscussionUrl),
      mp4Url: readLink(wire.Mp4Url),
      youTubeUrl: readLink(wire.YouTubeUrl),
      thumbnail: readPhoto(wire['Thumbnail'], report),
      views: readAmount(wire['Views']),
    }
  );
};

export function parseDealcasts(json: unknown): Parsed<Dealcast[]> {
  return parseList(json, 'dealcasts', upTo(LIMITS.entityLength, readDealcast));
}

export function createDealcasts(v2: Transport) {
  let resource = 'dealcasts';

  async function request(selection: Selection, demand: Demand): Promise<unknown> {
    const query = selectQuery(selection);
    try {
      return await v2.request({ path: `/2/${resource}.json`, query }, demand);
    } catch (error) {
      if (!(error instanceof CatalogHttpError) || error.status !== 404) throw error;
      const other = resource === 'dealcasts' ? otherResource('dealcasts') : 'dealcasts';
      const json = await v2.request({ path: `/2/${other}.json`, query }, demand);
      resource = other;
      return json;
    }
  }

  return {
    /** GET {base_url}/2/dealcasts.json, or its other spelling where a deployment knows only that. */
    async list(selection: Selection, demand: Demand): Promise<Parsed<Dealcast[]>> {
      return parseDealcasts(await request(selection, demand));
    },
  };
}
