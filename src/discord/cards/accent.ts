/** Accent colours of cards, 0xRRGGBB, by content. An announcement's card uses the colour of its kind. */
export const ACCENT = {
  offer: 0x2f9e6e,
  event: 0xe0a030,
  dealcast: 0x8a63d2,
  poll: 0x3ba3d0,
  monkeychat: 0xc2703d,
  warning: 0xe07a30,
  danger: 0xda373c,
  over: 0x747f8d,
  notice: 0x5865f2,
} as const;
