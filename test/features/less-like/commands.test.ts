import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import { lessLike } from '../../../src/features/less-like/index.ts';
import { filterDigest } from '../../../src/features/less-like/proposals.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { openStore } from '../../../src/store/store.ts';
import { dealcast, event, eventOffer, feedItem, monkeychat, poll } from '../../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import type { House } from '../../helpers/house.ts';
import { aButton, adaGets, adaUses, aHouseOfDeals, idIn } from '../../helpers/panel.ts';
import { aSubscription, uuid } from '../../helpers/things.ts';
import { aHouseWithBen, lookAgain } from '../../helpers/watching-ben.ts';

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
const OLD = [1, 2, 3].map((number) => feedItem(number, { StartDate: '2026-10-01T10:00:00Z' }));

/** A house whose #deals has a post of each arrival. */
async function aHouseWithPosts(subscribe: (house: House) => Promise<PageMessage>) {
  const { house, app, folder } = await aHouseOfDeals({}, [lessLike]);
  folder.writeFeed('Home', OLD);
  const panel = await subscribe(house);
  const poll = async (items: readonly unknown[], bot = app) => {
    folder.writeFeed('Home', [...OLD, ...items]);
    await house.clock.advance(600_000);
    await bot.tick();
    await bot.settled();
  };
  await poll(ARRIVALS);
  return { house, app, folder, panel, poll };
}

const withUsualFilter = (house: House) => house.asAda('deals', '/subscription add feed feed:Home catch-up:0');

const posts = (house: House) => house.announcements('deals').map((post) => textOf(post));

function postOf(house: House, title: string): PageMessage {
  const post = house.announcements('deals').find((one) => textOf(one).includes(title));
  if (!post) throw new Error(`${title} was not posted: ${posts(house).join('\n')}`);
  return post;
}

async function onMessage(
  house: House,
  post: PageMessage,
  personId = house.discord.people.ada.id,
): Promise<PageMessage> {
  const where = { personId, channelId: post.channel_id, messageId: post.id };
  const { message } = await house.discord.runMessageCommand({ ...where, name: COMMAND });
  if (!message) throw new Error('It was answered without a message.');
  return message;
}

/** The button of the proposal with this term. */
function applies(card: PageMessage, filter: string): string {
  const customId = customIdsOf(card).find((id) => id.startsWith('less-apply:') && id.endsWith(filterDigest(filter)));
  if (!customId) throw new Error(`${filter} is not proposed: ${textOf(card)}`);
  return customId;
}

const undoIn = (card: PageMessage) => customIdsOf(card).find((id) => id.startsWith('less-undo:')) ?? '';

/** The filter of the subscription as its panel shows it. */
async function filterNow(house: House, panel: PageMessage): Promise<string> {
  const shown = textOf(await house.asAda('deals', `/subscription edit id:${idIn(panel)}`));
  return /\*\*Filter\*\* (.*)/.exec(shown)?.[1] ?? '';
}

test('the menu of a post proposes filters, counted on the last week; one press applies one, and undo takes it back', async () => {
  const { house, app, panel, poll } = await aHouseWithPosts(withUsualFilter);
  expect(posts(house)).toHaveLength(5);
  const card = await onMessage(house, postOf(house, 'Acme Cleaver'));
  expect(card.visible_to).toBe(house.discord.people.ada.id);
  const shown = textOf(card);
  expect(shown).toContain('**[Acme Cleaver \\(Refurbished\\)](');
  expect(shown).toContain('Leave out the category **HOME/Knives** · `-category:HOME/Knives`');
  expect(shown).toContain('Leave out the word **acme** · `-acme`');
  expect(shown).toContain('Leave out the condition **Refurbished** · `-condition:refurbished`');
  expect(shown).toContain('Only under **$90.00** · `price:<90`');
  expect(shown.match(/Would have dropped \d of last week’s 5 posts/g)).toEqual([
    expect.stringContaining('dropped 2'),
    expect.stringContaining('dropped 2'),
    expect.stringContaining('dropped 1'),
    expect.stringContaining('dropped 1'),
  ]);
  expect(shown).toMatch(/Goes: Acme [\s\S]*Stays: (Rug|Toaster|Steel Kettle) · /);

  const applied = await adaGets(house, card, applies(card, '-category:HOME/Knives'));
  expect(textOf(applied)).toContain('Saved. The filter is now `-category:HOME/Knives`');
  expect(await filterNow(house, panel)).toBe('`-category:HOME/Knives`');
  const more = [feedItem(16, { Title: 'Bread Knife', Categories: ['HOME/Knives'] }), feedItem(17, { Title: 'Lamp' })];
  await poll([...ARRIVALS, ...more]);
  expect(posts(house).join()).not.toContain('Bread Knife');
  expect(posts(house).join()).toContain('Lamp');

  await app.stop();
  await house.startBot();
  const undone = await adaGets(house, applied, undoIn(applied));
  expect(textOf(undone)).toContain('Undone. There’s no filter again: everything is posted');
  expect(await filterNow(house, panel)).toBe('none: everything is posted');
  const ofBefore = await aButton(house, card.channel_id, applies(card, 'price:<90'));
  const again = await adaGets(house, ofBefore, applies(card, 'price:<90'));
  expect(textOf(again), 'buttons of before the restart apply, too').toContain('The filter is now `price:<90`');
});

test('details that are opened from a post offer it to managers, on each page, and to nobody else', async () => {
  const { house } = await aHouseWithPosts(withUsualFilter);
  const post = postOf(house, 'Acme Cleaver');
  const details = customIdsOf(post).find((id) => id.startsWith('offer:')) ?? '';
  const click = (personId: string, message: PageMessage, customId: string) =>
    house.discord.useComponent({ personId, channelId: message.channel_id, messageId: message.id, customId });
  const { ada, ben } = house.discord.people;
  const lessIn = (card: PageMessage | null) => customIdsOf(card ?? {}).find((id) => id.startsWith('less:'));
  const bens = (await Promise.all([click(ben.id, post, details), house.gather()]))[0].message;
  expect(textOf(bens ?? {})).toContain('Acme Cleaver');
  expect(lessIn(bens)).toBeUndefined();
  const adas = (await click(ada.id, post, details)).message;
  const less = lessIn(adas);
  if (!adas || !less) throw new Error('Ada’s details have no such button.');
  const elsewhere = await house.asAda('deals', `/offer offer:${uuid(11)}`);
  expect(lessIn(elsewhere), 'an answer to a command is no post').toBeUndefined();
  const proposals = (await click(ada.id, adas, less)).message;
  expect(proposals?.id).not.toBe(adas.id);
  expect(textOf(proposals ?? {})).toContain('`-category:HOME/Knives`');

  const section = `offer-section:${uuid(11)}:overview:1:${less.split(':').at(-1)}`;
  const paged = () => aButton(house, post.channel_id, section);
  expect(lessIn((await click(ada.id, await paged(), section)).message)).toBe(less);
  expect(lessIn((await click(ben.id, await paged(), section)).message)).toBeUndefined();
});

test('where several subscriptions matched, it asks which one, and changes that one alone', async () => {
  const { house, panel } = await aHouseWithPosts(async (one) => {
    await one.asAda('deals', '/subscription add feed feed:Home filter:"acme OR toaster" catch-up:0');
    return one.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  });
  const asked = await onMessage(house, postOf(house, 'Acme Cleaver'));
  expect(textOf(asked)).toBe('Which subscription should post less like this?');
  const value = `less-for:${uuid(11)}:${idIn(panel)}`;
  const card = await adaGets(house, asked, 'menu:less', [value]);
  expect(card.id).toBe(asked.id);
  await adaGets(house, card, applies(card, '-acme'));
  const list = textOf(await house.asAda('deals', '/subscription list'));
  expect(list.match(/`[^`]+`/g)).toHaveLength(2);
  expect(list).toContain('`-acme`');
  expect(textOf(await onMessage(house, postOf(house, 'Rug')))).toContain('→ <#');
});

test('of a roll-up, the offer is chosen first', async () => {
  const { house, app } = await aHouseWithPosts((one) =>
    one.asAda('deals', '/subscription add feed feed:Home mode:hourly catch-up:0'),
  );
  await house.clock.advance(3_600_000);
  await app.tick();
  await app.settled();
  const [rollUp] = house.announcements('deals');
  if (!rollUp) throw new Error('Nothing was announced.');
  const asked = await onMessage(house, rollUp);
  expect(textOf(asked)).toBe('This message has several offers. Choose one.');
  const chosen = JSON.stringify(asked).match(/less:[\w-]{36}:[\w-]{22}/g) ?? [];
  expect(chosen).toHaveLength(5);
  const card = await adaGets(house, asked, 'menu:open', [chosen.find((id) => id.includes(uuid(12))) ?? '']);
  expect(card.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(card)).toContain('Acme Paring Knife');
  expect(textOf(await adaGets(house, card, applies(card, '-acme')))).toContain('The filter is now `-acme`');
});

test('an exclusion belongs to the whole of a filter with alternatives; undo gives it back as it was written', async () => {
  const { house, panel } = await aHouseWithPosts((one) =>
    one.asAda('deals', '/subscription add feed feed:Home filter:"acme OR toaster or rug" catch-up:0'),
  );
  const card = await onMessage(house, postOf(house, 'Acme Cleaver'));
  const applied = await adaGets(house, card, applies(card, '(acme OR toaster or rug) -condition:refurbished'));
  expect(await filterNow(house, panel)).toBe('`(acme OR toaster or rug) -condition:refurbished`');
  expect(textOf(await adaGets(house, applied, undoIn(applied)))).toContain('is `acme OR toaster or rug` again');
  expect(await filterNow(house, panel)).toBe('`acme OR toaster or rug`');
});

test('what has changed meanwhile is shown anew in place of applied, and is not undone', async () => {
  const { house, panel } = await aHouseWithPosts(withUsualFilter);
  const card = await onMessage(house, postOf(house, 'Acme Cleaver'));
  const apply = applies(card, '-acme');
  await house.asAda('deals', `/subscription edit id:${idIn(panel)} filter:-rug`);
  const anew = await adaGets(house, card, apply);
  expect(textOf(anew)).toContain('have changed in the meantime');
  expect(textOf(anew)).toContain('of last week’s 4 posts');
  expect(await filterNow(house, panel)).toBe('`-rug`');
  const applied = await adaGets(house, anew, applies(anew, '-rug -acme'));
  await house.asAda('deals', `/subscription edit id:${idIn(panel)} filter:lamp`);
  const refused = await adaGets(house, applied, undoIn(applied));
  expect(textOf(refused)).toContain('can’t be undone: the filter has been changed since');
  expect(await filterNow(house, panel)).toBe('`lamp`');
});

test('pressed twice, it is applied once, and undone once', async () => {
  const { house, panel } = await aHouseWithPosts(withUsualFilter);
  const card = await onMessage(house, postOf(house, 'Acme Cleaver'));
  const apply = await aButton(house, card.channel_id, applies(card, '-acme'));
  const customId = applies(card, '-acme');
  const applied = await adaGets(house, card, customId);
  const twice = await adaGets(house, apply, customId);
  expect(textOf(twice)).toContain('have changed in the meantime');
  expect(await filterNow(house, panel)).toBe('`-acme`');
  const undo = undoIn(applied);
  const other = await aButton(house, card.channel_id, undo);
  await adaGets(house, applied, undo);
  expect(textOf(await adaGets(house, other, undo))).toContain('can’t be undone');
  expect(await filterNow(house, panel)).toBe('none: everything is posted');
});

test('of two that are pressed at the same time, one is applied and the other shown anew', async () => {
  const { house, panel } = await aHouseWithPosts(withUsualFilter);
  const card = await onMessage(house, postOf(house, 'Acme Cleaver'));
  const [one, other] = [applies(card, '-acme'), applies(card, 'price:<90')];
  const copies = await Promise.all([one, other].map((customId) => aButton(house, card.channel_id, customId)));
  const answers = await Promise.all(copies.map((copy) => adaGets(house, copy, customIdsOf(copy)[0] ?? '')));
  const texts = answers.map(textOf).sort();
  expect(texts[0]).toContain('have changed in the meantime');
  const [, applied] = /The filter is now (.*)/.exec(texts[1] ?? '') ?? [];
  expect(['`-acme`', '`price:<90`']).toContain(applied);
  expect(await filterNow(house, panel)).toBe(applied);
});

test('a filter that would equal another subscription’s is refused as in the panel', async () => {
  const { house, panel } = await aHouseWithPosts(withUsualFilter);
  await house.asAda('deals', '/subscription add feed feed:Home filter:-acme catch-up:0');
  const card = await onMessage(house, postOf(house, 'Acme Cleaver'));
  expect(textOf(await adaGets(house, card, applies(card, '-acme')))).toContain('already gets');
  expect(await filterNow(house, panel)).toBe('none: everything is posted');
});

test('without the permission, and with buttons that are forged or stand elsewhere, nothing changes', async () => {
  const { house, app, panel } = await aHouseWithPosts(withUsualFilter);
  const post = postOf(house, 'Acme Cleaver');
  const card = await onMessage(house, post);
  const apply = applies(card, '-acme');
  const postId = (customIdsOf(post).find((id) => id.startsWith('offer:')) ?? '').split(':').at(-1);
  await expect(house.onMessage(post, COMMAND), 'Discord does not show it to them').rejects.toThrow(
    'needs Manage Server',
  );
  await app.stop();
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  await store.subscriptions.save(aSubscription('elsewhere', { guildId: '1' }));
  await store.close();
  await house.startBot();
  const press = async (customId: string) => aButton(house, post.channel_id, customId);
  const ours = [`less:${uuid(11)}:${postId}`, `less-for:${uuid(11)}:${idIn(panel)}`, apply];
  for (const customId of [...ours, `less-undo:${idIn(panel)}:0:abcdef`]) {
    // As Ada's own, once the permission is taken away from her.
    expect(textOf(await house.click(await press(customId), customId))).toContain(
      'You need the Manage Server permission',
    );
  }
  const forged: [customId: string, sentence: string][] = [
    [`less:${uuid(11)}:nothing`, 'This isn’t one of my posts about an offer'],
    [`less:${uuid(12)}:${postId}`, 'This isn’t one of my posts about an offer'],
    [`less-for:${uuid(11)}:elsewhere`, 'This server has no such subscription'],
    [`less-for:${uuid(999)}:${idIn(panel)}`, 'The bot no longer knows this offer'],
    [`less-apply:${uuid(11)}:elsewhere:abcdef`, 'This server has no such subscription'],
    [`less-apply:${uuid(11)}:${idIn(panel)}:abcdef`, 'have changed in the meantime'],
    ['less-undo:elsewhere:0:abcdef', 'This server has no such subscription'],
    [`less-undo:${idIn(panel)}:3:${filterDigest('')}`, 'There’s no filter again'],
    [`less-undo:${idIn(panel)}:x:abcdef`, 'This button no longer works'],
  ];
  for (const [customId, sentence] of forged) {
    expect([customId, textOf(await adaGets(house, await press(customId), customId))]).toEqual([
      customId,
      expect.stringContaining(sentence),
    ]);
  }
  expect(await filterNow(house, panel)).toBe('none: everything is posted');
});

test('who loses the permission between two clicks neither applies nor undoes', async () => {
  const { house, panel } = await aHouseWithPosts(withUsualFilter);
  const { discord } = house;
  const { ben } = discord.people;
  const helpers = discord.createRole('Helpers', { permissions: ['manageGuild'] });
  discord.giveRole(ben.id, helpers.id);
  const card = await house.onMessage(postOf(house, 'Acme Cleaver'), COMMAND);
  const customId = applies(card, '-acme');
  discord.takeRole(ben.id, helpers.id);
  const same = await aButton(house, card.channel_id, customId);
  expect(textOf(await house.click(same, customId))).toContain('You need the Manage Server permission');
  expect(await filterNow(house, panel)).toBe('none: everything is posted');
  discord.giveRole(ben.id, helpers.id);
  const applied = await house.click(card, customId);
  discord.takeRole(ben.id, helpers.id);
  expect(textOf(await house.click(applied, undoIn(applied)))).toContain('You need the Manage Server permission');
  expect(await filterNow(house, panel)).toBe('`-acme`');
});

test('of an event’s offer that is almost gone, it changes the subscription of events', async () => {
  const { house, app, folder } = await aHouseOfDeals({}, [lessLike]);
  const offered = (...left: number[]) =>
    left.map((PercentageRemaining, index) =>
      eventOffer(index + 1, { Title: ['Acme Blender', 'Acme Mixer', 'Rug', 'Lamp'][index], PercentageRemaining }),
    );
  folder.writeEvents([event(1, { Offers: offered(60, 60, 60, 60) })]);
  const panel = await house.asAda('deals', '/subscription add events catch-up:0');
  await adaGets(house, panel, 'kinds', ['almost-gone']);
  folder.writeEvents([event(1, { Offers: offered(5, 6, 7, 8) })]);
  await house.clock.advance(30 * 60_000);
  await app.tick();
  await app.settled();
  const card = await onMessage(house, postOf(house, 'Acme Blender'));
  expect(textOf(card)).toContain('Would have dropped 2 of last week’s 4 posts');
  expect(textOf(card)).toContain('Only items that are still live can be shown.');
  expect(textOf(card)).toContain('nothing of last week would be left: `price:<30`');
  await adaGets(house, card, applies(card, '-acme'));
  expect(await filterNow(house, panel)).toBe('`-acme`');
});

test.each([
  ['de', 'Hätte 2 von 5 Beiträgen der letzten Woche ausgelassen', 'Gespeichert. Der Filter ist jetzt `-acme`'],
  ['fr', 'Aurait écarté 2 des 5 publications de la semaine dernière', 'Le filtre est maintenant `-acme`'],
  ['es-ES', 'Habría descartado 2 de las 5 publicaciones', 'Ahora el filtro es `-acme`'],
])('in the language of the person: %s', async (locale, proposal, sentence) => {
  const { house } = await aHouseWithPosts(withUsualFilter);
  house.discord.setLocale(house.discord.people.ada.id, locale);
  const card = await onMessage(house, postOf(house, 'Acme Cleaver'));
  expect(textOf(card)).toContain(proposal);
  expect(textOf(await adaGets(house, card, applies(card, '-acme')))).toContain(sentence);
});

test('a post whose subscription is gone says so, and so does a button', async () => {
  const { house, panel } = await aHouseWithPosts(withUsualFilter);
  const post = postOf(house, 'Acme Cleaver');
  const card = await onMessage(house, post);
  await adaGets(house, await adaGets(house, panel, 'remove'), 'remove-now');
  expect(textOf(await onMessage(house, post))).toBe('The subscription behind this post no longer exists.');
  const { message } = await adaUses(house, card, applies(card, '-acme'));
  expect(textOf(message ?? {})).toContain('This server has no such subscription');
});

test('other messages are no posts about an offer', async () => {
  const { house } = await aHouseWithPosts(withUsualFilter);
  const deals = house.discord.channel('deals').id;
  const chat = await house.post(deals, { content: 'https://www.example.com/offers/kettle-11' });
  expect(textOf(await onMessage(house, chat))).toContain('This isn’t one of my posts about an offer');
});

test('posts about events, dealcasts, polls and monkeychats lead to the settings of their subscription', async () => {
  const { house, app, folder } = await aHouseOfDeals({}, [lessLike]);
  const things = [
    ['events', 'Event 5', () => folder.writeEvents([event(1), event(5)])],
    ['dealcasts', 'Dealcast 5', () => folder.writeDealcasts([dealcast(1), dealcast(5)])],
    ['polls', 'Question 5', () => folder.writePolls([poll(5)])],
    ['monkeychats', 'Chat 5', () => folder.writeMonkeychats([monkeychat(5)])],
  ] as const;
  folder.writePolls([poll(1)]);
  folder.writeMonkeychats([monkeychat(1)]);
  for (const [source] of things) await house.asAda('deals', `/subscription add ${source} catch-up:0`);
  await lookAgain(house, app, HOUR_MS);
  for (const [, , appear] of things) appear();
  await lookAgain(house, app, HOUR_MS);
  for (const [source, title] of things) {
    const card = await onMessage(house, postOf(house, title));
    expect([source, textOf(card)]).toEqual([source, expect.stringContaining('There are suggestions for offers only.')]);
    const settings = await adaGets(house, card, 'open');
    expect(textOf(settings)).toMatch(new RegExp(source, 'i'));
    expect(customIdsOf(settings)).toContain(`subscription:remove:${idIn(settings)}`);
  }
});

test('so does a digest of them, and one whose subscription is gone says so', async () => {
  const { house, app, folder } = await aHouseOfDeals({}, [lessLike]);
  const panel = await house.asAda('deals', '/subscription add events mode:hourly catch-up:0');
  await lookAgain(house, app, HOUR_MS);
  folder.writeEvents([event(1), event(5), event(6)]);
  await lookAgain(house, app, HOUR_MS);
  await lookAgain(house, app, HOUR_MS);
  const digest = postOf(house, 'Event 5');
  expect(textOf(digest)).toContain('Event 6');
  expect(textOf(await onMessage(house, digest))).toContain('There are suggestions for offers only.');
  await adaGets(house, await adaGets(house, panel, 'remove'), 'remove-now');
  expect(textOf(await onMessage(house, digest))).toBe('The subscription behind this post no longer exists.');
});

test('a post of an offer that the bot has forgotten still works, by what was posted', async () => {
  const { house, app, folder, sweep } = await aHouseWithBen([lessLike]);
  const show = async (items: readonly unknown[]) => {
    folder.writeFeed('Home', items);
    await lookAgain(house, app);
  };
  await show([feedItem(1), ...ARRIVALS]);
  const post = postOf(house, 'Acme Cleaver');
  await show([]);
  await show([]);
  await house.clock.advance(9 * 86_400_000);
  await sweep();
  expect(textOf(await house.asAda('deals', '/search words:cleaver'))).not.toContain('Acme Cleaver');
  const chairs = [21, 22].map((number) =>
    feedItem(number, {
      Title: `Chair ${number}`,
      StartDate: new Date(house.clock.now()).toISOString(),
      EndDate: '2027-01-25T05:00:00+00:00',
      SalePrice: { Minimum: number * 4, Maximum: number * 4 },
    }),
  );
  await show(chairs);
  expect(postOf(house, 'Chair 22')).toBeDefined();
  const card = textOf(await onMessage(house, post));
  expect(card).toContain('Acme Cleaver');
  expect(card).toContain('Nothing sets this offer apart');
});
