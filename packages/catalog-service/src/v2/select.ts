/** The list is copied to the letter from the specification: "v2 interface", common rule 3. */
const EVENT_VALUES = `EndDate, Id, Offers.DiscussionUrl, Offers.EstimatedShipDate, Offers.EstimatedShipDate.MessageBody,
Offers.EstimatedShipDate.MessagePrefix, Offers.Features, Offers.Id, Offers.Items, Offers.Items.Attributes,
Offers.Items.Attributes.Key, Offers.Items.Attributes.Value, Offers.Items.Id, Offers.Items.ListPrice,
Offers.Items.PurchaseLimit, Offers.Items.SalePrice, Offers.PercentageRemaining, Offers.Photos, Offers.Photos.Height,
Offers.Photos.Tags, Offers.Photos.Url, Offers.Photos.Width, Offers.ShippingMethods, Offers.ShippingMethods.Name,
Offers.ShippingMethods.PerEventAmount, Offers.ShippingMethods.PerItemAmount, Offers.ShippingMethods.PerOrderAmount,
Offers.SoldOut, Offers.Specs, Offers.Stats, Offers.Subtitle, Offers.Teaser, Offers.Title, Offers.Url, Offers.WriteUp,
Photos, Site, StartDate, Stats.OverallOrderPace, Stats.OverallDealsSold, Stats.SiteOrderPace, Stats.SiteDealsSold,
Title, Type`;

/** The specification shows no list for dealcasts: these are all fields, and those of the thumbnail. */
const DEALCAST_VALUES = `BlogUrl, DiscussionUrl, Mp4Url, Site, StartDate, Teaser, Text, Thumbnail, Thumbnail.Height,
Thumbnail.Tags, Thumbnail.Url, Thumbnail.Width, Title, Views, YouTubeUrl`;

/** The values that `select` takes for a resource: each value in its own spelling by the value in lower case. */
export type Selectable = ReadonlyMap<string, string>;

export const EVENT_SELECT = selectable(EVENT_VALUES);
export const OFFER_SELECT = selectable(EVENT_VALUES, 'Offers.');
export const DEALCAST_SELECT = selectable(DEALCAST_VALUES);

function selectable(list: string, prefix = ''): Selectable {
  const values = list
    .split(/,\s*/)
    .filter((value) => value.startsWith(prefix))
    .map((value) => value.slice(prefix.length));
  // A parent can be selected as well (the specification says "for example Offers"), whether or not the list holds it.
  const parents = values.flatMap((value) => {
    const names = value.split('.');
    return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
  });
  return new Map([...values, ...parents].map((value) => [value.toLowerCase(), value]));
}

/** The part of an object that is selected: `'all'`, or its fields, in lower case. */
type Selection = 'all' | Map<string, Selection>;

/**
 * Returns the selected part of an object, or of each object in a list. `Id` of every object comes along, and `Type`
 * where an object has one (only events do), whether they are selected or not.
 * @param paths values of a Selectable, in any case
 */
export function select(value: object, paths: readonly string[]): object {
  return partOfObject(value, selectionOf(paths));
}

function selectionOf(paths: readonly string[]): Map<string, Selection> {
  const root = new Map<string, Selection>();
  for (const path of paths) {
    const names = path.toLowerCase().split('.');
    let fields = root;
    for (const [index, name] of names.entries()) {
      const known = fields.get(name);
      if (known === 'all') break;
      if (index === names.length - 1) {
        fields.set(name, 'all');
        break;
      }
      const next = known ?? new Map<string, Selection>();
      fields.set(name, next);
      fields = next;
    }
  }
  return root;
}

function partOfObject(value: object, fields: Map<string, Selection>): object {
  if (Array.isArray(value)) return value.map((element) => partOf(element, fields));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const wanted = fields.get(name.toLowerCase());
      if (wanted !== undefined) return [[name, partOf(field, wanted)]];
      return name === 'Id' || name === 'Type' ? [[name, field]] : [];
    }),
  );
}

function partOf(value: unknown, selection: Selection): unknown {
  const isWhole = selection === 'all' || value === null || typeof value !== 'object';
  return isWhole ? value : partOfObject(value, selection);
}
