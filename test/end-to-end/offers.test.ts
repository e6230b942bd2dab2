import { MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { CatalogContent } from '../../packages/catalog-service/src/index.ts';
import type { PageMessage } from '../../packages/local-discord/src/index.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { aCatalogFolder, event, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { uuid } from '../helpers/things.ts';

const SENTENCE = 'It boils. ';

/** Specification: "Portal: Offer (full detail)". */
function wireOffer(number: number): Record<string, unknown> {
  return {
    Id: uuid(number),
    EventId: uuid(500),
    Title: `Kettle ${number}`,
    Url: `https://www.example.com/offers/kettle-${number}`,
    Features: '<ul><li>Whistles</li></ul>',
    Specs: '<p>Two litres</p>',
    WriteUpBody: `<p>${SENTENCE.repeat(400)}</p>`,
    PercentageRemainingBlurred: 40,
    IsDealOff: false,
    IsOfferLiveNow: true,
    Items: Array.from({ length: 30 }, (_, index) => ({
      Id: uuid(index + 1000),
      SalePrice: 20 + index,
      ListPrice: 60,
      Attributes: [{ Key: 'Size', Value: String(index + 1) }],
      Photos: [],
    })),
    Photos: [],
    ShippingMethods: [{ Name: 'Standard', ExcludedStates: ['AK'], ExcludedPostalCodes: [], ExcludePOBox: true }],
  };
}

async function aHouseThatKnowsHome(changes: Record<string, string> = {}) {
  const folder = aCatalogFolder();
  folder.writeFeed(
    'Home',
    Array.from({ length: 7 }, (_, index) => feedItem(index + 1)),
  );
  const gone = new Set<string>();
  const content: CatalogContent = {
    at: (nowMs, origin) => ({
      ...folder.content.at(nowMs, origin),
      offer: (id) => (gone.has(id) ? undefined : wireOffer(Number(id.slice(-12)))),
      eventOffer: (id) => ({ Id: id, Title: 'Kettle', Stats: id === uuid(3) ? { FirstSucker: 'early bird' } : null }),
    }),
  };
  const house = await aHouse({ content: () => content });
  const app = await house.startBot(changes);
  await house.asBen('deals', '/feed feed:Home');
  /** The result once the client has gathered the offers to ask for. */
  const asked = async (answer: Promise<PageMessage>) => (await Promise.all([answer, house.gather()]))[0];
  return { house, app, folder, gone, asked };
}

const sectionOf = (message: PageMessage, section: string, part = 1) =>
  customIdsOf(message).find((id) => id.endsWith(`:${section}:${part}`)) ?? '';

test.each([
  ['an id', uuid(4).toUpperCase()],
  ['a link, of another site that shares the offer, too', 'https://home.example.com/offers/kettle-4?ref=x'],
  ['words that tell of one alone', '"kettle 4"'],
])('/offer takes %s', async (_, typed) => {
  const { house, asked } = await aHouseThatKnowsHome();
  const answer = await asked(house.asBen('deals', `/offer offer:${typed}`));
  expect(textOf(answer)).toContain('## [Kettle 4](<https://www.example.com/offers/kettle-4>)');
  expect(textOf(answer)).toContain('▰▰▰▰▱▱▱▱▱▱ 40% left');
  expect(textOf(answer)).toMatch(/-# Home · page 1 of 2 · as of <t:\d+:R>/);
});

test('/offer with words that tell of several lists them, to choose one', async () => {
  const { house, asked } = await aHouseThatKnowsHome();
  const list = await house.asBen('deals', '/offer offer:ketle');
  expect(textOf(list)).toContain('7 offers · page 1 of 2');
  const shown = textOf(list).match(/Kettle (\d)/)?.[1] ?? '';
  const detail = await asked(house.choose(list, 'menu:open', `offer:${uuid(Number(shown))}:`));
  expect(textOf(detail)).toContain(`## [Kettle ${shown}]`);
  expect(detail.visible_to).toBe(house.discord.people.ben.id);
});

test('/offer completes titles, an id and a link', async () => {
  const { house } = await aHouseThatKnowsHome();
  const choice = (number: number) => ({ name: `Kettle ${number} · $20.00 −50%`, value: uuid(number) });
  expect(await house.complete('/offer offer:ket', 'offer')).toHaveLength(7);
  expect(await house.complete(`/offer offer:${uuid(2)}`, 'offer')).toEqual([choice(2)]);
  expect(await house.complete('/offer offer:https://www.example.com/offers/kettle-3/', 'offer')).toEqual([choice(3)]);
});

test('a link to an offer that the bot has not seen is said to be one', async () => {
  const { house } = await aHouseThatKnowsHome();
  const answer = await house.asBen('deals', '/offer offer:https://www.example.com/offers/samovar');
  expect(textOf(answer)).toContain('No known offer has that link.');
});

test('the sections of an offer turn in place, for no further request', async () => {
  const { house, asked } = await aHouseThatKnowsHome({ CATALOG_PORTAL_QUOTA: '2' });
  const card = await asked(house.asBen('deals', `/offer offer:${uuid(3)}`));
  const features = await house.click(card, sectionOf(card, 'features'));
  expect(features.id).toBe(card.id);
  expect(textOf(features)).toContain('- Whistles\n\n**Specifications**\nTwo litres');
  const story = await house.click(features, sectionOf(features, 'story'));
  expect(textOf(story)).toContain('page 1 of 2');
  const more = await house.click(story, sectionOf(story, 'story', 2));
  expect(textOf(more)).toContain('page 2 of 2');
  const shipping = await house.click(more, sectionOf(more, 'shipping'));
  expect(textOf(shipping)).toContain('**Standard**\n- not to these states: AK\n- not to PO boxes');
  const stats = await house.click(shipping, sectionOf(shipping, 'stats'));
  expect(textOf(stats)).toContain('First buyer: early bird');
});

test('variants are chosen from a menu, and a menu’s pages turn', async () => {
  const { house, asked } = await aHouseThatKnowsHome();
  const card = await asked(house.asBen('deals', `/offer offer:${uuid(3)}`));
  expect(textOf(card)).toContain('30 variants\n**Size 1**: **$20.00**');
  const chosen = await house.choose(card, 'menu:variants', `offer-section:${uuid(3)}:overview:9`);
  expect(textOf(chosen)).toContain('**Size 9**: **$28.00**');
  const turned = await house.click(chosen, sectionOf(chosen, 'overview', 26));
  expect(textOf(turned)).toContain('**Size 26**: **$45.00**');
});

test('of an offer in an event that was seen, limits, costs and statistics are known without asking', async () => {
  const { house, folder, asked } = await aHouseThatKnowsHome({ CATALOG_V2_QUOTA: '1' });
  const inEvent = {
    Id: uuid(4),
    Title: 'Kettle 4',
    Items: [{ Id: uuid(1000), SalePrice: 20, ListPrice: 60, PurchaseLimit: 3, Attributes: [] }],
    ShippingMethods: [{ Name: 'Standard', PerOrderAmount: 5, PerEventAmount: 0, PerItemAmount: 0 }],
    Stats: { FirstSucker: 'quick one' },
  };
  folder.writeEvents([event(1, { Offers: [inEvent] })]);
  await house.asBen('deals', '/events');
  const card = await asked(house.asBen('deals', `/offer offer:${uuid(4)}`));
  expect(textOf(card)).toContain('**Size 1**: **$20.00** ~~$60.00~~ −66% · limit 3');
  const shipping = await house.click(card, sectionOf(card, 'shipping'));
  expect(textOf(shipping)).toContain('**Standard** · $5.00 per order');
  expect(textOf(await house.click(shipping, sectionOf(shipping, 'stats')))).toContain('First buyer: quick one');
});

test('an offer without statistics: a plain sentence, and the card stays', async () => {
  const { house, asked } = await aHouseThatKnowsHome();
  const card = await asked(house.asBen('deals', `/offer offer:${uuid(2)}`));
  const told = await house.click(card, sectionOf(card, 'stats'));
  expect(textOf(told)).toContain('The catalog has no statistics for this offer.');
  expect(told.visible_to).toBe(house.discord.people.ben.id);
  expect(told.id).not.toBe(card.id);
});

test('a spent quota says when it returns, and shows what is known', async () => {
  const { house, asked } = await aHouseThatKnowsHome({ CATALOG_PORTAL_QUOTA: '1' });
  const answer = await asked(house.asBen('deals', `/offer offer:${uuid(4)}`));
  expect(textOf(answer)).toMatch(/Today’s catalog quota is used up\. It resets <t:\d+:R>\. Showing the details/);
  expect(textOf(answer)).toContain('### [Kettle 4]');
  expect(textOf(answer)).toMatch(/-# Home · as of <t:\d+:R>/);
  // The day after, its button asks again.
  await house.clock.advance(24 * HOUR_MS);
  const again = await asked(house.click(answer, `offer-section:${uuid(4)}:overview:1`));
  expect(again.id).toBe(answer.id);
  expect(textOf(again)).toContain('## ');
});

test('an offer whose price has changed since is asked for again, another is not', async () => {
  const { house, app, folder, asked } = await aHouseThatKnowsHome();
  const asOf = (card: PageMessage) => Number(/as of <t:(\d+):R>/.exec(textOf(card))?.[1]);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const changed = await asked(house.asBen('deals', `/offer offer:${uuid(3)}`));
  const same = await asked(house.asBen('deals', `/offer offer:${uuid(4)}`));
  folder.writeFeed('Home', [feedItem(3, { SalePrice: { Minimum: 15, Maximum: 15 } }), feedItem(4)]);
  await house.clock.advance(300_000);
  await app.tick();
  const again = await asked(house.asBen('deals', `/offer offer:${uuid(3)}`));
  expect(asOf(again) - asOf(changed)).toBeGreaterThanOrEqual(300);
  expect(asOf(await house.asBen('deals', `/offer offer:${uuid(4)}`))).toBe(asOf(same));
});

test('whoever has asked a lot is shown what was asked for before, and of the rest what is known', async () => {
  const { house, asked } = await aHouseThatKnowsHome();
  const before = await asked(house.asBen('deals', `/offer offer:${uuid(3)}`));
  await house.clock.advance(HOUR_MS);
  for (let number = 100; number < 112; number += 1) {
    await asked(house.asBen('deals', `/offer offer:${uuid(number)}`));
  }
  const again = await house.asBen('deals', `/offer offer:${uuid(3)}`);
  expect(textOf(again)).toBe(textOf(before));
  const known = textOf(await house.asBen('deals', `/offer offer:${uuid(4)}`));
  expect(known).toMatch(/^### \[Kettle 4\][\s\S]*You’re going a bit fast/);
});

test('an offer that vanished between two clicks: a plain sentence, and the card stays', async () => {
  const { house, asked, gone } = await aHouseThatKnowsHome();
  const card = await asked(house.asBen('deals', `/offer offer:${uuid(3)}`));
  gone.add(uuid(3));
  await house.clock.advance(24 * HOUR_MS);
  const told = await asked(house.click(card, sectionOf(card, 'features')));
  expect(textOf(told)).toBe('This offer is no longer in the catalog.');
  expect(told.visible_to).toBe(house.discord.people.ben.id);
});

test('a section’s button works after a restart', async () => {
  const { house, app, asked } = await aHouseThatKnowsHome();
  const card = await asked(house.asBen('deals', `/offer offer:${uuid(3)}`));
  await app.stop();
  await house.startBot();
  const features = await asked(house.click(card, sectionOf(card, 'features')));
  expect(features.id).toBe(card.id);
  expect(textOf(features)).toContain('- Whistles');
});

test('a button that was forged is answered with a plain sentence', async () => {
  const { house } = await aHouseThatKnowsHome();
  const button = { type: 2, style: 2, label: 'Forged', custom_id: 'offer-section:x:story:1' };
  const body = { flags: MessageFlags.IsComponentsV2, components: [{ type: 1, components: [button] }] };
  const posted = await house.post(house.discord.channel('deals').id, body);
  expect(textOf(await house.click(posted, button.custom_id))).toContain('This offer is no longer in the catalog');
});
