import { expect, onTestFinished, test } from 'vitest';
import type { AppContext } from '../../src/app/context.ts';
import { keepPublished } from '../../src/app/publish.ts';
import type { Published } from '../../src/bot/store/published.ts';
import { StoreError } from '../../src/shared/errors.ts';
import { createTestLog } from '../helpers/keys.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

test('what has changed is published within a second, and again after it could not be', async () => {
  const clock = new ManualClock();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const saved: string[][] = [];
  const logLines: string[] = [];
  const commandIds = new Map([['feed', '1']]);
  let isAway = false;
  keepPublished(
    {
      config: { catalog: { feeds: ['Home'] } },
      clock,
      log: createTestLog((line) => logLines.push(line)),
      signal: stopping.signal,
      onStop: () => undefined,
    } as unknown as AppContext,
    {
      get: () => undefined,
      async save(values: Partial<Published>) {
        saved.push(Object.keys(values));
        if (isAway) throw new StoreError('away');
      },
      refresh: async () => undefined,
    },
    {
      catalog: { quota: () => ({ v2: {}, portal: {} }) as Published['quota'] },
      poller: { lastAttempt: () => null },
      currentState: { seen: () => null, stock: { points: () => ({}) } as never },
      commandIds,
    },
  );
  await clock.advance(1_000);
  // A resource that was never read is not published.
  expect(saved.splice(0)).toEqual([['quota', 'attempts', 'commands', 'stock']]);
  commandIds.set('help', '2');
  isAway = true;
  await clock.advance(999);
  expect(saved.splice(0)).toEqual([]);
  await clock.advance(1);
  isAway = false;
  await clock.advance(1_000);
  expect(saved.splice(0)).toEqual([['commands'], ['commands']]);
  expect(logLines).toHaveLength(1);
  await clock.advance(10_000);
  expect(saved).toEqual([]);
});
