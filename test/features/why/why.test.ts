import { expect, test } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { whyAndPreview } from '../../../src/features/why/index.ts';
import { isFirstBlocked } from '../../helpers/back-offs.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { buttonUrlsOf, customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { aHouse, type House } from '../../helpers/house.ts';
import { aButton, adaFills, adaGets } from '../../helpers/panel.ts';
import { uuid } from '../../helpers/things.ts';

/** A house whose channel follows the feed Home, which held one offer at its first sight. */
async function aFollowedFeed(changes: Record<string, string> = {}, options = '') {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ features: [whyAndPreview], content: () => folder.content });
  const app = await house.startBot(changes);
  await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 ${options}`);
  const [offered] = await choices(house, '/why subscription:', 'subscription');
  const subscription = String(offered?.value);
  return { folder, house, app, subscription, why: (offer: string) => why(house, offer, subscription) };
}

const ada = (house: House) => ({
  personId: house.discord.people.ada.id,
  channelId: house.discord.channel('deals').id,
});

function choices(house: House, text: string, focused: string) {
  return house.discord.autocomplete({ ...ada(house), text, focused });
}

async function why(house: House, offer: string, subscription: string): Promise<string> {
  return textOf(await house.asAda('deals', `/why offer:${offer} subscription:${subscription}`));
}

async function look(house: House, app: App): Promise<void> {
  await house.clock.advance(120_000);
  await app.tick();
  await app.settled();
}

test('what was posted is told with its message, for the one who asked, and without asking the catalog', async () => {
  const { folder, house, app, why, subscription } = await aFollowedFeed();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await look(house, app);
  const [post] = house.announcements('deals');
  const asked = () => house.logLines.filter((line) => line.includes('"path":')).length;
  const before = asked();
  expect(before).toBeGreaterThan(0);
  const told = await why(uuid(2));
  expect(told).toContain('First seen in **Home**');
  const place = `${house.discord.guildId}/${post?.channel_id}/${post?.id}`;
  expect(told).toMatch(/^### ✅ Posted <t:\d+:R>\n\*\*\[Kettle 2\].*\n-# .*New offer\*\* · <t:/);
  const shown = await house.asAda('deals', `/why offer:${uuid(2)} subscription:${subscription}`);
  expect(buttonUrlsOf(shown)).toEqual([`https://discord.com/channels/${place}`]);
  expect(asked()).toBe(before);
  const again = await house.asAda('deals', `/why offer:${uuid(2)} subscription:nothing`);
  expect(again.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(again)).toContain('no such subscription');
});

test('the first sight of a feed, and what was sold out when it came, are told as what was recorded', async () => {
  const { folder, house, app, why } = await aFollowedFeed();
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { IsSoldOut: true })]);
  await look(house, app);
  expect(await why(uuid(1))).toContain('❌ Not announced: it was already there when monitoring began');
  expect(await why(uuid(2))).toContain('❌ Not announced: it was already sold out when first seen');
});

test('an offer is told by words and by a link, and a drop that is too small by its percent', async () => {
  const { folder, house, app, why } = await aFollowedFeed();
  folder.writeFeed('Home', [feedItem(1, { SalePrice: { Minimum: 19, Maximum: 19 } })]);
  await look(house, app);
  const small = 'Not announced: the price fell by 5%; the subscription asks for 10% or more';
  expect(await why('"kettle 1"')).toContain(small);
  expect(await why('https://www.example.com/offers/kettle-1')).toContain(small);
  const offered = await choices(house, '/why offer:kett', 'offer');
  expect(offered).toEqual([{ name: 'Kettle 1 · $19.00 −52%', value: uuid(1) }]);
  expect(await why('samovar')).toContain('No offers match **samovar**');
});

test('what the feed never showed is told as that', async () => {
  const { house, why } = await aFollowedFeed();
  const told = await why(uuid(9));
  expect(told).toContain('The bot doesn’t know this offer');
  expect(told).toMatch(/❌ It hasn’t appeared in \*\*Home\*\* \(last checked <t:\d+:R>\)/);
  expect(house.announcements('deals')).toEqual([]);
});

test('each term of the filter is told with what was found, and a change of it since', async () => {
  const { folder, house, app, why, subscription } = await aFollowedFeed({}, 'filter:"kettle price:<10"');
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await look(house, app);
  const told = await why(uuid(2));
  expect(told).toContain('❌ Not announced: it doesn’t match the filter');
  expect(told).toContain('✅ **kettle**: found Kettle 2\n❌ **price \\< 10**: found $20.00');
  expect(told).not.toContain('changed, paused or resumed');
  await house.clock.advance(1_000);
  await house.asAda('deals', `/subscription edit id:${subscription} filter:kettle`);
  const later = await why(uuid(2));
  expect(later).toContain('It matches, but there’s no record of why it wasn’t posted');
  expect(later).toMatch(/The subscription was changed, paused or resumed <t:\d+:R>/);
});

test('what waits for a digest is told with its time, and that the subscription rests', async () => {
  const { folder, house, app, why, subscription } = await aFollowedFeed({}, 'mode:daily at:18 time-zone:UTC');
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await look(house, app);
  const digest = Date.parse('2026-11-21T18:00:00Z') / 1000;
  expect(await why(uuid(2))).toContain(`🕒 Queued for the digest <t:${digest}:R>`);
  await house.asAda('deals', `/subscription pause id:${subscription}`);
  expect(await why(uuid(2))).toContain('❌ The subscription is paused');
});

test('what is told in a roll-up is told with that, and what the hour has no room for waits for it', async () => {
  const { folder, house, app, why, subscription } = await aFollowedFeed();
  const offers = Array.from({ length: 46 }, (_, index) => feedItem(index + 1));
  folder.writeFeed('Home', offers.slice(0, 45));
  await look(house, app);
  const rollUp = house.announcements('deals').at(-1);
  const together = await house.asAda('deals', `/why offer:${uuid(45)} subscription:${subscription}`);
  expect(textOf(together)).toMatch(/^### ✅ Posted in a combined post <t:\d+:R>\n/);
  expect(buttonUrlsOf(together)).toEqual([expect.stringMatching(new RegExp(`/${rollUp?.id}$`))]);
  folder.writeFeed('Home', offers);
  await look(house, app);
  const free = Date.parse('2026-11-21T12:07:00Z') / 1000;
  expect(await why(uuid(46))).toContain(`🕒 Queued: hourly limit reached. Next slot <t:${free}:R>`);
});

test('that the day’s requests are used up is told, and telling it takes none', async () => {
  const { why } = await aFollowedFeed({ CATALOG_PORTAL_QUOTA: '2' });
  const told = await why(uuid(9));
  expect(told).toMatch(/❌ Today’s catalog quota is used up\. It resets <t:\d+:R>/);
  expect(await why(uuid(1)), 'what was seen before is known all the same').toContain('First seen in **Home**');
});

test('what waits in a channel that the bot can’t post in waits for that, with what is missing', async () => {
  const { folder, house, app, why } = await aFollowedFeed();
  house.discord.setPermissions(house.discord.channel('deals').id, { deny: ['sendMessages'] });
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await house.clock.advance(120_000);
  await app.tick();
  await house.clock.untilSleeping(isFirstBlocked);
  const told = await why(uuid(2));
  expect(told).toContain('🕒 Queued: the bot can’t post in the channel right now');
  expect(told).toContain('Give it Send Messages.');
});

/** The card of /why, whose buttons Ada clicks. */
async function whyCardOf(house: House, number: number, subscription: string) {
  return house.asAda('deals', `/why offer:${uuid(number)} subscription:${subscription}`);
}

const NOT_POSTABLE = /^This can’t be posted right now/;

test('what the filter kept out can be posted all the same, once, whoever asks how often and whatever comes later', async () => {
  const { folder, house, app, subscription } = await aFollowedFeed({}, 'filter:"kettle price:<10"');
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await look(house, app);
  const cards = await Promise.all([1, 2, 3].map(() => whyCardOf(house, 2, subscription)));
  const postNow = `post-now:${uuid(2)}:${subscription}`;
  expect(customIdsOf(cards[0] ?? {})).toEqual([`subscription:filter:${subscription}`, postNow]);
  const answers = await Promise.all(cards.map((card) => adaGets(house, card, postNow)));
  await app.settled();
  expect(house.announcements('deals').map(textOf)).toEqual([expect.stringContaining('Kettle 2')]);
  expect(answers.map(textOf).filter((text) => /^### (🕒 Being posted|✅ Posted)/.test(text))).toHaveLength(1);
  expect(answers.map(textOf).filter((text) => NOT_POSTABLE.test(text))).toHaveLength(2);

  await house.asAda('deals', `/subscription edit id:${subscription} filter:kettle`);
  await look(house, app);
  expect(textOf(await whyCardOf(house, 2, subscription))).toMatch(/^### ✅ Posted/);
  await app.stop();
  const next = await house.startBot();
  await look(house, next);
  const old = await aButton(house, house.discord.channel('deals').id, postNow);
  expect(textOf(await adaGets(house, old, postNow))).toMatch(NOT_POSTABLE);
  await next.settled();
  expect(house.announcements('deals').filter((message) => textOf(message).includes('Kettle 2'))).toHaveLength(1);
});

test('what waits for a digest can be posted at once, and the digest is without it', async () => {
  const { folder, house, app, subscription } = await aFollowedFeed({}, 'mode:daily at:18 time-zone:UTC');
  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3), feedItem(4)]);
  await look(house, app);
  const card = await whyCardOf(house, 2, subscription);
  const postNow = `post-now:${uuid(2)}:${subscription}`;
  expect(customIdsOf(card)).toEqual([`subscription:times:${subscription}`, postNow]);
  await adaGets(house, card, postNow);
  await app.settled();
  expect(house.announcements('deals').map(textOf)).toEqual([expect.stringContaining('Kettle 2')]);
  await house.clock.advance(6 * 3_600_000);
  await app.tick();
  await app.settled();
  const [, digest, ...more] = house.announcements('deals').map(textOf);
  expect(more).toEqual([]);
  expect(digest).toContain('Kettle 3');
  expect(digest).not.toContain('Kettle 2');
});

test('nothing is posted into quiet hours, for a paused subscription, when it is over, or for those who may not', async () => {
  const { folder, house, app, subscription } = await aFollowedFeed({}, 'filter:"kettle price:<10"');
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await look(house, app);
  const customId = `post-now:${uuid(2)}:${subscription}`;
  const button = await aButton(house, house.discord.channel('deals').id, customId);
  const offered = async () => customIdsOf(await whyCardOf(house, 2, subscription)).includes(customId);
  const before = house.announcements('deals').length;
  expect(await offered()).toBe(true);
  expect(textOf(await house.click(button, customId))).toBe('You need the Manage Server permission for this.');
  await house.asAda('deals', `/subscription edit id:${subscription} quiet-hours:0-23 time-zone:UTC`);
  expect(await offered()).toBe(false);
  expect(textOf(await adaGets(house, button, customId))).toMatch(NOT_POSTABLE);
  await house.asAda('deals', `/subscription edit id:${subscription} quiet-hours:off`);
  await house.asAda('deals', `/subscription pause id:${subscription}`);
  expect(await offered()).toBe(false);
  expect(textOf(await adaGets(house, button, customId))).toMatch(NOT_POSTABLE);
  await house.asAda('deals', `/subscription resume id:${subscription}`);
  expect(await offered()).toBe(true);
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { IsSoldOut: true })]);
  await look(house, app);
  expect(await offered()).toBe(false);
  expect(textOf(await adaGets(house, button, customId))).toMatch(NOT_POSTABLE);
  await app.settled();
  expect(house.announcements('deals')).toHaveLength(before);
});

test('the form that /why opens changes the filter', async () => {
  const { folder, house, app, subscription } = await aFollowedFeed({}, 'filter:"kettle price:<10"');
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await look(house, app);
  const panel = await adaFills(house, await whyCardOf(house, 2, subscription), 'filter', { filter: 'price:<50' });
  expect(textOf(panel)).toContain('price:<50');
});

test('whoever may not manage the server is told nothing', async () => {
  const { house } = await aFollowedFeed();
  const ben = { personId: house.discord.people.ben.id, channelId: house.discord.channel('deals').id };
  const offered = await house.discord.autocomplete({ ...ben, text: '/why offer:k', focused: 'offer' }).catch(() => []);
  expect(offered).toEqual([]);
  const text = `/why offer:${uuid(1)} subscription:x`;
  const refused = await house.asBen('deals', text).then(textOf, (error: Error) => error.message);
  expect(refused).toMatch(/Manage Server|permission/);
});
