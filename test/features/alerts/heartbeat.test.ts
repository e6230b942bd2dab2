import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Heartbeat } from '../../../src/features/alerts/heartbeat.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

async function aMonitor(answer: (response: ServerResponse) => void) {
  let asked = 0;
  let arrived = (): void => undefined;
  const monitor = createServer((_, response) => {
    asked += 1;
    arrived();
    answer(response);
  });
  await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    monitor.closeAllConnections();
    monitor.close();
  });
  return {
    url: `http://127.0.0.1:${(monitor.address() as AddressInfo).port}/`,
    asked: () => asked,
    nextRequest: () => new Promise<void>((resolve) => (arrived = resolve)),
  };
}

test('it is silent while something is wrong', async () => {
  const monitor = await aMonitor((response) => response.end());
  let isWell = false;
  const lines: string[] = [];
  const log = createTestLog((line) => lines.push(line));
  const heartbeat = new Heartbeat({ url: monitor.url, isWell: () => isWell, clock: new ManualClock(), log });
  await heartbeat.beat();
  expect(monitor.asked()).toBe(0);
  isWell = true;
  await heartbeat.beat();
  expect(monitor.asked()).toBe(1);
  expect(lines).toEqual([]);
});

test('a monitor that does not answer is waited for ten seconds', async () => {
  const monitor = await aMonitor(() => undefined);
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = createTestLog((line) => lines.push(line));
  const heartbeat = new Heartbeat({ url: monitor.url, isWell: () => true, clock, log });
  const arrival = monitor.nextRequest();
  let isDone = false;
  const beat = heartbeat.beat().then(() => {
    isDone = true;
  });
  await arrival;
  await clock.advance(9_999);
  expect([isDone, lines]).toEqual([false, []]);
  await clock.advance(1);
  await beat;
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('it did not answer');
  expect(lines[0]).not.toContain(monitor.url);
});
