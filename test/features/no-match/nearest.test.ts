import { expect, test } from 'vitest';
import { noMatch } from '../../../src/features/no-match/index.ts';
import { nearestFilter } from '../../../src/features/no-match/nearest.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { aHouseOfDeals } from '../../helpers/panel.ts';

const KNOWN: Readonly<Record<string, string>> = { ketle: 'kettle', toster: 'toaster' };
const search = { nearest: (word: string) => KNOWN[word] ?? null };

test.each([
  ['ketle', 'kettle'],
  ['ketle price:<50', 'kettle price:<50'],
  ['ketle OR toster', 'kettle OR toaster'],
  ['-ketle toster', '-ketle toaster'],
  ['kettle price:<50', null],
  ['"ketle"', null],
  ['title:ketle', null],
  ['ketle*', null],
  ['/ketle/', null],
])('the filter %s may mean %s', (filter, meant) => {
  expect(nearestFilter(filter, search)).toBe(meant);
});

test('only so many words are looked up', () => {
  let looked = 0;
  nearestFilter('x '.repeat(500), {
    nearest: () => {
      looked += 1;
      return null;
    },
  });
  expect(looked).toBe(8);
});

test('an empty list offers the filter that may have been meant, where that matches', async () => {
  const { house } = await aHouseOfDeals({}, [noMatch]);
  const list = await house.asBen('deals', '/feed feed:Home filter:"ketle price:>1"');
  expect(textOf(list)).toContain('No live offers match.');
  const meant = customIdsOf(list).find((id) => id.includes('kettle price')) ?? '';
  expect(textOf(await house.click(list, meant))).toContain('Kettle 1');
  const dear = await house.asBen('deals', '/feed feed:Home filter:"ketle price:>9999"');
  expect(customIdsOf(dear).filter((id) => id.includes('kettle'))).toEqual([]);
  const panel = textOf(await house.asAda('deals', '/subscription add feed feed:Home catch-up:0 filter:ketle'));
  expect(panel).toContain('⚠ Did you mean `kettle`?');
});
