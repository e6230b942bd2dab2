import { z } from 'zod';
import { FEED_NAMES, type FeedName } from '../content.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { notFound } from '../refusal.ts';
import { feedAnswer } from './feed-page.ts';
import { feedPage, offer } from './schemas.ts';

/** Specification: "Other portal limits". */
const MAX_OFFERS = 25;

/** The portal ignores parameters that it does not know. */
const anyQuery = z.object({});

const feedName = z
  .string()
  .describe(`in any case: ${FEED_NAMES.join(', ')}`)
  .transform((given, context): FeedName => {
    const name = FEED_NAMES.find((known) => known.toLowerCase() === given.toLowerCase());
    if (name) return name;
    context.addIssue({ code: 'custom', message: `there is no feed "${given}".` });
    return z.NEVER;
  });

const page = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, { error: (issue) => `${JSON.stringify(issue.input)} is not a page number, 1 or more.` })
  .describe('page number; pages have 100 offers. Without it the whole feed is answered')
  .transform(Number)
  .optional();

const offerIds = z
  .array(z.guid({ error: (issue) => `${JSON.stringify(issue.input)} is not an offer identifier.` }), {
    error: 'The body must be a JSON array of offer identifiers.',
  })
  .describe(`offer identifiers, at most ${MAX_OFFERS} unique ones`)
  .transform((ids, context) => {
    const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
    if (unique.length > MAX_OFFERS) {
      context.addIssue({
        code: 'custom',
        message: `At most ${MAX_OFFERS} unique offer identifiers in a request, not ${unique.length}.`,
      });
    }
    return unique;
  });

/** Specification: "Endpoints", "Developer portal interface". */
export const PORTAL_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    family: 'portal',
    method: 'GET',
    path: '/feed/:feedname',
    summary: 'Minified live offers of a category',
    params: z.strictObject({ feedname: feedName }),
    query: z.object({ page }),
    answer: feedPage,
    handle: ({ params, query }, moment) => feedAnswer(moment.feed(params.feedname), query.page),
  }),
  endpoint({
    family: 'portal',
    method: 'POST',
    path: '/getoffers',
    summary: 'Offers in full; those that are gone are left out',
    params: z.strictObject({}),
    query: anyQuery,
    body: offerIds,
    answer: z.array(offer),
    handle: ({ body }, moment) => body.map((id) => moment.offer(id)).filter((found) => found !== undefined),
  }),
  endpoint({
    family: 'portal',
    method: 'GET',
    path: '/offers/:offerid',
    summary: 'One offer in full',
    params: z.strictObject({
      offerid: z.guid({ error: (issue) => `${JSON.stringify(issue.input)} is not an offer identifier.` }),
    }),
    query: anyQuery,
    answer: offer,
    handle({ params }, moment) {
      const found = moment.offer(params.offerid.toLowerCase());
      if (!found) throw notFound();
      return found;
    },
  }),
];
