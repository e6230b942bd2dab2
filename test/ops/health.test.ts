import { expect, onTestFinished, test } from 'vitest';
import { type HealthFacts, healthOf } from '../../src/ops/health.ts';
import { createOpsServer } from '../../src/ops/server.ts';
import { HOUR_MS, NOW_MS } from '../helpers/things.ts';

const well: HealthFacts = { isGatewayConnected: true, lastPollMs: NOW_MS, failingSinceMs: null, announced: 3 };

test.each([
  ['starting', null, 'starting'],
  ['well', well, 'ok'],
  ['before the first poll', { ...well, lastPollMs: null }, 'ok'],
  ['without a gateway', { ...well, isGatewayConnected: false }, 'unwell'],
  ['polls have just begun to fail', { ...well, failingSinceMs: NOW_MS - 60_000 }, 'ok'],
  ['polls fail for long', { ...well, failingSinceMs: NOW_MS - HOUR_MS }, 'unwell'],
])('%s', (_, facts, status) => {
  expect(healthOf(facts, NOW_MS).status).toBe(status);
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
  });
  expect(await (await fetch(address)).text()).toContain('Dealbell');
});
