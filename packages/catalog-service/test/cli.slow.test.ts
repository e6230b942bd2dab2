import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../../../test/helpers/built-program.ts';

const PROGRAM = builtProgram('packages/catalog-service/src/cli.ts');

interface Program {
  child: ChildProcess;
  /** The printed text, once `isReady` accepts it. */
  output(isReady: (text: string) => boolean): Promise<string>;
  exit: Promise<{ status: number | null; errors: string }>;
}

function runProgram(...args: string[]): Program {
  const child = spawn(process.execPath, [PROGRAM.path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let text = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const exit = new Promise<{ status: number | null; errors: string }>((done) => {
    child.once('close', (status) => done({ status, errors }));
  });
  return {
    child,
    exit,
    output: (isReady) =>
      new Promise((done, fail) => {
        const look = () => {
          if (isReady(text)) done(text);
        };
        child.stdout.on('data', look);
        child.once('close', () =>
          isReady(text) ? done(text) : fail(new Error(`It ended, printing: ${text}${errors}`)),
        );
        look();
      }),
  };
}

const isUp = (text: string) => text.includes('Ctrl-C');

test.each(['SIGINT', 'SIGTERM'] as const)('serves, says where and with which keys, and stops on %s', async (signal) => {
  const program = runProgram('--port', '0', '--offers', '50', '--key', 'one', '--key', 'other');
  const text = await program.output(isUp);
  const [origin = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
  expect(text).toContain('Keys: one, other');
  expect(text).not.toMatch(/[?&]key=/);
  expect((await fetch(`${origin}/feed/All?page=1`, { headers: { 'x-api-key': 'other' } })).status).toBe(200);
  program.child.kill(signal);
  expect(await program.exit).toEqual({ status: 0, errors: '' });
});

test('the printed examples work as they stand', async () => {
  const text = await runProgram('--port', '0', '--offers', '50').output(isUp);
  const examples = text.split('\n').filter((line) => line.startsWith('  curl'));
  expect(examples).toHaveLength(3);
  for (const example of examples) {
    const url = new URL(/http:[^ ']+/.exec(example)?.[0] ?? '');
    for (const [, parameter = ''] of example.matchAll(/-(?:d|-data-urlencode) '?([^ ']+)'?/g)) {
      const [name = '', value = ''] = parameter.split('=');
      url.searchParams.append(name, value);
    }
    const [, key] = /x-api-key: (\w+)/.exec(example) ?? [];
    const response = await fetch(url, key ? { headers: { 'x-api-key': key } } : {});
    expect([example, response.status]).toEqual([example, 200]);
  }
});

test('wrong options: every bad value in one go, status 2', async () => {
  const { status, errors } = await runProgram('--port', 'x', '--fresh').exit;
  expect(status).toBe(2);
  for (const name of ['--port', '--fresh']) expect(errors).toContain(name);
});

test('a folder that is not there: status 2', async () => {
  const { status, errors } = await runProgram('--data', join(PROGRAM.folder, 'nowhere')).exit;
  expect([status, errors]).toEqual([2, expect.stringContaining('nowhere')]);
});

test('a port that is taken: status 1, and what to do about it', async () => {
  const text = await runProgram('--port', '0', '--offers', '5').output(isUp);
  const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(text) ?? [];
  const { status, errors } = await runProgram('--port', port, '--offers', '5').exit;
  expect([status, errors]).toEqual([
    1,
    `Port ${port} is already in use. Stop the program that uses it, or choose another with --port.\n`,
  ]);
});

test('--help: status 0', async () => {
  const program = runProgram('--help');
  expect(await program.output((text) => text.includes('--faults'))).toContain('--port');
  expect((await program.exit).status).toBe(0);
});
