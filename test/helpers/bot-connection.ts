import type { House } from './house.ts';

/** Resolves when the gateway connection is gone, or is there. */
export function untilConnected(house: House, isConnected: boolean): Promise<void> {
  return new Promise((resolve) => {
    const end = house.discord.onUpdate((update) => {
      if (update.type !== 'bot' || (update.bot !== null) !== isConnected) return;
      end();
      resolve();
    });
  });
}
