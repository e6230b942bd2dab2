import { expect, test } from 'vitest';
import type { PageMessage } from '../../packages/local-discord/src/index.ts';
import { FEATURES } from '../../src/features/index.ts';
import { feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import type { House } from '../helpers/house.ts';
import { aButton } from '../helpers/panel.ts';
import { uuid } from '../helpers/things.ts';
import { aHouseWithBen, lookAgain, sentTexts } from '../helpers/watching-ben.ts';

// In direct messages, of a watch for new offers.

const COMMAND = 'Less like this';

/** Two knives, one of which is refurbished and dear, and three other things. */
const ARRIVALS = [
  feedItem(11, {
    Title: 'Acme Cleaver (Refurbished)',
    Categories: ['HOME', 'HOME/Knives'],
    SalePrice: { Minimum: 90, Maximum: 90 },
  }),
  feedItem(12, { Title: 'Acme Paring Knife', Categories: ['HOME', 'HOME/Knives'] }),
  feedItem(13, { Title: 'Steel Kettle' }),
  feedItem(14, { Title: 'Toaster' }),
  feedItem(15, { Title: 'Rug' }),
];
async function onMessage(house: House, post: PageMessage, personId: string): Promise<PageMessage> {
  const where = { personId, channelId: post.channel_id, messageId: post.id };
  const { message } = await house.discord.runMessageCommand({ ...where, name: COMMAND });
  if (!message) throw new Error('It was answered without a message.');
  return message;
}

/** The button of the proposal with this term. */
function applies(card: PageMessage, term: string): string {
  const section = sectionsIn(card).find((one) => JSON.stringify(one.components).includes(`\`${term}\``));
  if (!section) throw new Error(`${term} is not proposed: ${textOf(card)}`);
  return section.accessory.custom_id;
}

interface Section {
  components: unknown;
  accessory: { custom_id: string };
}

function sectionsIn(value: unknown): Section[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('accessory' in value && 'components' in value) return [value as Section];
  return Object.values(value).flatMap(sectionsIn);
}

const undoIn = (card: PageMessage) => customIdsOf(card).find((id) => id.startsWith('less-undo:')) ?? '';

/** Ben, whose watch has told him of the arrivals that his filter matches. */
async function aHouseWithLetters(filter: string) {
  const { house, app, folder, ben, letters, inDirect } = await aHouseWithBen(FEATURES);
  await inDirect(`/alert add filter:${filter}`);
  const poll = async (items: readonly unknown[]) => {
    folder.writeFeed('Home', [feedItem(1), feedItem(2), ...items]);
    await lookAgain(house, app);
  };
  await poll(ARRIVALS);
  const letterOf = (title: string): PageMessage => {
    const letter = letters().find((one) => one.interaction_metadata === undefined && textOf(one).includes(title));
    if (!letter) throw new Error(`Ben got no message about ${title}.`);
    return letter;
  };
  const press = async (card: PageMessage, customId: string) => {
    const click = { personId: ben, channelId: card.channel_id, messageId: card.id, customId };
    const { message } = await house.discord.useComponent(click);
    if (!message) throw new Error('It was answered without a message.');
    return message;
  };
  return { house, app, ben, inDirect, poll, letterOf, letters, press };
}

test('it changes the person’s own watch, with undo, and needs no permission', async () => {
  const { house, ben, inDirect, poll, letterOf, letters, press } = await aHouseWithLetters('price:<100');
  const card = await onMessage(house, letterOf('Acme Cleaver'), ben);
  expect(textOf(card)).toContain('🔔 price:\\<100 in the Home feed');
  const applied = await press(card, applies(card, '-acme'));
  expect(textOf(applied)).toContain('The filter is now `price:<100 -acme`');
  expect(customIdsOf(applied)).toContain('watches:1');
  await poll([...ARRIVALS, feedItem(16, { Title: 'Acme Pan' }), feedItem(17, { Title: 'Lamp' })]);
  expect(sentTexts(letters()).join()).not.toContain('Acme Pan');
  expect(sentTexts(letters()).join()).toContain('Lamp');
  const undone = await press(applied, undoIn(applied));
  expect(textOf(undone)).toContain('The filter is `price:<100` again');
  expect(textOf(await inDirect('/alert list'))).toContain('price:\\<100 in the Home feed');
});

test('the details of a message offer it, too', async () => {
  const { house, letterOf, press } = await aHouseWithLetters('price:<100');
  const letter = letterOf('Acme Cleaver');
  const details = customIdsOf(letter).find((id) => id.startsWith('offer:')) ?? '';
  const [card] = await Promise.all([press(letter, details), house.gather()]);
  const less = customIdsOf(card).find((id) => id.startsWith('less:')) ?? '';
  expect(textOf(await press(card, less))).toContain('`-acme`');
});

test('another watch with the same filter, a watch of the offer itself, and other people’s watches are refused', async () => {
  const { house, ben, inDirect, poll, letterOf, press } = await aHouseWithLetters('price:<100');
  const card = await onMessage(house, letterOf('Acme Cleaver'), ben);
  await inDirect('/alert add filter:"price:<100 -acme"');
  expect(textOf(await press(card, applies(card, '-acme')))).toContain('already have an alert with that');
  await inDirect(`/alert add offer:${uuid(14)} price:15`);
  await poll(ARRIVALS.map((one, index) => (index === 3 ? { ...one, SalePrice: { Minimum: 15, Maximum: 15 } } : one)));
  const reached = await onMessage(house, letterOf('Toaster: $15.00 or less'), ben);
  expect(textOf(reached)).toContain('about this very offer');
  const { ada } = house.discord.people;
  const direct = house.discord.directChannel(ada.id).id;
  for (const customId of customIdsOf(card).filter((id) => id.startsWith('less-apply:'))) {
    const theirs = await aButton(house, direct, customId);
    const click = { personId: ada.id, channelId: direct, messageId: theirs.id, customId };
    expect(textOf((await house.discord.useComponent(click)).message ?? {})).toContain('You don’t have that alert');
  }
  expect(textOf(await inDirect('/alert list'))).toContain('3 alerts');
});

test('once the watch is removed, its messages say so', async () => {
  const { house, ben, inDirect, letterOf, press } = await aHouseWithLetters('price:<100');
  const card = await onMessage(house, letterOf('Acme Cleaver'), ben);
  const list = await inDirect('/alert list');
  const unwatch = /unwatch:[\w-]{36}/.exec(JSON.stringify(list))?.[0] ?? '';
  const button = await aButton(house, list.channel_id, unwatch);
  await press(button, unwatch);
  expect(textOf(await press(card, applies(card, '-acme')))).toContain('You don’t have that alert');
  expect(textOf(await onMessage(house, letterOf('Acme Cleaver'), ben))).toContain('The alert behind this message');
});
