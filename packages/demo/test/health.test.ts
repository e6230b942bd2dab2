import fastify from 'fastify';
import { expect, test } from 'vitest';
import { botHealth } from '../src/health.ts';

test.each(['/livez', '/readyz', '/healthz'])('%s is safe to open in a browser', async (path) => {
  const app = fastify();
  await app.register(botHealth(() => null));
  const { headers } = await app.inject(path);
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
  });
  await app.close();
});
