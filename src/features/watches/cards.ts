import { isOver } from '../../deals/life.ts';
import { isNewLow } from '../../deals/observed-prices.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { form } from '../../discord/cards/form.ts';
import { offerEntry, overText } from '../../discord/cards/offer-card.ts';
import { pagedCard } from '../../discord/cards/paged-card.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  linesOf,
  primaryButton,
  smallLine,
} from '../../discord/cards/parts.ts';
import { pacingLines } from '../../discord/cards/subscription-lines.ts';
import type { Modal } from '../../discord/command.ts';
import { formatPrice, timestamp } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp, LIMITS } from '../../discord/limits.ts';
import { escapeLine, inlineCode } from '../../discord/markdown.ts';
import { act } from './actions.ts';
import { describeAim, describeWatch } from './describe.ts';
import { OFFER_AIMS, type OfferAim } from './watch.ts';

const MOST_TITLE = 150;
const MOST_FILTER = 200;
/** The text that a price's form asks for: `999999.99` and its currency. */
const MOST_PRICE = 12;
const MOST_TYPED_FILTER = 2_000;
const SYMBOLS: Readonly<Record<OfferAim, string>> = { price: '💲', stock: '📦', low: '🏆', end: '⏰' };

/** An offer that can be watched, with the watches that the person already has for its product. */
export interface WatchOfferView {
  offer: Offer;
  own: readonly Subscription[];
}

/** Asks what the person wants to be told of an offer. */
export function watchOfferCard({ offer, own }: WatchOfferView, context: CardContext): Card {
  const { translator } = context;
  return card(ACCENT.offer, [
    translator.t('watch.ask'),
    offerEntry(offer, context),
    ...own.map((watch) => `🔔 ${escapeLine(describeAim(watch, translator))}`),
    buttons([
      ...OFFER_AIMS.map((aim) =>
        actionButton(
          `${SYMBOLS[aim]} ${translator.t(`button.watch.${aim}`)}`,
          act({ do: 'watch-for', offerId: offer.id, aim, below: null }),
        ),
      ),
      watchesButton(translator),
    ]),
  ]);
}

/** Asks for the price, with the present one as an example. */
export function watchPriceForm(offer: Offer, below: number | null, translator: Translator): Modal {
  return form(
    act({ do: 'watch-for', offerId: offer.id, aim: 'price', below: null }),
    translator.t('form.watchPriceTitle'),
    [
      {
        name: 'price',
        takes: 'text',
        label: translator.t('form.watchPrice'),
        description: clamp(offer.title, MOST_TITLE),
        example: String(offer.salePrice?.minimum ?? '49.99'),
        value: below === null ? '' : String(below),
        most: MOST_PRICE,
      },
    ],
  );
}

/** The button below a list without an offer: it asks for a watch for the first one. null where it can't carry the filter. */
export function alertButton(
  feed: string,
  filter: string,
  translator: Translator,
): ReturnType<typeof actionButton> | null {
  const button = actionButton(translator.t('button.tellMe'), act({ do: 'watch-feed', feed, filter }));
  return button.custom_id.length <= LIMITS.customId ? button : null;
}

/** Asks for the filter of a watch for a feed's new offers. @param filter the one to begin with */
export function watchFeedForm(feed: string, translator: Translator, filter = ''): Modal {
  return form(act({ do: 'watch-feed', feed, filter: '' }), translator.t('form.watchFeedTitle', { feed }), [
    {
      name: 'filter',
      takes: 'text',
      label: translator.t('form.watchFilter'),
      example: 'ssd -refurb* price:<50 off:>=40',
      value: filter,
      most: MOST_TYPED_FILTER,
      isLong: true,
    },
  ]);
}

/** How much a filter matches now. */
export interface Matching {
  matching: number;
  count: number;
  readAtMs: number;
}

/** When a person gets the message that a watch tells. Epoch milliseconds. */
export type Coming = { is: 'now' | 'there' | 'paused' } | { is: 'later'; atMs: number };

/** A new watch waits for something that is so already. */
export interface Reached {
  /** The listing that it is so for. */
  offer: Offer;
  comes: Coming;
}

interface Added {
  /** The offer; null where it is not known. */
  now: Offer | null;
  reached: Reached | null;
  matches: Matching | null;
  closed: boolean;
}

/** Says what a new watch waits for, or that it is so already, and how things stand. */
export function watchedCard(watch: Subscription, { now, reached, matches, closed }: Added, context: CardContext): Card {
  const { translator } = context;
  const costs = watch.watch?.aim === 'price' && !reached && now ? costsNow(now, context) : null;
  const isAll = matches !== null && matches.count > 0 && matches.matching === matches.count;
  return card(closed ? ACCENT.warning : ACCENT.offer, [
    [
      `🔔 ${reached ? reachedText(watch, reached, closed, translator) : addedSentence(watch, translator)}`,
      costs,
      matches &&
        translator.t('panel.matchingOffers', {
          matching: matches.matching,
          count: matches.count,
          at: timestamp(matches.readAtMs, 'R'),
        }),
      isAll ? `⚠ ${translator.t('watch.matchesAll', { count: watch.mostPerHour })}` : null,
      closed ? `⚠ ${translator.t('problem.messages-closed')}` : null,
    ],
    buttons([againButton(watch, translator), watchesButton(translator)]),
  ]);
}

/** Has a watch for a low count the lowest price before, too, or not any more; null for other watches. */
function againButton({ id: watchId, watch }: Subscription, translator: Translator) {
  if (watch?.aim !== 'low') return null;
  const label = translator.t(watch.again ? 'button.watch.newLows' : 'button.watch.lowAgain');
  return actionButton(label, act({ do: 'watch-low', watchId, lows: watch.again ? 'new' : 'all' }));
}

/** Says what an offer costs that is dearer than the person wants, or that it is over; null where no price is known. */
function costsNow(offer: Offer, context: CardContext): string | null {
  if (isOver(offer, context.nowMs)) return overText(offer, context);
  const { translator } = context;
  return offer.salePrice && translator.t('watch.costsNow', { price: formatPrice(offer.salePrice, translator) });
}

/** Says what is so already, and when the message about it comes. */
function reachedText(
  { watch }: Subscription,
  { offer, comes }: Reached,
  closed: boolean,
  translator: Translator,
): string {
  const title = `**${escapeLine(clamp(offer.title, MOST_TITLE))}**`;
  const price = offer.salePrice ? formatPrice(offer.salePrice, translator) : '';
  const at = timestamp(offer.endDateMs ?? 0, 'R');
  switch (watch?.aim) {
    case 'price':
    case 'low':
      return joined([
        translator.t(watch.again && !isNewLow(offer) ? 'watch.reached.lowAgain' : `watch.reached.${watch.aim}`, {
          title,
          price,
        }),
        comingText(comes, closed, translator),
      ]);
    case 'end':
      return joined([translator.t('watch.reached.end', { title, at }), comingText(comes, closed, translator)]);
    default:
      return translator.t('watch.reached.stock', { title });
  }
}

/** null where the card says that the person takes no messages. */
function comingText(comes: Coming, closed: boolean, translator: Translator): string | null {
  switch (comes.is) {
    case 'there':
      return translator.t('watch.messaged');
    case 'now':
      return closed ? null : translator.t('watch.messageNow');
    case 'later':
      return closed ? null : translator.t('watch.messageAt', { at: timestamp(comes.atMs, 'R') });
    case 'paused':
      return translator.t('outlook.postingPaused');
  }
}

const joined = (sentences: readonly (string | null)[]) => sentences.filter((one) => one !== null).join(' ');

function addedSentence({ watch, source, filter }: Subscription, translator: Translator): string {
  const title = `**${escapeLine(clamp(watch?.product?.title ?? '', MOST_TITLE))}**`;
  switch (watch?.aim) {
    case 'price':
      return translator.t('watch.added.price', {
        title,
        price: translator.price({ minimum: watch.below ?? 0, maximum: watch.below ?? 0 }),
      });
    case 'low':
      return translator.t(watch.again ? 'watch.added.lowAgain' : 'watch.added.low', { title });
    case 'stock':
    case 'end':
      return translator.t(`watch.added.${watch.aim}`, { title });
    default:
      return translator.t('watch.added.new', {
        feed: source.kind === 'feed' ? source.feed : '',
        filter: inlineCode(clamp(filter, MOST_FILTER)),
      });
  }
}

export interface WatchesView {
  watches: readonly Subscription[];
  page: number;
  /** Whether the person takes no direct messages now. */
  isClosed: boolean;
}

/** A page of a person's watches, with a menu that removes one. */
export function watchesCard({ watches, page, isClosed }: WatchesView, context: CardContext): Card {
  const { translator } = context;
  const [any] = watches;
  return pagedCard(
    {
      accentColor: isClosed ? ACCENT.warning : ACCENT.notice,
      title: translator.t('watches.title'),
      intro: linesOf([
        isClosed ? `⚠ ${translator.t('problem.messages-closed')}` : null,
        ...(any ? pacingLines(any, translator) : []),
      ]),
      things: watches,
      page,
      count: translator.t('list.watches', { count: watches.length }),
      empty: translator.t('watches.none'),
      age: null,
      entry: (watch) => entryLines(watch, translator),
      pageAction: (to) => act({ do: 'watches', page: to }),
      open: {
        button: translator.t('button.unwatch'),
        placeholder: translator.t('watches.remove'),
        choice: (watch) => ({
          label: describeWatch(watch, translator),
          action: act({ do: 'unwatch', watchId: watch.id }),
        }),
      },
      last: isClosed ? buttons([retryButton(translator)]) : null,
    },
    context,
  );
}

function entryLines(watch: Subscription, translator: Translator): string[] {
  const about = watch.watch?.product ? escapeLine(clamp(watch.watch.product.title, MOST_TITLE)) : null;
  const aim = escapeLine(clamp(describeAim(watch, translator), MOST_FILTER));
  const since = smallLine([translator.t('watches.since', { at: timestamp(watch.createdAtMs, 'R') })]);
  return about === null ? [`**${aim}**`, since] : [`**${about}**`, aim, since];
}

/** Tells a person privately what could not be sent to them. `titles` is foreign text. */
export function closedMessagesCard(titles: readonly string[], translator: Translator): Card {
  const MOST = 5;
  const shown = titles.slice(0, MOST).map((title) => `- ${escapeLine(clamp(title, MOST_TITLE))}`);
  const more = titles.length - shown.length;
  return card(ACCENT.warning, [
    [
      `⚠ ${translator.t('problem.messages-closed')}`,
      titles.length > 0 ? translator.t('watch.waiting', { count: titles.length }) : null,
      ...shown,
      more > 0 ? translator.t('offer.moreItems', { count: more }) : null,
    ],
    buttons([retryButton(translator), watchesButton(translator)]),
  ]);
}

export function watchesButton(translator: Translator) {
  return actionButton(translator.t('button.watches'), act({ do: 'watches', page: 1 }));
}

function retryButton(translator: Translator) {
  return primaryButton(translator.t('button.watchRetry'), act({ do: 'watch-retry' }));
}
