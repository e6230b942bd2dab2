import type { APIApplicationCommand } from 'discord-api-types/v10';

/** Discord's numeric constants by name, as far as this server needs them. */

export const CHANNEL = {
  text: 0,
  direct: 1,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  forum: 15,
} as const;

/** Flag of a forum channel whose posts need a tag. */
export const REQUIRE_TAG = 1 << 4;

export const MESSAGE = {
  default: 0,
  pinNotice: 6,
  followNotice: 12,
  reply: 19,
  chatInputCommand: 20,
  contextMenuCommand: 23,
  pollResult: 46,
} as const;

/** Whether Discord itself wrote a message of the type: that one was pinned, or that the channel follows another. */
export function isNotice({ type }: { type: number }): boolean {
  return type === MESSAGE.pinNotice || type === MESSAGE.followNotice;
}

export const MESSAGE_FLAG = {
  crossposted: 1 << 0,
  isCrosspost: 1 << 1,
  suppressEmbeds: 1 << 2,
  sourceDeleted: 1 << 3,
  hasThread: 1 << 5,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  componentsV2: 1 << 15,
} as const;

export const COMPONENT = {
  actionRow: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  textDisplay: 10,
  thumbnail: 11,
  mediaGallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
} as const;

export const BUTTON_STYLE = { link: 5 } as const;

/** Types of scheduled events: a place of one's own is the only one that this server knows. */
export const EVENT_TYPE = { external: 3 } as const;

export const EVENT_STATUS = { scheduled: 1, active: 2, completed: 3, canceled: 4 } as const;

/** The most requests of bots that are remembered, and that the page keeps. */
export const MOST_REQUESTS = 100;

/** Types of application commands. */
export const COMMAND = { chatInput: 1, user: 2, message: 3 } as const;

/** Whether a command stands in the menu of a message or a person. */
export const isInMenu = (type: unknown) => type === COMMAND.user || type === COMMAND.message;

/** Contexts in which an interaction takes place. */
export const CONTEXT = { guild: 0, botDirect: 1 } as const;

export const INTERACTION = { command: 2, component: 3, autocomplete: 4, modalSubmit: 5 } as const;

export const CALLBACK = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  update: 7,
  autocomplete: 8,
  modal: 9,
} as const;

export const OPTION = {
  subcommand: 1,
  subcommandGroup: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;

export const PERMISSION = {
  administrator: 1n << 3n,
  manageChannels: 1n << 4n,
  manageGuild: 1n << 5n,
  addReactions: 1n << 6n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  manageMessages: 1n << 13n,
  embedLinks: 1n << 14n,
  attachFiles: 1n << 15n,
  readMessageHistory: 1n << 16n,
  mentionEveryone: 1n << 17n,
  useExternalEmojis: 1n << 18n,
  manageRoles: 1n << 28n,
  manageWebhooks: 1n << 29n,
  useApplicationCommands: 1n << 31n,
  manageEvents: 1n << 33n,
  manageThreads: 1n << 34n,
  createPublicThreads: 1n << 35n,
  sendMessagesInThreads: 1n << 38n,
  createEvents: 1n << 44n,
  sendPolls: 1n << 49n,
  pinMessages: 1n << 51n,
} as const;

/** The permissions as Discord's client calls them: "Manage Server, Manage Roles"; those that no rule here asks for by their bits. */
export function namesOfPermissions(permissions: bigint): string {
  const known = Object.entries(PERMISSION).filter(([, bit]) => (permissions & bit) !== 0n);
  const names = known.map(([name]) => name.replace(/(^|[A-Z])/g, ' $1'));
  const others = known.reduce((left, [, bit]) => left & ~bit, permissions);
  return [...names.map(asTitle), ...(others === 0n ? [] : [`the permissions ${others}`])].join(', ');
}

function asTitle(words: string): string {
  const text = words.trim().replace('Guild', 'Server');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Whether a command may be used in the server, or in the direct messages with the bot:
 * https://discord.com/developers/docs/interactions/application-commands#interaction-contexts
 */
export function isUsableIn(command: APIApplicationCommand, place: 'guild' | 'direct'): boolean {
  const allows = (context: number) => command.contexts?.some((one) => Number(one) === context);
  if (place === 'guild') return allows(CONTEXT.guild) ?? true;
  if (command.guild_id !== undefined) return false;
  return allows(CONTEXT.botDirect) ?? command.dm_permission !== false;
}
