import type { APIApplicationCommandBasicOption } from 'discord-api-types/v10';
import { mentionedOffer, offerChoices, offerOption, offersMeant, severalMatch } from '../../../commands/options.ts';
import { ANYWHERE, type CommandServices, type FeatureCommand, type Request } from '../../../commands/shared.ts';
import { checking, fixable } from '../../../commands/typed-options.ts';
import { isUuid } from '../../catalog/fields.ts';
import { shownOffer } from '../../deals/known-offer.ts';
import type { PriceHistory } from '../../deals/observed-prices.ts';
import type { ActionOf, FeatureAction } from '../../discord/action-table.ts';
import { offerChoiceCard } from '../../discord/cards/offer-card.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message, type Translator } from '../../discord/i18n/translator.ts';
import { productHistory } from '../../offers/product-history.ts';
import { UserError } from '../../shared/errors.ts';
import { HOUR_MS } from '../../shared/time.ts';
import { act, TABLE } from './actions.ts';
import { historyCard } from './history-card.ts';
import { priceChart } from './price-chart.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

const OPTIONS: APIApplicationCommandBasicOption[] = [offerOption(described('command.history.offer'))];

const asked = fixable<ActionOf<typeof TABLE> & FeatureAction & { do: 'history-again' }>({
  options: OPTIONS,
  async answer(options, request) {
    const typed = options.get('offer') ?? '';
    const [best, ...others] = await checking('offer', () => offersMeant(typed, request));
    const mentioned = [best, ...others].map((id) => mentionedOffer(id, null, request.services));
    return others.length === 0
      ? historyOf(best, request)
      : offerChoiceCard(mentioned, request.cardContext, {
          which: severalMatch(typed),
          name: message('history.choose'),
          actionOf: (offerId) => act({ do: 'history', offerId }),
        });
  },
});

/** Shows what an offer's product cost. Answers from what is known, and asks the catalog nothing. */
export const history: FeatureCommand<typeof TABLE> = {
  table: TABLE,
  data: {
    name: 'history',
    ...described('command.history'),
    ...ANYWHERE,
    options: OPTIONS,
  },
  answer: 'public',
  execute: (request) => asked.ask(act({ do: 'history-again' }), request),
  autocomplete: (request) => offerChoices(request.options.getFocused(), request),
  actions: {
    'history-again': asked.button,
    history: {
      answer: 'private',
      run: ({ offerId }, request) => historyOf(offerId, request),
    },
  },
  forms: { 'history-again': asked.form },
};

async function historyOf(offerId: string, { services, cardContext }: Request): Promise<Card> {
  const { nowMs, translator } = cardContext;
  // Anybody can forge a button.
  const known = isUuid(offerId) ? services.offers.get(offerId) : undefined;
  if (!known) throw new UserError(message('history.unknown'));
  const found = await productHistory(known, { offers: services.offers, prices: services.charts.prices }, nowMs);
  if (!found) throw new UserError(message('history.none'));
  const picture = await pictureOf(found, translator, nowMs, services);
  return historyCard(shownOffer(known), found, picture, cardContext);
}

/** null where it can't be made, which the log says: the numbers are shown as text. */
async function pictureOf(
  found: PriceHistory,
  translator: Translator,
  nowMs: number,
  { charts: { pictures }, log }: CommandServices,
): Promise<Buffer | null> {
  try {
    // The picture's right end is a full hour, so that equal pictures are made once.
    return await pictures.render(priceChart(found, translator, Math.ceil(nowMs / HOUR_MS) * HOUR_MS));
  } catch (error) {
    log.warn({ err: error }, 'a picture of prices could not be made');
    return null;
  }
}
