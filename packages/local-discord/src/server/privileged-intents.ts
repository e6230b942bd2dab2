/**
 * The intents that an application gets only where its page in the Developer Portal switches them on.
 * @see https://discord.com/developers/docs/events/gateway#privileged-intents
 */
export type PrivilegedIntent = 'guildPresences' | 'guildMembers' | 'messageContent';

/**
 * The bit of each in an identify, and the flag by which the application says that it has it.
 * @see https://discord.com/developers/docs/resources/application#application-object-application-flags the `…_LIMITED` ones, of a bot in few servers
 */
const BITS: Readonly<Record<PrivilegedIntent, { intent: number; flag: number }>> = {
  guildPresences: { intent: 1 << 8, flag: 1 << 13 },
  guildMembers: { intent: 1 << 1, flag: 1 << 15 },
  messageContent: { intent: 1 << 15, flag: 1 << 19 },
};

export const PRIVILEGED_INTENTS = Object.keys(BITS) as PrivilegedIntent[];

/** The flags of an application that has these. */
export function flagsOf(granted: readonly PrivilegedIntent[]): number {
  return granted.reduce((flags, name) => flags | BITS[name].flag, 0);
}

/** Whether a client asks for a privileged intent that the application does not have. */
export function asksForTooMuch(intents: number, granted: readonly PrivilegedIntent[]): boolean {
  return PRIVILEGED_INTENTS.some((name) => !granted.includes(name) && (intents & BITS[name].intent) !== 0);
}
