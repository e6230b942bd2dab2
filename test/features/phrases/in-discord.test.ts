import { expect, test } from 'vitest';
import { FEATURES } from '../../../src/features/index.ts';
import { phrases } from '../../../src/features/phrases/index.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { adaFills, adaGets, aHouseOfDeals, idIn } from '../../helpers/panel.ts';

const READ = 'Read as `kettle price:<60`';

test('phrases are read in each command that takes a filter, and the answer says how', async () => {
  const { house } = await aHouseOfDeals({}, FEATURES);
  const asked = [
    '/feed feed:Home filter:"kettle under $60"',
    '/subscription add feed feed:Home catch-up:0 filter:"kettle under $60"',
    '/subscription add feed feed:Tools catch-up:0 words:"kettle under $60"',
    ...(FEATURES.some(({ name }) => name === 'watches') ? ['/alert add feed:Home filter:"kettle under $60"'] : []),
  ];
  for (const command of asked) {
    const answer = textOf(await house.asAda('deals', command));
    expect(answer, command).toContain(READ);
    expect(answer, command).toContain('kettle price:<60');
    expect(answer, command).not.toContain('under $60');
  }
  // An offer is found by them, too.
  expect(textOf(await house.asAda('deals', '/offer offer:"kettle under $60"'))).toContain('Kettle');
  const found = textOf(await house.asAda('deals', '/search words:"kettle under $60"'));
  expect(found).toContain(READ);
  expect(found).toContain('“kettle”');
  expect(found).toContain('price:<60');
});

test('a list is searched for the words themselves by its button', async () => {
  const { house } = await aHouseOfDeals({}, [phrases]);
  for (const [command, action, words] of [
    ['/feed feed:Home filter:"kettle under $60"', 'feed:Home:1:newest:kettle under 60', 'kettle under 60'],
    ['/search words:"kettle under $60"', 'search:1:kettle under $60', '“kettle under $60”'],
  ] as const) {
    const answer = await house.asAda('deals', command);
    expect(customIdsOf(answer), command).toContain(action);
    const literal = textOf(await adaGets(house, answer, action));
    expect(literal, command).toContain(words);
    expect(literal, command).not.toContain('Read as');
  }
});

test('so do forms, and what is in quotes stays words', async () => {
  const { house } = await aHouseOfDeals({}, [phrases]);
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const read = await adaFills(house, panel, 'filter', { filter: 'kettle under $60' });
  expect(textOf(read)).toContain(READ);
  const reopened = await house.asAda('deals', `/subscription edit id:${idIn(panel)}`);
  expect(textOf(reopened)).toContain('`kettle price:<60`');
  expect(textOf(reopened), 'once said').not.toContain('Read as');
  const words = await adaFills(house, await adaGets(house, reopened, 'mode', ['hourly']), 'filter', {
    filter: '"kettle under $60"',
  });
  expect(textOf(words)).not.toContain('Read as');
  expect(textOf(words)).toContain('"kettle under $60"');
});

test('the reader’s language counts, and a mistake shows what was typed', async () => {
  const { house } = await aHouseOfDeals({}, [phrases]);
  house.discord.setLocale(house.discord.people.ada.id, 'de');
  expect(textOf(await house.asAda('deals', '/feed feed:Home filter:"kettle unter 60 Dollar"'))).toContain(
    'Read as `kettle price:<60`',
  );
  house.discord.setLocale(house.discord.people.ada.id, 'en-US');
  const mistake = textOf(await house.asAda('deals', '/feed feed:Home filter:"kettle under $60 prise:<5"'));
  expect(mistake).toContain('kettle under $60 prise:<5');
});

test('a search for a price alone has nothing to search for but its words', async () => {
  const { house } = await aHouseOfDeals({}, [phrases]);
  expect(textOf(await house.asAda('deals', '/search words:"under $60"'))).not.toContain('Read as');
});
