import type { LocalDiscord } from '../../packages/local-discord/src/index.ts';

/** The id of the person whose place it is; null for a channel. */
export function personNamed({ people }: LocalDiscord, place: string): string | null {
  return place === '@ben' ? people.ben.id : null;
}

/** The channel of a place, under the place's name. */
export function channelNamed(discord: LocalDiscord, place: string): { id: string; type: number; name: string } {
  const personId = personNamed(discord, place);
  const { id, type } = personId === null ? discord.channel(place) : discord.directChannel(personId);
  return { id, type, name: place };
}
