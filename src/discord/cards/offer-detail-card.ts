import type { Attribute, Item, OfferDetail } from '../../deals/offer.ts';
import { priceRangeOf } from '../../deals/price.ts';
import { excerptOf } from '../excerpt.ts';
import { leftLine, priceLine, timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { clampMarkdown, escapeLine, markdownOf } from '../markdown.ts';
import type { Words } from '../words/words.ts';
import type { CardContext } from './context.ts';
import { ACCENT, buttons, type Card, card, gallery, linkButton, separator, text, titleLine } from './parts.ts';

const MOST_TITLE = 250;
const MOST_FEATURES = 900;
const MOST_WRITE_UP = 900;
const ITEMS_SHOWN = 8;
const PHOTOS_SHOWN = 4;

/** An offer in full, as `/offer` and the "Details" button show it. */
export function offerDetailCard(offer: OfferDetail, fetchedAtMs: number, { words }: CardContext): Card {
  const isOver = offer.isSoldOut || offer.isOfferLiveNow === false;
  const features = clampMarkdown(markdownOf(offer.features ?? '', offer.url), MOST_FEATURES);
  const writeUp = excerptOf(
    markdownOf([offer.writeUpIntro, offer.writeUpBody].filter(Boolean).join('\n'), offer.url),
    MOST_WRITE_UP,
  );
  return card(isOver ? ACCENT.over : ACCENT.offer, [
    text(headLines(offer, isOver, words).join('\n')),
    gallery(fullSize(offer).slice(0, PHOTOS_SHOWN), offer.title),
    offer.items.length > 1 ? text(itemLines(offer.items, words).join('\n')) : null,
    features || writeUp ? separator() : null,
    features ? text(features) : null,
    writeUp ? text(writeUp) : null,
    text(`-# ${words.t('list.asOf', { at: timestamp(fetchedAtMs, 'R') })}`),
    buttons([linkButton(words.t('button.open'), offer.url)]),
  ]);
}

function headLines(offer: OfferDetail, isOver: boolean, words: Words): string[] {
  const price = priceLine(
    priceRangeOf(offer.items.map((item) => item.salePrice)),
    priceRangeOf(offer.items.map((item) => item.listPrice)),
    words,
  );
  const left =
    !isOver && offer.percentageRemaining !== null && offer.percentageRemaining > 0
      ? leftLine(offer.percentageRemaining, words)
      : null;
  return [
    titleLine(clamp(offer.fullTitle ?? offer.title, MOST_TITLE), offer.url, isOver, '##'),
    offer.subtitle && escapeLine(clamp(offer.subtitle, MOST_TITLE)),
    [price, left, offer.purchaseLimit ? words.t('offer.limit', { count: offer.purchaseLimit }) : null]
      .filter(Boolean)
      .join(' · ') || null,
    isOver ? `**${words.t(offer.isSoldOut ? 'offer.soldOut' : 'offer.over')}**` : null,
  ].filter((line) => line !== null);
}

/** Each picture once: the catalog lists every size of it. */
function fullSize(offer: OfferDetail) {
  const full = offer.photos.filter((photo) => photo.tags.some((tag) => tag.startsWith('fullsize-')));
  return full.length > 0 ? full : offer.photos;
}

function itemLines(items: readonly Item[], words: Words): string[] {
  const lines = items.slice(0, ITEMS_SHOWN).map((item) => {
    const name = attributesOf(item.attributes) || escapeLine(clamp(item.title ?? words.t('offer.item'), 100));
    const price = priceLine(priceRangeOf([item.salePrice]), priceRangeOf([item.listPrice]), words);
    return `- ${[name, price].filter(Boolean).join(': ')}`;
  });
  const others = items.length - ITEMS_SHOWN;
  return others > 0 ? [...lines, `-# ${words.t('offer.moreItems', { count: others })}`] : lines;
}

function attributesOf(attributes: readonly Attribute[]): string {
  return attributes.map(({ key, value }) => escapeLine(clamp(`${key} ${value}`, 60))).join(', ');
}
