import { expect, test } from 'vitest';
import { noMatch } from '../../../src/features/no-match/index.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { aHouseOfDeals } from '../../helpers/panel.ts';

test('a filter that nothing matches says so first, with what the week would have had and the part that costs most', async () => {
  const { house } = await aHouseOfDeals({}, [noMatch]);
  const panel = textOf(
    await house.asAda('deals', '/subscription add feed feed:Home catch-up:0 filter:"kettle price:<1 -toaster"'),
  );
  expect(panel).toContain(
    '⚠ 0 of 3 match now; in the last 7 days 0 would have.\n⚠ Without `price:<1`, 3 would match now.',
  );
  expect(panel.indexOf('0 of 3 match')).toBeLessThan(panel.indexOf('**Matches now**'));
});

test('where no part alone makes the difference, none is named, and where something matches, nothing is said', async () => {
  const { house } = await aHouseOfDeals({}, [noMatch]);
  const add = async (feed: string, filter: string) =>
    textOf(await house.asAda('deals', `/subscription add feed feed:${feed} catch-up:0 filter:"${filter}"`));
  const two = await add('Home', 'lamp price:<1');
  expect(two).toContain('⚠ 0 of 3 match now');
  expect(two).not.toContain('Without');
  expect(await add('Home', '/lamp/ price:<1')).not.toContain('Without');
  expect(await add('Tools', 'kettle')).not.toContain('match now; ');
  expect(await add('Tools', 'lamp')).toContain('⚠ The only live item doesn’t match now');
});

test.each([
  ['kettle kin?le', '“?” doesn’t stand for a letter. Write kin*.', 'kin?le'],
  ['kettle price<', '“price<” would only be searched for as words. To compare, write price:<50.', 'price<'],
  ['price:<20 price:>50', '“price:>50” and the rest can’t be true together, so nothing would ever match.', 'price:>50'],
])('a filter %s that can’t match is a mistake with *Fix it*', async (filter, sentence, wrong) => {
  const { house } = await aHouseOfDeals({}, [noMatch]);
  const answer = await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:"${filter}"`);
  const told = textOf(answer).replaceAll('\\', '');
  expect(told).toContain(`⚠ **filter** · There’s a mistake in the filter. ${sentence}`);
  expect(told).toContain(`${' '.repeat(filter.indexOf(wrong))}${'^'.repeat(wrong.length)}`);
  expect(customIdsOf(answer)).toContain('add:feed');
});
