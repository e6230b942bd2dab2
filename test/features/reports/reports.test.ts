import { expect, test } from 'vitest';
import type { CatalogContent } from '../../../packages/catalog-service/src/index.ts';
import { reports } from '../../../src/features/reports/index.ts';
import { ASKED_EVERY_MS, MOST_IN_AN_HOUR, Reports } from '../../../src/features/reports/reports.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { uuid } from '../../helpers/things.ts';

const SECOND_MS = 1_000;

/** A channel in which an offer of $20 stands, and what the offer says of itself from then on. */
async function aPost({
  settings = {},
  listed = {},
}: {
  settings?: Record<string, string>;
  listed?: Record<string, unknown>;
} = {}) {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1, listed)]);
  let says: Record<string, unknown> | undefined = {};
  let asked = 0;
  const content: CatalogContent = {
    at: (nowMs, origin) => ({
      ...folder.content.at(nowMs, origin),
      offer(id) {
        asked += 1;
        const item = { Id: uuid(100), SalePrice: 20, ListPrice: 40 };
        return says && { Id: id, Title: 'Kettle 1', IsOfferLiveNow: true, IsSoldOut: false, Items: [item], ...says };
      },
    }),
  };
  const house = await aHouse({ content: () => content, features: [reports] });
  const app = await house.startBot(settings);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:3');
  await app.settled();
  const open = async () => (await Promise.all([house.asBen('deals', `/offer offer:${uuid(1)}`), house.gather()]))[0];
  const card = await open();
  const click = (wrong: 'gone' | 'price') => house.click(card, `report:${uuid(1)}:${wrong}`);
  /** Presses a button that has the catalog asked. */
  const press = async (wrong: 'gone' | 'price') => {
    const [answer] = await Promise.all([click(wrong), house.gather()]);
    await app.settled();
    return textOf(answer);
  };
  const posts = () =>
    house.discord.messages(house.discord.channel('deals').id).filter((one) => !one.interaction_metadata);
  return {
    house,
    folder,
    card,
    click,
    press,
    post: () => posts().map(textOf).join('\n'),
    say: (changes: Record<string, unknown> | undefined) => {
      says = changes;
    },
    asked: () => asked,
  };
}

test('what is right stays: the answer says what the catalog says', async () => {
  const { press, post, card } = await aPost();
  expect(customIdsOf(card).filter((id) => id.startsWith('report'))).toHaveLength(2);
  const before = post();
  expect(await press('price')).toBe('The catalog says it’s in stock at **$20.00**. That’s what posts say.');
  expect(post()).toBe(before);
});

test('what is sold out is corrected in the post at once, as its feed says so, too', async () => {
  const { house, folder, press, post, say } = await aPost();
  await house.clock.advance(MINUTE_MS);
  say({ IsSoldOut: true });
  folder.writeFeed('Home', [feedItem(1, { IsSoldOut: true })]);
  expect(await press('gone')).toBe('The catalog says it’s **sold out**. Posts are being corrected.');
  expect(post()).toContain('Sold out');
});

test('where its feed says otherwise, posts wait for a second answer', async () => {
  const { house, press, post, say } = await aPost();
  await house.clock.advance(MINUTE_MS);
  const before = post();
  say({ IsSoldOut: true });
  expect(await press('gone')).toBe(
    'The catalog says it’s **sold out**. Posts change once a second answer confirms that.',
  );
  expect(post()).toBe(before);
});

test('what one answer alone does not prove is said to wait for a second one', async () => {
  const { press, post, say } = await aPost();
  const before = post();
  say({ Items: [{ Id: uuid(100), SalePrice: 1_500, ListPrice: 3_000 }] });
  expect(await press('price')).toBe(
    'The catalog says it’s in stock at **$1,500.00**. Posts change once a second answer confirms that.',
  );
  expect(post()).toBe(before);
});

test('a price that posts don’t show is not what they say', async () => {
  const { press } = await aPost({ listed: { SalePrice: null } });
  expect(await press('price')).not.toContain('That’s what posts say.');
});

test('where today’s requests are used up, the answer says so and when they return', async () => {
  const { press, asked } = await aPost({ settings: { CATALOG_PORTAL_QUOTA: '2' } });
  const before = asked();
  expect(await press('gone')).toMatch(/^⚠? ?Today’s catalog quota is used up\. It resets <t:\d+:R>\.$/);
  expect(asked()).toBe(before);
});

test('the same offer is asked about once in five minutes', async () => {
  const { house, click, press, asked } = await aPost();
  await press('gone');
  const before = asked();
  // The client's gathering of offers takes some milliseconds.
  await house.clock.advance(ASKED_EVERY_MS - SECOND_MS);
  expect(textOf(await click('price'))).toMatch(
    /^The catalog says it’s in stock at \*\*\$20\.00\*\*\. Checked <t:\d+:R>\.$/,
  );
  expect(asked()).toBe(before);
  await house.clock.advance(SECOND_MS);
  expect(await press('price')).toContain('That’s what posts say.');
  expect(asked()).toBe(before + 1);
});

test('an offer that a button names without the bot’s knowing it is not asked about', async () => {
  const { house, asked } = await aPost();
  const customId = `report:${uuid(77)}:gone`;
  const { id: channelId } = house.discord.channel('deals');
  const forged = await house.post(channelId, {
    components: [{ type: 1, components: [{ type: 2, style: 2, label: 'x', custom_id: customId }] }],
  });
  const before = asked();
  expect(textOf(await house.click(forged, customId))).not.toContain('The catalog says');
  expect(asked()).toBe(before);
});

test('a person has so many an hour, and nothing is kept for longer', () => {
  const clock = new ManualClock();
  const kept = new Reports(clock);
  const startMs = clock.now();
  for (let index = 0; index < MOST_IN_AN_HOUR; index += 1) {
    expect(kept.againMs('ben')).toBeNull();
    kept.noteAsking('ben');
    kept.noteAnswer(uuid(index));
  }
  expect(kept.againMs('ben')).toBe(startMs + HOUR_MS);
  expect(kept.againMs('ada')).toBeNull();
  clock.jump(HOUR_MS);
  expect([kept.againMs('ben'), kept.askedMs(uuid(0))]).toEqual([null, null]);
});

test('an offer that was asked about counts as that for five minutes', () => {
  const clock = new ManualClock();
  const kept = new Reports(clock);
  const startMs = clock.now();
  kept.noteAnswer(uuid(1));
  clock.jump(ASKED_EVERY_MS - 1);
  expect(kept.askedMs(uuid(1))).toBe(startMs);
  clock.jump(1);
  expect(kept.askedMs(uuid(1))).toBeNull();
});

test('a clock that was set back holds nobody back', () => {
  const clock = new ManualClock();
  const kept = new Reports(clock);
  for (let index = 0; index < MOST_IN_AN_HOUR; index += 1) {
    kept.noteAsking('ben');
    kept.noteAnswer(uuid(1));
  }
  clock.jump(-2 * HOUR_MS);
  expect([kept.againMs('ben'), kept.askedMs(uuid(1))]).toEqual([null, null]);
});
