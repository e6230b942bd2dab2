import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../../src/shared/log.ts';
import type { CatalogContent } from '../src/content.ts';
import { createSimulator } from '../src/simulator/simulator.ts';
import { createManualClock, runService, startService } from './running-service.ts';

describe('the catalog service', () => {
  test('answers the same bytes at the same moment, and others later', async () => {
    const clock = createManualClock();
    const content = () => createSimulator({ seed: 'same', offers: 300, pace: 'demo' });
    const [one, other] = [
      await runService({ clock, content: content() }),
      await runService({ clock, content: content() }),
    ];
    const bytes = async (service: typeof one) =>
      (await (await service.portal('/feed/All')).text()).replaceAll(service.origin, 'origin');
    const first = await bytes(one);
    expect(await bytes(other)).toBe(first);
    clock.advance(60_000);
    const later = await bytes(one);
    expect(later).not.toBe(first);
    expect(await bytes(other)).toBe(later);
  });

  test('accepts each of its keys at both interfaces', async () => {
    const { origin } = await runService({ keys: ['one', 'other'] });
    for (const key of ['one', 'other']) {
      expect((await fetch(`${origin}/feed/Tools`, { headers: { 'x-api-key': key } })).status).toBe(200);
      expect((await fetch(`${origin}/2/polls.json?key=${key}`)).status).toBe(200);
    }
  });

  test('tells nobody what went wrong inside, and the log everything but keys', async () => {
    const lines: string[] = [];
    const log = createLog(
      'trace',
      new Writable({
        write(chunk, _encoding, done) {
          lines.push(String(chunk));
          done();
        },
      }),
    );
    const simulator = createSimulator({ seed: 'x', offers: 10, pace: 'store' });
    const content: CatalogContent = {
      ...simulator,
      at: (nowMs, origin) => ({
        ...simulator.at(nowMs, origin),
        polls() {
          throw new Error('the cellar is flooded');
        },
      }),
    };
    const { origin } = await runService({ content, log, keys: ['quite-secret'] });
    const failed = await fetch(`${origin}/2/polls.json?key=quite-secret`);
    expect([failed.status, await failed.json()]).toEqual([500, { message: 'Internal server error' }]);
    for (const path of ['/2/events.json?key=quite-secret&foo=1', '/2/nothing?key=quite-secret', '/feed/All']) {
      await fetch(`${origin}${path}`, { headers: { 'x-api-key': 'quite-secret' } });
    }
    const text = lines.join('');
    expect(text).toContain('the cellar is flooded');
    expect(text).toContain('/2/polls.json');
    expect(text).not.toContain('quite-secret');
  });

  test('stops though a connection is kept open', async () => {
    const service = await startService();
    expect((await service.portal('/feed/Tools')).headers.get('connection')).toBe('keep-alive');
    await service.stop();
    await expect(service.portal('/feed/Tools')).rejects.toThrow('fetch failed');
  });

  test('rejects a port that is taken', async () => {
    const { origin } = await runService();
    await expect(startService({ port: Number(new URL(origin).port) })).rejects.toThrow('EADDRINUSE');
  });
});
