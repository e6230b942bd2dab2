import etag from '@fastify/etag';
import rateLimit from '@fastify/rate-limit';
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Core } from '../../app/feature.ts';
import type { DealEvent } from '../../deals/event.ts';
import { evaluate, parseFilter, pointAt, subjectOfOffer } from '../../deals/filter/index.ts';
import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { sayProblem } from '../../discord/filter-mistake.ts';
import { translatorFor } from '../../discord/i18n/translator.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import { type PriceSources, productHistory } from '../../offers/product-history.ts';
import type { Log } from '../../shared/log.ts';
import { HOUR_MS } from '../../shared/time.ts';
import { calendarOf } from '../events-list/calendar-file.ts';
import { offersFeedOf } from './offers-feed.ts';

/** What the feeds are made of. */
export interface WebFeedSource {
  /** The names of the catalog's feeds; they are matched without regard to case. */
  feeds: readonly string[];
  /** The catalog's events; null where none could be read yet. */
  events(): Promise<readonly DealEvent[] | null>;
  offers: OfferBook;
  prices: PriceSources['prices'];
  nowMs(): number;
}

/** Nobody may follow the events: then they are read once an hour, while other programs ask for them. */
const EVENTS_GOOD_FOR_MS = HOUR_MS;

/** What a running bot knows, and the catalog's events, which it reads anew where they were read long ago. */
export function createWebFeedSource({ config, poller, currentState, offers, store, clock }: Core): WebFeedSource {
  /** When this run last asked for the events: monotonic milliseconds. What an earlier run has read is not in memory. */
  let askedMs = -Infinity;
  return {
    feeds: config.catalog.feeds,
    async events() {
      const readMs = currentState.seen('events')?.fetchedAtMs ?? -Infinity;
      const isOld = clock.now() - readMs > EVENTS_GOOD_FOR_MS;
      if (isOld && clock.monotonicMs() - askedMs > EVENTS_GOOD_FOR_MS) {
        askedMs = clock.monotonicMs();
        // Where that fails, the log says why, and they are as they were.
        await poller.poll('events', 'background').catch(() => undefined);
      }
      const seen = currentState.seen('events')?.announcements;
      const toCome = currentState.toCome('events').map(({ announcement }) => announcement);
      return seen ? [...seen, ...toCome].flatMap((one) => (one.kind === 'event-started' ? one.item : [])) : null;
    },
    offers,
    prices: store.prices,
    nowMs: () => clock.now(),
  };
}

/** A feed, and since when it has said that: epoch milliseconds. */
interface Made {
  text: string;
  changedMs: number;
}

/** Makes a feed; null where there is nothing to make it of. @param stampMs when it was made, as it says */
type Make = (stampMs: number) => Promise<string | null>;

/** A made feed is good for so long: seconds. */
const GOOD_FOR_S = 60;
/** The requests of one address within a minute. */
export const MOST_PER_MINUTE = 60;
const MOST_ENTRIES = 50;
const MOST_FILTER = 300;
const MOST_KEPT = 100;

/**
 * `GET /events.ics` and `GET /offers.atom?feed=…&filter=…`: what the catalog shows, and nothing of any person or server.
 * @param source null while the bot is starting
 */
export function webFeedRoutes(source: () => WebFeedSource | null, log: Log): FastifyPluginAsync {
  const translator = translatorFor('en-US');
  /** By what was asked for. */
  const kept = new Map<string, Made & { madeAtMs: number }>();

  /**
   * The text that was made a moment ago, or a new one; null where there was nothing to make it of. While it says the same, it
   * stays the same to the letter, so that nobody has to load it again.
   */
  async function recent(key: string, nowMs: number, make: Make): Promise<Made | null> {
    const known = kept.get(key);
    if (known && nowMs >= known.madeAtMs && nowMs - known.madeAtMs < GOOD_FOR_S * 1_000) return known;
    const isSame = known !== undefined && (await make(known.changedMs)) === known.text;
    const changedMs = isSame ? known.changedMs : nowMs;
    const text = isSame ? known.text : await make(nowMs);
    kept.delete(key);
    if (text === null) return null;
    const made = { text, changedMs, madeAtMs: nowMs };
    kept.set(key, made);
    for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
    return made;
  }

  return async (server) => {
    await server.register(rateLimit, { max: MOST_PER_MINUTE, timeWindow: '1 minute' });
    await server.register(etag);
    server.setErrorHandler<FastifyError>((error, { routeOptions: { url } }, reply) => {
      const { statusCode = 500, message } = error;
      if (statusCode < 500) return refused(reply, statusCode, message);
      // Everybody may read the answer: an error of the state can name its place.
      log.error({ err: error, url }, 'a web feed could not be made');
      return refused(reply, 500, 'This can’t be read now. Ask again in a minute.');
    });

    server.get('/events.ics', async (request, reply) => {
      const from = source();
      const made =
        from &&
        (await recent('events', from.nowMs(), async (stampMs) => {
          const events = await from.events();
          return events && calendarOf(events, translator, stampMs);
        }));
      return made === null ? notReady(reply) : ready(request, reply, 'text/calendar', made);
    });

    server.get<{ Querystring: { feed?: unknown; filter?: unknown } }>('/offers.atom', async (request, reply) => {
      const from = source();
      if (!from) return notReady(reply);
      const { feed: name, filter = '' } = request.query;
      if (typeof name !== 'string' || typeof filter !== 'string' || filter.length > MOST_FILTER) {
        return refused(
          reply,
          400,
          `Say feed=… once, and filter=… once or not at all, with at most ${MOST_FILTER} characters.`,
        );
      }
      const feed = from.feeds.find((known) => known.toLowerCase() === name.toLowerCase());
      if (feed === undefined) return refused(reply, 404, `The feeds are ${from.feeds.join(', ')}.`);
      if (!from.offers.feedState(feed)) return refused(reply, 404, 'Nobody follows that feed here, so it is not read.');
      const parsed = parseFilter(filter);
      if (!parsed.ok) {
        const what = translator.translate(sayProblem(parsed.problem));
        return refused(reply, 400, `${what}\n\n${pointAt(filter, parsed.problem)}`);
      }
      const address = addressOf(request, feed, filter);
      const isWanted = (offer: Offer) =>
        !isOver(offer, from.nowMs()) && evaluate(parsed.filter, subjectOfOffer(offer), from.nowMs());
      const made = await recent(address, from.nowMs(), async (stampMs) => {
        const wanted = from.offers.listed(feed, 'newest').filter(isWanted).slice(0, MOST_ENTRIES);
        const found = wanted.flatMap(({ id }) => from.offers.get(id) ?? []);
        const entries = await Promise.all(
          found.map(async (known) => ({ known, history: await productHistory(known, from, from.nowMs()) })),
        );
        return offersFeedOf(entries, { feed, filter, address }, translator, stampMs);
      });
      return made === null ? notReady(reply) : ready(request, reply, 'application/atom+xml', made);
    });
  };
}

/** The address by which the feed was asked for, with its own names and values alone: readers take nothing unescaped. */
function addressOf(request: FastifyRequest, feed: string, filter: string): string {
  const address = new URL(`${request.protocol}://${request.host}${request.url}`);
  address.search = new URLSearchParams({ feed, ...(filter === '' ? {} : { filter }) }).toString();
  return address.href;
}

/** The text, or nothing where who asks has it already: the plugin sees to those who name its tag. */
function ready(request: FastifyRequest, reply: FastifyReply, type: string, { text, changedMs }: Made): FastifyReply {
  // HTTP dates have no milliseconds.
  const changedS = Math.floor(changedMs / 1_000);
  const { 'if-none-match': tag, 'if-modified-since': since } = request.headers;
  reply
    .header('cache-control', `public, max-age=${GOOD_FOR_S}`)
    .header('last-modified', new Date(changedMs).toUTCString());
  if (tag === undefined && since !== undefined && Date.parse(since) >= changedS * 1_000)
    return reply.status(304).send();
  return reply.type(`${type}; charset=utf-8`).send(text);
}

function notReady(reply: FastifyReply): FastifyReply {
  return refused(
    reply.header('retry-after', GOOD_FOR_S),
    503,
    'The catalog has not been read yet. Ask again in a minute.',
  );
}

function refused(reply: FastifyReply, status: number, why: string): FastifyReply {
  return reply.status(status).type('text/plain; charset=utf-8').send(`${why}\n`);
}
