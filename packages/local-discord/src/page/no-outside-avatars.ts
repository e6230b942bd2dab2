export {};

const nothingToLoad = 'data:,';

declare global {
  interface Window {
    /** `@skyra/discord-components-core` reads it when it is loaded. */
    $discordMessage?: { avatars: Record<string, string>; defaultBackground: 'none' };
  }
}

window.$discordMessage = {
  avatars: {
    default: nothingToLoad,
    blue: nothingToLoad,
    gray: nothingToLoad,
    green: nothingToLoad,
    orange: nothingToLoad,
    red: nothingToLoad,
    pink: nothingToLoad,
  },
  defaultBackground: 'none',
};
