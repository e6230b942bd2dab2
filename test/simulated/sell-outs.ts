import type { Catalog } from '../../src/catalog/catalog.ts';
import { StockHistory } from '../../src/deals/stock-history.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';

/** About as often as events are polled. */
const EVERY_MS = 20 * MINUTE_MS;

/** Compares, for the events of a simulated time, when offers were said to sell out with when they did. */
export function createSellOutWatch(events: Catalog['events']) {
  const stock = new StockHistory();
  let nextMs = 0;
  /** The prediction for each offer that has not sold out yet. */
  const said = new Map<string, { atMs: number; sellsOutAtMs: number }[]>();
  /** By how many minutes each saying was off, and in which share of the time that was left. */
  const errors: { minutes: number; share: number }[] = [];
  let never = 0;

  function settle(id: string, soldOutMs: number): void {
    for (const { atMs, sellsOutAtMs } of said.get(id) ?? []) {
      const offMs = Math.abs(sellsOutAtMs - soldOutMs);
      errors.push({ minutes: offMs / MINUTE_MS, share: offMs / Math.max(soldOutMs - atMs, MINUTE_MS) });
    }
    said.delete(id);
  }

  return {
    async pass(nowMs: number): Promise<void> {
      if (nowMs < nextMs) return;
      nextMs = nowMs + EVERY_MS;
      const { value: shownEvents } = await events.list({ lane: 'background', maxAgeMs: 0 });
      stock.note(shownEvents, nowMs);
      const shown = new Set<string>();
      for (const event of shownEvents) {
        for (const offer of stock.foretold(event, nowMs).offers) {
          shown.add(offer.id);
          // It sold out at some time since the last look: in the middle, as far as is known.
          if (offer.soldOut) settle(offer.id, nowMs - EVERY_MS / 2);
          else if (offer.sellsOutAtMs !== undefined) {
            said.set(offer.id, [...(said.get(offer.id) ?? []), { atMs: nowMs, sellsOutAtMs: offer.sellsOutAtMs }]);
          }
        }
      }
      for (const [id, sayings] of said) {
        if (shown.has(id)) continue;
        never += sayings.length;
        said.delete(id);
      }
    },
    summary(): string {
      const median = (of: 'minutes' | 'share') =>
        errors.map((error) => error[of]).sort((a, b) => a - b)[Math.floor(errors.length / 2)] ?? Number.NaN;
      const off = `off by ${Math.round(median('minutes'))} minutes and ${Math.round(median('share') * 100)} % of the time left at the median`;
      return `"Sells out in about …": said ${errors.length} times of what then sold out, ${off}; ${never} times of what did not.`;
    },
    problems: () => (errors.length === 0 ? ['Nothing was ever said to sell out.'] : []),
  };
}
