import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { candidatesIn } from '../../../commands/known.ts';
import { idOption, requireSubscription } from '../../../commands/options.ts';
import type { AddedSubcommand, CommandServices, ManagerRequest } from '../../../commands/shared.ts';
import { viewOf } from '../../../commands/subscription/panel.ts';
import { type Candidate, sampleOf, withSubject } from '../../announcements/explain/dry-run.ts';
import { readResource } from '../../announcements/poll/resource.ts';
import { isFeed, resourceOf, type Subscription } from '../../deals/subscription.ts';
import type { ActionOf } from '../../discord/action-table.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { Handlers } from '../../discord/command.ts';
import { commandWords, described as core } from '../../discord/i18n/command-words.ts';
import { requireTarget } from '../../discord/permissions.ts';
import { ageMs } from '../../shared/clock.ts';
import { HOUR_MS } from '../../shared/time.ts';
import { STEPS, TABLE } from './actions.ts';
import { previewCard, testCard } from './preview-cards.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

/** The maximum age of the data from which a sample post is made. */
const SEEN_LATELY_MS = HOUR_MS;

export const test: AddedSubcommand = {
  to: 'subscription',
  after: 'resume',
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'test',
    ...described('command.subscription.test'),
    options: [idOption(described('command.subscription.test.id'))],
  },
  async execute(request) {
    const manager = request.asManager();
    return sendTest(requireSubscription(request.options.getString('id', true), manager), manager);
  },
};

/** Shows what the last seven days would have announced, from the bot's own records; makes no request. */
export const preview: AddedSubcommand = {
  to: 'subscription',
  after: 'test',
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'preview',
    ...described('command.subscription.preview'),
    options: [idOption(core('command.subscription.remove.id'))],
  },
  execute: async (request) => previewPage(request.options.getString('id', true), 1, request.asManager()),
};

export const previewHandlers: Handlers<CommandServices, ActionOf<typeof TABLE>> = {
  table: TABLE,
  actions: {
    preview: {
      answer: 'update',
      run: async ({ subscriptionId, page }, request) => previewPage(subscriptionId, page, request.asManager()),
    },
  },
};

export const testHandlers: Handlers<CommandServices, ActionOf<typeof STEPS>> = {
  table: STEPS,
  actions: {
    subscription: {
      answer: 'update',
      async run({ subscriptionId }, request) {
        const manager = request.asManager();
        return sendTest(requireSubscription(subscriptionId, manager), manager);
      },
    },
  },
};

async function previewPage(id: string, page: number, request: ManagerRequest): Promise<Card> {
  const found = await request.services.explainer.preview(requireSubscription(id, request));
  return previewCard(found, page, request.cardContext);
}

/** Shows privately a sample post of the newest match, and what would prevent the post. */
async function sendTest(subscription: Subscription, request: ManagerRequest): Promise<Card> {
  await requireTarget(request.guild, subscription.channelId);
  const candidates = await readCandidates(subscription, request);
  const context = request.cardContext;
  const { newest, ...counts } = sampleOf(subscription, candidates, request.services.settings, context.nowMs);
  const sample = newest && request.services.deliverer.sample(newest.announcement, subscription, newest.terms);
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
