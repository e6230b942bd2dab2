import { ApplicationIntegrationType, InteractionContextType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { FeatureCommand, Request } from '../../../commands/shared.ts';
import { pageOf } from '../../discord/cards/paged-card.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { UserError } from '../../shared/errors.ts';
import { TABLE } from './actions.ts';
import { followCard, followedCard, followHubCard } from './cards.ts';
import { follow as followChannel, requireFollower } from './following.ts';
import { offeredHubs, requireOffered, weekOf } from './offered.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

/**
 * Lets a channel follow a hub, by Discord's own Follow: what is published there arrives without any request of the bot's.
 * Discord shows it to people who may manage webhooks. Whether they may in the channel that they choose is checked there.
 */
export const follow: FeatureCommand<typeof TABLE> = {
  table: TABLE,
  data: {
    name: 'follow',
    ...described('command.follow'),
    default_member_permissions: String(PermissionFlagsBits.ManageWebhooks),
    integration_types: [ApplicationIntegrationType.GuildInstall],
    contexts: [InteractionContextType.Guild],
  },
  answer: 'private',
  execute: (request) => hubsPage(1, request),
  actions: {
    follow: { answer: 'update', run: ({ page }, request) => hubsPage(page, request) },
    'follow-hub': {
      answer: 'update',
      async run({ hubId }, request) {
        const { hub, view } = requireOffered(hubId, request);
        return followHubCard(view, await weekOf(hub, request), request.cardContext);
      },
    },
    'follow-to': {
      answer: 'update',
      async run({ hubId }, request) {
        const { hub, view } = requireOffered(hubId, request);
        const { guild, member, values, person, services } = request;
        if (!guild || !member) throw new UserError(message('permission.serverOnly'));
        if (guild.id === hub.guildId) throw new UserError(message('follow.ownServer'));
        const channel = await requireFollower(guild, values[0] ?? '', member);
        const reason = services.translators(guild.preferredLocale).t('reason.followed', {
          person: person.username,
          hub: `#${view.name}`,
        });
        const isNew = await followChannel(hubId, channel, reason);
        return followedCard(view, { channelId: channel.id, isNew }, request.cardContext);
      },
    },
  },
};

async function hubsPage(page: number, request: Request): Promise<Card> {
  if (!request.guild) throw new UserError(message('permission.serverOnly'));
  const hubs = offeredHubs(request);
  const weeks = new Map<string, Awaited<ReturnType<typeof weekOf>>>();
  for (const { channelId } of pageOf(hubs, page).shown) {
    const hub = request.services.hubs.get(channelId);
    if (hub) weeks.set(channelId, await weekOf(hub, request));
  }
  return followCard({ hubs, page, weekOf: ({ channelId }) => weeks.get(channelId) }, request.cardContext);
}
