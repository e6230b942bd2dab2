import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { askServer, Reachability } from '../../src/shared/reachability.ts';
import { createTestLog } from '../helpers/keys.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

const never = () => new Promise(() => undefined);
const answer = async () => undefined;

/** A process whose way to Discord can be changed. */
function aProcess() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const lines: object[] = [];
  let discord: () => Promise<unknown> = answer;
  const log = createTestLog((line) => {
    lines.push(JSON.parse(line) as object);
  });
  const reachability = new Reachability({ clock, log, asks: { discord: () => discord(), catalog: answer } });
  return {
    clock,
    lines,
    reachability,
    setDiscord: (ask: () => Promise<unknown>) => {
      discord = ask;
    },
  };
}

test('what has answered is reached, and what answers late, not at all or with an error is not', async () => {
  const { clock, reachability, setDiscord } = aProcess();
  expect(await reachability.look(answer)).toEqual(['discord', 'catalog', 'database']);
  expect(await reachability.look(() => Promise.reject(new Error('away')))).toEqual(['discord', 'catalog']);
  setDiscord(never);
  const looking = reachability.look(never);
  await clock.advance(5_000);
  expect(await looking).toEqual(['catalog']);
});

test.each([
  ['discord', 5_000],
  ['database', 1_000],
] as const)('%s may take %i ms', async (dependency, ms) => {
  for (const isLate of [false, true]) {
    const { clock, reachability, setDiscord } = aProcess();
    let reply = (): void => undefined;
    const slow = () =>
      new Promise<void>((resolve) => {
        reply = resolve;
      });
    if (dependency === 'discord') setDiscord(slow);
    const looking = reachability.look(dependency === 'database' ? slow : answer);
    await clock.advance(isLate ? ms : ms - 1);
    reply();
    expect((await looking).includes(dependency)).toBe(!isLate);
  }
});

test('what has not answered for 30 s is away, not before, and says so once', async () => {
  const { clock, lines, reachability, setDiscord } = aProcess();
  await reachability.look(answer);
  setDiscord(() => Promise.reject(new Error('away')));
  await clock.advance(29_999);
  await reachability.look(answer);
  expect(reachability.away()).toEqual([]);
  await clock.advance(1);
  expect(reachability.away()).toEqual([{ dependency: 'discord', sinceMs: Date.parse('2026-11-21T12:00:00Z') }]);
  for (let looks = 0; looks < 3; looks += 1) await reachability.look(answer);
  setDiscord(answer);
  for (let looks = 0; looks < 3; looks += 1) await reachability.look(answer);
  expect(reachability.away()).toEqual([]);
  expect(lines).toMatchObject([
    { part: 'discord', level: 40 },
    { part: 'discord', level: 30 },
  ]);
});

test('what was not asked yet is not away, however long ago the process began', async () => {
  const { clock, reachability, setDiscord } = aProcess();
  setDiscord(() => Promise.reject(new Error('away')));
  await clock.advance(3_600_000);
  expect(reachability.away()).toEqual([]);
  await reachability.look(answer);
  expect(reachability.away()).toEqual([]);
  await clock.advance(30_000);
  expect(reachability.away()).toHaveLength(1);
});

test.each([
  [200, true],
  [404, true],
  [429, true],
  [500, false],
  [503, false],
])('a server that answers %i is reached: %s', async (status, isReached) => {
  const server = createServer((_, response) => response.writeHead(status).end('text'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const asked = askServer(`http://127.0.0.1:${port}/`, {});
  if (isReached) expect(await asked).toBe('text');
  else await expect(asked).rejects.toThrow(`it answered ${status}`);
});
