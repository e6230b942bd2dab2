import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import { LIMITS } from '../../../src/discord/limits.ts';
import { FEATURES } from '../../../src/features/index.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { adaFills, adaGets, aHouseOfDeals, idIn } from '../../helpers/panel.ts';

const TYPED = 'kettle under $60';
const WORDS = 'kettle under 60';
const has = (name: string) => FEATURES.some((feature) => feature.name === name);
const buttonOf = (answer: PageMessage, action: string) =>
  customIdsOf(answer).find((id) => id.startsWith(`${action}:`) && id.endsWith(`:${WORDS}`)) ?? `no ${action}`;

test('a subscription that was added or edited takes the words themselves by a button', async () => {
  const { house } = await aHouseOfDeals({}, FEATURES);
  const added = await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:"${TYPED}"`);
  const panel = await adaGets(house, added, buttonOf(added, 'refilter'));
  expect(textOf(panel)).toContain(`\`${WORDS}\``);
  expect(textOf(panel)).not.toContain('Read as');
  const filled = await adaFills(house, panel, 'filter', { filter: TYPED });
  expect(textOf(await adaGets(house, filled, buttonOf(filled, 'refilter')))).toContain(`\`${WORDS}\``);
  const edited = await house.asAda('deals', `/subscription edit id:${idIn(panel)} filter:"${TYPED}"`);
  const refilter = buttonOf(edited, 'refilter');
  expect(textOf(await adaGets(house, edited, refilter))).toContain(`\`${WORDS}\``);
});

test('where the button can’t carry the words, there is none, and the line says what to do', async () => {
  const { house } = await aHouseOfDeals({}, FEATURES);
  const long = 'x'.repeat(LIMITS.customId);
  const added = await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:"${long} under $60"`);
  expect(textOf(added)).toContain('put them in quotes');
  expect(customIdsOf(added).filter((id) => id.startsWith('refilter'))).toEqual([]);
});

test.runIf(has('watches'))('so does an alert', async () => {
  const { house } = await aHouseOfDeals({}, FEATURES);
  const added = await house.asAda('deals', `/alert add feed:Home filter:"${TYPED}"`);
  expect(textOf(await adaGets(house, added, buttonOf(added, 'watch-filter')))).toContain(WORDS);
  const list = textOf(await house.asAda('deals', '/alert list'));
  expect(list).toContain('1 alert');
  expect(list).toContain(WORDS);
});

test.runIf(has('pings'))('so does a role that is proposed, and a ping', async () => {
  const { house } = await aHouseOfDeals({}, FEATURES);
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const proposed = await house.asAda('deals', `/pings make id:${idIn(panel)} filter:"${TYPED}"`);
  const again = await adaGets(house, proposed, buttonOf(proposed, 'propose-ping'));
  expect(textOf(again)).toContain(WORDS);
  expect(textOf(again)).toContain(`@${WORDS}`);
});
