import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Asks a bot how much memory it has, after a collection, or for the longest time since the last question in which it did nothing else. */
export type BotRequest = 'memory' | 'slice';

/** Resident memory: now, and at the most since the start. */
export interface BotMemory {
  residentBytes: number;
  peakBytes: number;
}

export interface ChildBot {
  memory(): Promise<BotMemory>;
  /** Milliseconds: the longest delay of its event loop since the last call, or since the start. */
  longestSliceMs(): Promise<number>;
  /** Resolves once the process has ended. */
  stop(): Promise<void>;
}

/**
 * Starts the bot in a process of its own; resolves when it runs.
 * @param signal ends the process; what is waited for rejects then
 */
export async function startBot(environment: Record<string, string>, signal: AbortSignal): Promise<ChildBot> {
  const child = fork(fileURLToPath(new URL('./child-bot.js', import.meta.url)), {
    env: { ...process.env, ...environment },
    execArgv: ['--expose-gc'],
    signal,
  });
  const ended = once(child, 'exit');
  const exited = ended.then(() => {
    throw new Error('The bot to measure has ended; what it wrote above says why.');
  });
  exited.catch(() => undefined);
  const answer = () =>
    new Promise<unknown>((resolve, reject) => {
      child.once('message', resolve);
      exited.catch(reject);
    });

  await answer();
  return {
    async memory() {
      child.send('memory' satisfies BotRequest);
      return (await answer()) as BotMemory;
    },
    async longestSliceMs() {
      child.send('slice' satisfies BotRequest);
      return (await answer()) as number;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended.catch(() => undefined);
    },
  };
}
