import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { matchedBy } from '../../src/announcements/deliver/message.ts';
import { type Candidate, type Sample, sampleOf, withSubject } from '../../src/announcements/explain/dry-run.ts';
import { readResource } from '../../src/announcements/poll/resource.ts';
import { lookOf } from '../../src/deals/look.ts';
import { isFeed, resourceOf, type Subscription } from '../../src/deals/subscription.ts';
import { announcementCard } from '../../src/discord/cards/announcement-card.ts';
import { boardCard } from '../../src/discord/cards/board-card.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import { previewCard } from '../../src/discord/cards/preview-card.ts';
import { testCard } from '../../src/discord/cards/subscription-card.ts';
import { described } from '../../src/discord/i18n/command-words.ts';
import { requireTarget } from '../../src/discord/permissions.ts';
import { ageMs } from '../../src/shared/clock.ts';
import { candidatesIn } from '../known.ts';
import { idOption, requireSubscription } from '../options.ts';
import type { Command, ManagerRequest, Subcommand } from '../shared.ts';
import { viewOf } from './panel.ts';

/** The maximum age of the data from which a sample post is made. */
const SEEN_LATELY_MS = 60 * 60_000;

export const test: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'test',
    ...described('command.subscription.test'),
    options: [idOption('command.subscription.test.id')],
  },
  execute: async (request) => sendTest(requireSubscription(request.options.getString('id', true), request), request),
};

/** Shows what the last seven days would have announced, from the bot's own records; makes no request. */
export const preview: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'preview',
    ...described('command.subscription.preview'),
    options: [idOption('command.subscription.remove.id')],
  },
  execute: (request) => previewPage(request.options.getString('id', true), 1, request),
};

export const previewActions = {
  preview: {
    answer: 'update',
    run: async ({ subscriptionId, page }, request) => previewPage(subscriptionId, page, request.asManager()),
  },
} satisfies Command['actions'];

async function previewPage(id: string, page: number, request: ManagerRequest): Promise<Card> {
  const found = await request.services.explainer.preview(requireSubscription(id, request));
  return previewCard(found, page, request.cardContext);
}

/** Shows privately a sample post of the newest match, and what would prevent the post. */
export async function sendTest(subscription: Subscription, request: ManagerRequest): Promise<Card> {
  await requireTarget(request.guild, subscription.channelId);
  const candidates = await readCandidates(subscription, request);
  const context = request.cardContext;
  const { newest, ...counts } = sampleOf(subscription, candidates, context.nowMs);
  const sample = newest && sampleCard(newest, subscription, request, context.nowMs);
  return testCard(await viewOf(subscription, request), { sample, ...counts }, context);
}

async function readCandidates({ source }: Subscription, request: ManagerRequest): Promise<readonly Candidate[]> {
  const { offers, catalog, poller, clock } = request.services;
  const resource = resourceOf(source);
  if (source.kind !== 'feed' || !isFeed(resource)) {
    const { value } = await readResource(resource, catalog, request.asking(SEEN_LATELY_MS));
    return 'offers' in value ? [] : value.map(withSubject);
  }
  const seenAtMs = offers.feedState(source.feed)?.polledAtMs ?? 0;
  if (ageMs(seenAtMs, clock.now()) > SEEN_LATELY_MS) {
    request.spend();
    await poller.poll(resource, 'interactive');
  }
  return (await candidatesIn(source, request.services))?.candidates ?? [];
}

/** In the server's language, as it would be posted. */
function sampleCard(
  { announcement, terms }: NonNullable<Sample['newest']>,
  subscription: Subscription,
  { services, serverLocale, cardContext }: ManagerRequest,
  nowMs: number,
): Card {
  const { looks, subscriptions } = services;
  const translator = services.translators(serverLocale);
  const look = lookOf(looks.of(subscription.guildId), subscription.look);
  const matched = matchedBy([{ subscriptionId: subscription.id, terms }], subscription, subscriptions, translator);
  // A sample has no delivery.
  const context = { ...cardContext, deliveryId: '', matched, ...look, translator, nowMs };
  if (!subscription.isBoard || announcement.kind !== 'event-started') return announcementCard(announcement, context);
  const { item: event } = announcement;
  return boardCard({ event, board: services.currentState.board(event, nowMs), updatedAtMs: nowMs }, context);
}
