import type { FeedName } from '../../src/catalog-service/content.ts';
import type { AnnouncementKind } from '../../src/deals/announcement.ts';
import type { Feed, Offer } from '../../src/deals/offer.ts';
import type { Follower } from './crowd.ts';
import type { WallClocks } from './wall-clocks.ts';

/** A post that has to come: what one look found of one offer for one channel. */
export interface Expected {
  channelId: string;
  offerId: string;
  /** Not before this. */
  dueAtMs: number;
}

/**
 * What has to be posted, computed from nothing but what the catalog answered, and when: written again, plainly, from what is
 * promised to people, without the bot's own detection, matching, timing or records.
 */
export interface Oracle {
  /** A feed's whole answer. */
  look(feed: FeedName, answer: Feed, nowMs: number): void;
  /** Time alone: whatever ends soon. */
  pass(nowMs: number): void;
  expected: readonly Expected[];
  /** From when on an offer is known to be over; Infinity while it is not. */
  overFromMs(offerId: string): number;
}

interface Seen {
  offer: Offer;
  /** The feeds that have shown it, and whether they still do. */
  feeds: Map<FeedName, boolean>;
  /** The feeds whose last answer lacked it for the first time. */
  missedIn: Set<string>;
  overFromMs: number;
  endTold: number | null;
}

interface News {
  kind: AnnouncementKind;
  /** Told once. */
  key: string;
  feeds: readonly FeedName[];
  /** Percent by which it is cheaper. */
  percent: number;
}

const ENDING_SOON_MS = 3 * 3_600_000;

export function createOracle(followers: readonly Follower[], clocks: WallClocks): Oracle {
  const seen = new Map<string, Seen>();
  const read = new Set<FeedName>();
  const told = new Set<string>();
  const expected: Expected[] = [];
  const byFeed = new Map<FeedName, Follower[]>();
  for (const follower of followers) byFeed.set(follower.feed, [...(byFeed.get(follower.feed) ?? []), follower]);

  function tell(offer: Offer, news: readonly News[], nowMs: number): void {
    const due = new Map<string, number>();
    for (const { kind, key, feeds, percent } of news) {
      const fresh = new Set<string>();
      for (const feed of feeds) {
        for (const { subscription, wants } of byFeed.get(feed) ?? []) {
          const { channelId, kinds, priceDropPercent, timing } = subscription;
          const once = `${channelId} ${key}`;
          if (!kinds.includes(kind) || (told.has(once) && !fresh.has(once))) continue;
          if (kind === 'price-drop' && percent < priceDropPercent - 1e-9) continue;
          if (!wants(offer, nowMs)) continue;
          told.add(once);
          fresh.add(once);
          due.set(channelId, Math.min(due.get(channelId) ?? Infinity, clocks.dueAtMs(timing, nowMs)));
        }
      }
    }
    for (const [channelId, dueAtMs] of due) expected.push({ channelId, offerId: offer.id, dueAtMs });
  }

  const isOver = ({ isSoldOut, endDateMs }: Offer, nowMs: number) =>
    isSoldOut || (endDateMs !== null && endDateMs <= nowMs);

  return {
    expected,
    overFromMs(offerId) {
      const one = seen.get(offerId);
      return one ? Math.min(one.overFromMs, one.offer.endDateMs ?? Infinity) : Infinity;
    },
    look(feed, answer, nowMs) {
      const shown = new Set(answer.offers.map(({ id }) => id));
      for (const [id, one] of seen) {
        if (answer.isCutOff || shown.has(id) || !one.feeds.get(feed)) continue;
        // One answer may be wrong: only the second in a row that lacks a live offer ends it there.
        const isLive = one.overFromMs > nowMs && !isOver(one.offer, nowMs);
        if (isLive && !one.missedIn.has(feed)) {
          one.missedIn.add(feed);
          continue;
        }
        one.feeds.set(feed, false);
        if (![...one.feeds.values()].includes(true)) one.overFromMs = Math.min(one.overFromMs, nowMs);
      }
      for (const offer of answer.offers) {
        const before = seen.get(offer.id);
        const one: Seen = before ?? {
          offer,
          feeds: new Map(),
          missedIn: new Set(),
          overFromMs: Infinity,
          endTold: null,
        };
        const [was, is] = [one.offer.salePrice, offer.salePrice];
        const wasSoldOut = one.offer.isSoldOut;
        const isNew = !one.feeds.has(feed) && read.has(feed);
        const held = [...one.feeds.keys()].filter((other) => other === feed || one.feeds.get(other));
        one.offer = offer;
        one.feeds.set(feed, true);
        one.missedIn.delete(feed);
        one.overFromMs = isOver(offer, nowMs) ? Math.min(one.overFromMs, nowMs) : Infinity;
        if (!before && offer.endDateMs !== null && offer.endDateMs - nowMs <= ENDING_SOON_MS)
          one.endTold = offer.endDateMs;
        seen.set(offer.id, one);
        if (isOver(offer, nowMs)) continue;
        const news: News[] = [];
        if (isNew) news.push({ kind: 'new-offer', key: `${offer.id} new`, feeds: [feed], percent: 0 });
        if (before && wasSoldOut)
          news.push({ kind: 'restocked', key: `${offer.id} back ${nowMs}`, feeds: held, percent: 0 });
        if (before && was && is && is.minimum < was.minimum) {
          const percent = (100 * (was.minimum - is.minimum)) / was.minimum;
          const key = `${offer.id} ${was.minimum} ${is.minimum}`;
          news.push({ kind: 'price-drop', key, feeds: held, percent });
        }
        tell(offer, news, nowMs);
      }
      read.add(feed);
    },
    pass(nowMs) {
      for (const one of seen.values()) {
        const { offer, feeds, overFromMs, endTold } = one;
        const end = offer.endDateMs;
        if (end === null || end <= nowMs || end - nowMs > ENDING_SOON_MS || endTold === end || overFromMs <= nowMs)
          continue;
        one.endTold = end;
        const held = [...feeds.keys()].filter((feed) => feeds.get(feed));
        tell(offer, [{ kind: 'ending-soon', key: `${offer.id} ends ${end}`, feeds: held, percent: 0 }], nowMs);
      }
    },
  };
}
