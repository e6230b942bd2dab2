import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Runs a file of this folder in a process of its own, and resolves with what it reports. */
export async function reportOf<R>(file: string, ...args: string[]): Promise<R> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: ['--expose-gc'] });
  const exited = once(child, 'exit').then(() => {
    throw new Error(`The process to measure, ${file}, has ended; what it wrote above says why.`);
  });
  exited.catch(() => undefined);
  const [report] = (await Promise.race([once(child, 'message'), exited])) as [R];
  return report;
}
