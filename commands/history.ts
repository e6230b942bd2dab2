import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { isUuid } from '../src/bot/catalog/wire.ts';
import { type KnownOffer, lastSeenMs, priceKeys, runsUnder, shownOffer } from '../src/bot/deals/known-offer.ts';
import { type PriceHistory, priceHistory } from '../src/bot/deals/observed-prices.ts';
import { historyCard } from '../src/bot/discord/cards/history-card.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import { priceChart } from '../src/bot/discord/charts/price-chart.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { message, type Translator } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { offerChoices, offersMeant } from './offer-option.ts';
import { ANYWHERE } from './places.ts';
import { searchPage } from './search.ts';
import type { Command, CommandServices } from './shared.ts';

const MOST_TYPED = 1000;
/** The picture's right end is a full hour, so that equal pictures are made once. */
const HOUR_MS = 3_600_000;

/** Shows what an offer's product cost. Answers from what is known, and asks the catalog nothing. */
export const history: Command = {
  data: {
    ...named('command.history.name'),
    ...described('command.history'),
    ...ANYWHERE,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'offer',
        ...described('command.history.offer'),
        required: true,
        max_length: MOST_TYPED,
        autocomplete: true,
      },
    ],
  },
  answer: 'public',
  async execute(interaction, shared, translator) {
    const typed = interaction.options.getString('offer', true);
    const [best, ...others] = offersMeant(typed, shared);
    return others.length === 0
      ? historyOf(best, shared, translator)
      : searchPage({ query: typed, page: 1, order: 'relevance', filter: '' }, shared, translator);
  },
  autocomplete: (interaction, shared, translator) => offerChoices(interaction.options.getFocused(), shared, translator),
  actions: {
    history: {
      answer: 'private',
      run: ({ offerId }, _, shared, translator) => historyOf(offerId, shared, translator),
    },
  },
};

async function historyOf(offerId: string, shared: CommandServices, translator: Translator): Promise<Card> {
  const { offers, prices, clock } = shared;
  // Anybody can forge a button.
  const known = isUuid(offerId) ? offers.get(offerId) : undefined;
  if (!known) throw new UserError(message('history.unknown'));
  const keys = priceKeys(known);
  const archived = [...(await prices.among(keys)).values()].flat();
  const live = keys.flatMap((key) =>
    offers.listings(key).flatMap((listing) => runsUnder(key, listing, seenMs(listing, shared))),
  );
  const found = priceHistory([...archived, ...live], clock.now());
  if (!found) throw new UserError(message('history.none'));
  const picture = await pictureOf(found, shared, translator);
  return historyCard(shownOffer(known), found, picture, { translator, nowMs: clock.now() });
}

/** When a listing was last seen in a feed. */
function seenMs(known: KnownOffer, { offers, clock }: CommandServices): number {
  return lastSeenMs(known, (feed) => offers.feedState(feed)?.polledAtMs ?? null) ?? clock.now();
}

/** null where it can't be made, which the log says: the numbers are shown as text. */
async function pictureOf(
  found: PriceHistory,
  { charts, clock, log }: CommandServices,
  translator: Translator,
): Promise<Buffer | null> {
  try {
    return await charts.render(priceChart(found, translator, Math.ceil(clock.now() / HOUR_MS) * HOUR_MS));
  } catch (error) {
    log.warn({ err: error }, 'a picture of prices could not be made');
    return null;
  }
}
