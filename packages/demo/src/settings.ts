import { once } from 'node:events';
import { createServer } from 'node:net';
import { SettingsError } from './endings.ts';
import type { BotSettings } from './protocol.ts';

/** The settings that the demo itself reads, besides those of the bot. */
export const DEMO_SETTINGS = ['LOCAL_DISCORD_FOR_EVERYONE'] as const;

type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;

/** Whether the page is on this machine, and other machines can reach it. */
export function isOpenToEveryone({ host, missing }: BotSettings): boolean {
  return missing.includes('DISCORD_TOKEN') && !LOOPBACK.test(host);
}

/**
 * Refuses settings under which local Discord can't be run.
 * @throws SettingsError with every problem
 */
export function checkSettings(settings: BotSettings, environment: Environment): void {
  const forEveryone = environment['LOCAL_DISCORD_FOR_EVERYONE']?.trim() || 'no';
  const problems: string[] = [];
  if (forEveryone !== 'yes' && forEveryone !== 'no') problems.push('LOCAL_DISCORD_FOR_EVERYONE must be yes or no.');
  // Everybody who opens its page can act as anyone.
  if (isOpenToEveryone(settings) && forEveryone !== 'yes') {
    problems.push(
      `HOST ${settings.host} would let anyone who can reach it act as anyone in local Discord. Set DISCORD_TOKEN to use the real Discord, or LOCAL_DISCORD_FOR_EVERYONE=yes if that's what you want.`,
    );
  }
  if (settings.isStandby && settings.missing.includes('DISCORD_TOKEN')) {
    problems.push('--standby needs DISCORD_TOKEN: local Discord ends with the process that runs it.');
  }
  if (problems.length > 0) throw new SettingsError(problems);
}

/** The reasons why local Discord can't listen, by error code, in terms of the settings. */
const REFUSALS = new Map([
  ['EADDRINUSE', 'something else listens there already. Set another one.'],
  ['EACCES', 'this user may not listen there. Set one above 1023.'],
  ['EADDRNOTAVAIL', 'this machine has no such address. Set HOST to one that it has.'],
  ['ENOTFOUND', 'there is no such host. Set HOST to an address of this machine.'],
]);

/** The ports that are tried, one after another, where none is set. */
const MOST_PORTS = 20;

/**
 * The port to listen at: where nobody has set one, the next free one from the usual on.
 * @param isFree whether nothing listens there
 */
export async function portFor(
  { port, isPortSet }: Pick<BotSettings, 'port' | 'isPortSet'>,
  isFree: (port: number) => Promise<boolean>,
): Promise<number> {
  for (let candidate = port; !isPortSet && candidate < port + MOST_PORTS; candidate += 1) {
    if (await isFree(candidate)) return candidate;
  }
  return port;
}

/** Whether a server may listen there now. */
export function isFreeAt(host: string): (port: number) => Promise<boolean> {
  return async (port) => {
    const server = createServer();
    server.listen({ host, port });
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    return isFree;
  };
}

/** Turns the error of a local Discord that can't listen into one that names the setting to change. */
export function refusedPlace({ host, port }: Pick<BotSettings, 'host' | 'port'>): (error: unknown) => never {
  return (error) => {
    const reason = REFUSALS.get(error instanceof Error && 'code' in error ? String(error.code) : '');
    if (reason === undefined) throw error;
    throw new SettingsError([`PORT ${port} on HOST ${host} isn't available: ${reason}`], { cause: error });
  };
}
