import type { Announcement } from '../../deals/announcement.ts';
import { isAlmostGone } from '../../deals/event.ts';
import { type Score, scoreOf } from '../../deals/score.ts';
import type { StockHistory } from '../../deals/stock-history.ts';
import { shownOf } from '../kinds/index.ts';

/**
 * How good what an announcement tells is, among what waits in the same channel. Whatever is no offer comes rarely and holds
 * many of them: it goes first.
 * @param announcement with its entity as it is now
 */
export function scoreOfAnnouncement(
  announcement: Announcement,
  stock: Pick<StockHistory, 'sellsOutAtMs'>,
  nowMs: number,
): Score {
  const { as, item } = shownOf(announcement);
  if (as !== 'offer') return { points: Number.POSITIVE_INFINITY, startDateMs: null };
  const inEvent = 'offers' in announcement.item ? announcement.item.offers.find(({ id }) => id === item.id) : undefined;
  const sales = {
    isAlmostGone: inEvent !== undefined && isAlmostGone(inEvent),
    sellsOutAtMs: stock.sellsOutAtMs(item.id, nowMs),
  };
  return scoreOf(item, sales, nowMs);
}
