import type { Query } from '../http.ts';

/** Specification: "v2 interface", common rules 2 and 3: the selectable fields of events, and their parents. */
export const EVENT_SELECT = [
  'EndDate',
  'Id',
  'Offers',
  'Offers.DiscussionUrl',
  'Offers.EstimatedShipDate',
  'Offers.EstimatedShipDate.MessageBody',
  'Offers.EstimatedShipDate.MessagePrefix',
  'Offers.Features',
  'Offers.Id',
  'Offers.Items',
  'Offers.Items.Attributes',
  'Offers.Items.Attributes.Key',
  'Offers.Items.Attributes.Value',
  'Offers.Items.Id',
  'Offers.Items.ListPrice',
  'Offers.Items.PurchaseLimit',
  'Offers.Items.SalePrice',
  'Offers.PercentageRemaining',
  'Offers.Photos',
  'Offers.Photos.Height',
  'Offers.Photos.Tags',
  'Offers.Photos.Url',
  'Offers.Photos.Width',
  'Offers.ShippingMethods',
  'Offers.ShippingMethods.Name',
  'Offers.ShippingMethods.PerEventAmount',
  'Offers.ShippingMethods.PerItemAmount',
  'Offers.ShippingMethods.PerOrderAmount',
  'Offers.SoldOut',
  'Offers.Specs',
  'Offers.Stats',
  'Offers.Subtitle',
  'Offers.Teaser',
  'Offers.Title',
  'Offers.Url',
  'Offers.WriteUp',
  'Photos',
  'Site',
  'StartDate',
  'Stats',
  'Stats.OverallDealsSold',
  'Stats.OverallOrderPace',
  'Stats.SiteDealsSold',
  'Stats.SiteOrderPace',
  'Title',
  'Type',
] as const;
export type EventSelect = (typeof EVENT_SELECT)[number];

/** The selectable fields of an offer by itself: the values below `Offers`, without that prefix. */
export type OfferSelect = Below<EventSelect>;
type Below<Value> = Value extends `Offers.${infer Name}` ? Name : never;

/**
 * "Valid select values for dealcasts: not shown." All fields of a dealcast and of its thumbnail are taken to be valid.
 */
export const DEALCAST_SELECT = [
  'BlogUrl',
  'DiscussionUrl',
  'Mp4Url',
  'Site',
  'StartDate',
  'Teaser',
  'Text',
  'Thumbnail',
  'Thumbnail.Height',
  'Thumbnail.Tags',
  'Thumbnail.Url',
  'Thumbnail.Width',
  'Title',
  'Views',
  'YouTubeUrl',
] as const;
export type DealcastSelect = (typeof DEALCAST_SELECT)[number];

/** Fields that are always selected: without them, an event would be malformed. */
const EVENT_NEEDS: readonly EventSelect[] = [
  'Title',
  'Type',
  'Offers.Title',
  'Offers.Items.Attributes.Key',
  'Offers.Items.Attributes.Value',
  'Offers.Photos.Url',
  'Offers.ShippingMethods.Name',
];
const OFFER_NEEDS: readonly OfferSelect[] = [
  'Title',
  'Items.Attributes.Key',
  'Items.Attributes.Value',
  'Photos.Url',
  'ShippingMethods.Name',
];
const DEALCAST_NEEDS: readonly DealcastSelect[] = ['Title', 'Thumbnail.Url'];

/**
 * The value of a `select` parameter: equal for equal selections, regardless of order and case. Empty where all fields
 * are wanted: then the parameter is omitted.
 */
export type Selection = string;

export function selectEvents(values: readonly EventSelect[] | undefined): Selection {
  return selectionOf(values, EVENT_NEEDS);
}

export function selectOffer(values: readonly OfferSelect[] | undefined): Selection {
  return selectionOf(values, OFFER_NEEDS);
}

export function selectDealcasts(values: readonly DealcastSelect[] | undefined): Selection {
  return selectionOf(values, DEALCAST_NEEDS);
}

/** The query parameter of a selection. */
export function selectQuery(selection: Selection): Query {
  return selection === '' ? [] : [['select', selection]];
}

function selectionOf(values: readonly string[] | undefined, needs: readonly string[]): Selection {
  if (!values) return '';
  // "Case-insensitive": lower case makes equal selections equal.
  const wanted = values.map((value) => value.toLowerCase());
  const needed = needs
    .map((need) => need.toLowerCase())
    .filter((need) => {
      const parent = need.slice(0, need.lastIndexOf('.') + 1);
      return parent === '' || wanted.some((value) => value.startsWith(parent));
    });
  const isPartOfAnother = (value: string) => all.some((other) => value.startsWith(`${other}.`));
  const all = [...new Set([...wanted, ...needed])];
  return all
    .filter((value) => !isPartOfAnother(value))
    .sort()
    .join();
}
