import { ButtonStyle, ComponentType, MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { aButton, adaGets } from '../helpers/panel.ts';
import { aSubscription } from '../helpers/things.ts';

const twelve = Array.from({ length: 12 }, (_, index) => feedItem(index + 1));

async function aHouseWithHome() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', twelve);
  return { house: await aHouse({ content: () => folder.content }), folder };
}

test('forged and outlived buttons are answered plainly, for the one who clicked', async () => {
  const { house } = await aHouseWithHome();
  await house.startBot();
  for (const [customId, sentence] of [
    ['feed:Cellar:1', 'There’s no such feed.'],
    ['feed:__proto__:1', 'There’s no such feed.'],
    ['roll-up:AAAA:1', 'This list has expired'],
    ['roll-up-page:AAAA:2', 'This list has expired'],
  ] as const) {
    const button = { type: ComponentType.Button, style: ButtonStyle.Secondary, label: 'Forged', custom_id: customId };
    const posted = await house.post(house.discord.channel('deals').id, {
      flags: MessageFlags.IsComponentsV2,
      components: [{ type: ComponentType.ActionRow, components: [button] }],
    });
    const answer = await house.click(posted, customId);
    expect(textOf(answer), customId).toContain(sentence);
    expect(answer.visible_to).toBe(house.discord.people.ben.id);
  }
});

test('a page that is gone between two clicks is the last one that there is', async () => {
  const { house, folder } = await aHouseWithHome();
  await house.startBot();
  const list = await house.asBen('deals', '/feed feed:Home');
  const last = customIdsOf(list).find((id) => id.startsWith('last>')) ?? '';
  folder.writeFeed('Home', twelve.slice(0, 7));
  // Older than that, what was seen of a feed is looked at again; what is missing once need not be gone.
  await house.clock.advance(20 * 60_000);
  expect(textOf(await house.asBen('deals', '/feed feed:Home'))).toContain('12 offers');
  await house.clock.advance(20 * 60_000);
  const turned = await house.click(list, last);
  expect(turned.id).toBe(list.id);
  expect(textOf(turned)).toContain('7 offers · page 2 of 2');
});

test('what another server subscribed to is neither shown nor touched', async () => {
  const { house } = await aHouseWithHome();
  const before = await openStore(house.environment['STATE_URL'] ?? '');
  const elsewhere = { guildId: '999', channelId: '998' };
  await before.subscriptions.save(aSubscription('theirs', elsewhere));
  await before.subscriptions.save(aSubscription('removed', elsewhere));
  await before.subscriptions.removeRestorably('removed', house.clock.now());
  await before.close();
  await house.startBot();

  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
  expect(textOf(await house.asAda('deals', '/subscription remove id:theirs'))).toContain(
    'This server has no such subscription.',
  );
  const { id: channelId } = house.discord.channel('deals');
  for (const [step, sentence] of [
    ['undo-remove:removed', 'This can’t be undone anymore.'],
    ['remove-now:theirs', 'This server has no such subscription.'],
    ['duplicate-to:theirs', 'This server has no such subscription.'],
  ] as const) {
    const posted = await aButton(house, channelId, `subscription:${step}`);
    expect(textOf(await adaGets(house, posted, `subscription:${step}`)), step).toContain(sentence);
  }
  const { ada } = house.discord.people;
  const choices = await house.discord.autocomplete({
    personId: ada.id,
    channelId: house.discord.channel('deals').id,
    text: '/subscription remove id:',
    focused: 'id',
  });
  expect(choices).toEqual([]);
});
