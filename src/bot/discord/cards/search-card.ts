import type { Offer } from '../../deals/offer.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import { offerEntry, offerOpening } from './offer-entry.ts';
import { type Age, pagedCard } from './paged-card.ts';
import type { Card } from './parts.ts';

export interface SearchView {
  /** The search words. */
  query: string;
  /** Whether the person typed more words than that. */
  isCut: boolean;
  /** The results, best match first. */
  offers: readonly Offer[];
  /** 1-based; a page past the end shows the last one. */
  page: number;
  /** null where none of the results can still be bought. */
  age: Age | null;
}

/** A page of search results. */
export function searchCard({ query, isCut, offers, page, age }: SearchView, context: CardContext): Card {
  const { translator } = context;
  const title = translator.t('search.title', { words: escapeLine(query) });
  return pagedCard(
    {
      accentColor: ACCENT.offer,
      title: isCut ? `${title}\n-# ${translator.t('search.cut')}` : title,
      things: offers,
      page,
      count: translator.t('list.offers', { count: offers.length }),
      empty: translator.t('search.none'),
      age,
      entry: (offer) => offerEntry(offer, context),
      pageAction: (page) => ({ do: 'search', page, query }),
      open: offerOpening(context),
    },
    context,
  );
}
