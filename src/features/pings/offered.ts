import type { Guild } from 'discord.js';
import type { CommandServices } from '../../../commands/shared.ts';
import type { Explainer } from '../../announcements/explain/explain.ts';
import { ringsIn } from '../../deals/preview.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import type { OfferedPing } from './member-cards.ts';
import { pingsOf } from './ping.ts';
import type { Rings } from './records.ts';
import { takingTroubles } from './roles.ts';

/** The ids of the roles that a server's subscriptions ring, whether members can take them or not; each once. */
export function rungRoles(guildId: string, subscriptions: SubscriptionStore): string[] {
  return [...new Set(subscriptions.ofGuild(guildId).flatMap(({ pings = [] }) => pings.map(({ roleId }) => roleId)))];
}

/** Why members can't take the roles that a server's subscriptions ring, by the role's id; null where they can. */
export function troublesOf(guild: Guild, subscriptions: SubscriptionStore) {
  return takingTroubles(guild, subscriptions.ofGuild(guild.id));
}

/** Why members can't take a subscription's pings, by the role's id. Empty where the server has no panel. */
export function shownTroubles(
  { pings = [] }: Pick<Subscription, 'pings'>,
  guild: Guild | null,
  { subscriptions, pingsPanels }: CommandServices,
): Map<string, LocalizedText> {
  if (!guild || !pingsPanels.isIn(guild.id)) return new Map();
  const troubles = troublesOf(guild, subscriptions);
  return new Map(
    pings.flatMap(({ roleId }) => {
      const trouble = troubles.get(roleId);
      return trouble ? [[roleId, trouble] as const] : [];
    }),
  );
}

/** The ids of those that members of the server may take themselves. */
export function offeredRoles(guild: Guild, subscriptions: SubscriptionStore): string[] {
  return [...troublesOf(guild, subscriptions)].flatMap(([roleId, trouble]) => (trouble ? [] : [roleId]));
}

/** The same with what rings each, and how often each was rung, or would have been; in the order of their names. */
export async function offeredPings(
  guild: Guild,
  { subscriptions, explainer, rings }: { subscriptions: SubscriptionStore; explainer: Explainer; rings: Rings },
  nowMs: number,
): Promise<OfferedPing[]> {
  const ofGuild = subscriptions.ofGuild(guild.id);
  const roleIds = offeredRoles(guild, subscriptions);
  const rung = new Map(roleIds.map((roleId) => [roleId, rings.of(roleId, nowMs)]));
  const previews = new Map(
    await Promise.all(
      ofGuild
        .filter(({ pings = [] }) => pings.some(({ roleId }) => rung.get(roleId) === null))
        .map(async (subscription) => [subscription, await explainer.preview(subscription)] as const),
    ),
  );
  const triedOf = (roleId: string, among: readonly Subscription[]) => {
    const known = among.flatMap((subscription) => {
      const preview = previews.get(subscription);
      return preview && preview.knownSinceMs !== null ? [ringsIn(preview, roleId)] : [];
    });
    return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
  };
  return roleIds
    .map((roleId) => {
      const uses = ofGuild.flatMap((subscription) =>
        pingsOf(subscription)
          .filter((ping) => ping.roleId === roleId)
          .map((ping) => ({ subscription, ping })),
      );
      const name = guild.roles.cache.get(roleId)?.name ?? roleId;
      const count = rung.get(roleId) ?? null;
      if (count !== null) return { roleId, name, uses, rings: { count, isTried: false } };
      const tried = triedOf(
        roleId,
        uses.map(({ subscription }) => subscription),
      );
      return { roleId, name, uses, rings: tried === null ? null : { count: tried, isTried: true } };
    })
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
