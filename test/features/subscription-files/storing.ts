import type { Subscription } from '../../../src/deals/subscription.ts';

/** These subscriptions as plans read them from a state. */
export const storing = (subscriptions: readonly Subscription[]) => ({
  ofGuild: (id: string) => subscriptions.filter(({ guildId }) => guildId === id),
  get: (id: string) => subscriptions.find((one) => one.id === id),
});
