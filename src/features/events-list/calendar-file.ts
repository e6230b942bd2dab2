import ical from 'ical-generator';
import type { DealEvent } from '../../deals/event.ts';
import { pricesOf } from '../../deals/price.ts';
import { eventTypeName } from '../../discord/cards/event-card.ts';
import { formatPrice } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { plainLine, safeUrl } from '../../discord/markdown.ts';
import { MINUTE_MS } from '../../shared/time.ts';

const MOST_EVENTS = 200;
const MOST_OFFERS = 20;
const MOST_TITLE = 200;
/** How often a calendar application should look again. */
const AGAIN_AFTER_S = 900;
/** Years have four digits. */
const BEFORE_MS = Date.UTC(9999, 0);

/**
 * The events as a calendar in iCalendar's form; those without a known start are left out.
 * @param nowMs when the calendar is made, or said that first: epoch milliseconds
 * @see https://www.rfc-editor.org/rfc/rfc5545
 */
export function calendarOf(events: readonly DealEvent[], translator: Translator, nowMs: number): string {
  const calendar = ical({
    name: translator.t('events.title'),
    prodId: { company: 'Dealbell', product: 'Dealbell' },
    ttl: AGAIN_AFTER_S,
  });
  for (const event of events.filter(hasDate).slice(0, MOST_EVENTS)) {
    const { id, title, type, startDateMs, endDateMs } = event;
    const address = safeUrl(event.url ?? event.offers[0]?.url ?? null);
    calendar.createEvent({
      // The catalog's own id: an application finds the event again, however often it asks.
      id: `${id}@dealbell`,
      stamp: new Date(nowMs),
      lastModified: new Date(nowMs),
      // An application keeps what has the higher one. It grows with time, so it needs no memory of what was served before.
      sequence: Math.floor(nowMs / MINUTE_MS),
      start: new Date(startDateMs),
      ...(isDate(endDateMs) && endDateMs > startDateMs ? { end: new Date(endDateMs) } : {}),
      summary: plainLine(`${title} (${eventTypeName(type, translator)})`, MOST_TITLE),
      description: descriptionOf(event, translator),
      ...(address === null ? {} : { url: address }),
    });
  }
  // The library leaves out the end of the last line.
  return `${calendar.toString()}\r\n`;
}

type Dated = DealEvent & { startDateMs: number };

function hasDate(event: DealEvent): event is Dated {
  return isDate(event.startDateMs);
}

function isDate(ms: number | null): ms is number {
  return ms !== null && ms >= 0 && ms < BEFORE_MS;
}

/** The offers with their prices, a line each. */
function descriptionOf({ site, offers }: DealEvent, translator: Translator): string {
  const lines = offers.slice(0, MOST_OFFERS).map(({ title, items, soldOut }) => {
    const price = pricesOf(items).salePrice;
    const state = soldOut ? translator.t('offer.soldOut') : price && formatPrice(price, translator);
    return plainLine([title, state].filter((part) => part !== null).join(' · '), MOST_TITLE);
  });
  return clamp([...(site === null ? [] : [plainLine(site, MOST_TITLE)]), ...lines].join('\n'), 4_000);
}
