import { expect, test } from 'vitest';
import { textOf } from '../helpers/discord-form.ts';
import { fix, fixForm, inputsOf } from '../helpers/mistake-form.ts';
import { aButton, aHouseOfDeals, idIn } from '../helpers/panel.ts';
import { sampled } from '../helpers/sampled.ts';

test.each(
  sampled(
    [
      [
        'quiet-hours:25-7',
        'quiet-hours',
        '“25\\-7” isn’t a valid time range. Example: 22:00-7:00.',
        '22-7',
        '22:00–07:00',
      ],
      ['at:25:00', 'at', '“25:00” isn’t a valid time. Examples: 9, 21:30, 9:30 pm.', '21:30', 'daily digest at 21:30'],
      ['time-zone:Mars mode:daily', 'time-zone', 'There’s no time zone “Mars”.', 'berlin', '(Europe/Berlin)'],
      ['filter:price:<abc', 'filter', 'There’s a mistake in the filter.', 'price:<50', 'price:<50'],
      ['tag:Deal', 'tag', 'isn’t a forum, so posts can’t have tags there.', '', '**When**'],
      ['publish:True', 'publish', 'isn’t an announcement channel', 'false', '**When**'],
      ['mode:hourly at:9', 'mode', 'The `at` option only works with `mode: daily`.', 'daily', 'daily digest at 09:00'],
    ],
    3,
  ),
)('of /subscription add with %s, all is kept, and fixing %s goes on', async (wrong, option, sentence, right, shown) => {
  const { house, app } = await aHouseOfDeals();
  const mistake = await house.asAda(
    'deals',
    `/subscription add feed feed:Home words:kettle most-per-hour:7 ${wrong} catch-up:0`,
  );
  expect(mistake.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(mistake)).toContain(`⚠ **${option}** · `);
  expect(textOf(mistake)).toContain(sentence);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
  await app.stop();
  await house.startBot();
  const [first, ...others] = inputsOf(await fixForm(house, mistake));
  expect(first?.name).toBe(option);
  expect([first, ...others]).toContainEqual({ name: 'words', value: 'kettle' });
  const panel = await fix(house, mistake, { [option]: right });
  expect(panel.id).toBe(mistake.id);
  for (const line of ['Home feed will be posted in', 'kettle', '**Limit** 7 posts', shown]) {
    expect(textOf(panel)).toContain(line);
  }
});

test('one mistake after another is told, and more than a form takes is kept on the card', async () => {
  const { house } = await aHouseOfDeals();
  const mistake = await house.asAda(
    'deals',
    '/subscription add feed feed:Hme channel:#announcements words:kettle max-price:50 min-discount:10 most-per-hour:7 price-drop:20 quiet-hours:99 catch-up:0',
  );
  expect(textOf(mistake)).toContain('⚠ **feed** · There’s no such feed.');
  expect(inputsOf(await fixForm(house, mistake)).map(({ name }) => name)).toEqual([
    'feed',
    'channel',
    'words',
    'max-price',
    'min-discount',
  ]);
  const second = await fix(house, mistake, { feed: 'home', 'max-price': 'cheap' });
  expect(textOf(second)).toContain('⚠ **max-price** · “cheap” isn’t a valid price. Example: 49.99.');
  const third = await fix(house, second, { 'max-price': '$49,99', 'min-discount': '101' });
  expect(textOf(third)).toContain('⚠ **min-discount** · “101” isn’t valid. Enter a whole number from 1 to 100.');
  const fourth = await fix(house, third, { 'min-discount': '100 %' });
  expect(textOf(fourth)).toContain('⚠ **quiet-hours** · “99” isn’t a valid time range.');
  const panel = textOf(await fix(house, fourth, { 'quiet-hours': '' }));
  expect(panel).toContain(`in <#${house.discord.channel('announcements').id}>`);
  for (const line of ['`kettle price:<=49.99 off:>=100`', '**Limit** 7', 'of 20% or more']) {
    expect(panel).toContain(line);
  }
  expect(panel).not.toContain('Quiet hours');
});

test('a forum that requires a tag, a channel without permissions and an equal subscription can be fixed in the form', async () => {
  const { house } = await aHouseOfDeals();
  house.discord.createChannel('bargains', 'forum', { tags: ['Hot', 'Cold'], requiresTag: true });
  const untagged = await house.asAda('deals', '/subscription add polls channel:#bargains catch-up:0');
  expect(inputsOf(await fixForm(house, untagged)).map(({ name }) => name)).toEqual(['tag', 'channel', 'catch-up']);
  expect(textOf(await fix(house, untagged, { tag: 'cold' }))).toContain('**Tags** Cold');

  const { id: deniedId } = house.discord.channel('announcements');
  house.discord.setPermissions(deniedId, { deny: ['sendMessages'] });
  const denied = await house.asAda('deals', '/subscription add polls channel:#announcements words:tv catch-up:0');
  expect(textOf(denied)).toContain('Give it these permissions there: Send Messages.');
  const { id: dealsId } = house.discord.channel('deals');
  expect(textOf(await fix(house, denied, { channel: dealsId }))).toContain(`in <#${dealsId}>`);

  const equal = await house.asAda('deals', '/subscription add polls words:TV most-per-hour:3 catch-up:0');
  expect(textOf(equal)).toContain('already gets polls with the same filter');
  const panel = textOf(await fix(house, equal, { filter: '-radio' }));
  expect(panel).toContain('`tv -radio`');
  expect(panel).toContain('**Limit** 3 posts');
});

test('what is asked for twice is answered with the panel of what is there; with another setting, it can be fixed', async () => {
  const { house } = await aHouseOfDeals();
  const add = '/subscription add feed feed:Home words:vacuum max-price:60';
  const panel = await house.asAda('deals', add);
  const again = await house.asAda('deals', add);
  expect(textOf(again)).toContain('already gets Home feed with the same filter');
  expect(idIn(again), 'the panel of the one that is there').toBe(idIn(panel));
  expect(textOf(again)).not.toContain('You wrote');
  const limited = await house.asAda('deals', `${add} most-per-hour:3`);
  expect(textOf(limited)).toContain('⚠ **filter** · ');
  expect(textOf(limited)).toContain('**most-per-hour** `3`');
  expect(textOf(limited), 'no value that nobody wrote').not.toMatch(/—|```/);
  expect(inputsOf(await fixForm(house, limited))[0]).toEqual({ name: 'filter', value: '' });
});

test('of /subscription edit, all is kept as well, and the subscription stays as it was until it is fixed', async () => {
  const { house, app } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  const mistake = await house.asAda(
    'deals',
    `/subscription edit id:${idIn(panel)} most-per-hour:3 words:tv quiet-hours:7`,
  );
  expect(textOf(mistake)).toContain('⚠ **quiet-hours** · “7” isn’t a valid time range.');
  expect(textOf(await house.asAda('deals', `/subscription edit id:${idIn(panel)}`))).toContain('**Limit** 30 posts');
  await app.stop();
  await house.startBot();
  const still = await fix(house, mistake, { 'quiet-hours': '8' });
  const fixed = textOf(await fix(house, still, { 'quiet-hours': '8-9' }));
  for (const line of ['Saved.', '`tv`', '**Limit** 3 posts', '08:00–09:00']) expect(fixed).toContain(line);
});

test('a mistake in a price of what has none, or a drop of it, is told', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  const edit = `/subscription edit id:${idIn(panel)}`;
  expect(textOf(await house.asAda('deals', `${edit} max-price:5`))).toContain(
    '⚠ **max-price** · Only offers and events',
  );
  expect(textOf(await house.asAda('deals', `${edit} price-drop:5`))).toContain('⚠ **price-drop** · The `price-drop`');
});

test('whoever may not manage the server can’t use the form of a mistake', async () => {
  const { house } = await aHouseOfDeals();
  const { id: channelId } = house.discord.channel('deals');
  const posted = await aButton(house, channelId, 'add:feed');
  expect(textOf(await house.click(posted, 'add:feed'))).toContain('You need the Manage Server permission');
});

test.each(
  sampled(
    [
      ['/feed feed:Home filter:prise:<50 order:discount', 'filter', 'Did you mean price?', 'price:<50', 'Home'],
      ['/feed feed:Home filter:zzzzzz:1', 'filter', 'Did you mean ', '', 'Home'],
      ['/feed feed:Hme filter:price:<50', 'feed', 'There’s no such feed.', 'Home', 'Home'],
      ['/search words:kettle filter:(a', 'filter', 'There’s a mistake in the filter.', '', 'kettle'],
      ['/offer offer:"no such words"', 'offer', 'No offers match **no such words**.', 'kettle', 'Kettle 2'],
    ],
    2,
  ),
)(
  'of %s with a mistake all is kept for the person alone, and fixing it goes on',
  async (typed, option, said, right, shown) => {
    const { house } = await aHouseOfDeals();
    await house.asAda('deals', '/feed feed:Home');
    const mistake = await house.asAda('deals', typed);
    expect(mistake.visible_to).toBe(house.discord.people.ada.id);
    expect(textOf(mistake)).toContain(`⚠ **${option}** · `);
    expect(textOf(mistake)).toContain(said);
    const [first] = inputsOf(await fixForm(house, mistake));
    expect(first).toMatchObject({ name: option });
    expect(typed).toContain(first?.value);
    const fixed = await fix(house, mistake, { [option]: right });
    expect(fixed.id).toBe(mistake.id);
    expect(textOf(fixed)).toContain(shown);
    expect(textOf(fixed)).not.toContain(`⚠ **${option}**`);
  },
);

test('of an unknown field in a filter, three fields at most are proposed', async () => {
  const { house } = await aHouseOfDeals();
  const mistake = textOf(await house.asAda('deals', '/feed feed:Home filter:zzzzzz:1'));
  const [, proposed = ''] = /Did you mean (.*)\?/.exec(mistake) ?? [];
  expect(proposed.split(/, | or /).filter(Boolean)).toHaveLength(3);
});
