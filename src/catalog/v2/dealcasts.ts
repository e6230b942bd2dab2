import { z } from 'zod';
import type { Dealcast } from '../../deals/dealcast.ts';
import type { Demand } from '../demand.ts';
import { CatalogHttpError } from '../errors.ts';
import { readPhoto } from '../parts.ts';
import { otherResource } from '../spellings.ts';
import type { Transport } from '../transport.ts';
import { amount, anything, check, dateTime, link, type Parsed, parseList, type Reader, text, title } from '../wire.ts';

/** Specification: "v2: Dealcast". */
const wireDealcast = z.object({
  Title: title,
  Site: text,
  StartDate: dateTime,
  Teaser: text,
  Text: text,
  BlogUrl: link,
  DiscussionUrl: link,
  Mp4Url: link,
  YouTubeUrl: link,
  Thumbnail: anything,
  Views: amount,
});

const readDealcast: Reader<Dealcast> = (json, report) => {
  const wire = check(wireDealcast, json, report);
  return (
    wire && {
      title: wire.Title,
      site: wire.Site,
      startDateMs: wire.StartDate,
      teaser: wire.Teaser,
      text: wire.Text,
      blogUrl: wire.BlogUrl,
      discussionUrl: wire.DiscussionUrl,
      mp4Url: wire.Mp4Url,
      youTubeUrl: wire.YouTubeUrl,
      thumbnail: readPhoto(wire.Thumbnail, report),
      views: wire.Views,
    }
  );
};

export function parseDealcasts(json: unknown): Parsed<Dealcast[]> {
  return parseList(json, 'dealcasts', readDealcast);
}

export function createDealcasts(v2: Transport) {
  let resource = 'dealcasts';

  async function request(demand: Demand): Promise<unknown> {
    try {
      return await v2.request({ path: `/2/${resource}.json` }, demand);
    } catch (error) {
      if (!(error instanceof CatalogHttpError) || error.status !== 404) throw error;
      const other = resource === 'dealcasts' ? otherResource('dealcasts') : 'dealcasts';
      const json = await v2.request({ path: `/2/${other}.json` }, demand);
      resource = other;
      return json;
    }
  }

  return {
    /** GET {base_url}/2/dealcasts.json, or its other spelling where a deployment knows only that. */
    async list(demand: Demand): Promise<Parsed<Dealcast[]>> {
      return parseDealcasts(await request(demand));
    },
  };
}
