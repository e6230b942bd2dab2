import { expect, test } from 'vitest';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { aPoller } from '../../helpers/poller.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { anOffer, aSubscription } from '../../helpers/things.ts';

/** A clock on which every look at it takes 2 ms, so that long work takes turns of three steps. */
class SlowClock extends ManualClock {
  #looks = 0;
  #meanwhile: { atLook: number; act: () => void } | null = null;

  override monotonicMs(): number {
    this.#looks += 1;
    if (this.#meanwhile?.atLook === this.#looks) this.#meanwhile.act();
    return super.monotonicMs() + 2 * this.#looks;
  }

  /** Does something in the midst of the work that comes next, after so many steps. */
  afterSteps(steps: number, act: () => void): void {
    this.#meanwhile = { atLook: this.#looks + steps, act };
  }
}

const SIXTY = Array.from({ length: 60 }, (_, index) => anOffer(index + 1));

test('a subscription that goes while a long answer is compared gets nothing of it, and one that comes all', async () => {
  const clock = new SlowClock('2026-10-06T12:00:00Z');
  const { store, put, look, enqueued } = await aPoller({ clock });
  await store.subscriptions.save(aSubscription('t', { channelId: '11' }));
  await look();
  put(SIXTY);
  let changing: Promise<unknown> = Promise.resolve();
  clock.afterSteps(100, () => {
    const added = aSubscription('u', { channelId: '12' });
    changing = Promise.all([store.subscriptions.remove('t'), store.subscriptions.save(added)]);
  });
  await look();
  await changing;
  expect(['10', '11', '12'].map((channel) => enqueued(channel).length)).toEqual([60, 0, 60]);
});

test('what changes while news is matched counts from the next news on: a commit sees one state', async () => {
  const clock = new SlowClock('2026-10-06T12:00:00Z');
  const { store, put, look, enqueued } = await aPoller({ clock });
  await store.subscriptions.save(aSubscription('t', { channelId: '11' }));
  await look();
  put(SIXTY);
  let removing: Promise<unknown> = Promise.resolve();
  // The steps of the comparison come first: 60 for the keys and 60 for the offers.
  clock.afterSteps(180, () => {
    removing = store.subscriptions.remove('t').then(() => enqueued('11').length);
  });
  await look();
  expect(await removing).toBe(60);
  put([anOffer(61)]);
  await look();
  expect(['10', '11'].map((channel) => enqueued(channel).length)).toEqual([61, 60]);
});

test.each([
  ['compared', 100],
  ['matched', 180],
])('the bot that stops while a long answer is %s stores nothing of it, and finds all of it again', async (_, steps) => {
  const [stateUrl, clock] = [temporaryState(), new SlowClock('2026-10-06T12:00:00Z')];
  const { store, put, look, abort, book, poller } = await aPoller({ stateUrl, clock });
  await look();
  const before = store.resources.get('feed:Home');
  put(SIXTY);
  clock.afterSteps(steps, abort);
  await expect(look()).rejects.toThrow('aborted');
  expect([store.deliveries.pending('10'), book.size, store.resources.get('feed:Home')]).toEqual([[], 0, before]);
  expect(poller.status().resources.map(({ failure }) => failure)).toEqual([null]);
  await store.close();
  const again = await aPoller({ stateUrl, clock });
  again.put(SIXTY);
  await again.look();
  expect(again.enqueued()).toHaveLength(60);
});

test('two long answers that arrive at once are compared one after the other: an offer of both is new once', async () => {
  const clock = new SlowClock('2026-10-06T12:00:00Z');
  const { store, put, look, enqueued } = await aPoller({ clock });
  await store.subscriptions.save(aSubscription('t', { channelId: '11', source: { kind: 'feed', feed: 'Tools' } }));
  put([], 'Tools');
  await look();
  await look('Tools');
  put(SIXTY);
  put(SIXTY, 'Tools');
  await Promise.all([look(), look('Tools')]);
  expect(['10', '11'].map((channel) => enqueued(channel).length)).toEqual([60, 60]);
  const [record] = await store.offers.list();
  expect(Object.keys(record?.feeds ?? {})).toEqual(['home', 'tools']);
});
