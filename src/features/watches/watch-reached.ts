import { allTimeLow } from '../../announcements/kinds/all-time-low.ts';
import type { FeatureKind } from '../../announcements/kinds/kind.ts';
import type { AnnouncementOf, PayloadByKind } from '../../deals/announcement.ts';
import { ENDING_SOON_MS } from '../../deals/change.ts';
import { isNewLow, lowestPriceOf, lowOf } from '../../deals/observed-prices.ts';
import type { Offer } from '../../deals/offer.ts';
import { isRealPrice } from '../../deals/price-runs.ts';
import { formatPrice, timestamp } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { ProductWatch } from './reach.ts';
import type { MessagedAbout, OfferAim } from './watch.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadOfFeatures {
    'watch-reached': { item: Offer; wish: Wish };
  }
}

/** `isEqual`: it cost as little as the lowest price before. */
type LowWish = { aim: 'low'; isEqual?: true } & Omit<PayloadByKind['all-time-low'], 'item' | 'told'>;

/** What a person watches for, as it was when it was reached; `below` in US dollars. */
export type Wish = { aim: 'price'; below: number } | LowWish | { aim: Exclude<OfferAim, 'price' | 'low'> };

/** The message of a watch of a product that has reached its aim: see `lookAt`. */
export function announce(watch: ProductWatch, item: Offer, sent: WatchMessage): AnnouncementOf<'watch-reached'> {
  return { ...identityOf(watch.aim, sent), item, wish: wishOf(watch, item, sent.told.atMs) };
}

/** That a watch of a product has reached its aim. */
export const watchReached = {
  name: 'watch-reached',
  accent: 0x2f80ed,
  badge: 'announced.watch-reached',
  symbol: '🎯',
  lead({ item, wish }: AnnouncementOf<'watch-reached'>, translator: Translator) {
    switch (wish.aim) {
      case 'price':
        return isAtMost(item, wish.below)
          ? translator.t('watch.aim.price', { price: dollars(wish.below, translator) })
          : translator.t('offer.overLimit', { price: dollars(wish.below, translator) });
      case 'low':
        return lowLead(wish, item, translator);
      case 'stock':
        return translator.t('watch.aim.stock');
      case 'end':
        return item.endDateMs === null ? null : translator.t('offer.endsAt', { at: timestamp(item.endDateMs, 'R') });
    }
  },
  isLive: ({ item, wish }: AnnouncementOf<'watch-reached'>, nowMs: number) => isStill(wish, item, nowMs),
} satisfies FeatureKind;

/** A message that a watch makes. */
export interface WatchMessage {
  /** The id of the watch's subscription. */
  watchId: string;
  told: MessagedAbout;
  /** How many messages the watch has made with this one. */
  times: number;
}

/** The identity of the message. It is the same whenever the message is found, also from an older copy of the state. */
export function identityOf(aim: OfferAim, { watchId, told, times }: WatchMessage) {
  return {
    kind: 'watch-reached' as const,
    subject: told.offerId,
    occurrence: `${aim}-${watchId}-${told.value ?? ''}-${times}`,
  };
}

function wishOf({ aim, below }: ProductWatch, item: Offer, atMs: number): Wish {
  if (aim === 'price') return { aim, below: below ?? 0 };
  if (aim !== 'low') return { aim };
  const { low, sinceMs } = item.observed ?? { low: { price: 0 }, sinceMs: atMs };
  return {
    aim,
    low: low.price,
    sinceMs,
    ...(lowOf(item)?.hasGaps ? { hasGaps: true } : {}),
    ...(isNewLow(item) ? {} : { isEqual: true }),
  };
}

/** Says what is so now of a low. A price that only equals the former low is none above it. */
function lowLead(wish: LowWish, item: Offer, translator: Translator): string | null {
  const { salePrice, observed } = item;
  if (!salePrice) return null;
  if (!wish.isEqual || salePrice.minimum < wish.low) return allTimeLow.lead?.(asLow(wish, item), translator) ?? null;
  if (salePrice.minimum > wish.low) return translator.t('offer.overLimit', { price: dollars(wish.low, translator) });
  // One answer alone has shown the price that it has now: nothing is claimed of that.
  if (!observed) return null;
  const lowest = lowestPriceOf(observed);
  if (lowest < wish.low) return translator.t('offer.lowBeaten', { price: dollars(lowest, translator) });
  const since = translator.date(wish.sinceMs);
  return translator.t(wish.hasGaps ? 'watch.lowAgainSeen' : 'watch.lowAgain', { since });
}

/** A low that a person watches for holds as long as one that channels hear of. */
function asLow({ low, sinceMs }: LowWish, item: Offer): AnnouncementOf<'all-time-low'> {
  return { kind: 'all-time-low', subject: item.id, occurrence: '', item, low, sinceMs };
}

/** Whether an offer that can be bought still is what the person watches for. */
function isStill(wish: Wish, item: Offer, nowMs: number): boolean {
  switch (wish.aim) {
    case 'price':
      return isAtMost(item, wish.below);
    case 'low':
      return wish.isEqual ? isAsLow(item, wish.low) : allTimeLow.isLive(asLow(wish, item), nowMs);
    case 'stock':
      return true;
    case 'end':
      return item.endDateMs !== null && item.endDateMs - nowMs <= ENDING_SOON_MS;
  }
}

/** Whether the offer costs no more than the low, and its product was not seen cheaper. */
function isAsLow(item: Offer, low: number): boolean {
  return isAtMost(item, Math.min(low, item.observed ? lowestPriceOf(item.observed) : -Infinity));
}

const isAtMost = ({ salePrice }: Offer, price: number) => isRealPrice(salePrice) && salePrice.minimum <= price;

function dollars(price: number, translator: Translator): string {
  return formatPrice({ minimum: price, maximum: price }, translator);
}
