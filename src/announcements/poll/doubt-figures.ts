import type { DoubtCounts, DoubtEnd, DoubtedField, DoubtsOfDay } from '../../catalog/doubt-counts.ts';
import { nameInCatalog } from '../../catalog/table.ts';
import { contradictionsIn, doubtsOf } from '../../deals/doubts.ts';
import { feedKey } from '../../deals/known-offer.ts';
import { feedName, isFeed } from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { ResourceStore } from '../../store/catalog-records.ts';
import type { CurrentState } from '../current-state.ts';

/** What single answers claim and is not believed at once, and what feeds disagree about. */
export interface DoubtFigures {
  today: DoubtsOfDay;
  sinceStart: { fields: readonly DoubtedField[]; ended: Readonly<Record<DoubtEnd, number>> };
  /** Those that the next answers of followed resources settle. */
  waiting: number;
  /** What followed feeds have said for more than an hour although something else is believed. */
  lasting: { offers: number; fields: readonly (OfFeed & { offers: number })[] };
}

interface OfFeed {
  resource: `feed:${string}`;
  /** By its name in the catalog. */
  field: string;
}

/** Reads all known offers. Of resources that nobody follows no further answer may come, so only what they said is counted. */
export function doubtFigures(
  counts: DoubtCounts,
  {
    offers,
    resources,
    currentState,
  }: {
    offers: OfferBook;
    resources: ResourceStore;
    currentState: CurrentState;
  },
): DoubtFigures {
  const feeds = new Map(
    resources
      .keys()
      .filter(isFeed)
      .map((resource) => [feedKey(feedName(resource)), resource]),
  );
  const resourceOf = (feed: string) => feeds.get(feed) ?? (`feed:${feed}` as const);
  const polledAtMs = (feed: string) => {
    const record = resources.get(resourceOf(feed));
    return record?.isFollowed ? record.polledAtMs : null;
  };
  const { fields, ended } = counts.sinceStart();
  const lasting = contradictionsIn(offers.all(), polledAtMs);
  let waiting = currentState.doubted((resource) => resources.get(resource)?.isFollowed === true);
  for (const known of offers.all()) waiting += doubtsOf(known).filter(({ feed }) => polledAtMs(feed) !== null).length;
  return {
    today: counts.today(),
    sinceStart: {
      fields: fields.map((one) => {
        return isFeed(one.resource) ? { ...one, resource: resourceOf(feedName(one.resource)) } : one;
      }),
      ended,
    },
    waiting,
    lasting: {
      offers: lasting.offers,
      fields: lasting.fields.map((one) => ({
        resource: resourceOf(one.feed),
        field: nameInCatalog(one.field),
        offers: one.offers,
      })),
    },
  };
}
