/** A channel of the page, or a message in it. */
export interface Place {
  channelId: string;
  messageId: string | null;
}

const PATH = /^\/channels\/(\d{1,20})\/(\d{1,20})(?:\/(\d{1,20}))?\/?$/;
/** Hosts of Discord's own clients, whose links lead to the same paths. */
const DISCORD = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;

/** The path of a channel or message. It is the same as in Discord's own client. */
export function pathOf(guildId: string, { channelId, messageId }: Place): string {
  return `/channels/${guildId}/${channelId}${messageId === null ? '' : `/${messageId}`}`;
}

/** Reads a path of the page; undefined where it names no channel. */
export function placeAt(path: string): Place | undefined {
  const [, , channelId, messageId = null] = PATH.exec(path) ?? [];
  return channelId === undefined ? undefined : { channelId, messageId };
}

/** Reads a link to a channel or message of this server, as Discord writes it; undefined for every other link. */
export function linkedPlace(href: string, guildId: string): Place | undefined {
  const { hostname, pathname } = new URL(href);
  return DISCORD.test(hostname) && PATH.exec(pathname)?.[1] === guildId ? placeAt(pathname) : undefined;
}
