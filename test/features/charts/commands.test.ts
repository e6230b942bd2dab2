import { MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import { charts } from '../../../src/features/charts/index.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { menusOf, textOf } from '../../helpers/discord-form.ts';
import { aHouseWithPrices, costs } from '../../helpers/house-with-prices.ts';
import { fix, fixForm, inputsOf } from '../../helpers/mistake-form.ts';
import { aHouseOfDeals } from '../../helpers/panel.ts';
import { uuid } from '../../helpers/things.ts';

const DETAILS = 'Offer details';
const WITHOUT_PICTURES = { render: () => Promise.reject(new Error('no library')), stop: async () => undefined };

interface Media {
  media: { url: string };
  description: string;
}

function pictureOf(message: PageMessage): Media | undefined {
  const parts =
    message.components?.flatMap((part) => ('components' in part ? (part.components as object[]) : [])) ?? [];
  return parts.flatMap((part) => ('items' in part ? (part.items as Media[]) : []))[0];
}

test('/history shows a picture, and the same numbers in words, without a request', async () => {
  const { house, reads } = await aHouseWithPrices([charts]);
  const before = reads();
  expect(before).toBeGreaterThan(0);
  const shown = await house.asBen('deals', '/history offer:kettle');
  expect(reads()).toBe(before);
  const picture = pictureOf(shown);
  expect(picture?.description).toMatch(
    /^Now \$15\.00, since .*\. Lowest \$15\.00, .*\. Highest \$30\.00, .*\. Watched since /,
  );
  const file = await fetch(picture?.media.url ?? '');
  expect(
    Buffer.from(await file.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  expect(textOf(shown)).toMatch(/Now \*\*\$15\.00\*\*, since [A-Z][a-z]{2} \d+, \d{4}/);
  expect(textOf(shown)).toMatch(/Highest \*\*\$30\.00\*\*, last on [A-Z][a-z]{2} \d+, \d{4}/);
  expect(textOf(shown)).toContain('Gaps:');
});

test('the button of a post opens the history', async () => {
  const { house, look } = await aHouseWithPrices([charts]);
  const announced = () => house.announcements('deals').at(-1);
  await look(1, feedItem(1, costs(15)));
  const drop = announced();
  const shown = await house.click(drop as PageMessage, `history:${uuid(1)}`);
  expect(shown.visible_to).toBe(house.discord.people.ben.id);
  expect(textOf(shown)).toContain('Kettle 1');
  expect(pictureOf(shown)).toBeDefined();
});

test('what is relisted under another id keeps its history, also after it was forgotten and the bot restarted', async () => {
  const { house, app, folder, look, sweep } = await aHouseWithPrices([charts]);
  await look(12);
  await sweep();
  await app.stop();
  const next = await house.startBot();
  await next.tick();
  expect(textOf(await house.asBen('deals', `/history offer:${uuid(1)}`))).toContain('doesn’t know this offer');
  folder.writeFeed('Home', [feedItem(2, { ...costs(18), Title: 'Kettle 1' })]);
  await house.clock.advance(DAY_MS);
  await next.tick();
  await next.settled();
  const shown = textOf(await house.asBen('deals', `/history offer:${uuid(2)}`));
  expect(shown).toContain('Now **$18.00**');
  expect(shown).toContain('Lowest **$15.00**');
  expect(shown).toContain('Highest **$30.00**');
});

test('what no feed has any more does not cost anything now', async () => {
  const { house, look } = await aHouseWithPrices([charts], { pictures: WITHOUT_PICTURES });
  await look(3);
  expect(textOf(await house.asBen('deals', `/history offer:${uuid(1)}`))).toContain('Last seen at **$15.00**');
});

test('of an offer that is not known, or a forged button, a sentence says so', async () => {
  const { house } = await aHouseWithPrices([charts]);
  expect(textOf(await house.asBen('deals', `/history offer:${uuid(99)}`))).toContain('doesn’t know this offer');
  const button = { type: 2, style: 2, label: 'History', custom_id: 'history:no-id' };
  const posted = await house.post(house.discord.channel('deals').id, {
    flags: MessageFlags.IsComponentsV2,
    components: [{ type: 1, components: [button] }],
  });
  expect(textOf(await house.click(posted, 'history:no-id'))).toContain('doesn’t know this offer');
});

test('where no picture can be made, the latest prices are listed', async () => {
  const { house } = await aHouseWithPrices([charts], { pictures: WITHOUT_PICTURES });
  const shown = await house.asBen('deals', '/history offer:kettle');
  expect(pictureOf(shown)).toBeUndefined();
  expect(textOf(shown)).toMatch(
    /[A-Z][a-z]{2} \d+, \d{4} – [A-Z][a-z]{2} \d+, \d{4} · \*\*\$15\.00\*\*\n[A-Z][a-z]{2} \d+, \d{4} – [A-Z][a-z]{2} \d+, \d{4} · \*\*\$30\.00\*\*/,
  );
  expect(house.logLines.join('')).toContain('a picture of prices could not be made');
});

test('/history with words that fit several offers asks which one, and opens its history', async () => {
  const { house, look } = await aHouseWithPrices([charts]);
  await look(2, feedItem(1, costs(15)), feedItem(2, costs(40)));
  const asked = await house.asBen('deals', '/history offer:kettle');
  expect(textOf(asked)).toBe('Several offers match **kettle**. Choose one.');
  expect(textOf(await house.choose(asked, 'menu:open', `history:${uuid(2)}`))).toContain('$40.00');
});

test('details can be opened of what it asks about', async () => {
  const { house, look } = await aHouseWithPrices([charts]);
  await look(2, feedItem(1, costs(15)), feedItem(2, costs(40)));
  const asked = await house.asBen('deals', '/history offer:kettle');
  const choice = await house.onMessage(asked, DETAILS);
  expect(menusOf(choice).flatMap(({ options }) => options.map(({ value }) => value))).toEqual(
    expect.arrayContaining([`offer:${uuid(1)}:`, `offer:${uuid(2)}:`]),
  );
});

test('of /history with a mistake all is kept for the person alone, and fixing it goes on', async () => {
  const { house } = await aHouseOfDeals({}, [charts]);
  await house.asAda('deals', '/feed feed:Home');
  const mistake = await house.asAda('deals', '/history offer:"no such words"');
  expect(mistake.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(mistake)).toContain('⚠ **offer** · No offers match **no such words**.');
  expect(inputsOf(await fixForm(house, mistake))).toMatchObject([{ name: 'offer', value: 'no such words' }]);
  const fixed = await fix(house, mistake, { offer: 'kettle' });
  expect(fixed.id).toBe(mistake.id);
  expect(textOf(fixed)).toBe('Several offers match **kettle**. Choose one.');
});

test('posts of a product that has been watched for 30 days have a chart, unless a permission is against it', async () => {
  const { house, app, folder } = await aHouseOfDeals({}, [charts]);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0 price-drop:5');
  async function look(price: number): Promise<void> {
    folder.writeFeed('Home', [feedItem(1, costs(price))]);
    for (const _ of [1, 2]) {
      await house.clock.advance(600_000);
      await app.tick();
      await app.settled();
    }
  }
  const filesOf = () => house.announcements('deals').map(({ attachments }) => attachments.length);
  await look(90);
  await look(80);
  await house.clock.advance(31 * 24 * 3_600_000);
  await look(70);
  expect(filesOf().at(-1)).toBe(1);
  const [picture] = house.announcements('deals').at(-1)?.attachments ?? [];
  const png = Buffer.from(await (await fetch(picture?.url ?? '')).arrayBuffer());
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');

  const before = filesOf().length;
  house.discord.setPermissions(house.discord.channel('deals').id, { deny: ['attachFiles'] });
  await look(60);
  expect(filesOf()).toHaveLength(before + 1);
  expect(filesOf().at(-1)).toBe(0);
});
