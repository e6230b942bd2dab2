import { expect, test } from 'vitest';
import { reposts } from '../../../src/features/reposts/index.ts';
import { isSameDeal, SAME_PRICE, SAME_WITHIN_MS } from '../../../src/features/reposts/same-deal.ts';
import { MINUTE_MS } from '../../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { NOW_MS, uuid } from '../../helpers/things.ts';

const PRICE = 40;
const usd = (minimum: number, maximum = minimum) => ({ minimum, maximum });
const before = { salePrice: usd(PRICE), endedAtMs: NOW_MS - SAME_WITHIN_MS };

test.each([
  ['at the same price', usd(PRICE), true],
  ['as much cheaper as may be', usd(PRICE * (1 - SAME_PRICE)), true],
  ['a cent cheaper than that', usd(PRICE * (1 - SAME_PRICE) - 0.01), false],
  ['as much dearer as may be', usd(PRICE * (1 + SAME_PRICE)), true],
  ['a cent dearer than that', usd(PRICE * (1 + SAME_PRICE) + 0.01), false],
  ['with dearer variants', usd(PRICE, PRICE * 2), false],
  ['without a known price', null, false],
])('a week later %s, a listing is the last one’s deal: %s → %s', (_what, salePrice, isSame) => {
  expect(isSameDeal({ salePrice }, before, NOW_MS)).toBe(isSame);
});

test('after a week, or where the last price is not known, it is another deal', () => {
  expect(isSameDeal({ salePrice: usd(PRICE) }, { ...before, endedAtMs: before.endedAtMs - 1 }, NOW_MS)).toBe(false);
  expect(isSameDeal({ salePrice: usd(PRICE) }, { ...before, salePrice: null }, NOW_MS)).toBe(false);
});

/** A channel in which a kettle was posted that has sold out since, as its post says. */
async function aSoldOutPost(options: string) {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content, features: [reposts] });
  const app = await house.startBot();
  const panel = await house.asAda('deals', `/subscription add feed feed:Home catch-up:1 ${options}`);
  await app.settled();
  const pollTwice = async () => {
    for (let poll = 0; poll < 2; poll += 1) {
      await house.clock.advance(20 * MINUTE_MS);
      await house.tick(app);
      await app.settled();
    }
  };
  folder.writeFeed('Home', [feedItem(1, { IsSoldOut: true })]);
  await pollTwice();
  const posts = () => house.announcements('deals');
  return {
    panel,
    posts,
    shownIn: () => posts().map((post) => customIdsOf(post)[0]?.split(':')[1]),
    /** The product is listed anew, and the sold-out listing is gone. */
    relist: async (changes: Record<string, unknown>) => {
      folder.writeFeed('Home', [feedItem(2, { Title: 'Kettle 1', ...changes })]);
      await pollTwice();
    },
  };
}

test('with the setting, a product that is back at about its price updates its post', async () => {
  const { panel, posts, shownIn, relist } = await aSoldOutPost('revive:True');
  expect(textOf(panel)).toContain('the earlier post is updated');
  expect(textOf(posts()[0] as object)).toContain('Sold out');
  const [{ id } = { id: '' }] = posts();
  await relist({ SalePrice: { Minimum: 20.5, Maximum: 20.5 } });
  expect(shownIn()).toEqual([uuid(2)]);
  expect(posts()[0]).toMatchObject({ id, edited_timestamp: expect.any(String) });
  expect(textOf(posts()[0] as object)).toMatch(/Back again.*\$0\.50 more than last time/s);
  expect(textOf(posts()[0] as object)).not.toContain('Sold out');
});

test('without it, or cheaper than that, there is a new post that says against what', async () => {
  const anew = await aSoldOutPost('');
  expect(customIdsOf(anew.panel).join()).toContain('revive');
  await anew.relist({});
  expect(anew.shownIn()).toEqual([uuid(1), uuid(2)]);

  const cheaper = await aSoldOutPost('revive:True');
  await cheaper.relist({ SalePrice: { Minimum: 15, Maximum: 15 } });
  expect(cheaper.shownIn()).toEqual([uuid(1), uuid(2)]);
  expect(textOf(cheaper.posts()[1] as object)).toContain('**$5.00 cheaper** than last time');
});
