import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/shared/clock.ts';
import { createLog } from '../../../src/shared/log.ts';
import { openStore } from '../../../src/store/store.ts';
import { builtProgram } from '../../helpers/built-program.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aSubscription } from '../../helpers/things.ts';

const PROGRAM = builtProgram('src/app/operator/operator.ts');

/** Exports a state as `npm run` does, and resolves with what was printed. */
async function exported(url: string) {
  const child = spawn(process.execPath, [PROGRAM.path, 'subscriptions', 'export'], {
    cwd: PROGRAM.folder,
    env: { PATH: process.env['PATH'], STATE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const [status] = (await once(child, 'close')) as [number];
  return { status, output };
}

const fileOf = (url: string) => url.slice('sqlite://'.length);

test('beside a Dealbell that has made a backup, commands leave alone what it writes', async () => {
  const url = temporaryState();
  const store = await openStore(url, systemClock, {
    dealbell: '0.0.0',
    clock: systemClock,
    log: createLog('silent'),
    signal: new AbortController().signal,
    onLost: () => undefined,
  });
  await store.commit((changes) => store.markSetUp(changes));
  await store.subscriptions.save(aSubscription('before'));
  await store.copyTo(join(dirname(fileOf(url)), 'copy.sqlite'));
  // A connection that takes itself for the last one writes the log into the file, and deletes it.
  expect(await exported(url)).toMatchObject({ status: 0 });
  await store.subscriptions.save(aSubscription('after'));
  expect((await exported(url)).output).toContain('id: after');
  await store.close();
  const again = await openStore(url);
  onTestFinished(() => again.close());
  expect(again.subscriptions.all().map(({ id }) => id)).toEqual(['after', 'before']);
});
