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

test('what changes while news is matched counts from the next news on: a commit sees one state', async () => {
  const clock = new SlowClock('2026-10-06T12:00:00Z');
  const { store, put, look, enqueued } = await aPoller({ clock });
  await store.subscriptions.save(aSubscription('t', { channelId: '11' }));
  await look();
  put(SIXTY);
  let removing: Promise<unknown> = Promise.resolve();
  // Of 120 steps: each of the offers is matched with both subscriptions.
  clock.afterSteps(60, () => {
    removing = store.subscriptions.remove('t').then(() => enqueued('11').length);
  });
  await look();
  expect(await removing).toBe(60);
  put([anOffer(61)]);
  await look();
  expect(['10', '11'].map((channel) => enqueued(channel).length)).toEqual([61, 60]);
});

test('the bot that stops while a long answer is matched stores nothing of it, and finds all of it again', async () => {
  const [stateUrl, clock] = [temporaryState(), new SlowClock('2026-10-06T12:00:00Z')];
  const { store, put, look, abort, book, poller } = await aPoller({ stateUrl, clock });
  await look();
  const before = store.resources.get('feed:Home');
  put(SIXTY);
  clock.afterSteps(30, abort);
  await expect(look()).rejects.toThrow('aborted');
  expect([store.deliveries.pending('10'), book.size, store.resources.get('feed:Home')]).toEqual([[], 0, before]);
  expect(poller.status().resources.map(({ failure }) => failure)).toEqual([null]);
  await store.close();
  const again = await aPoller({ stateUrl, clock });
  again.put(SIXTY);
  await again.look();
  expect(again.enqueued()).toHaveLength(60);
});

test('two long answers that arrive at once are taken in one after the other: an offer of both is new once', async () => {
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
  const [record] = await store.offers.all();
  expect(Object.keys(record?.feeds ?? {})).toEqual(['home', 'tools']);
});
