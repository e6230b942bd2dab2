import type { CommandServices, Request } from '../../../commands/shared.ts';
import type { Feature } from '../../app/feature.ts';
import { CatalogError } from '../../catalog/errors.ts';
import type { AskedOffer } from '../../deals/asking.ts';
import { feedKey, isGone, isInFeed, type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import { isSamePrice, type PriceRange, priceRangeOf } from '../../deals/price.ts';
import { type ActionOf, actionsOf, field } from '../../discord/action-table.ts';
import { actionButton, type Card, noticeCard } from '../../discord/cards/parts.ts';
import type { Handlers } from '../../discord/command.ts';
import { formatPrice, timestamp } from '../../discord/format.ts';
import { message, type Translator } from '../../discord/i18n/translator.ts';
import { UserError } from '../../shared/errors.ts';
import { MOST_IN_AN_HOUR, Reports } from './reports.ts';
import { WORDS } from './words/index.ts';

/** What somebody says is wrong: both have the catalog asked. */
const WRONG = ['gone', 'price'] as const;
const TABLE = { report: { offerId: field.id, wrong: field.oneOf(WRONG) } };
const act = actionsOf(TABLE);

const handlers: Handlers<CommandServices, ActionOf<typeof TABLE>> = {
  table: TABLE,
  actions: { report: { answer: 'private', run: ({ offerId }, request) => check(offerId, request) } },
};

/** People who see that a deal is gone, or costs something else, have the catalog asked about it. */
export const reports: Feature = {
  name: 'reports',
  words: WORDS,
  offerButtons: {
    belowDetail: ({ offerId, isListed }, translator) =>
      isListed
        ? WRONG.map((wrong) =>
            actionButton(translator.t(`button.report.${wrong}`), act({ do: 'report', offerId, wrong })),
          )
        : [],
  },
  handlers: [handlers],
  start: ({ clock }) => ({ services: { reports: new Reports(clock) } }),
};

/** What an offer is, by the catalog or by what is posted. */
interface State {
  is: 'live' | 'sold-out' | 'over';
  price: PriceRange | null;
}

/**
 * Has the catalog asked about an offer, and says what it says now; what is believed since changes posts for everybody.
 * @throws UserError where the person has asked too much, or the catalog has no answer
 */
async function check(offerId: string, request: Request): Promise<Card> {
  const { services, person, translator } = request;
  const { offers, poller, clock } = services;
  const before = offers.get(offerId);
  if (!before) throw new UserError(message('offer.gone'));
  const askedMs = services.reports.askedMs(offerId);
  if (askedMs !== null) {
    const checked = translator.t('reports.lately', { at: timestamp(askedMs, 'R') });
    return noticeCard(`${sentenceOf(believed(before, clock.now()), translator)} ${checked}`);
  }
  const againMs = services.reports.againMs(person.id);
  if (againMs !== null)
    throw new UserError(message('reports.tooMany', { most: MOST_IN_AN_HOUR, at: timestamp(againMs, 'R') }));
  services.reports.noteAsking(person.id);
  const was = believed(before, clock.now());
  const asked = await poller.ask(offerId, request.spend);
  services.reports.noteAnswer(offerId);
  const says = saidBy(asked);
  const posted = () => believed(offers.get(offerId) ?? before, clock.now());
  if (!isSaid(posted(), says)) await readFeedOf(before, request);
  const outcome = isChanged(was, posted()) ? 'corrected' : isSaid(posted(), says) ? 'right' : 'unsure';
  return noticeCard(`${sentenceOf(says, translator)} ${translator.t(`reports.${outcome}`)}`);
}

/** Reads a feed that holds the offer, as a second witness, where the person may still have a request made. */
async function readFeedOf(known: KnownOffer, { services, spend }: Request): Promise<void> {
  const feed = services.feeds.find((name) => isInFeed(known, feedKey(name)));
  if (feed === undefined) return;
  try {
    spend();
    await services.poller.poll(`feed:${feed}`, 'interactive');
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof CatalogError)) throw error;
  }
}

function believed(known: KnownOffer, nowMs: number): State {
  const { isSoldOut, salePrice } = shownOffer(known);
  if (isSoldOut) return { is: 'sold-out', price: null };
  return isGone(known, nowMs) ? { is: 'over', price: null } : { is: 'live', price: salePrice };
}

function saidBy(asked: AskedOffer | null): State {
  if (asked === null || asked.detail.isOfferLiveNow === false) return { is: 'over', price: null };
  if (asked.detail.isSoldOut) return { is: 'sold-out', price: null };
  return { is: 'live', price: priceRangeOf(asked.detail.items.map((item) => item.salePrice)) };
}

/** Whether posts say what the catalog says. What it doesn't tell, posts can't contradict. */
function isSaid(posted: State, says: State): boolean {
  if (posted.is !== says.is) return false;
  return says.price === null || (posted.price !== null && isSamePrice(posted.price, says.price));
}

/** Whether posts say something else than before. */
function isChanged(before: State, now: State): boolean {
  if (before.price === null || now.price === null) return before.is !== now.is || before.price !== now.price;
  return before.is !== now.is || !isSamePrice(before.price, now.price);
}

function sentenceOf({ is, price }: State, translator: Translator): string {
  if (is !== 'live') return translator.t(`reports.${is}`);
  if (price === null) return translator.t('reports.live');
  return translator.t('reports.liveAt', { price: formatPrice(price, translator) });
}

declare module '../../../commands/shared.ts' {
  interface FeatureServices {
    reports: Reports;
  }
}
