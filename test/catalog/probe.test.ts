import { describe, expect, it } from 'vitest';
import type { Lane } from '../../src/catalog/catalog.ts';
import { createTestCatalog } from './create-test-catalog.ts';
import { event } from './payloads.ts';
import { json, type Play, startScriptedCatalog } from './scripted-catalog.ts';

const GOOD = json([event(1)]);
const FAILING = json('', 503, { 'retry-after': '600' });
const REFUSED = { code: 'CATALOG_NETWORK', message: expect.stringMatching(/keeps failing and is asked again in 1 s/) };

/** A catalog that has failed until it was left alone, at the moment at which it may be asked again. */
async function setUpHalfOpen() {
  const service = await startScriptedCatalog(GOOD);
  const { catalog, clock } = createTestCatalog(service.url);
  const ask = (list: 'events' | 'polls' | 'monkeychats', lane: Lane) => catalog[list].list({ lane, maxAgeMs: 1 });
  await ask('events', 'background');
  service.play(FAILING);
  for (let call = 0; call < 5; call += 1) await ask('polls', 'interactive').catch(() => undefined);
  await expect(ask('polls', 'interactive')).rejects.toMatchObject({
    message: expect.stringMatching(/keeps failing and is asked again in 15 s/),
  });
  await clock.advance(15_000);
  expect(service.seen).toHaveLength(6);

  /** Holds every answer back until it is told how to answer. */
  const answers: (() => void)[] = [];
  const hold =
    (play: Play): Play =>
    (request, response) => {
      answers.push(() => play(request, response));
    };
  return {
    service,
    catalog,
    clock,
    ask,
    hold,
    /** Answers all that is held back. */
    answer: () => {
      for (const answer of answers.splice(0)) answer();
    },
  };
}

/** Tells after how long a call ended. */
async function tookMs(clock: { now(): number }, call: Promise<unknown>): Promise<number> {
  const startMs = clock.now();
  await call.catch(() => undefined);
  return clock.now() - startMs;
}

describe('after a circuit was open', () => {
  it('one request probes, and whoever asks meanwhile goes on when that is answered', async () => {
    const { service, ask, hold, answer } = await setUpHalfOpen();
    service.play(hold(GOOD));
    const calls = [ask('events', 'background'), ask('polls', 'interactive'), ask('monkeychats', 'announcement')];
    await service.untilSeen(7);
    expect(service.seen).toHaveLength(7);
    service.play(GOOD);
    answer();
    expect(await Promise.all(calls)).toMatchObject([{ isStale: false }, { isStale: false }, { isStale: false }]);
    expect(service.seen).toHaveLength(9);
  });

  it('all of them are refused as soon as the probe fails, and nothing is asked for twice as long', async () => {
    const { service, clock, ask, hold, answer } = await setUpHalfOpen();
    service.play(hold(FAILING));
    const probe = ask('polls', 'background');
    const others = [ask('monkeychats', 'background'), ask('events', 'interactive')];
    await service.untilSeen(7);
    const refused = expect(probe).rejects.toMatchObject({ status: 503 });
    const waiting = expect(others[0]).rejects.toMatchObject({
      message: expect.stringMatching(/is asked again in 30 s/),
    });
    answer();
    await Promise.all([refused, waiting]);
    await expect(others[1]).resolves.toMatchObject({ isStale: true });
    await clock.advance(29_999);
    await expect(ask('monkeychats', 'background')).rejects.toMatchObject({
      message: expect.stringMatching(/is asked again in 1 s/),
    });
    expect(service.seen).toHaveLength(7);
  });

  it('a person waits three seconds for the probe, then gets the older answer, and the probe goes on', async () => {
    const { service, clock, ask, hold, answer } = await setUpHalfOpen();
    service.play(hold(GOOD));
    const first = ask('events', 'interactive');
    await service.untilSeen(7);
    const waits = [tookMs(clock, first)];
    await clock.advance(2_000);
    waits.push(tookMs(clock, ask('polls', 'interactive')));
    await clock.advance(1_000);
    waits.push(tookMs(clock, ask('monkeychats', 'interactive')));
    expect(await Promise.all(waits)).toEqual([3_000, 1_000, 0]);
    await expect(first).resolves.toMatchObject({ isStale: true });
    await expect(ask('polls', 'interactive')).rejects.toMatchObject(REFUSED);
    expect(service.seen).toHaveLength(7);

    // Work that nobody looks at waits for what the probe tells.
    const patient = ask('monkeychats', 'background');
    await clock.advance(9_000);
    service.play(GOOD);
    answer();
    await expect(patient).resolves.toMatchObject({ isStale: false });
    await expect(ask('polls', 'interactive')).resolves.toMatchObject({ isStale: false });
  });

  it('a person who joins a call that waits for a probe waits no longer than other people', async () => {
    const { service, clock, ask, hold } = await setUpHalfOpen();
    service.play(hold(GOOD));
    const probe = ask('polls', 'background');
    await service.untilSeen(7);
    const waiting = ask('events', 'background');
    await clock.advance(5_000);
    expect(await tookMs(clock, ask('events', 'interactive'))).toBe(0);
    await expect(waiting).resolves.toMatchObject({ isStale: true });
    const late = expect(probe).rejects.toMatchObject({ code: 'CATALOG_TIMEOUT' });
    await clock.advance(10_000);
    await late;
  });

  it('whoever waits for a probe can give up, and closing ends the probe', async () => {
    const { service, catalog, ask, hold } = await setUpHalfOpen();
    service.play(hold(GOOD));
    const probe = ask('polls', 'background');
    await service.untilSeen(7);
    const controller = new AbortController();
    const left = catalog.events.list({ lane: 'interactive', maxAgeMs: 1, signal: controller.signal });
    const reason = new Error('Never mind.');
    const gaveUp = expect(left).rejects.toBe(reason);
    controller.abort(reason);
    await gaveUp;
    const closed = expect(probe).rejects.toMatchObject({ message: 'The catalog client is closed.' });
    await catalog.close();
    await closed;
  });
});
