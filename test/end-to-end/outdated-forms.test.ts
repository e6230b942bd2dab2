import { expect, test } from 'vitest';
import { IDS } from '../../packages/local-discord/src/index.ts';
import { textOf } from '../helpers/discord-form.ts';
import { inputsOf } from '../helpers/mistake-form.ts';
import { adaSends, adaUses, aHouseOfDeals, idIn } from '../helpers/panel.ts';

/** A subscription whose form Ada has opened before another manager changed its settings. */
async function anOpenForm(form: string, before: string, meanwhile: string) {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 ${before}`);
  const opened = await adaUses(house, panel, form);
  house.discord.giveRole(IDS.ben, IDS.managers);
  await house.asBen('deals', `/subscription edit id:${idIn(panel)} ${meanwhile}`);
  return { house, panel, opened, settings: () => house.asAda('deals', `/subscription edit id:${idIn(panel)}`) };
}

test('a form that somebody left alone in part overwrites nothing that another manager changed meanwhile', async () => {
  const { house, panel, opened } = await anOpenForm('limits', 'most-per-hour:5 price-drop:10', 'most-per-hour:9');
  const saved = await adaSends(house, panel, opened, { 'most-per-hour': '5', 'price-drop': '30%' });
  expect(textOf(saved)).toContain('9');
  expect(textOf(saved)).toContain('30%');
  expect(textOf(saved)).not.toContain('⚠');
});

test('what both have changed is said, nothing is overwritten, and what was typed is kept', async () => {
  const { house, panel, opened, settings } = await anOpenForm('filter', 'filter:kettle', 'filter:lamp');
  const told = await adaSends(house, panel, opened, { filter: 'toaster price:<50' });
  expect(textOf(told)).toContain(
    '⚠ **filter** · Someone else changed this while you had the form open. Now: `lamp`\nYou wrote:\n```\ntoaster price:<50\n```',
  );
  expect(textOf(await settings())).toContain('lamp');
  const again = await adaUses(house, told, 'filter-again');
  expect(inputsOf(again.modal ?? { components: [] })).toEqual([{ name: 'filter', value: 'toaster price:<50' }]);
  const saved = textOf(await adaSends(house, told, again, { filter: 'toaster price:<50' }));
  expect(saved).toContain('toaster price:<50');
  expect(saved).not.toContain('lamp');
});

test('what another manager emptied meanwhile is said as well', async () => {
  const { house, panel, opened } = await anOpenForm('filter', 'filter:kettle', 'words:x');
  await adaSends(house, panel, await adaUses(house, panel, 'filter'), { filter: '' });
  expect(textOf(await adaSends(house, panel, opened, { filter: 'lamp' }))).toContain(
    '⚠ **filter** · Someone else cleared this while you had the form open.',
  );
});
