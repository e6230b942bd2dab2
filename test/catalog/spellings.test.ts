import { expect, it } from 'vitest';
import { normaliseKeys, otherEventType } from '../../src/catalog/spellings.ts';

function specified(json: unknown): unknown {
  normaliseKeys(json);
  return json;
}

it.each([
  ['IsWootOff', 'IsDealOff'],
  ['IsFulfilledByAmazon', 'IsFulfilledByPartner'],
  ['LastWooterToWoot', 'LastBuyerToDeal'],
  ['OverallWootsSold', 'OverallDealsSold'],
  ['SiteWootsSold', 'SiteDealsSold'],
  ['SpeedToFirstWoot', 'SpeedToFirstDeal'],
  ['WootsByState', 'DealsByState'],
])('maps the field %s to %s, however deep', (other, name) => {
  expect(specified([{ Offers: [{ Stats: { [other]: 1 } }] }])).toMatchObject([{ Offers: [{ Stats: { [name]: 1 } }] }]);
});

it("prefers the specification's name where both are there", () => {
  expect(specified({ IsDealOff: false, IsWootOff: true })).toMatchObject({ IsDealOff: false });
  expect(specified({ IsDealOff: null, IsWootOff: true })).toMatchObject({ IsDealOff: true });
});

it.each([
  ['WootOff', 'DealOff'],
  ['wootplus', 'DealPlus'],
  ['Daily', 'Daily'],
  ['daily', 'Daily'],
  ['DEALOFF', 'DealOff'],
  ['SomethingNew', 'SomethingNew'],
])('maps the event type %s to %s', (other, type) => {
  expect(specified([{ Type: other }])).toEqual([{ Type: type }]);
});

it('leaves alone what is nested deeper than anything of the catalog', () => {
  const text = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  expect(() => specified(JSON.parse(text))).not.toThrow();
});

it('knows the other way round for requests', () => {
  expect([otherEventType('DealOff'), otherEventType('Moofi')]).toEqual(['WootOff', 'Moofi']);
});
