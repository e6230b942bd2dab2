import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Subscription } from '../../src/deals/subscription.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import { described } from '../../src/discord/i18n/command-words.ts';
import { requirePostable } from '../../src/discord/permissions.ts';
import { idOption, requireSubscription } from '../options.ts';
import type { ManagerRequest, Subcommand } from '../shared.ts';
import { outlookOf, panel } from './panel.ts';
import { change } from './save.ts';

export const pause: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'pause',
    ...described('command.subscription.pause'),
    options: [idOption(described('command.subscription.pause.id'))],
  },
  execute: async (request) => pauseNow(requireSubscription(request.options.getString('id', true), request), request),
};

export const resume: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'resume',
    ...described('command.subscription.resume'),
    options: [idOption(described('command.subscription.resume.id'))],
  },
  execute: async (request) => resumeNow(requireSubscription(request.options.getString('id', true), request), request),
};

/** Pauses a subscription until somebody resumes it. */
export async function pauseNow(subscription: Subscription, request: ManagerRequest): Promise<Card> {
  const alter = (current: Subscription) => ({ ...current, pausedBy: current.pausedBy ?? 'person' });
  return panel(await change(subscription, alter, request), request);
}

/** Resumes a subscription if the bot can post in its channel. Matches from during the pause are not posted. */
export async function resumeNow(subscription: Subscription, request: ManagerRequest): Promise<Card> {
  await requirePostable(request.guild, subscription.channelId);
  const resumed = await change(
    subscription,
    (current) => ({ ...current, pausedBy: null, problem: current.pausedBy === 'gone' ? null : current.problem }),
    request,
  );
  return panel(resumed, request, request.t('subscription.resumed', { outlook: outlookOf(resumed, request) }));
}
