import { version as discordJs, type Interaction, PermissionFlagsBits } from 'discord.js';
import type { PollStatus } from '../src/bot/announcements/poll/poller.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import { type InterfaceStatus, type ServerFigures, statusCard } from '../src/bot/discord/cards/status-card.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../src/bot/discord/i18n/translator.ts';
import { ANYWHERE } from './places.ts';
import type { Command, CommandServices } from './shared.ts';

/** Shows the bot's state; makes no request to the catalog. */
export const status: Command = {
  data: { ...named('command.status.name'), ...described('command.status'), ...ANYWHERE },
  answer: 'private',
  execute: async (interaction, shared, translator) => statusOf(interaction, shared, translator),
  actions: {
    status: {
      answer: 'update',
      run: async (_, interaction, shared, translator) => statusOf(interaction, shared, translator),
    },
  },
};

function statusOf(interaction: Interaction, shared: CommandServices, translator: Translator): Card {
  const { catalog, poller, deliverer, about, clock } = shared;
  const stateProblem = shared.stateProblem();
  const polls = poller.status();
  const { ended, ...figures } = deliverer.status();
  const interfaces = interfacesOf(catalog, polls);
  const isReachable = interfaces.every(({ health }) => health.circuitOpenUntilMs === null);
  const isSeeing = polls.resources.every(({ isFollowed, failure }) => !isFollowed || failure === null);
  return statusCard(
    {
      isWell: isReachable && isSeeing && stateProblem === null,
      stateProblem,
      interfaces,
      resources: polls.resources,
      deliveries: { ...figures, ended: ended.sinceStart, postedToday: ended.postedToday },
      server: serverOf(interaction, shared),
      versions: { dealbell: about.version, node: process.versions.node, discordJs },
      startedAtMs: about.startedAtMs,
    },
    { translator, nowMs: clock.now() },
  );
}

function interfacesOf(catalog: CommandServices['catalog'], { interfaces }: PollStatus): InterfaceStatus[] {
  const health = catalog.health();
  const quota = catalog.quota();
  return (['portal', 'v2'] as const).map((name) => ({
    name,
    health: health[name],
    quota: quota[name],
    ...interfaces[name],
  }));
}

/** The figures of the server in which the command was used, for those who manage it; null for anyone else. */
function serverOf(interaction: Interaction, { subscriptions, deliveries }: CommandServices): ServerFigures | null {
  const { guildId, memberPermissions } = interaction;
  if (guildId === null || !memberPermissions?.has(PermissionFlagsBits.ManageGuild)) return null;
  const own = subscriptions.ofGuild(guildId);
  const channels = new Set(own.map(({ channelId }) => channelId));
  const pending = [...channels].map(
    (channelId) => deliveries.pending(channelId).length + (deliveries.pendingRollUp(channelId)?.members.length ?? 0),
  );
  return {
    subscriptions: own.length,
    paused: own.filter(({ pausedBy }) => pausedBy !== null).length,
    withProblem: own.filter(({ problem }) => problem !== null).length,
    pending: pending.reduce((sum, count) => sum + count, 0),
  };
}
