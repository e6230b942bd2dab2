/**
 * Discord's numbers that the page tells apart, from https://discord.com/developers/docs/components/reference and
 * https://discord.com/developers/docs/resources/message. Written down here because the enumerations of
 * `discord-api-types` can't be bundled piecemeal: they would be the larger part of the page.
 */
export const COMPONENT = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  text: 10,
  thumbnail: 11,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
} as const;

export const BUTTON = { primary: 1, secondary: 2, success: 3, danger: 4, link: 5, premium: 6 } as const;

export const CHANNEL = { text: 0, announcement: 5, announcementThread: 10, publicThread: 11, forum: 15 } as const;

export const MESSAGE_FLAG = { ephemeral: 1 << 6, loading: 1 << 7, componentsV2: 1 << 15 } as const;
