import { describe, expect, test } from 'vitest';
import { FAULT_NAMES, type FaultSettings } from '../src/faults.ts';
import { createManualClock, type ManualClock, type RunningService, runService } from './running-service.ts';

type Fault = (typeof FAULT_NAMES)[number];

async function faulty(
  rates: FaultSettings['rates'],
  seed = 'faults',
): Promise<RunningService & { clock: ManualClock }> {
  const clock = createManualClock();
  return { ...(await runService({ clock, faults: { seed, rates } })), clock };
}

const only = (fault: Fault) => faulty({ [fault]: 1 });
const page = (service: RunningService) => service.portal('/feed/Home?page=1');

interface Page {
  Items: { OfferId: unknown; Title: unknown }[];
}

const idOf = ({ OfferId }: Page['Items'][number]) => OfferId;

describe('faults', () => {
  test('none, where no rate is given', async () => {
    const service = await faulty({});
    for (let count = 0; count < 20; count += 1) expect((await page(service)).status).toBe(200);
  });

  test.each([
    ['rate', 429, '{"message":"Too Many Requests"}'],
    ['quota', 429, '{"message":"Limit Exceeded"}'],
    ['500', 500, '{"message":"Internal server error"}'],
    ['504', 504, '{"message":"Endpoint request timed out"}'],
  ] as const)('%s', async (fault, status, body) => {
    const response = await page(await only(fault));
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(body);
    expect(response.headers.has('retry-after')).toBe(status === 429);
  });

  test('latency', async () => {
    const service = await only('latency');
    expect((await page(service)).status).toBe(200);
    expect(service.clock.slept).toHaveLength(1);
    expect(service.clock.slept[0]).toBeGreaterThan(0);
    expect(service.clock.slept[0]).toBeLessThanOrEqual(3000);
  });

  test('truncated', async () => {
    const whole = await (await page(await faulty({}))).text();
    const cut = await (await page(await only('truncated'))).text();
    expect(whole.replace(/127\.0\.0\.1:\d+/g, '')).toContain(cut.replace(/127\.0\.0\.1:\d+/g, '').slice(0, -20));
    expect(() => JSON.parse(cut)).toThrow(SyntaxError);
  });

  test('content-type', async () => {
    const response = await page(await only('content-type'));
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(response.status).toBe(200);
  });

  test('html', async () => {
    const response = await page(await only('html'));
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html']);
    expect(await response.text()).toContain('<h1>');
  });

  test('drip', async () => {
    const service = await only('drip');
    const { Items } = (await (await page(service)).json()) as Page;
    expect(Items.length).toBeGreaterThan(10);
    expect(service.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBe(5000);
  });

  test('reset', async () => {
    await expect(page(await only('reset'))).rejects.toThrow('fetch failed');
  });

  test('duplicate', async () => {
    const { Items } = (await (await page(await only('duplicate'))).json()) as Page;
    expect(new Set(Items.map((item) => item.OfferId)).size).toBe(Items.length - 1);
  });

  test('malformed: a broken item stands in the place of a good one, with its id or without', async () => {
    const good = (await (await page(await faulty({}))).json()) as Page;
    const service = await only('malformed');
    const seen = new Set<boolean>();
    for (let count = 0; count < 20; count += 1) {
      const bad = (await (await page(service)).json()) as Page;
      const [at, ...others] = bad.Items.flatMap((item, index) => (typeof item.Title === 'string' ? [] : [index]));
      expect(others).toEqual([]);
      const id = bad.Items[at ?? -1]?.OfferId;
      seen.add(typeof id === 'string');
      expect(id).toEqual(typeof id === 'string' ? good.Items[at ?? -1]?.OfferId : { broken: true });
      expect(bad.Items.toSpliced(at ?? -1, 1).map(idOf)).toEqual(good.Items.toSpliced(at ?? -1, 1).map(idOf));
    }
    expect(seen).toEqual(new Set([true, false]));
    const events = (await (await (await only('malformed')).v2('/2/events.json')).json()) as { Title: unknown }[];
    expect(events.filter((event) => typeof event.Title !== 'string')).toHaveLength(1);
  });

  test('missing: one item is left out, and nothing says so', async () => {
    const good = (await (await page(await faulty({}))).json()) as Page & object;
    const less = (await (await page(await only('missing'))).json()) as Page & object;
    expect(less).toMatchObject({ ...good, Items: less.Items });
    expect(less.Items).toHaveLength(good.Items.length - 1);
    const left = new Set(less.Items.map(idOf));
    expect(good.Items.map(idOf).filter((id) => left.has(id))).toEqual(less.Items.map(idOf));
  });

  test('empty: the list is whole and empty', async () => {
    const good = (await (await page(await faulty({}))).json()) as Page;
    expect(await (await page(await only('empty'))).json()).toEqual({ ...good, Items: [] });
    expect(await (await (await only('empty')).v2('/2/events.json')).json()).toEqual([]);
  });

  test('come at the given rates, the same ones for the same seed', async () => {
    const rates = { 500: 0.2, 504: 0.2, rate: 0.2 };
    async function statuses(seed: string): Promise<number[]> {
      const service = await faulty(rates, seed);
      const answers: number[] = [];
      for (let count = 0; count < 100; count += 1) answers.push((await page(service)).status);
      return answers;
    }
    const first = await statuses('one');
    expect(await statuses('one')).toEqual(first);
    expect(await statuses('other')).not.toEqual(first);
    for (const status of [500, 504, 429]) {
      const count = first.filter((answer) => answer === status).length;
      expect(count).toBeGreaterThan(8);
      expect(count).toBeLessThan(36);
    }
    expect(first).toContain(200);
  });

  test('spoil only good answers: refusals, OPTIONS and pages for people stay as they are', async () => {
    const service = await only('500');
    expect((await service.portal('/feed/nothing')).status).toBe(400);
    expect((await fetch(`${service.origin}/feed/Home`)).status).toBe(403);
    expect((await fetch(`${service.origin}/feed/Home`, { method: 'OPTIONS' })).status).toBe(200);
    expect((await fetch(`${service.origin}/docs`)).status).toBe(200);
  });

  test('a service that holds an answer back stops at once', async () => {
    const { promise: asleep, resolve: fallAsleep } = deferred();
    const clock = {
      ...createManualClock(),
      // By then nobody waits for the answer any more.
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((_, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
          fallAsleep();
        }),
    };
    const service = await runService({ clock, faults: { seed: 'x', rates: { latency: 1 } } });
    const answer = expect(page(service)).rejects.toThrow('fetch failed');
    await asleep;
    await service.stop();
    await answer;
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('every fault can be asked for by its name', () => {
  expect([...FAULT_NAMES].sort()).toEqual([
    '500',
    '504',
    'content-type',
    'drip',
    'duplicate',
    'empty',
    'html',
    'latency',
    'malformed',
    'missing',
    'quota',
    'rate',
    'reset',
    'truncated',
  ]);
});
