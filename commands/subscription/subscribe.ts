import { randomUUID } from 'node:crypto';
import { newSubscription } from '../../src/bot/announcements/kinds/of-source.ts';
import { watchFeedForm } from '../../src/bot/discord/cards/watch-cards.ts';
import type { ComponentInteraction } from '../../src/bot/discord/command.ts';
import {
  canManage,
  knownTarget,
  requireManager,
  requirePostable,
  requireTarget,
} from '../../src/bot/discord/permissions.ts';
import { requireFeed } from '../feed-option.ts';
import type { Command } from '../shared.ts';
import { DEFAULT_CATCH_UP, subscribe } from './add.ts';
import { panel } from './panel.ts';

/** Handler of the button that makes a card's channel follow a feed; other members get a watch of their own. */
export const subscribeActions = {
  subscribe: {
    answer: 'private',
    async run(action, interaction, shared, translator, context) {
      const feed = requireFeed(action.feed, shared.feeds);
      // Without the bot in the server, nobody can subscribe its channels.
      if (!canManage(interaction) || interaction.guild === null) return watchFeedForm(feed, translator);
      const { guildId } = requireManager(interaction);
      const channelId = placeOf(interaction);
      const there = shared.subscriptions
        .ofGuild(guildId)
        .find(
          ({ source, ...other }) => other.channelId === channelId && source.kind === 'feed' && source.feed === feed,
        );
      if (there) {
        const told = { channel: `<#${channelId}>`, feed };
        return panel(there, interaction, shared, translator, translator.t('subscription.there', told));
      }
      const where = await requireTarget(interaction, channelId);
      await requirePostable(interaction, where);
      const request = newSubscription({
        id: randomUUID(),
        guildId,
        channelId,
        source: { kind: 'feed', feed },
        createdBy: interaction.user.id,
        createdAtMs: shared.clock.now(),
        catchUp: DEFAULT_CATCH_UP,
      });
      return subscribe({ ...request, target: where.target }, interaction, shared, translator, context);
    },
  },
} satisfies Command['actions'];

/** The channel of the card; for a forum post the forum, in which each announcement becomes a post. */
function placeOf(interaction: ComponentInteraction): string {
  const { channel, channelId } = interaction;
  const parentId = channel?.isThread() ? channel.parentId : null;
  const parent = parentId === null ? null : knownTarget(interaction, parentId);
  return parent?.target === 'forum' ? parent.channel.id : channelId;
}
