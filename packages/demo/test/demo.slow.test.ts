import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtProgram } from '../../../test/helpers/built-program.ts';
import { temporaryFolder, temporaryState } from '../../../test/helpers/temporary-folder.ts';
import { DEMO_PROGRAMS, startDemo, untilPosted, WITHIN_MS } from './running-demo.ts';

const PROGRAM = builtProgram(...DEMO_PROGRAMS);
const isLinux = process.platform === 'linux';

test('with nothing connected, offers and dealcasts arrive by themselves, Ctrl-C ends both processes, and a second start goes on', {
  timeout: WITHIN_MS,
}, async () => {
  const environment = { STATE_URL: temporaryState() };
  const demo = startDemo(PROGRAM, environment);
  const posts = await untilPosted(demo, 5);
  const text = JSON.stringify(posts.map(({ components }) => components));
  expect(text).toContain('New offer');
  expect(text).toContain('Dealcast');
  const health = await fetch(`${await demo.address}/healthz`);
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({ status: 'ok', gateway: 'connected', reason: null });
  expect(await (await fetch(`${await demo.address}/readyz`)).json()).toEqual({ status: 'ok', reasons: [] });

  // A terminal signals the whole group.
  process.kill(-(demo.process.pid ?? 0), 'SIGINT');
  const { status, output, errors } = await demo.ended;
  expect(status).toBe(0);
  expect(errors).toBe('');
  expect(new Set(output.match(/http:\/\/127\.0\.0\.1:\d+/g)).size, 'one address').toBe(1);

  const again = startDemo(PROGRAM, environment);
  const ids = (await untilPosted(again, posts.length)).map(({ id }) => id);
  expect(ids.slice(0, posts.length), 'the messages are there again').toEqual(posts.map(({ id }) => id));
});

test('two demos with states in one folder have files of their own, and each repeats its banner below the first posts', {
  timeout: WITHIN_MS,
}, async () => {
  const folder = temporaryFolder();
  const demos = ['dealbell', 'other'].map((name) => {
    return startDemo(PROGRAM, { STATE_URL: `sqlite://${join(folder, `${name}.sqlite`)}` });
  });
  for (const demo of demos) {
    await untilPosted(demo, 2);
    const [banner = ''] = /^Dealbell is running[\s\S]*? goes on from there\n/m.exec(demo.output()) ?? [];
    expect(banner).toContain(`Open     ${await demo.address}\n`);
    await expect.poll(() => demo.output(), { timeout: WITHIN_MS }).toBe(banner.repeat(2));
  }
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining(['demo.json', 'local-discord.sqlite', 'other-demo.json', 'other-local-discord.sqlite']),
  );
});

test.runIf(isLinux)('a bot that is killed is started again, on the same state', { timeout: WITHIN_MS }, async () => {
  const demo = startDemo(PROGRAM, { STATE_URL: temporaryState() });
  const before = await untilPosted(demo, 0);
  const [id = 0, ...others] = demo.botIds();
  expect(others).toEqual([]);
  process.kill(id, 'SIGKILL');
  await expect.poll(() => demo.botIds().some((other) => other !== id), { timeout: WITHIN_MS, interval: 50 }).toBe(true);
  const after = await untilPosted(demo, before.length + 3);
  const texts = after.map(({ nonce }) => nonce);
  expect(new Set(texts).size, 'nothing is posted twice').toBe(texts.length);
  expect(demo.process.exitCode).toBeNull();
});

test('a demo that is killed leaves no bot behind', { timeout: WITHIN_MS }, async () => {
  const demo = startDemo(PROGRAM, { STATE_URL: temporaryState() });
  await demo.address;
  demo.process.kill('SIGKILL');
  await demo.ended;
});

test('a second demo on the same state names the first one and exits 3; one on a taken port exits 2; both leave the first alone', {
  timeout: WITHIN_MS,
}, async () => {
  const environment = { STATE_URL: temporaryState() };
  const first = startDemo(PROGRAM, environment);
  const { port } = new URL(await first.address);
  const second = await startDemo(PROGRAM, environment).ended;
  expect(second.status).toBe(3);
  const { code, problems } = JSON.parse(second.errors) as Record<string, unknown>;
  expect(code).toBe('STATE_IN_USE');
  expect(String(problems)).toMatch(
    /^Another Dealbell \(process \d+ on \S+, since [^)]+\) is already using this state\./,
  );
  expect(second.errors, 'and no stack').not.toContain('    at ');

  const third = await startDemo(PROGRAM, { STATE_URL: temporaryState(), PORT: port }).ended;
  expect(third.status).toBe(2);
  expect(third.errors).toContain(`PORT ${port} on HOST 127.0.0.1 isn't available`);
  expect((await fetch(`${await first.address}/healthz`)).status).toBe(200);
});
