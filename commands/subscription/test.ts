import type { Interaction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { matchedBy } from '../../src/bot/announcements/deliver/matched-by.ts';
import { asNew, type Sample, sampleOf } from '../../src/bot/announcements/explain/dry-run.ts';
import { readResource } from '../../src/bot/announcements/poll/resource.ts';
import { type Look, lookOf } from '../../src/bot/deals/look.ts';
import { isFeed, resourceOf, type Subscription } from '../../src/bot/deals/subscription.ts';
import { announcementCard } from '../../src/bot/discord/cards/announcement-card.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { testCard } from '../../src/bot/discord/cards/subscription-card.ts';
import type { CommandContext } from '../../src/bot/discord/command.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import { type Translator, translatorFor } from '../../src/bot/discord/i18n/translator.ts';
import { requireTarget } from '../../src/bot/discord/permissions.ts';
import { ageMs } from '../../src/shared/clock.ts';
import type { CommandServices } from '../shared.ts';
import { idOption, requireSubscription } from './id-option.ts';
import { viewOf } from './panel.ts';
import type { Subcommand } from './subcommand.ts';

/** The maximum age of the data from which a sample post is made. */
const SEEN_LATELY_MS = 60 * 60_000;

export const test: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'test',
    ...described('command.subscription.test'),
    options: [idOption('command.subscription.test.id')],
  },
  async execute(interaction, guildId, shared, translator, context) {
    const found = requireSubscription(interaction.options.getString('id', true), guildId, shared.subscriptions);
    return sendTest(found, interaction, shared, translator, context);
  },
};

/** Shows privately a sample post of the newest match, and what would prevent the post. */
export async function sendTest(
  subscription: Subscription,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  await requireTarget(interaction, subscription.channelId);
  const things = await liveThings(subscription, shared, context);
  const nowMs = shared.clock.now();
  const { newest, ...counts } = sampleOf(subscription, things, nowMs);
  const look = lookOf(shared.looks.of(subscription.guildId), subscription.look);
  const sample = newest && sampleCard(newest, subscription, look, interaction, shared, nowMs);
  return testCard(await viewOf(subscription, interaction, shared), { sample, ...counts }, { translator, nowMs });
}

async function liveThings(
  { source }: Subscription,
  { offers, catalog, poller, clock }: CommandServices,
  context: CommandContext,
) {
  const resource = resourceOf(source);
  if (source.kind !== 'feed' || !isFeed(resource)) {
    const { value } = await readResource(resource, catalog, context.asking(SEEN_LATELY_MS));
    return 'offers' in value ? [] : value;
  }
  const seenAtMs = offers.feedState(source.feed)?.polledAtMs ?? 0;
  if (ageMs(seenAtMs, clock.now()) > SEEN_LATELY_MS) {
    context.spend();
    await poller.poll(resource, 'interactive');
  }
  return offers.live(source.feed).map(asNew);
}

/** In the server's language, as it would be posted. */
function sampleCard(
  { announcement, terms }: NonNullable<Sample['newest']>,
  subscription: Subscription,
  look: Look,
  interaction: Interaction,
  { subscriptions }: CommandServices,
  nowMs: number,
): Card {
  const translator = translatorFor(interaction.guildLocale);
  const matched = matchedBy([{ subscriptionId: subscription.id, terms }], subscription, subscriptions, translator);
  // A sample has no delivery.
  return announcementCard(announcement, { deliveryId: '', matched, ...look, translator, nowMs });
}
