import type { KeyValuePair, OfferStats } from '../../deals/event.ts';
import { optionalFields, readDateTime, readFinite, readText, readTimeSpan } from '../wire.ts';

/** Specification: "v2: OfferStats". null where there are none, as in every example of the specification. */
export function readStats(json: unknown): OfferStats | null {
  const { data: wire } = optionalFields.safeParse(json);
  if (!wire) return null;
  return {
    firstSucker: readText(wire['FirstSucker']),
    lastPurchaseMs: readDateTime(wire['LastPurchase']),
    lastBuyerToDeal: readText(wire['LastBuyerToDeal']),
    overallOrderPace: readFinite(wire['OverallOrderPace']),
    overallDealsSold: readFinite(wire['OverallDealsSold']),
    siteOrderPace: readFinite(wire['SiteOrderPace']),
    siteDealsSold: readFinite(wire['SiteDealsSold']),
    percentageOfSalesPerDay: readPairs(wire['PercentageOfSalesPerDay']),
    percentageOfSalesPerHour: readPairs(wire['PercentageOfSalesPerHour']),
    purchaserExperience: readPairs(wire['PurchaserExperience']),
    purchaserSeniority: readPairs(wire['PurchaserSeniority']),
    quantityBreakdown: readPairs(wire['QuantityBreakdown']),
    speedToFirstDealMs: readTimeSpan(wire['SpeedToFirstDeal']),
    dealsByState: readPairs(wire['DealsByState']),
  };
}

/**
 * Reads a list of `{Key, Value}`, whose keys may repeat (the hours do), or an object. Specification: "KeyValuePair
 * element fields: not shown"; a live deployment sends these.
 */
function readPairs(json: unknown): KeyValuePair[] {
  if (typeof json !== 'object' || json === null) return [];
  const entries: [unknown, unknown][] = Array.isArray(json)
    ? json.map((pair: unknown) => {
        const { data } = optionalFields.safeParse(pair);
        return [data?.['Key'], data?.['Value']];
      })
    : Object.entries(json);
  return entries.flatMap(([key, value]) =>
    (typeof key === 'string' || typeof key === 'number') && typeof value === 'number' && Number.isFinite(value)
      ? [{ key: String(key), value }]
      : [],
  );
}
