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
  const child = fork(fileURLToPath(new URL('./child-bot.js', import.meta.url)), [kind], {
    env: { ...process.env, ...environment },
    execArgv: ['--expose-gc'],
  });
  const exited = once(child, 'exit').then(() => {
    throw new Error(`The bot to measure, ${kind}, has ended; what it wrote above says why.`);
  });
  exited.catch(() => undefined);
  const answer = () =>
    new Promise<unknown>((resolve, reject) => {
      child.once('message', resolve);
      exited.catch(reject);
    });

  await answer();
  return {
    async residentBytes() {
      child.send('memory' satisfies BotRequest);
      const { residentBytes } = (await answer()) as { residentBytes: number };
      return residentBytes;
    },
    stop: () => child.disconnect(),
  };
}
