import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type BotKind = 'bare' | 'dealbell';

/** Asks a bot how much memory it keeps, after a collection. */
export type BotRequest = 'memory';

export interface ChildBot {
  residentBytes(): Promise<number>;
  stop(): void;
}

/** Starts a bot in a process of its own; resolves when it answers. */
export async function startBot(kind: BotKind, environment: Record<string, string>): Promise<ChildBot> {
  const { bot, ready } = spawnBot(kind, environment);
  await ready;
  return bot;
}

/** Starts a bot in a process of its own. `ready` resolves when it answers, which one that stands by never does. */
export function spawnBot(
  kind: BotKind,
  environment: Record<string, string>,
): { bot: ChildBot; ready: Promise<unknown> } {
  const child = fork(fileURLToPath(new URL('./child-bot.js', import.meta.url)), [kind], {
    env: { ...process.env, ...environment },
    execArgv: ['--expose-gc'],
  });
  const exited = once(child, 'exit').then(() => {
    throw new Error(`The bot to measure, ${kind}, has ended; what it wrote above says why.`);
  });
  exited.catch(() => undefined);
  const answer = (isIt: (message: unknown) => boolean) =>
    new Promise<unknown>((resolve, reject) => {
      const listen = (message: unknown) => {
        if (!isIt(message)) return;
        child.off('message', listen);
        resolve(message);
      };
      child.on('message', listen);
      exited.catch(reject);
    });
  const ready = answer((message) => message === 'ready');
  ready.catch(() => undefined);
  const bot = {
    async residentBytes() {
      const told = answer((message) => message !== 'ready');
      child.send('memory' satisfies BotRequest);
      const { residentBytes } = (await told) as { residentBytes: number };
      return residentBytes;
    },
    stop: () => child.disconnect(),
  };
  return { bot, ready };
}
