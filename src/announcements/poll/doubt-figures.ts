import type { DoubtCounts, DoubtEnd, DoubtedField, DoubtsOfDay } from '../../catalog/doubt-counts.ts';
import { nameInCatalog } from '../../catalog/table.ts';
import { contradictionsIn, doubtsOf } from '../../deals/doubts.ts';
import { feedKey } from '../../deals/known-offer.ts';
import { feedName, isFeed } from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { ResourceStore } from '../../store/catalog-records.ts';
import type { CurrentState } from '../current-state.ts';

/** The number of claims of single answers that are not believed at once, and of disagreements between feeds. */
export interface DoubtFigures {
  today: DoubtsOfDay;
  sinceStart: { fields: readonly DoubtedField[]; ended: Readonly<Record<DoubtEnd, number>> };
  /** The number of doubts that the next answers of followed resources settle. */
  waiting: number;
  /** The contradictions between followed feeds and what is believed that have lasted for more than an hour. */
  lasting: { offers: number; fields: readonly (OfFeed & { offers: number })[] };
}

interface OfFeed {
  resource: `feed:${string}`;
  /** By its name in the catalog. */
  field: string;
}

/**
 * Counts the doubts, reading all known offers. Resources that nobody follows add nothing to `waiting` and `lasting`, because
 * they may get no further answer.
 */
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
