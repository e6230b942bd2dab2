import type { Feature } from '../../app/feature.ts';
import { lackToGiveRoles, takingTroubles } from './roles.ts';

/** Each reason for which members of a server with a panel can't choose a ping, for the operator's terminal. */
export const checkServer: NonNullable<Feature['checkServer']> = (guild, { subscriptions, stores }, english) => {
  if (!stores.pingsPanels?.guildIds().includes(guild.id)) return [];
  const troubles = takingTroubles(
    guild,
    subscriptions.flatMap(({ pings = [] }) => pings),
  );
  const sentences = [lackToGiveRoles(guild), ...troubles.values()].flatMap((one) =>
    one ? [english.translate(one)] : [],
  );
  return [...new Set(sentences)].map((sentence) => `Pings in ${guild.name}: ${sentence}`);
};
