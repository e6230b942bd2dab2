import type { KnownOffer } from '../../src/deals/known-offer.ts';
import type { OfferBook } from '../../src/offers/offer-book.ts';
import type { DeliveryStore } from '../../src/store/deliveries.ts';
import { idsOf } from '../../src/store/delivery.ts';
import { aKnownOffer } from './things.ts';

/** Notes the offers that are put into an outbox, whose records a poll stores in the same commit. */
export function outboxOffers(book: Pick<OfferBook, 'get' | 'onChange'>) {
  const noted = new Map<string, { known: KnownOffer; deliveryIds: string[] }>();
  /** What a test has told the book is no longer known from the outbox. */
  const told = new Set<string>();
  book.onChange(({ put, removed }) => {
    for (const id of [...put.map(({ offer }) => offer.id), ...removed]) told.add(id);
  });
  return {
    /** Notes what is put in from now on. Returns the offers of the book, and those that wait as they were put in. */
    of(deliveries: Pick<DeliveryStore, 'add' | 'isPending'>): Pick<OfferBook, 'get'> {
      const add = deliveries.add.bind(deliveries);
      deliveries.add = (changes, fresh, merge) => {
        for (const delivery of fresh) {
          const { item, subject } = delivery.announcement;
          if (!('salePrice' in item)) continue;
          const deliveryIds = [...(noted.get(subject)?.deliveryIds ?? []), ...idsOf(delivery)];
          noted.set(subject, { known: { ...aKnownOffer(1), offer: item }, deliveryIds });
        }
        return add(changes, fresh, merge);
      };
      return {
        get(id) {
          const { known, deliveryIds = [] } = noted.get(id) ?? {};
          return book.get(id) ?? (told.has(id) || !deliveryIds.some(deliveries.isPending) ? undefined : known);
        },
      };
    },
  };
}
