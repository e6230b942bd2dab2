import { expect, test } from 'vitest';
import { feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { adaFills, adaGets, aHouseOfDeals, completions, idIn } from '../helpers/panel.ts';
import { sampled } from '../helpers/sampled.ts';

/** The house's clock begins at 12:00 UTC. */
const NOON_S = Date.UTC(2026, 10, 21, 12) / 1000;
const HOUR_S = 3600;

test.each(
  sampled(
    [
      ['catch-up:2', 'The latest 2 are on their way; new ones follow as they appear.'],
      ['catch-up:0', 'New ones are posted as they appear.'],
      [
        'catch-up:2 mode:hourly',
        `The latest 2 are on their way; new ones come in digests, the next at <t:${NOON_S + HOUR_S}:f>.`,
      ],
      ['catch-up:0 mode:hourly', `New ones come in the first digest at <t:${NOON_S + HOUR_S}:f>.`],
      [
        'catch-up:1 at:21:30',
        `The latest one is on its way; new ones come in digests, the next at <t:${NOON_S + 9.5 * HOUR_S}:f>.`,
      ],
      ['catch-up:0 at:9', `New ones come in the first digest at <t:${NOON_S + 21 * HOUR_S}:f>.`],
      ['catch-up:2 quiet-hours:11-13', `It’s quiet hours now: the latest 2 follow at <t:${NOON_S + HOUR_S}:f>.`],
      ['catch-up:0 quiet-hours:12-13', `It’s quiet hours now: posts start at <t:${NOON_S + HOUR_S}:f>.`],
      ['catch-up:0 quiet-hours:11-12', 'New ones are posted as they appear.'],
      [
        'catch-up:1 mode:hourly quiet-hours:12-15',
        `It’s quiet hours now: the latest one follows at <t:${NOON_S + 3 * HOUR_S}:f>.`,
      ],
    ],
    4,
  ),
)('the answer to add with %s tells when posts come, and they come then', async (options, sentence) => {
  const { house, app } = await aHouseOfDeals();
  const panel = textOf(await house.asAda('deals', `/subscription add feed feed:Home ${options}`));
  expect(panel).toContain(sentence);
  await app.settled();
  const isNow = /on (?:its|their) way/.test(sentence);
  expect(house.announcements('deals').length > 0).toBe(isNow);
  const dueS = Number(/<t:(\d+):f>/.exec(sentence)?.[1] ?? NOON_S);
  await house.clock.advance((dueS - NOON_S) * 1000 - 1);
  await app.settled();
  expect(house.announcements('deals').length > 0).toBe(isNow);
  await house.clock.advance(1);
  await app.settled();
  expect(house.announcements('deals').length > 0).toBe(!options.includes('catch-up:0'));
});

test('the answers to resume and to more of one thing in a channel tell when posts come', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home mode:hourly catch-up:0');
  const resumed = await adaGets(house, await adaGets(house, panel, 'pause'), 'resume');
  expect(textOf(resumed)).toContain(`is skipped. New ones come in the first digest at <t:${NOON_S + HOUR_S}:f>.`);
  // Another subscription of the channel wants the same at once, so it is posted at once.
  const other = await house.asAda('deals', '/subscription add feed feed:Home words:kettle catch-up:3');
  expect(textOf(other)).toContain('The latest 3 are on their way');
});

test('the panel says how many live offers match, with every change of the filter', async () => {
  const { house, folder } = await aHouseOfDeals();
  const { clock } = house;
  const panel = await house.asAda('deals', '/subscription add feed feed:Home words:"kettle 2" catch-up:0');
  expect(textOf(panel)).toContain(`**Matches now** 1 of 3 live offers · checked <t:${NOON_S}:R>`);
  const cheap = await adaFills(house, panel, 'filter', { filter: 'price:<=20 -"kettle 3"' });
  expect(textOf(cheap)).toContain('**Matches now** 2 of 3 live offers');
  expect(textOf(await adaFills(house, cheap, 'filter', { filter: '' }))).toContain('3 of 3 live offers');
  folder.writeFeed('Home', [feedItem(1, { EndDate: new Date(clock.now() + 60_000).toISOString() }), feedItem(2)]);
  const events = await house.asAda('deals', '/subscription add events type:DealOff catch-up:0');
  expect(textOf(events)).toContain('**Matches now** 1 of 2 live items');
});

test('of a source that was never read, the panel says that', async () => {
  const { house, app } = await aHouseOfDeals();
  await house.asAda('deals', '/subscription add dealcasts catch-up:0');
  await app.stop();
  const next = await house.startBot({ CATALOG_V2_URL: 'http://127.0.0.1:9' });
  await next.settled();
  const opened = await house.asAda('deals', '/subscription list');
  const [open = ''] = JSON.stringify(opened.components).match(/subscription:open:[\w-]+/) ?? [];
  const panel = await adaGets(house, opened, open);
  expect(textOf(panel)).toContain('**Matches now** not known yet: the first check is still to come');
});

test('filters complete fields and values of the source, and say at once how much matches', async () => {
  const { house, folder } = await aHouseOfDeals();
  folder.writeFeed('Home', [
    feedItem(1, { Condition: 'Factory Reconditioned' }),
    feedItem(2, { Condition: 'New' }),
    feedItem(3, { Condition: 'New', Categories: ['HOME', 'HOME/Kitchen'] }),
  ]);
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const ofAdd = (filter: string) => completions(house, `/subscription add feed feed:home filter:${filter}`, 'filter');
  expect((await ofAdd('')).slice(0, 3)).toEqual(['price:<', 'list:', 'off:>=']);
  expect(await ofAdd('cond')).toEqual(['cond · matches 0 of 3', 'condition:']);
  expect(await ofAdd('condition:')).toEqual(['condition:New', 'condition:"Factory Reconditioned"']);
  expect(await ofAdd('"kettle category:"')).toEqual(['kettle category:HOME', 'kettle category:HOME/Kitchen']);
  expect(await ofAdd('"kettle condition:new"')).toEqual([
    'kettle condition:new · matches 2 of 3',
    'kettle condition:New',
  ]);
  expect((await ofAdd('"price:abc tv"'))[0]).toBe('“abc” isn’t a number. Example: 50 or 49.99.');
  expect(await ofAdd('/kettle/')).toEqual(['/kettle/']);
  const edit = `/subscription edit id:${idIn(panel)} filter:condition:n`;
  expect(await completions(house, edit, 'filter')).toEqual([
    'condition:n · matches 0 of 3',
    'condition:New',
    'condition:"Factory Reconditioned"',
  ]);
  expect(await completions(house, '/feed feed:Home filter:condition:ne', 'filter')).toContain('condition:New');
  expect(await completions(house, '/feed feed:Home filter:kettle', 'filter')).toEqual(['kettle · matches 3 of 3']);
  house.discord.setLocale(house.discord.people.ada.id, 'de');
  expect(await ofAdd('kettle')).toEqual(['kettle · passt auf 3 von 3']);
  // Discord takes choices of at most 100 characters.
  const long = 'a'.repeat(98);
  expect(await ofAdd(`"${long} "`)).toEqual([`${long.slice(0, 59)}… · passt auf 0 von 3`, `${long} -`]);
});

test('for a feed that is not chosen or was not read, fields are offered, and what is typed stays first', async () => {
  const { house } = await aHouseOfDeals();
  const names = await completions(house, '/subscription add feed filter:p', 'filter');
  expect(names).toEqual(['p', 'price:<', 'partner:']);
  expect(await completions(house, '/subscription add feed feed:Tools filter:condition:', 'filter')).toEqual([]);
  expect(await completions(house, '/subscription add polls filter:pri', 'filter')).toEqual(['pri', 'price:<']);
});
