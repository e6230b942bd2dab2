import { expect, test } from 'vitest';
import { feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { adaFills, adaGets, adaUses, aHouseOfDeals, idIn } from '../helpers/panel.ts';

test('what is set on the panel is what is posted', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  let panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  panel = await adaFills(house, panel, 'filter', { filter: 'title:"kettle 5" OR price:<5' });
  expect(textOf(panel)).toContain('`title:"kettle 5" OR price:<5`');
  folder.writeFeed('Home', [feedItem(4), feedItem(5)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  const posted = house.announcements('deals');
  expect(posted).toHaveLength(1);
  expect(posted.map(textOf).join()).toContain('Kettle 5');
});

test('the panel changes kinds, mode, times and limits, and works after a restart', async () => {
  const { house, app } = await aHouseOfDeals();
  let panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  panel = await adaGets(house, panel, 'kinds', ['price-drop', 'ending-soon']);
  expect(textOf(panel)).toContain('**Posts** Price drop and Ending soon');
  await app.stop();
  await house.startBot();
  panel = await adaGets(house, panel, 'mode', ['hourly']);
  expect(textOf(panel)).toContain('**When** Hourly digest');
  panel = await adaFills(house, panel, 'times', { at: '8', 'time-zone': 'new york', 'quiet-hours': '10 pm - 6 am' });
  expect(textOf(panel)).toContain('**Quiet hours** 22:00–06:00 (America/New_York)');
  panel = await adaFills(house, panel, 'times', { at: '8', 'time-zone': 'new york', 'quiet-hours': '' });
  expect(textOf(panel)).not.toContain('**Quiet hours**');
  panel = await adaFills(house, panel, 'limits', { 'most-per-hour': '7', 'price-drop': '25 %' });
  expect(textOf(panel)).toContain('**Limit** 7 posts per hour');
  expect(textOf(panel)).toContain('of 25% or more');
});

test('types and sites of events are chosen on the panel', async () => {
  const { house } = await aHouseOfDeals();
  let panel = await house.asAda('deals', '/subscription add events catch-up:0');
  panel = await adaGets(house, panel, 'types', ['Daily', 'DealOff']);
  panel = await adaGets(house, panel, 'sites', ['wine']);
  expect(textOf(panel)).toContain('(Daily, Deal\\-off, wine\\)');
  panel = await adaGets(house, panel, 'types', []);
  expect(textOf(panel)).toContain('(wine\\)');
});

test('a mistake in a form keeps what was written, also over a restart, and opens again with it', async () => {
  const { house, app } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const mistake = await adaFills(house, panel, 'filter', { filter: 'ssd prise:<50' });
  expect(mistake.id).toBe(panel.id);
  expect(textOf(mistake)).toContain('There’s no field “prise”. Did you mean price?');
  expect(textOf(mistake)).toContain('ssd prise:<50\n    ^^^^^');
  await app.stop();
  await house.startBot();
  const { modal } = await adaUses(house, mistake, 'filter-again');
  expect(JSON.stringify(modal)).toContain('"value":"ssd prise:<50"');
  const mended = await adaFills(house, mistake, 'filter-again', { filter: 'ssd price:<50' });
  expect(textOf(mended)).toContain('**Filter** `ssd price:<50`');
});

test('a list of many is paged, and opens the panel of each', async () => {
  const { house } = await aHouseOfDeals();
  for (const source of ['events', 'dealcasts', 'polls', 'monkeychats', 'feed feed:Home', 'feed feed:Tools']) {
    await house.asAda('deals', `/subscription add ${source} catch-up:0`);
  }
  const list = await house.asAda('deals', '/subscription list');
  expect(textOf(list)).toContain('6 subscriptions · page 1 of 2');
  const second = await adaGets(house, list, customIdsOf(list).find((id) => id.startsWith('next>')) ?? '');
  expect(textOf(second)).toContain('**Tools feed**');
  const panel = await adaGets(house, second, 'open');
  expect(textOf(panel)).toContain('## Tools feed');
  const [opened = ''] = JSON.stringify(list.components).match(/subscription:open:[\w-]+/) ?? [];
  const again = await adaGets(house, panel, 'subscriptions:1');
  expect(textOf(await adaGets(house, again, 'menu:open', [opened]))).toContain('## Events');
});

test('bad numbers and times in forms change nothing, and their forms open again with all that was typed', async () => {
  const { house, app } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const limits = await adaFills(house, panel, 'limits', { 'most-per-hour': '12', 'price-drop': 'lots' });
  expect(textOf(limits)).toContain('**price-drop** · “lots” isn’t valid. Enter a whole number from 1 to 99.');
  expect(textOf(await house.asAda('deals', `/subscription edit id:${idIn(panel)}`))).toContain('**Limit** 30 posts');
  const again = (await adaUses(house, limits, 'limits-again')).modal;
  expect(JSON.stringify(again)).toContain('"value":"12"');
  expect(JSON.stringify(again)).toContain('"value":"lots"');
  const fixed = await adaFills(house, limits, 'limits-again', { 'most-per-hour': '12', 'price-drop': '99' });
  expect(textOf(fixed)).toContain('**Limit** 12 posts per hour');
  expect(textOf(fixed)).toContain('of 99% or more');

  const times = await adaFills(house, fixed, 'times', { at: '9', 'time-zone': 'Mars', 'quiet-hours': '' });
  expect(textOf(times)).toContain('**time-zone** · There’s no time zone “Mars”.');
  await app.stop();
  await house.startBot();
  expect(JSON.stringify((await adaUses(house, times, 'times-again')).modal)).toContain('"value":"Mars"');
  const still = await adaFills(house, times, 'times-again', { at: '25', 'time-zone': 'UTC', 'quiet-hours': '1-2' });
  expect(textOf(still)).toContain('**at** · “25” isn’t a valid time. Examples: 9, 21:30, 9:30 pm.');
  const done = await adaFills(house, still, 'times-again', { at: '23', 'time-zone': 'UTC', 'quiet-hours': '1-2' });
  expect(textOf(done)).toContain('**Quiet hours** 01:00–02:00 (UTC)');
});

test('from the card of a mistake, the settings open as they were', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  const mistake = await adaFills(house, panel, 'limits', { 'most-per-hour': '601' });
  expect(textOf(await adaGets(house, mistake, 'open'))).toContain('**Limit** 30 posts');
});

test('a time alone makes a daily digest, and says so; with the mode, or a time of one already, nothing else is said', async () => {
  const { house } = await aHouseOfDeals();
  const id = idIn(await house.asAda('deals', '/subscription add feed feed:Home catch-up:0'));
  const edit = async (options: string) => textOf(await house.asAda('deals', `/subscription edit id:${id} ${options}`));
  expect(await edit('at:8h quiet-hours:"10pm to 7am"')).toContain('Saved. Now a daily digest at 08:00.');
  expect(await edit('at:"8 am"')).not.toContain('Now a daily digest');
  await edit('mode:"Instantly"');
  expect(await edit('at:9 mode:"Daily digest"')).not.toContain('Now a daily digest');
});
