import { expect, test } from 'vitest';
import { type Coming, type Reached, watchedCard } from '../../../src/features/watches/cards.ts';
import type { OfferAim } from '../../../src/features/watches/watch.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { anOffer, aSubscription, NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const OFFER = anOffer(1, { endDateMs: NOW_MS + HOUR_MS });
const AIMS: readonly OfferAim[] = ['price', 'stock', 'low', 'end'];

interface View {
  reached?: Reached | null;
  now?: typeof OFFER;
  closed?: boolean;
}

/** What the card of a new watch says in its first lines. */
function said(aim: OfferAim, { reached = null, now = OFFER, closed = false }: View, locale = 'en-US'): string {
  const product = { key: 'kettle|', title: OFFER.title, offerId: OFFER.id };
  const watch = aSubscription('w', { watch: { aim, product, below: aim === 'price' ? 25 : null } });
  const context = { translator: translatorFor(locale), nowMs: NOW_MS };
  const card = watchedCard(watch, { now, reached, matches: null, closed }, context);
  expectTakenByDiscord(card);
  return textOf(card);
}

const reachedWith = (comes: Coming): View => ({ reached: { offer: OFFER, comes } });

test.each<[Coming, string]>([
  [{ is: 'now' }, 'I’m messaging you now.'],
  [{ is: 'later', atMs: NOW_MS + HOUR_MS }, `Your message comes <t:${(NOW_MS + HOUR_MS) / 1000}:R>.`],
  [{ is: 'there' }, 'I’ve already messaged you about it.'],
  [{ is: 'paused' }, 'The bot’s owner paused all posting. Posts follow once it’s resumed.'],
])('a wish that is fulfilled says so, and when its message comes: %j', (comes, when) => {
  const ends = `<t:${(NOW_MS + HOUR_MS) / 1000}:R>`;
  expect(said('price', reachedWith(comes))).toBe(`🔔 **Kettle 1** already costs $20.00. ${when}`);
  expect(said('low', reachedWith(comes))).toContain(`less than ever before, as far as the bot has seen. ${when}`);
  expect(said('end', reachedWith(comes))).toBe(`🔔 **Kettle 1** ends ${ends}. ${when}`);
  expect(said('stock', reachedWith(comes))).toBe(
    '🔔 **Kettle 1** is in stock now. I’ll message you if it sells out and comes back.',
  );
});

test.each(['de', 'fr', 'es-ES'])('in %s as well', (locale) => {
  for (const aim of AIMS) {
    const text = said(aim, reachedWith({ is: 'now' }), locale);
    expect(text).toContain('**Kettle 1**');
    expect(text).not.toBe(said(aim, {}, locale));
    expect(text).not.toContain('{{');
  }
});

test('who takes no messages is promised none', () => {
  const text = said('price', { ...reachedWith({ is: 'now' }), closed: true });
  expect(text).toContain('already costs $20.00.\n⚠ The bot can’t message you.');
});

test('a wish for a price that is not fulfilled says what the offer costs, or that it is over', () => {
  expect(said('price', {})).toMatch(/costs \$25\.00 or less\.\nIt costs \$20\.00 now\.$/);
  expect(said('price', { now: { ...OFFER, isSoldOut: true } })).toMatch(/or less\.\n\*\*Sold out\*\*$/);
  expect(said('price', { now: { ...OFFER, salePrice: null } })).toMatch(/or less\.$/);
  expect(said('stock', { now: { ...OFFER, isSoldOut: true } })).toMatch(/is back in stock\.$/);
});
