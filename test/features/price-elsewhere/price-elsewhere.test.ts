import { expect, test } from 'vitest';
import type { CatalogContent } from '../../../packages/catalog-service/src/index.ts';
import { ENVIRONMENT } from '../../../src/features/price-elsewhere/environment.ts';
import { priceElsewhere } from '../../../src/features/price-elsewhere/index.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { uuid } from '../../helpers/things.ts';

const ASIN = 'B00TEST123';

/** What /offer says of an offer whose items have these ASINs. */
async function detailsOf(asins: readonly unknown[], settings: Record<string, string> = {}): Promise<string> {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const items = asins.map((asin, index) => ({ Id: uuid(100 + index), SalePrice: 20, ListPrice: 30, Asin: asin }));
  const content: CatalogContent = {
    at: (nowMs, origin) => ({
      ...folder.content.at(nowMs, origin),
      offer: (id) => ({ Id: id, Title: 'Kettle 1', IsOfferLiveNow: true, Items: items }),
    }),
  };
  const house = await aHouse({ content: () => content, features: [priceElsewhere] });
  await house.startBot(settings);
  await house.asBen('deals', '/feed feed:Home');
  const [answer] = await Promise.all([house.asBen('deals', `/offer offer:${uuid(1)}`), house.gather()]);
  return textOf(answer);
}

test.each([
  [[ASIN], ASIN],
  [[ASIN, ASIN.toLowerCase(), ` ${ASIN} `], ASIN],
  [[ASIN, 'B00OTHER12'], null],
  [[ASIN, null], null],
  [[null], null],
  [[''], null],
  [['../../evil'], null],
  [['B00TEST123B00TEST123'], null],
  [[12], null],
])('the details of items with the ASINs %j link to the prices of %s', async (asins, asin) => {
  const shown = await detailsOf(asins);
  expect(shown).toContain('Kettle 1');
  const link = /\[Price history in other stores\]\(<([^>]*)>\)/.exec(shown)?.[1];
  expect(link).toBe(asin === null ? undefined : `https://camelcamelcamel.com/product/${asin}`);
});

test('the address is set, or turned off', async () => {
  const PRICE_HISTORY_URL = 'https://prices.example.com/?id={asin}&to={asin}';
  expect(await detailsOf([ASIN], { PRICE_HISTORY_URL })).toContain(
    `(<https://prices.example.com/?id=${ASIN}&to=${ASIN}>)`,
  );
  expect(await detailsOf([ASIN], { PRICE_HISTORY_URL: 'none' })).not.toContain('other stores');
});

test.each(['https://prices.example.com', 'prices.example.com/{asin}', 'javascript:alert({asin})', ''])(
  'the address %j is refused with what it has to be',
  (text) => {
    const read = ENVIRONMENT.priceHistoryUrl.schema.safeParse(text);
    expect(read.error?.issues[0]?.message).toBe('must be a web address with {asin} in it, or none');
  },
);
