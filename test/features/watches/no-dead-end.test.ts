import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/discord/limits.ts';
import { alertButton } from '../../../src/features/watches/cards.ts';
import { watches } from '../../../src/features/watches/index.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { inputsOf } from '../../helpers/mistake-form.ts';
import { adaSends, adaUses, aHouseOfDeals } from '../../helpers/panel.ts';
import { translatorFor } from '../../helpers/translator.ts';

test.each([
  ['/feed feed:Home filter:"lamp price:<20"', 'watch-feed:Home:lamp price:<20', 'lamp price:<20'],
  ['/search words:"brass lamp" filter:price:<20', 'watch-feed:All:brass lamp price:<20', 'brass lamp price:<20'],
  ['/offer offer:"brass lamp"', 'watch-feed:All:brass lamp', 'brass lamp'],
  ['/alert add offer:"lamp price:<20" when:stock', 'watch-feed:All:lamp price:<20', 'lamp price:<20'],
])('%s finds nothing, and offers to tell when there is something', async (command, action, filter) => {
  const { house } = await aHouseOfDeals({}, [watches]);
  const none = await house.asAda('deals', command);
  expect(customIdsOf(none)).toContain(action);
  const opened = await adaUses(house, none, action);
  expect(inputsOf(opened.modal ?? { components: [] })).toEqual([{ name: 'filter', value: filter }]);
  expect(textOf(await adaSends(house, none, opened, { filter }))).toContain(filter);
});

test('where something is found, and where no filter was given, it is not offered', async () => {
  const { house } = await aHouseOfDeals({}, [watches]);
  for (const command of ['/feed feed:Home filter:kettle', '/feed feed:Sports', '/search words:kettle']) {
    const ids = customIdsOf(await house.asAda('deals', command));
    expect(
      ids.filter((id) => id.startsWith('watch-feed')),
      command,
    ).toEqual([]);
  }
});

test('a filter that the button can’t hold is not cut: there is no button', () => {
  const english = translatorFor('en-US');
  const room = LIMITS.customId - 'watch-feed:Home:'.length;
  expect(alertButton('Home', 'x'.repeat(room), english)?.custom_id).toHaveLength(LIMITS.customId);
  expect(alertButton('Home', 'x'.repeat(room + 1), english)).toBeNull();
});
