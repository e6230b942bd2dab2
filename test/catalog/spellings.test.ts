import { expect, it } from 'vitest';
import { createTestCatalog } from './create-test-catalog.ts';
import { httpOf, readMonkeychats } from './reading.ts';

/** An object as the client has it: a monkeychat is kept as it comes, whatever is in it. */
async function specified(object: object): Promise<unknown> {
  return (await readMonkeychats([{ Text: 'Ook.', ...object }])).value[0]?.raw;
}

it.each([
  ['IsWootOff', 'IsDealOff'],
  ['IsFulfilledByAmazon', 'IsFulfilledByPartner'],
  ['LastWooterToWoot', 'LastBuyerToDeal'],
  ['OverallWootsSold', 'OverallDealsSold'],
  ['SiteWootsSold', 'SiteDealsSold'],
  ['SpeedToFirstWoot', 'SpeedToFirstDeal'],
  ['WootsByState', 'DealsByState'],
])('maps the field %s to %s, however deep', async (other, name) => {
  expect(await specified({ Offers: [{ Stats: { [other]: 1 } }] })).toMatchObject({
    Offers: [{ Stats: { [name]: 1 } }],
  });
});

it("prefers the specification's name where both are there", async () => {
  expect(await specified({ IsDealOff: false, IsWootOff: true })).toMatchObject({ IsDealOff: false });
  expect(await specified({ IsDealOff: null, IsWootOff: true })).toMatchObject({ IsDealOff: true });
});

it.each([
  ['WootOff', 'DealOff'],
  ['wootplus', 'DealPlus'],
  ['Daily', 'Daily'],
  ['daily', 'Daily'],
  ['DEALOFF', 'DealOff'],
  ['SomethingNew', 'SomethingNew'],
])('maps the event type %s to %s', async (other, type) => {
  expect(await specified({ Type: other })).toMatchObject({ Type: type });
});

it('reads what is nested deeper than anything of the catalog', async () => {
  const text = `[{"Text":"Ook.","in":${'['.repeat(50_000)}${']'.repeat(50_000)}}]`;
  const { catalog } = createTestCatalog('http://catalog.invalid', { http: httpOf(() => text) });
  await expect(catalog.monkeychats.list({ lane: 'background' })).resolves.toMatchObject({ value: [{}] });
});
