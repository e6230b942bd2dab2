import { z } from 'zod';
import type { KeyValuePair, OfferStats } from '../../deals/event.ts';
import { anything, dateTime, finite, lenient, text, timeSpan } from '../wire.ts';

const pairs = lenient(readPairs);

/** Specification: "v2: OfferStats". */
const wireStats = z.object({
  FirstSucker: text,
  LastPurchase: dateTime,
  LastBuyerToDeal: text,
  OverallOrderPace: finite,
  OverallDealsSold: finite,
  SiteOrderPace: finite,
  SiteDealsSold: finite,
  PercentageOfSalesPerDay: pairs,
  PercentageOfSalesPerHour: pairs,
  PurchaserExperience: pairs,
  PurchaserSeniority: pairs,
  QuantityBreakdown: pairs,
  SpeedToFirstDeal: timeSpan,
  DealsByState: pairs,
});

/** null where there are none: null in every example of the specification. */
export function readStats(json: unknown): OfferStats | null {
  const { data: wire } = wireStats.safeParse(json);
  if (!wire) return null;
  return {
    firstSucker: wire.FirstSucker,
    lastPurchaseMs: wire.LastPurchase,
    lastBuyerToDeal: wire.LastBuyerToDeal,
    overallOrderPace: wire.OverallOrderPace,
    overallDealsSold: wire.OverallDealsSold,
    siteOrderPace: wire.SiteOrderPace,
    siteDealsSold: wire.SiteDealsSold,
    percentageOfSalesPerDay: wire.PercentageOfSalesPerDay,
    percentageOfSalesPerHour: wire.PercentageOfSalesPerHour,
    purchaserExperience: wire.PurchaserExperience,
    purchaserSeniority: wire.PurchaserSeniority,
    quantityBreakdown: wire.QuantityBreakdown,
    speedToFirstDealMs: wire.SpeedToFirstDeal,
    dealsByState: wire.DealsByState,
  };
}

/** Comes as a list of `{Key, Value}`, whose keys may repeat (the hours do), or as an object. */
function readPairs(json: unknown): KeyValuePair[] {
  if (typeof json !== 'object' || json === null) return [];
  const entries: [unknown, unknown][] = Array.isArray(json)
    ? json.map((pair: unknown) => {
        const { data } = wirePair.safeParse(pair);
        return [data?.Key, data?.Value];
      })
    : Object.entries(json);
  return entries.flatMap(([key, value]) =>
    (typeof key === 'string' || typeof key === 'number') && typeof value === 'number' && Number.isFinite(value)
      ? [{ key: String(key), value }]
      : [],
  );
}

const wirePair = z.object({ Key: anything, Value: anything });
