import { expect, onTestFinished, test } from 'vitest';
import { type HealthFacts, healthOf } from '../../../src/bot/operations/health.ts';
import { createOpsServer } from '../../../src/bot/operations/server.ts';
import {
  expectNothingUncaught,
  HOSTILE_TARGETS,
  randomRequests,
  requestTimeoutOf,
  sendAndReset,
  sendBytes,
} from '../../helpers/raw-requests.ts';
import { HOUR_MS, NOW_MS } from '../../helpers/things.ts';

const well: HealthFacts = {
  isGatewayConnected: true,
  stateTrouble: null,
  lastPollMs: NOW_MS,
  failingSinceMs: null,
  failingBecause: null,
  announced: 3,
};

const failing = { ...well, failingSinceMs: NOW_MS - HOUR_MS, failingBecause: 'It took too long.' };
const SINCE = new Date(NOW_MS - HOUR_MS).toISOString();

test.each([
  ['starting', null, 'starting', 'The bot is starting.'],
  ['well', well, 'ok', null],
  ['before the first poll', { ...well, lastPollMs: null }, 'ok', null],
  [
    'without a gateway',
    { ...well, isGatewayConnected: false },
    'unwell',
    'The connection to Discord is down; it is being made again.',
  ],
  ['polls have just begun to fail', { ...failing, failingSinceMs: NOW_MS - 60_000 }, 'ok', null],
  ['polls fail for long', failing, 'unwell', `No look at the catalog has succeeded since ${SINCE}. It took too long.`],
  [
    'the disk is full',
    { ...well, stateTrouble: 'disk-full' as const },
    'unwell',
    'The disk is full: nothing is posted until there is room for the state.',
  ],
  [
    'both',
    { ...failing, isGatewayConnected: false, failingBecause: null },
    'unwell',
    `The connection to Discord is down; it is being made again. No look at the catalog has succeeded since ${SINCE}.`,
  ],
])('%s', (_, facts, status, reason) => {
  expect(healthOf(facts, NOW_MS)).toMatchObject({ status, reason });
});

test('the server answers 200 when healthy and 503 otherwise', async () => {
  let facts: HealthFacts | null = null;
  const server = createOpsServer({ host: '127.0.0.1', port: 0, health: () => healthOf(facts, NOW_MS) });
  onTestFinished(() => server.stop());
  const address = await server.start();
  expect((await fetch(`${address}/healthz`)).status).toBe(503);
  facts = well;
  const response = await fetch(`${address}/healthz`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: 'ok',
    gateway: 'connected',
    lastPoll: new Date(NOW_MS).toISOString(),
    announced: 3,
    reason: null,
  });
  expect(await (await fetch(address)).text()).toContain('Dealbell');
  facts = { ...failing, failingBecause: 'It said <b>no</b>.' };
  expect(await (await fetch(address)).text()).toContain('It said &lt;b&gt;no&lt;/b&gt;.');
});

test('hostile requests do not stop the server', async () => {
  expectNothingUncaught();
  const server = createOpsServer({ host: '127.0.0.1', port: 0, health: () => healthOf(well, NOW_MS) });
  onTestFinished(() => server.stop());
  const address = await server.start();
  for (const target of HOSTILE_TARGETS) {
    await sendAndReset(address, `GET ${target} HTTP/1.1\r\nHost: [\r\n\r\n`);
    await sendBytes(address, `GET ${target} HTTP/1.1\r\nHost: [\r\n\r\n`);
  }
  const requests = randomRequests(20_261_124, 300);
  for (let at = 0; at < requests.length; at += 20) {
    await Promise.all(requests.slice(at, at + 20).map((bytes) => sendBytes(address, bytes)));
  }
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
});

test('a request that comes byte by byte is not waited for for ever', async () => {
  const server = createOpsServer({ host: '127.0.0.1', port: 0, health: () => healthOf(well, NOW_MS) });
  onTestFinished(() => server.stop());
  expect(await requestTimeoutOf(await server.start())).toBe(60_000);
});
