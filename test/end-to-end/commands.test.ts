import { expect, test } from 'vitest';
import { decodeAction } from '../../src/discord/custom-id.ts';
import { HEARTBEAT_MS } from '../../src/store/table/lease.ts';
import { aCatalogFolder, dealcast, event, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { uuid } from '../helpers/things.ts';

async function aRunningHouse(changes: Record<string, string> = {}) {
  const folder = aCatalogFolder();
  folder.writeFeed(
    'Home',
    Array.from({ length: 7 }, (_, index) => feedItem(index + 1)),
  );
  folder.writeEvents([event(1), event(2, { Type: 'DealOff', Site: 'wine.example.com' })]);
  folder.writeDealcasts([dealcast(1)]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot(changes);
  return { house, app, folder };
}

test('/feed shows a page of five, newest first, whose buttons turn it', async () => {
  const { house } = await aRunningHouse();
  const first = await house.asBen('deals', '/feed feed:home');
  expect(textOf(first).match(/Kettle \d(?=\])/g)).toEqual(['Kettle 7', 'Kettle 6', 'Kettle 5', 'Kettle 4', 'Kettle 3']);
  expect(textOf(first)).toContain('7 offers · page 1 of 2');
  const next = customIdsOf(first).find((id) => id.startsWith('next>')) ?? '';
  const second = await house.click(first, next);
  expect(second.id).toBe(first.id);
  expect(textOf(second).match(/Kettle \d(?=\])/g)).toEqual(['Kettle 2', 'Kettle 1']);
  expect(textOf(await house.asBen('deals', '/feed feed:Home page:2'))).toContain('page 2 of 2');
  // Buttons that were posted before there were menus.
  expect(decodeAction('feed:Home:2')).toEqual(decodeAction(next));
});

test('the middle button of a list asks for the page to open', async () => {
  const { house } = await aRunningHouse();
  const first = await house.asBen('deals', '/feed feed:home');
  const ben = { personId: house.discord.people.ben.id, channelId: first.channel_id };
  let shown = first;
  const goTo = async (page: string) => {
    const customId = customIdsOf(shown).find((id) => id.startsWith('go>')) ?? '';
    const { modal } = await house.discord.useComponent({ ...ben, messageId: first.id, customId });
    expect(modal?.title).toBe('Go to page');
    expect(JSON.stringify(modal?.components), 'no page has six digits').toContain('"max_length":5}');
    const answer = await house.discord.submitModal({ ...ben, customId: modal?.custom_id ?? '', values: { page } });
    if (!answer.message) throw new Error('The form was answered without a message.');
    return answer.message;
  };
  const last = await goTo('99999');
  expect(textOf(last), 'a page past the end is the last one').toContain('page 2 of 2');
  expect(last.id).toBe(first.id);
  shown = last;
  expect(textOf(await goTo('')), 'nothing entered is the page that is shown').toContain('page 2 of 2');
  shown = await goTo(' 1 ');
  expect(textOf(shown)).toContain('page 1 of 2');
  for (const wrong of ['0', '-1', '1.5', 'two', '<@1>']) {
    const refused = await goTo(wrong);
    expect(refused.visible_to).toBe(ben.personId);
    expect(textOf(refused)).toMatch(/^⚠ “.+” isn’t a page number\. Example: 2\.$/);
    const [fix = ''] = customIdsOf(refused);
    const { modal } = await house.discord.useComponent({ ...ben, messageId: refused.id, customId: fix });
    expect(modal?.title).toBe('Go to page');
    const answer = { ...ben, customId: modal?.custom_id ?? '', values: { page: '2' } };
    expect(textOf((await house.discord.submitModal(answer)).message ?? refused)).toContain('page 2 of 2');
  }
});

test('a menu of pages, as lists once had, still turns them', async () => {
  const { house } = await aRunningHouse();
  const options = [1, 2].map((page) => ({ label: `Page ${page}`, value: `feed:Home:${page}` }));
  const row = { type: 1, components: [{ type: 3, custom_id: 'menu:jump', options }] };
  const old = await house.post(house.discord.channel('deals').id, { flags: 1 << 15, components: [row] });
  const turned = await house.choose(old, 'menu:jump', 'feed:Home:2');
  expect(turned.id).toBe(old.id);
  expect(textOf(turned)).toContain('page 2 of 2');
});

test('a menu of /feed does what was chosen in it', async () => {
  const { house } = await aRunningHouse();
  const first = await house.asBen('deals', '/feed feed:home');
  const sorted = await house.choose(first, 'menu:order', 'feed:Home:1:price:').then(textOf);
  expect(sorted).toContain('page 1 of 2');
});

test('/feed completes names of feeds', async () => {
  const { house } = await aRunningHouse();
  const choices = await house.discord.autocomplete({
    personId: house.discord.people.ben.id,
    channelId: house.discord.channel('deals').id,
    text: '/feed feed:o',
    focused: 'feed',
  });
  expect(choices.map(({ name }) => name)).toContain('Home');
  expect(choices.map(({ name }) => name)).not.toContain('All');
});

test('/events filters by site and type', async () => {
  const { house } = await aRunningHouse();
  expect(textOf(await house.asBen('deals', '/events'))).toContain('2 events');
  const wine = textOf(await house.asBen('deals', '/events site:wine'));
  expect(wine).toContain('### Event 2');
  expect(wine).not.toContain('### Event 1');
  expect(textOf(await house.asBen('deals', '/events site:wine type:Daily'))).toContain('No matching events right now.');
});

test('/dealcasts lists the videos', async () => {
  const { house } = await aRunningHouse();
  expect(textOf(await house.asBen('deals', '/dealcasts'))).toContain('Dealcast 1');
});

test('a mistake is answered with a plain sentence, for the one who asked', async () => {
  const { house } = await aRunningHouse();
  for (const [text, sentence] of [
    ['/feed feed:Cellar', 'There’s no such feed. Available feeds: All, '],
    ['/offer offer:kettle', 'No offers match **kettle**.'],
    ['/subscription add feed feed:Cellar', 'There’s no such feed.'],
    ['/subscription remove id:unknown', 'This server has no such subscription.'],
  ] as const) {
    const answer = await house.asAda('deals', text);
    expect(textOf(answer), text).toContain(sentence);
    expect(answer.visible_to).toBe(house.discord.people.ada.id);
  }
});

test('an offer that is gone is said to be gone', async () => {
  const { house } = await aRunningHouse();
  const [answer] = await Promise.all([house.asBen('deals', `/offer offer:${uuid(99)}`), house.gather()]);
  expect(textOf(answer)).toContain('This offer is no longer in the catalog');
});

test('a feed that the catalog does not have is not subscribed to', async () => {
  const { house } = await aRunningHouse({ CATALOG_FEEDS: 'Home,Cellar' });
  const answer = await house.asAda('deals', '/subscription add feed feed:Cellar');
  expect(textOf(answer)).toContain('The catalog has no Cellar feed, so nothing was added.');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
});

test('subscriptions are listed, and not added twice', async () => {
  const { house } = await aRunningHouse();
  await house.asAda('deals', '/subscription add feed feed:Home');
  expect(textOf(await house.asAda('announcements', '/subscription add feed feed:Home channel:#deals'))).toContain(
    'already gets Home feed',
  );
  await house.asAda('deals', '/subscription add events channel:#announcements');
  const list = textOf(await house.asAda('deals', '/subscription list'));
  expect(list).toContain('2 subscriptions');
  expect(list).toContain(`**Home feed** → <#${house.discord.channel('deals').id}>`);
  expect(list).toContain(`**Events** → <#${house.discord.channel('announcements').id}>`);
});

test('people without Manage Server change nothing and see nothing', async () => {
  const { house, app } = await aRunningHouse();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const ben = { personId: house.discord.people.ben.id, channelId: house.discord.channel('deals').id };
  const refused = await house.asBen('deals', '/subscription list').then(textOf, (error: Error) => error.message);
  expect(refused).toMatch(/Manage Server|permission/);
  const choices = await house.discord
    .autocomplete({ ...ben, text: '/subscription remove id:', focused: 'id' })
    .catch(() => []);
  expect(choices).toEqual([]);
  await app.settled();
});

test('a channel that the bot may not post in is refused, with what is missing', async () => {
  const { house } = await aRunningHouse();
  house.discord.setPermissions(house.discord.channel('announcements').id, { deny: ['sendMessages'] });
  await house.discord.waitFor(() => true);
  const answer = await house.asAda('deals', '/subscription add events channel:#announcements');
  expect(textOf(answer)).toContain('Give it these permissions there: Send Messages.');
});

test('a catalog that is down: a plain sentence, the cause in the log, and the subscription stands', async () => {
  const { house } = await aRunningHouse({
    // Nobody listens on the discard port of loopback.
    CATALOG_V2_URL: 'http://127.0.0.1:9',
    CATALOG_PORTAL_URL: 'http://127.0.0.1:9',
  });
  const asked = house.asBen('deals', '/feed feed:Home');
  const isRefused = () => house.logLines.some((line) => line.includes('ECONNREFUSED'));
  // Time that passes before the system has refused the connection would be a catalog that is slow.
  const refused = () => expect.poll(isRefused, { timeout: 20_000, interval: 20 }).toBe(true);
  await patiently(house, async () => house.untilItSays(await asked, 'The catalog isn’t responding.'), refused);
  const added = house.asAda('deals', '/subscription add feed feed:Home');
  await patiently(house, async () => house.untilItSays(await added, 'the latest 3 follow once it’s back'));
  const daily = house.asAda('deals', '/subscription add feed feed:Tools mode:daily');
  await patiently(house, async () =>
    house.untilItSays(await daily, 'posting starts with the first digest after it’s back'),
  );
});

/** Two timers always wait: the lease's heartbeat, and Discord's quarter of an hour for the whole answer or what is left of it. */
const alwaysWaits = (ms: number) => ms === HEARTBEAT_MS || ms > 60_000;

/**
 * Waits for an answer, and lets time pass for as long as something else waits for it: retries, and the client's giving up.
 * Time stands still until Discord has been told that the answer comes later: it waits three seconds for that.
 * @param first what has to have happened then, before time passes
 */
async function patiently(
  { clock, discord }: House,
  wait: () => Promise<unknown>,
  first?: () => Promise<unknown>,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = discord.onUpdate((update) => {
      if (update.type !== 'interaction' || update.state !== 'deferred') return;
      stop();
      resolve();
    });
  });
  await first?.();
  let isOver = false;
  const passing = (async () => {
    while (!isOver) {
      await clock.untilSleeping((ms) => !alwaysWaits(ms));
      if (!isOver) await clock.advance(1_000);
    }
  })();
  await wait();
  isOver = true;
  void passing;
}
