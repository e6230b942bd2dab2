import { ButtonStyle } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/shared/time.ts';
import { RESTORABLE_MS } from '../../src/store/subscriptions.ts';
import { feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aButton, adaGets, aHouseOfDeals, idIn } from '../helpers/panel.ts';

type Deals = Awaited<ReturnType<typeof aHouseOfDeals>>;

/** The offers that the feed Home has now are polled and posted. */
async function poll({ house, app }: Pick<Deals, 'house' | 'app'>) {
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
}

const posted = ({ house }: Pick<Deals, 'house'>) => house.announcements('deals').map(textOf).join();

test('a removal is asked for once, in red, and nothing happens before the answer', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home words:kettle catch-up:0');
  const asked = await adaGets(house, panel, 'remove');
  expect(asked.id).toBe(panel.id);
  expect(textOf(asked)).toContain('Delete Home feed in <#');
  expect(JSON.stringify(asked.components)).toContain(`"style":${ButtonStyle.Danger}`);
  expect(textOf(await adaGets(house, asked, 'open'))).toContain('`kettle`');
  const again = await house.asAda('deals', `/subscription remove id:${idIn(panel)}`);
  expect(textOf(again)).toContain('Delete Home feed in <#');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('1 subscription');
  const removed = await adaGets(house, again, 'remove-now');
  expect(textOf(removed)).toContain('Deleted. The bot no longer posts ');
  expect(textOf(removed)).toContain('`kettle`');
  const untilMs = Math.floor((house.clock.now() + RESTORABLE_MS) / 1000);
  expect(textOf(removed)).toContain(`You can undo this until <t:${untilMs}:f>`);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
});

test('undo restores every setting, after a restart too; what came meanwhile is skipped, and nothing comes twice', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  const panel = await house.asAda(
    'deals',
    '/subscription add feed feed:Home words:kettle quiet-hours:3-4 most-per-hour:5 catch-up:1',
  );
  await app.settled();
  const removed = await adaGets(house, await adaGets(house, panel, 'remove'), 'remove-now');
  await app.stop();
  const next = await house.startBot();
  folder.writeFeed(
    'Home',
    [1, 2, 3, 5].map((number) => feedItem(number)),
  );
  await poll({ house, app: next });
  const restored = await adaGets(house, removed, 'undo-remove');
  expect(idIn(restored)).toBe(idIn(panel));
  expect(textOf(restored)).toContain('Restored with all its settings. Anything from while it was deleted is skipped.');
  for (const line of ['`kettle`', '03:00–04:00', '**Limit** 5 posts']) {
    expect(textOf(restored)).toContain(line);
  }
  await poll({ house, app: next });
  folder.writeFeed(
    'Home',
    [1, 2, 3, 5, 6].map((number) => feedItem(number)),
  );
  await poll({ house, app: next });
  expect(house.announcements('deals')).toHaveLength(2);
  expect(posted({ house })).toContain('Kettle 3');
  expect(posted({ house })).toContain('Kettle 6');
});

test('undone at once, nothing is missed: what appears afterwards and what waits for the digest are posted, once', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home mode:hourly catch-up:0');
  folder.writeFeed(
    'Home',
    [1, 2, 3, 5].map((number) => feedItem(number)),
  );
  await poll({ house, app });
  const removed = await adaGets(house, await adaGets(house, panel, 'remove'), 'remove-now');
  const restored = await adaGets(house, removed, 'undo-remove');
  expect(textOf(restored)).toMatch(/New ones come in the first digest at <t:\d+:f>\./);
  folder.writeFeed(
    'Home',
    [1, 2, 3, 5, 6].map((number) => feedItem(number)),
  );
  await poll({ house, app });
  await house.clock.advance(3_600_000);
  await app.tick();
  await app.settled();
  expect(house.announcements('deals')).toHaveLength(1);
  expect(posted({ house })).toContain('Kettle 5');
  expect(posted({ house })).toContain('Kettle 6');
});

test('what is due while it is removed is not posted later', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home mode:hourly catch-up:0');
  folder.writeFeed(
    'Home',
    [1, 2, 3, 5].map((number) => feedItem(number)),
  );
  await poll({ house, app });
  const removed = await adaGets(house, await adaGets(house, panel, 'remove'), 'remove-now');
  await house.clock.advance(3_600_000);
  await app.tick();
  await app.settled();
  await adaGets(house, removed, 'undo-remove');
  await poll({ house, app });
  await house.clock.advance(3_600_000);
  await app.tick();
  await app.settled();
  expect(house.announcements('deals')).toEqual([]);
});

test('undo can be clicked twice, and after a day no more', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  const id = idIn(panel);
  const { id: channelId } = house.discord.channel('deals');
  const undo = await aButton(house, channelId, `subscription:undo-remove:${id}`);
  expect(textOf(await adaGets(house, undo, 'undo-remove'))).toContain('This subscription is already back.');
  const removed = await adaGets(house, await adaGets(house, panel, 'remove'), 'remove-now');
  await house.clock.advance(DAY_MS + 1);
  const late = await adaGets(house, removed, 'undo-remove');
  expect(textOf(late)).toContain('This can’t be undone anymore.');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
});

test('undo is refused where an equal one was added, the limit is reached, or the bot may not post; and works after that', async () => {
  const { house } = await aHouseOfDeals({ MAX_SUBSCRIPTIONS_PER_SERVER: '1' });
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  const removed = await adaGets(house, await adaGets(house, panel, 'remove'), 'remove-now');
  const equal = await house.asAda('announcements', '/subscription add polls channel:#deals catch-up:0');
  expect(textOf(await adaGets(house, removed, 'undo-remove'))).toContain('already gets polls with the same filter');
  await adaGets(house, await adaGets(house, equal, 'remove'), 'remove-now');
  const other = await house.asAda('announcements', '/subscription add polls catch-up:0');
  expect(textOf(await adaGets(house, removed, 'undo-remove'))).toContain('limit of 1 subscriptions');
  await adaGets(house, await adaGets(house, other, 'remove'), 'remove-now');
  const { id } = house.discord.channel('deals');
  house.discord.setPermissions(id, { deny: ['sendMessages'] });
  expect(textOf(await adaGets(house, removed, 'undo-remove'))).toContain('these permissions there: Send Messages.');
  house.discord.setPermissions(id, {});
  expect(textOf(await adaGets(house, removed, 'undo-remove'))).toContain('Restored with all its settings.');
});

test('a paused one is paused when it is back', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  const paused = await adaGets(house, panel, 'pause');
  const removed = await adaGets(house, await adaGets(house, paused, 'remove'), 'remove-now');
  house.discord.setPermissions(house.discord.channel('deals').id, { deny: ['sendMessages'] });
  const restored = textOf(await adaGets(house, removed, 'undo-remove'));
  expect(restored).toContain('It’s paused, so nothing is posted until someone resumes it.');
  expect(restored).toContain('⏸ Paused');
});

test('whoever may not manage the server can neither remove nor restore', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  const { id: channelId } = house.discord.channel('deals');
  const forged = async (step: string) => {
    const customId = `subscription:${step}:${idIn(panel)}`;
    return textOf(await house.click(await aButton(house, channelId, customId), customId));
  };
  for (const step of ['remove', 'remove-now']) {
    expect([step, await forged(step)]).toEqual([
      step,
      expect.stringContaining('You need the Manage Server permission'),
    ]);
  }
  await adaGets(house, await adaGets(house, panel, 'remove'), 'remove-now');
  expect(await forged('undo-remove')).toContain('You need the Manage Server permission');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
});

test('the panel of an earlier version, whose button removed at once, asks first as well', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  const old = await aButton(house, house.discord.channel('deals').id, `subscription:remove:${idIn(panel)}`);
  expect(customIdsOf(await adaGets(house, old, 'remove'))).toContain(`subscription:remove-now:${idIn(panel)}`);
});
