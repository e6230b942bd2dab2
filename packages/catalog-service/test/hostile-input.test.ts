import { expect, test } from 'vitest';
import {
  expectNothingUncaught,
  HOSTILE_TARGETS,
  randomRequests,
  requestTimeoutOf,
  sendAndReset,
  sendBytes,
  UPGRADE,
  WEBSOCKET_KEY,
} from '../../../test/helpers/raw-requests.ts';
import { KEY, runService } from './running-service.ts';

test('hostile requests do not stop the service', async () => {
  expectNothingUncaught();
  const service = await runService();
  for (const target of HOSTILE_TARGETS) {
    for (const headers of ['', `X-Api-Key: ${KEY}\r\n`, `${UPGRADE}${WEBSOCKET_KEY}`]) {
      const request = `GET ${target} HTTP/1.1\r\nHost: [\r\n${headers}`;
      expect(await sendBytes(service.origin, `${request}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 \d{3} /);
      await sendAndReset(service.origin, `${request}\r\n`);
    }
  }
  const requests = randomRequests(20_261_123, 300);
  for (let at = 0; at < requests.length; at += 20) {
    await Promise.all(requests.slice(at, at + 20).map((bytes) => sendBytes(service.origin, bytes)));
  }
  expect((await service.portal('/feed/Electronics')).status).toBe(200);
});

test.each([
  ['nested without end', `{"OfferIds":${'['.repeat(200_000)}`],
  ['of two megabytes', `{"OfferIds":["${'x'.repeat(2 << 20)}"]}`],
  ['of objects that are no text', '{"OfferIds":[{"toString":1,"valueOf":1}]}'],
  ['of a foreign prototype', '{"__proto__":{"OfferIds":[]},"constructor":{"prototype":1}}'],
  ['of bad UTF-8', Buffer.from([0x7b, 0xff, 0xfe])],
])('a body %s is refused', async (_, body) => {
  expectNothingUncaught();
  const service = await runService();
  const { status } = await service.portal('/getoffers', { method: 'POST', body });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect((await service.portal('/feed/Electronics')).status).toBe(200);
});

test('a request that comes byte by byte is not waited for for ever', async () => {
  const { origin } = await runService();
  expect(await requestTimeoutOf(origin)).toBe(60_000);
});
