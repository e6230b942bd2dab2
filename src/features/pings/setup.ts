import type { Guild } from 'discord.js';
import type { Feature } from '../../app/feature.ts';
import { lackToGiveRoles, takingTroubles } from './roles.ts';

/** Each reason for which members of a server with a panel can't choose a ping, for the operator's terminal. */
export const checkServer: NonNullable<Feature['checkServer']> = (guild, { subscriptions, stores }, english) => {
  if (!stores.pingsPanels?.guildIds().includes(guild.id)) return [];
  const troubles = takingTroubles(guild, subscriptions);
  const sentences = [lackToGiveRoles(guild), ...troubles.values()].flatMap((one) =>
    one ? [withNames(english.translate(one), guild)] : [],
  );
  return [...new Set(sentences)].map((sentence) => `Pings in ${guild.name}: ${sentence}`);
};

/** A sentence with the names of its roles and channels, which a terminal doesn't put in place of their mentions. */
function withNames(sentence: string, { roles, channels }: Guild): string {
  return sentence.replace(/<(@&|#)(\d+)>/g, (mention, kind: '@&' | '#', id: string) => {
    const name = (kind === '#' ? channels : roles).cache.get(id)?.name;
    return name === undefined ? mention : `${kind[0]}${name}`;
  });
}
