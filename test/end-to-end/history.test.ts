import { MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { CatalogContent } from '../../packages/catalog-service/src/index.ts';
import type { PageMessage } from '../../packages/local-discord/src/index.ts';
import type { AppParts } from '../../src/app/context.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { uuid } from '../helpers/things.ts';

const DAY_MS = 24 * 3_600_000;
const costs = (price: number) => ({ SalePrice: { Minimum: price, Maximum: price }, EndDate: null });

const WITHOUT_PICTURES = { render: () => Promise.reject(new Error('no library')), stop: async () => undefined };

/** The kettle cost $20, $30 for five days, then $15. */
async function aHouseWithHistory(parts: Partial<AppParts> = {}) {
  const folder = aCatalogFolder();
  const { proxy, reads } = counted(folder.content);
  const house = await aHouse({ content: () => proxy });
  folder.writeFeed('Home', [feedItem(1, costs(20))]);
  const jobs = new Map<string, () => Promise<void>>();
  const app = await house.startBot(
    {},
    {
      schedule(name, _, work) {
        jobs.set(name, work);
        return { stop: async () => undefined };
      },
      ...parts,
    },
  );
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const look = async (days: number, ...items: Record<string, unknown>[]) => {
    folder.writeFeed('Home', items);
    for (let day = 0; day < days; day += 1) {
      await house.clock.advance(DAY_MS);
      await app.tick();
      await app.settled();
    }
  };
  await app.tick();
  await look(1, feedItem(1, costs(30)));
  await look(5, feedItem(1, costs(30)));
  await look(1, feedItem(1, costs(15)));
  const sweep = () => jobs.get('sweep')?.();
  return { house, app, folder, look, sweep, reads };
}

/** The content, with a count of what is read of it: each request reads some. */
function counted(content: CatalogContent) {
  let reads = 0;
  const proxy = new Proxy(content, {
    get(target, name): unknown {
      reads += 1;
      return Reflect.get(target, name);
    },
  });
  return { proxy, reads: () => reads };
}

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
  const { house, reads } = await aHouseWithHistory();
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
  expect(textOf(shown)).toMatch(/Now \*\*\$15\.00\*\*, since <t:\d+:D>/);
  expect(textOf(shown)).toMatch(/Highest \*\*\$30\.00\*\*, last on <t:\d+:D>/);
  expect(textOf(shown)).toContain('Gaps:');
});

test('the announcement of the drop says that it is the lowest price once the offer itself has confirmed it, and its button opens the history', async () => {
  const { house, look } = await aHouseWithHistory();
  const announced = () => house.announcements('deals').at(-1);
  await look(1, feedItem(1, costs(15)));
  const drop = announced();
  expect(house.announcements('deals'), 'that is an edit').toHaveLength(1);
  expect(textOf(drop ?? { components: [] })).toMatch(/📉 \*\*Lowest price since we started watching\*\* \(<t:\d+:D>\)/);
  const shown = await house.click(drop as PageMessage, `history:${uuid(1)}`);
  expect(shown.visible_to).toBe(house.discord.people.ben.id);
  expect(textOf(shown)).toContain('Kettle 1');
  expect(pictureOf(shown)).toBeDefined();
});

test('a post claims no low any more once another listing of its product is cheaper', async () => {
  const { house, look } = await aHouseWithHistory();
  await look(1, feedItem(1, costs(15)));
  const [drop] = house.announcements('deals');
  expect(textOf(drop ?? { components: [] })).toContain('Lowest price since we started watching');
  const cheaper = { ...feedItem(2, costs(10)), Title: 'Kettle 1' };
  await look(2, feedItem(1, costs(15)), cheaper);
  const [edited, other] = house.announcements('deals');
  expect(edited?.id).toBe(drop?.id);
  expect(textOf(edited ?? { components: [] })).toContain('$15.00');
  expect(textOf(edited ?? { components: [] })).not.toContain('Lowest price');
  expect(textOf(other ?? { components: [] })).toContain('Lowest price since we started watching');
});

test('what is relisted under another id keeps its history, also after it was forgotten and the bot restarted', async () => {
  const { house, app, folder, look, sweep } = await aHouseWithHistory();
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
  const { house, look } = await aHouseWithHistory({ charts: WITHOUT_PICTURES });
  await look(3);
  expect(textOf(await house.asBen('deals', `/history offer:${uuid(1)}`))).toContain('Last seen at **$15.00**');
});

test('of an offer that is not known, or a forged button, a sentence says so', async () => {
  const { house } = await aHouseWithHistory();
  expect(textOf(await house.asBen('deals', `/history offer:${uuid(99)}`))).toContain('doesn’t know this offer');
  const button = { type: 2, style: 2, label: 'History', custom_id: 'history:no-id' };
  const posted = await house.post(house.discord.channel('deals').id, {
    flags: MessageFlags.IsComponentsV2,
    components: [{ type: 1, components: [button] }],
  });
  expect(textOf(await house.click(posted, 'history:no-id'))).toContain('doesn’t know this offer');
});

test('where no picture can be made, the latest prices are listed', async () => {
  const { house } = await aHouseWithHistory({ charts: WITHOUT_PICTURES });
  const shown = await house.asBen('deals', '/history offer:kettle');
  expect(pictureOf(shown)).toBeUndefined();
  expect(textOf(shown)).toMatch(/<t:\d+:D> – <t:\d+:D> · \*\*\$15\.00\*\*\n<t:\d+:D> – <t:\d+:D> · \*\*\$30\.00\*\*/);
  expect(house.logLines.join('')).toContain('a picture of prices could not be made');
});

test('/history with words that fit several offers asks which one, and opens its history', async () => {
  const { house, look } = await aHouseWithHistory();
  await look(2, feedItem(1, costs(15)), feedItem(2, costs(40)));
  const asked = await house.asBen('deals', '/history offer:kettle');
  expect(textOf(asked)).toBe('Several offers match **kettle**. Choose one.');
  expect(textOf(await house.choose(asked, 'menu:open', `history:${uuid(2)}`))).toContain('$40.00');
});
