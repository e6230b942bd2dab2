import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { isUuid } from '../src/catalog/fields.ts';
import { shownOffer } from '../src/deals/known-offer.ts';
import type { PriceHistory } from '../src/deals/observed-prices.ts';
import { historyCard } from '../src/discord/cards/history-card.ts';
import { offerChoiceCard } from '../src/discord/cards/offer-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import { priceChart } from '../src/discord/charts/price-chart.ts';
import type { Action } from '../src/discord/custom-id.ts';
import { described, named } from '../src/discord/i18n/command-words.ts';
import { message, type Translator } from '../src/discord/i18n/translator.ts';
import { productHistory } from '../src/offers/product-history.ts';
import { UserError } from '../src/shared/errors.ts';
import { mentionedOffers, offerChoices, offersMeant, severalMatch } from './options.ts';
import { ANYWHERE, type Command, type CommandServices, type Request } from './shared.ts';
import { checking, fixable } from './typed-options.ts';

const MOST_TYPED = 1000;
/** The picture's right end is a full hour, so that equal pictures are made once. */
const HOUR_MS = 3_600_000;

const OPTIONS: APIApplicationCommandBasicOption[] = [
  {
    type: ApplicationCommandOptionType.String,
    name: 'offer',
    ...described('command.history.offer'),
    required: true,
    max_length: MOST_TYPED,
    autocomplete: true,
  },
];

const asked = fixable<Action & { do: 'history-again' }>({
  options: OPTIONS,
  async answer(options, request) {
    const typed = options.get('offer') ?? '';
    const [best, ...others] = await checking('offer', () => offersMeant(typed, request.services));
    return others.length === 0
      ? historyOf(best, request)
      : offerChoiceCard(mentionedOffers([best, ...others], request.services), request.cardContext, {
          which: severalMatch(typed),
          name: message('history.choose'),
          actionOf: (offerId) => ({ do: 'history', offerId }),
        });
  },
});

/** Shows what an offer's product cost. Answers from what is known, and asks the catalog nothing. */
export const history: Command = {
  data: {
    ...named('command.history.name'),
    ...described('command.history'),
    ...ANYWHERE,
    options: OPTIONS,
  },
  answer: 'public',
  execute: (request) => asked.ask({ do: 'history-again' }, request),
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
  const found = await productHistory(known, services, nowMs);
  if (!found) throw new UserError(message('history.none'));
  const picture = await pictureOf(found, translator, nowMs, services);
  return historyCard(shownOffer(known), found, picture, cardContext);
}

/** null where it can't be made, which the log says: the numbers are shown as text. */
async function pictureOf(
  found: PriceHistory,
  translator: Translator,
  nowMs: number,
  { charts, log }: CommandServices,
): Promise<Buffer | null> {
  try {
    return await charts.render(priceChart(found, translator, Math.ceil(nowMs / HOUR_MS) * HOUR_MS));
  } catch (error) {
    log.warn({ err: error }, 'a picture of prices could not be made');
    return null;
  }
}
