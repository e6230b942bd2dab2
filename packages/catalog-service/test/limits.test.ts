import { describe, expect, test } from 'vitest';
import { Limiter } from '../src/limits.ts';
import { Refusal } from '../src/refusal.ts';
import { createManualClock, KEY, runService } from './running-service.ts';

const PORTAL_LIMITS = { rate: 1, burst: 10, quota: 1000 };
const SECOND_MS = 1000;

/** The answer to a request at that moment, in short. */
function attempt(limiter: Limiter, nowMs: number, key = KEY): string {
  try {
    limiter.admit(key, nowMs);
    return 'in';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.status} ${JSON.stringify(error.body)} ${error.headers['retry-after']}`;
  }
}

const RATE = (seconds: number) => `429 {"message":"Too Many Requests"} ${seconds}`;
const QUOTA = (seconds: number) => `429 {"message":"Limit Exceeded"} ${seconds}`;

describe('Portal throttling (token bucket)', () => {
  test('Burst: "Capacity of the bucket", 10 requests', () => {
    const limiter = new Limiter(PORTAL_LIMITS);
    expect(Array.from({ length: 11 }, () => attempt(limiter, 0))).toEqual([...Array(10).fill('in'), RATE(1)]);
  });

  test('Rate: "Rate at which tokens are added", 1 request per second', () => {
    const limiter = new Limiter(PORTAL_LIMITS);
    for (let count = 0; count < 10; count += 1) limiter.admit(KEY, 0);
    expect(attempt(limiter, 999)).toBe(RATE(1));
    expect(attempt(limiter, 1000)).toBe('in');
    expect(attempt(limiter, 1000)).toBe(RATE(1));
    expect(attempt(limiter, 3000)).toBe('in');
    expect(attempt(limiter, 3000)).toBe('in');
    expect(attempt(limiter, 3000)).toBe(RATE(1));
  });

  test('the bucket never holds more than its capacity', () => {
    const limiter = new Limiter(PORTAL_LIMITS);
    limiter.admit(KEY, 0);
    const later = 3600 * SECOND_MS;
    expect(Array.from({ length: 11 }, () => attempt(limiter, later)).filter((answer) => answer === 'in').length).toBe(
      10,
    );
  });

  test('Retry-After is the time until a token comes, in whole seconds', () => {
    const limiter = new Limiter({ rate: 0.1, burst: 1, quota: 1000 });
    limiter.admit(KEY, 0);
    expect(attempt(limiter, 0)).toBe(RATE(10));
    expect(attempt(limiter, 9500)).toBe(RATE(1));
    expect(attempt(limiter, 10_000)).toBe('in');
  });

  test('Quota: "Total requests per period; resets at 00:00:00 UTC each day", 1000 requests per day', () => {
    const limiter = new Limiter(PORTAL_LIMITS);
    const noonMs = Date.UTC(2026, 9, 10, 12);
    for (let count = 0; count < 1000; count += 1) expect(attempt(limiter, noonMs + count * SECOND_MS)).toBe('in');
    const spentMs = noonMs + 1000 * SECOND_MS;
    expect(attempt(limiter, spentMs)).toBe(QUOTA(12 * 3600 - 1000));
    expect(attempt(limiter, Date.UTC(2026, 9, 10, 23, 59, 59, 999))).toBe(QUOTA(1));
    expect(attempt(limiter, Date.UTC(2026, 9, 11))).toBe('in');
  });

  test('what the bucket refuses does not count against the quota', () => {
    const limiter = new Limiter({ rate: 1, burst: 1, quota: 2 });
    limiter.admit(KEY, 0);
    expect(attempt(limiter, 0)).toBe(RATE(1));
    expect(attempt(limiter, 1000)).toBe('in');
    expect(attempt(limiter, 2000)).toBe(QUOTA(86_398));
  });

  test('every key has its own', () => {
    const limiter = new Limiter({ rate: 1, burst: 1, quota: 1 });
    expect(attempt(limiter, 0, 'one')).toBe('in');
    expect(attempt(limiter, 0, 'other')).toBe('in');
    expect(attempt(limiter, 5000, 'one')).toBe(QUOTA(86_395));
  });
});

describe('the limits of the service', () => {
  test('each interface counts for itself, refusals say why and when', async () => {
    const clock = createManualClock();
    const service = await runService({ clock, limits: { rate: 1, burst: 2, quota: 3 } });
    const portal = () => service.portal('/feed/Tools?page=1');
    expect([(await portal()).status, (await portal()).status]).toEqual([200, 200]);
    const tooMany = await portal();
    expect([tooMany.status, await tooMany.json()]).toEqual([429, { message: 'Too Many Requests' }]);
    expect(tooMany.headers.get('retry-after')).toBe('1');
    expect((await service.v2('/2/polls.json')).status).toBe(200);

    clock.advance(2 * SECOND_MS);
    expect((await portal()).status).toBe(200);
    const spent = await portal();
    expect([spent.status, await spent.json()]).toEqual([429, { message: 'Limit Exceeded' }]);
    expect(spent.headers.get('retry-after')).toBe(String(6 * 3600 - 2));
  });

  test('every GET, HEAD and POST with a key counts, whatever it is answered; nothing else does', async () => {
    const service = await runService({ limits: { rate: 1, burst: 4, quota: 100 } });
    const url = `${service.origin}/feed/Tools`;
    for (let count = 0; count < 20; count += 1) {
      await fetch(url, { method: 'OPTIONS' });
      await fetch(url);
      await service.portal('/feed/Tools', { method: 'PUT' });
      await fetch(`${service.origin}/docs`);
    }
    expect((await service.portal('/feed/nothing')).status).toBe(400);
    expect((await service.portal('/feed/Tools?page=999')).status).toBe(404);
    expect((await service.portal('/feed/Tools', { method: 'HEAD' })).status).toBe(200);
    expect((await service.portal('/getoffers', { method: 'POST', body: '[]' })).status).toBe(200);
    expect((await service.portal('/feed/Tools')).status).toBe(429);
  });
});
