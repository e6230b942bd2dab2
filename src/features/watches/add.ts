import { candidatesIn, knownEntities } from '../../../commands/known.ts';
import { requireFeed } from '../../../commands/options.ts';
import type { CommandServices, FeatureCommand, Request } from '../../../commands/shared.ts';
import { typedFilter } from '../../../commands/typed-options.ts';
import { evaluate, type Filter } from '../../deals/filter/index.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { offerChoiceCard } from '../../discord/cards/offer-card.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { requireFilter } from '../../discord/filter-mistake.ts';
import { message } from '../../discord/i18n/translator.ts';
import { escapeLine } from '../../discord/markdown.ts';
import { UserError } from '../../shared/errors.ts';
import { act, type TABLE } from './actions.ts';
import { type Matching, watchedCard, watchFeedForm, watchOfferCard, watchPriceForm } from './cards.ts';
import { addWatch, changeWatch, isClosed, requireWatch, requireWatchable, watchesOf } from './own.ts';
import type { OfferAim } from './watch.ts';

/** The choice of the offer to watch, of those that a message is about. */
export const WATCHING = {
  which: message('offerDetails.which'),
  name: message('watch.choose'),
  actionOf: (offerId: string) => act({ do: 'watch', offerId }),
};

/**
 * The buttons of an offer's card, and what they lead to; and the form that members get who can't subscribe a channel to a
 * feed. All answers are private.
 */
export const addActions = {
  'watch-filter': {
    answer: 'update',
    async run({ watchId, filter: written }, request) {
      const filter = requireFilter(written);
      const found = requireWatch(watchId, request);
      if (found.source.kind !== 'feed' || found.watch?.aim !== 'new') throw new UserError(message('watch.unknown'));
      const watch = await changeWatch(found, (before) => ({ ...before, filter: filter.text }), request);
      return addedCard(watch, filter, found.source.feed, request);
    },
  },
  watch: {
    answer: 'private',
    run: async ({ offerId }, request) => askForAim(offerId, request),
  },
  'watch-event': {
    answer: 'private',
    async run({ eventId }, request) {
      const events = knownEntities('events', request.services.currentState) ?? [];
      const offers = events.find(({ item }) => item.id === eventId)?.item.offers ?? [];
      const [only, another] = offers;
      if (!only) throw new UserError(message('event.over'));
      if (!another) return askForAim(only.id, request);
      const choices = offers.map(({ id, title }) => ({ id, title, listed: null }));
      return offerChoiceCard(choices, request.cardContext, WATCHING);
    },
  },
  'watch-for': {
    answer: 'update',
    async run({ offerId, aim, below }, request) {
      if (aim !== 'price') return watchOffer({ offerId, aim, below: null }, request);
      if (below !== null) return watchOffer({ offerId, aim, below }, request);
      const { offer, product } = requireWatchable(offerId, request.services);
      const own = watchesOf(request).find(({ watch }) => watch?.aim === aim && watch.product?.key === product.key);
      return watchPriceForm(offer, own?.watch?.below ?? null, request.translator);
    },
  },
  'watch-low': {
    answer: 'update',
    async run({ watchId, lows }, request) {
      const found = requireWatch(watchId, request);
      if (found.watch?.aim !== 'low') throw new UserError(message('watch.unknown'));
      const changed = await changeWatch(found, (before) => withLows(before, lows), request);
      return watchedCard(
        changed,
        { now: null, reached: null, matches: null, closed: isClosed(request) },
        request.cardContext,
      );
    },
  },
  'watch-feed': {
    answer: 'private',
    run: async ({ feed, filter }, { services, translator }) =>
      watchFeedForm(requireFeed(feed, services.feeds), translator, filter),
  },
} satisfies FeatureCommand<typeof TABLE>['actions'];

export const addForms = {
  'watch-for': {
    answer: 'update',
    async run({ offerId, aim }, request) {
      return watchOffer({ offerId, aim, below: writtenPrice(request.fields.getTextInputValue('price')) }, request);
    },
  },
  'watch-feed': {
    answer: 'private',
    run: ({ feed }, request) => watchNew(feed, request.fields.getTextInputValue('filter'), request),
  },
} satisfies FeatureCommand<typeof TABLE>['forms'];

export async function askForAim(offerId: string, request: Request): Promise<Card> {
  const { offer, product } = requireWatchable(offerId, request.services);
  const own = watchesOf(request).filter(({ watch }) => watch?.product?.key === product.key);
  return watchOfferCard({ offer, own }, request.cardContext);
}

/** Adds the watch, and answers with what it waits for, or that it is so already. */
export async function watchOffer(
  { offerId, aim, below }: { offerId: string; aim: OfferAim; below: number | null },
  request: Request,
): Promise<Card> {
  const { offer, product, source } = requireWatchable(offerId, request.services);
  const { watch, reached } = await addWatch({ source, filter: '', watch: { aim, product, below } }, request, offer);
  return watchedCard(watch, { now: offer, reached, matches: null, closed: isClosed(request) }, request.cardContext);
}

/** The watch for a low, which counts new lows alone, or all. */
function withLows(before: Subscription, lows: 'new' | 'all'): Subscription {
  if (!before.watch) return before;
  const { again: _, ...watch } = before.watch;
  return { ...before, watch: lows === 'all' ? { ...watch, again: true } : watch };
}

/** @throws UserError where it is no price above nothing */
export function writtenPrice(text: string): number {
  const typed = text.trim();
  const price = /^\$?\s*\d{1,9}([.,]\d{1,2})?\s*\$?$/.test(typed)
    ? Number(typed.replace(/[$\s]/g, '').replace(',', '.'))
    : 0;
  if (price <= 0) throw new UserError(message('limits.noPrice', { text: escapeLine(typed) }));
  return price;
}

/** Watches for the new offers of a feed that match a filter, and answers with how many do now. */
export async function watchNew(typedFeed: string, written: string, request: Request): Promise<Card> {
  const feed = requireFeed(typedFeed, request.services.feeds);
  const { filter, noted } = typedFilter(written, request);
  if (filter.text === '') throw new UserError(message('watch.noFilter'));
  const source = { kind: 'feed', feed } as const;
  const aim = { aim: 'new', product: null, below: null } as const;
  const { watch } = await addWatch({ source, filter: filter.text, watch: aim }, request);
  const asWords = (words: string) => act({ do: 'watch-filter', watchId: watch.id, filter: words });
  return noted(await addedCard(watch, filter, feed, request), asWords);
}

async function addedCard(watch: Subscription, filter: Filter, feed: string, request: Request): Promise<Card> {
  const context = request.cardContext;
  const matches = await matchingNow(filter, feed, request.services, context.nowMs);
  return watchedCard(watch, { now: null, reached: null, matches, closed: isClosed(request) }, context);
}

async function matchingNow(
  filter: Filter,
  feed: string,
  services: CommandServices,
  nowMs: number,
): Promise<Matching | null> {
  const live = await candidatesIn({ kind: 'feed', feed }, services);
  if (!live) return null;
  const matching = live.candidates.filter(({ subject }) => evaluate(filter, subject, nowMs)).length;
  return { matching, count: live.candidates.length, readAtMs: live.readAtMs };
}
