import { createRandom } from '../random.ts';
import type { CatalogEvent, V2Offer } from '../v2/schemas.ts';
import { zuluTime } from './calendar.ts';
import { isLive, type Listing } from './listing.ts';
import { forumUrl, siteOf } from './places.ts';
import { productOf } from './product.ts';
import type { PlannedEvent } from './programme.ts';
import { salesRanks, v2OfferOf, v2PhotosOf } from './v2-view.ts';

const DAY_MS = 86_400_000;

/** The event with the offers that are active (specification: "v2: Event"). */
export function eventOf(planned: PlannedEvent, nowMs: number, origin: string): CatalogEvent {
  const random = createRandom(planned.key, 'event');
  const live = planned.listings.filter((listing) => isLive(listing, nowMs));
  const offers = live.map((listing) => v2OfferOf(listing, nowMs, origin));
  const first = planned.listings[0];
  const name = first ? productOf(first).title : planned.type;
  const common = {
    Id: planned.id,
    Site: siteOf(planned.sitePrefix),
    StartDate: zuluTime(planned.startMs),
    EndDate: zuluTime(planned.endMs),
    Offers: offers,
    Stats: salesRanks(random),
  };
  switch (planned.type) {
    case 'Daily':
      return { Type: 'Daily', Title: name, ...common };
    case 'Ghost':
      return { Type: 'Ghost', Title: `Back from the dead: ${name}`, ...common };
    case 'Moofi':
      return { Type: 'Moofi', Title: name, ...common };
    case 'Reckoning':
      return { Type: 'Reckoning', Title: 'The Reckoning', ...common, Offers: ranked(offers, live) };
    case 'DealOff':
      return {
        Type: 'DealOff',
        Title: 'Deal-Off!',
        ...common,
        // The event ends when the last offer sells out, at a time that nobody knows before.
        EndDate: null,
        Subtitle: 'One deal at a time, until it is gone',
        WriteUp: random.chance(0.5)
          ? '<p>When it’s gone, the next one comes. <b>Don’t blink.</b></p>\r\n<p>&nbsp;</p>'
          : null,
      };
    case 'DealPlus':
      return {
        Type: 'DealPlus',
        ...common,
        Title: `${first ? productOf(first).brand : 'The'} & Friends`,
        DiscussionUrl: forumUrl(planned.id),
        ManufacturerText: '<p>Made by people who care.<br></p><p>&nbsp;</p>',
        Photos: first ? v2PhotosOf(origin, productOf(first).picture) : [],
        Subtitle: random.chance(0.5) ? `${offers.length} good reasons` : null,
        Text: '<p style="margin: 0px;">Everything on this page is <em>cheaper</em> than it was &amp; that is the whole idea.</p>',
        Url: `https://${siteOf(planned.sitePrefix)}/plus/${planned.id.slice(0, 8)}`,
      };
  }
}

/** The first offers, this many, are immune from the ranking and have no rank. */
const IMMUNE = 2;

function ranked(offers: readonly V2Offer[], listings: readonly Listing[]): V2Offer[] {
  return offers.map((offer, index) => ({
    ...offer,
    ...(index >= IMMUNE && { Rank: index - IMMUNE + 1 }),
    OriginalStartDate: zuluTime((listings[index]?.startMs ?? 0) - (index + 3) * 7 * DAY_MS),
  }));
}
