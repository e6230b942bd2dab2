import type { DealEvent, EventOffer } from '../../deals/event.ts';
import { type PriceRange, pricesOf } from '../../deals/price.ts';
import { eventTypeName } from '../../discord/cards/event-card.ts';
import { formatPrice } from '../../discord/format.ts';
import { withoutUnseen } from '../../discord/html-markdown.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp, LIMITS } from '../../discord/limits.ts';
import { safeUrl } from '../../discord/markdown.ts';
import { eventCover } from './cover.ts';
import { MARK_LENGTH, type ShownEvent, withMark } from './scheduled-events.ts';

/** An entry of a server's Events list, with its picture as an SVG. */
export type CalendarEntry = Omit<ShownEvent, 'cover'> & { cover: string };

const MOST_OFFERS = 5;
const MOST_LINE = 120;

/**
 * What an event shows in a server's Events list. Stock is left out: it changes all the time.
 * @param mark by which the entry is found again
 * @param hasKnownEnd whether the end that the entry has is the event's
 */
export function calendarEntry(
  event: DealEvent,
  { mark, hasKnownEnd }: { mark: string; hasKnownEnd: boolean },
  translator: Translator,
): CalendarEntry {
  const { title, subtitle, site } = event;
  const type = foreignLine(eventTypeName(event.type, translator), MOST_LINE);
  const name = foreignLine(title, LIMITS.scheduledEventName) || type || '…';
  const buyable = event.offers.filter(({ soldOut }) => !soldOut);
  const shown = buyable.length > 0 ? buyable : event.offers;
  const more = shown.length - MOST_OFFERS;
  const facts = [
    [type, site === null ? '' : foreignLine(site, MOST_LINE)].filter((part) => part !== '').join(' · '),
    subtitle === null ? '' : foreignLine(subtitle, MOST_LINE),
    ...shown.slice(0, MOST_OFFERS).map((offer) => offerLine(offer, translator)),
    more > 0 ? translator.t('event.moreOffers', { count: more }) : '',
  ].filter((line) => line !== '');
  const note = hasKnownEnd ? '' : translator.t('calendar.noEnd');
  const mostFacts = LIMITS.scheduledEventDescription - note.length - MARK_LENGTH - 4;
  const text = [clamp(facts.join('\n'), mostFacts), note].filter((part) => part !== '').join('\n\n');
  const price = lowestOf(buyable);
  return {
    name,
    description: withMark(`${text}\n`, mark),
    location: locationOf(event, translator),
    cover: eventCover({
      title: name,
      type,
      price: price && translator.t('calendar.from', { price: formatPrice(price, translator) }),
    }),
  };
}

function offerLine({ title, items, soldOut }: EventOffer, translator: Translator): string {
  const price = pricesOf(items).salePrice;
  const state = soldOut ? translator.t('offer.soldOut') : price && formatPrice(price, translator);
  return ['•', foreignLine(title, MOST_LINE), state && `· ${state}`].filter(Boolean).join(' ');
}

/** The lowest price of all offers, as a range of one price; null where none is known. */
function lowestOf(offers: readonly EventOffer[]): PriceRange | null {
  const range = pricesOf(offers.flatMap(({ items }) => items)).salePrice;
  return range && { minimum: range.minimum, maximum: range.minimum };
}

/** The link; where that is too long, the site. */
function locationOf(event: DealEvent, translator: Translator): string {
  const addresses = [event.url, ...event.offers.map(({ url }) => url)].map(safeUrl);
  const link = addresses.find((address) => address !== null && address.length <= LIMITS.scheduledEventLocation);
  const [long] = addresses.filter((address) => address !== null);
  return (
    link ??
    (long ? clamp(new URL(long).host, LIMITS.scheduledEventLocation) : null) ??
    (foreignLine(event.site ?? '', LIMITS.scheduledEventLocation) || translator.t('calendar.online'))
  );
}

/**
 * The characters that can mean something in Discord's texts, and what stands in their place. Whether an entry's description
 * is Markdown isn't documented, so backslashes might show.
 */
const REPLACED = new Map([
  ['*', '∗'],
  ['_', '＿'],
  ['~', '∼'],
  ['|', '∣'],
  ['`', 'ˋ'],
  ['\\', '∖'],
  ['<', '‹'],
  ['>', '›'],
  ['[', '⟦'],
  [']', '⟧'],
  ['@', '＠'],
  ['#', '♯'],
]);
const MEANINGFUL = /[*_~|`\\<>[\]@#]|:(?=\/\/)/g;

/** Foreign text as one line that formats, links and mentions nothing. */
function foreignLine(text: string, most: number): string {
  // A hundred times as much as is shown, so that white space can't push all else out.
  const line = withoutUnseen(text.slice(0, most * 100))
    .replace(/\s+/g, ' ')
    .trim();
  return clamp(
    line.replace(MEANINGFUL, (found) => REPLACED.get(found) ?? '∶'),
    most,
  );
}
