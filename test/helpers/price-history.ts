import type { CommandServices } from '../../commands/shared.ts';
import type { Card, CardContext } from '../../src/discord/cards/parts.ts';
import type { ComponentRequest } from '../../src/discord/command.ts';
import type { PictureRenderer } from '../../src/discord/pictures/renderer.ts';
import { FEATURES } from '../../src/features/index.ts';
import type { PriceSources } from '../../src/offers/product-history.ts';

/** The button that opens what an offer's product cost; undefined in a bot without it. */
const BUTTON = FEATURES.flatMap(({ commands = [] }) => commands).find(({ data }) => data.name === 'history')?.actions?.[
  'history'
];

interface HistoryParts {
  offers: PriceSources['offers'] & Pick<CommandServices['offers'], 'get'>;
  prices: PriceSources['prices'];
  pictures: Pick<PictureRenderer, 'render'>;
  cardContext: CardContext;
}

/** The card that the button opens; null in a bot without it. */
export async function historyShown(
  offerId: string,
  { offers, prices, pictures, cardContext }: HistoryParts,
): Promise<Card | null> {
  const services = { offers, charts: { prices, pictures }, log: { warn: () => undefined } };
  const card = await BUTTON?.run(
    { do: 'history', offerId } as never,
    { services, cardContext } as unknown as ComponentRequest<CommandServices>,
  );
  return (card as Card | undefined) ?? null;
}
