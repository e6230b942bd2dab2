import type { APIComponentInContainer } from 'discord-api-types/v10';
import type { Attribute, Item, OfferDetail } from '../../deals/offer.ts';
import { priceRangeOf } from '../../deals/price.ts';
import { priceLine, priceText } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp, LIMITS } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { menu, text } from './parts.ts';

/** Up to this many variants are lines; beyond it, one is shown and the others are in a menu. */
const MOST_LINES = 8;
const MOST_NAME = 100;

type Section = Pick<OfferDetail, 'id' | 'items'>;

/**
 * The variant to show where the variants are in a menu: 1-based; one past the end is the last. Null where all variants
 * are lines.
 */
export function chosenVariant({ items }: Section, part: number): number | null {
  return items.length > MOST_LINES ? Math.min(part, items.length) : null;
}

/** The first variant of each page of the menu, 1-based. */
export function variantPages({ items }: Section): number[] {
  const count = chosenVariant({ id: '', items }, 1) === null ? 1 : Math.ceil(items.length / LIMITS.menuOptions);
  return Array.from({ length: count }, (_, page) => 1 + page * LIMITS.menuOptions);
}

/** The variants of an offer: attributes, price and limit. */
export function variantParts(offer: Section, part: number, translator: Translator): (APIComponentInContainer | null)[] {
  const { items } = offer;
  const chosen = chosenVariant(offer, part);
  const [only] = items;
  if (chosen === null) {
    const isOneOfAKind = items.length < 2 && only?.attributes.length === 0;
    return [
      items.length > 0 && !isOneOfAKind ? text(items.map((item) => `- ${lineOf(item, translator)}`).join('\n')) : null,
    ];
  }
  const shown = items[chosen - 1];
  const first = variantPages(offer).findLast((start) => start <= chosen) ?? 1;
  return [
    text([translator.t('offer.variants', { count: items.length }), shown && lineOf(shown, translator)].join('\n')),
    menu(
      'variants',
      translator.t('offer.chooseVariant'),
      items.slice(first - 1, first - 1 + LIMITS.menuOptions).map((item, index) => ({
        label: nameOf(item, translator),
        description: [priceText(...pricesOf(item), translator), limitOf(item, translator)].filter(Boolean).join(' · '),
        action: { do: 'offer-section', offerId: offer.id, section: 'overview', part: first + index },
        isChosen: first + index === chosen,
      })),
    ),
  ];
}

/** `**Size XL**: **$20.00** ~~$40.00~~ −50% · limit 3` */
function lineOf(item: Item, translator: Translator): string {
  const facts = [priceLine(...pricesOf(item), translator), limitOf(item, translator)].filter(Boolean).join(' · ');
  return [`**${escapeLine(nameOf(item, translator))}**`, facts].filter((part) => part !== '').join(': ');
}

function pricesOf({ salePrice, listPrice }: Item) {
  return [priceRangeOf([salePrice]), priceRangeOf([listPrice])] as const;
}

/** A limit of 0 means none (specification: "v2: Item"). */
function limitOf({ purchaseLimit }: Item, translator: Translator): string | null {
  return purchaseLimit ? translator.t('offer.limit', { count: purchaseLimit }) : null;
}

/** The attributes that distinguish a variant; foreign text. */
function nameOf({ attributes, title }: Item, translator: Translator): string {
  const named = attributes.map(({ key, value }: Attribute) => `${key} ${value}`.trim()).filter((name) => name !== '');
  return clamp(named.join(', ') || title?.trim() || translator.t('offer.item'), MOST_NAME);
}
