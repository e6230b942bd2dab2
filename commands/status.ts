import { version as discordJs, type Interaction, PermissionFlagsBits } from 'discord.js';
import type { AuditResult } from '../src/bot/announcements/deliver/audit.ts';
import type { PollStatus } from '../src/bot/announcements/poll/poller.ts';
import { resourceOf, type Subscription } from '../src/bot/deals/subscription.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import {
  botStatusCard,
  type InterfaceStatus,
  type PlaceStatus,
  type StatusView,
  statusCard,
  type Wellness,
} from '../src/bot/discord/cards/status-card.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../src/bot/discord/i18n/translator.ts';
import { canSee, requireManager } from '../src/bot/discord/permissions.ts';
import { ANYWHERE } from './places.ts';
import type { Command, CommandServices } from './shared.ts';

/** Shows whether the bot works; makes no request to the catalog. Who reads it is checked at every click. */
export const status: Command = {
  data: { ...named('command.status.name'), ...described('command.status'), ...ANYWHERE },
  answer: 'private',
  execute: async (interaction, shared, translator) => statusOf(interaction, shared, translator),
  actions: {
    status: {
      answer: 'update',
      async run({ of }, interaction, shared, translator) {
        if (of === 'server') return statusOf(interaction, shared, translator);
        requireManager(interaction);
        return botStatusOf(shared, translator);
      },
    },
  },
};

function statusOf(interaction: Interaction, shared: CommandServices, translator: Translator): Card {
  const polls = shared.poller.status();
  const places = placesOf(interaction, polls, shared);
  const { isWell, stateProblem, pausedSinceMs } = wellnessOf(polls, shared);
  const isManager = places !== null && (interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false);
  return statusCard(
    {
      isWell: isWell && (places ?? []).every(({ subscription }) => subscription.problem === null),
      stateProblem,
      pausedSinceMs,
      places,
      isManager,
      audit: isManager ? auditOf(interaction.guildId, shared.audit.last()) : null,
    },
    { translator, nowMs: shared.clock.now() },
  );
}

function auditOf(guildId: string | null, last: AuditResult | null): StatusView['audit'] {
  const figures = guildId === null ? undefined : last?.byServer.get(guildId);
  return last && figures ? { ...figures, atMs: last.atMs } : null;
}

function wellnessOf(polls: PollStatus, { catalog, deliverer, stateProblem }: CommandServices): Wellness {
  const trouble = stateProblem();
  const isReachable = interfacesOf(catalog, polls).every(({ health }) => health.circuitOpenUntilMs === null);
  const isSeeing = polls.resources.every(({ isFollowed, failure }) => !isFollowed || failure === null);
  const isWell = isReachable && isSeeing && trouble === null;
  return { isWell, stateProblem: trouble, pausedSinceMs: deliverer.status().pausedSinceMs };
}

/** The server's subscriptions in channels that the person sees, those with problems first; null outside of a server. */
function placesOf(
  interaction: Interaction,
  { resources }: PollStatus,
  { subscriptions, deliveries, deliverer }: CommandServices,
): PlaceStatus[] | null {
  const { guildId } = interaction;
  if (guildId === null) return null;
  return subscriptions
    .ofGuild(guildId)
    .filter(({ channelId }) => canSee(interaction, channelId))
    .toSorted((a, b) => Number(b.problem !== null) - Number(a.problem !== null) || a.createdAtMs - b.createdAtMs)
    .map((subscription) => ({
      subscription,
      resource: resources.find(({ resource }) => resource === resourceOf(subscription.source)) ?? null,
      pending: pendingIn(subscription, deliveries),
      limit: deliverer.limitOf(subscription.channelId),
    }));
}

function pendingIn({ channelId }: Subscription, deliveries: CommandServices['deliveries']): number {
  return deliveries.pending(channelId).length + (deliveries.pendingRollUp(channelId)?.members.length ?? 0);
}

function botStatusOf(shared: CommandServices, translator: Translator): Card {
  const { catalog, poller, deliverer, about, clock } = shared;
  const polls = poller.status();
  const { ended, ...figures } = deliverer.status();
  return botStatusCard(
    {
      ...wellnessOf(polls, shared),
      interfaces: interfacesOf(catalog, polls),
      resources: polls.resources,
      deliveries: { ...figures, ended: ended.sinceStart, postedToday: ended.postedToday },
      versions: { dealbell: about.version, node: process.versions.node, discordJs },
      startedAtMs: about.startedAtMs,
      epoch: about.epoch,
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
