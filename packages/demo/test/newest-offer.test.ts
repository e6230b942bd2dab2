import { expect, test } from 'vitest';
import { createSimulator } from '../../catalog-service/src/index.ts';
import { alterOffer } from '../src/actions.ts';
import { alterableStore } from '../src/alterable-store.ts';
import { createNewestOffer } from '../src/newest-offer.ts';
import { aPost } from './a-post.ts';

const START_MS = Date.parse('2026-11-22T12:00:00Z');
const MINUTE_MS = 60_000;

interface Item {
  OfferId: string;
  Title: string;
  Url: string;
  EndDate: string;
  IsSoldOut: boolean;
}

/** The levers over the demo's store, at a time that the test sets. */
function aStage() {
  const store = alterableStore(createSimulator({ seed: 'newest', offers: 300, pace: 'demo' }));
  let nowMs = START_MS;
  const newest = createNewestOffer(store, () => nowMs);
  return {
    newest,
    setTime: (ms: number) => {
      nowMs = ms;
    },
    items: () => store.at(nowMs, '').feed('Electronics').items as Item[],
    post: ({ Title, Url }: Item) =>
      newest.post(Object.assign(aPost(`🆕 **New offer**\n### [${Title}](${Url})`), { id: Title, channel_id: 'deals' })),
    change: ({ Title }: Item, change: 'sell-out' | 'bring-back' | 'end') =>
      alterOffer({ do: 'offer', messageId: Title, change }, { newest, store }),
  };
}

/** The stage with the first offer of so long a life as `fits` takes, at the time of its end less `leftMs`. */
function withOffer(leftMs: number): { stage: ReturnType<typeof aStage>; item: Item } {
  const stage = aStage();
  const [item] = stage
    .items()
    .filter(({ IsSoldOut, EndDate }) => !IsSoldOut && Date.parse(EndDate) > START_MS + 5 * MINUTE_MS);
  if (!item) throw new Error('No offer is live.');
  stage.setTime(Date.parse(item.EndDate) - leftMs);
  return { stage, item };
}

test('an offer that ends by itself within two minutes is none that the levers change', () => {
  const late = withOffer(2 * MINUTE_MS - 1);
  late.stage.post(late.item);
  expect(late.stage.newest.shown()).toBeNull();
  const early = withOffer(2 * MINUTE_MS);
  early.stage.post(early.item);
  expect(early.stage.newest.shown()).toMatchObject({ title: early.item.Title, state: 'live' });
});

test.each([
  ['sell-out', 'sold out'],
  ['end', 'ended'],
] as const)('after "%s" an offer is brought back', (change, state) => {
  const { stage, item } = withOffer(5 * MINUTE_MS);
  stage.post(item);
  expect(() => stage.change(item, 'bring-back')).toThrow("It's on sale. Sell it out first.");
  stage.change(item, change);
  expect(stage.newest.shown()?.state).toBe(state);
  stage.change(item, 'bring-back');
  expect(stage.newest.shown()?.state).toBe('live');
});

test('what has ended by itself meanwhile is not brought back, and the person hears so', () => {
  const { stage, item } = withOffer(5 * MINUTE_MS);
  stage.post(item);
  stage.change(item, 'sell-out');
  // The date is told in whole seconds.
  stage.setTime(Date.parse(item.EndDate) + 1_000);
  expect(() => stage.change(item, 'bring-back')).toThrow('It ended by itself and stays over.');
});
