import { expect, test } from 'vitest';
import { whyAndPreview } from '../../../src/features/why/index.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { onlyFeatured } from '../../helpers/only-featured.ts';
import { idIn } from '../../helpers/panel.ts';
import { uuid } from '../../helpers/things.ts';

/** #deals gets Home with these options of a subscription. */
async function aHouseOf(options: string) {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ features: [whyAndPreview, onlyFeatured], content: () => folder.content });
  const app = await house.startBot();
  const id = idIn(await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 ${options}`));
  const ask = async (command: string) => textOf(await house.asAda('deals', command));
  const whyCard = (number: number) => house.asAda('deals', `/why offer:${uuid(number)} subscription:${id}`);
  const why = async (number: number) => textOf(await whyCard(number));
  const shows = async (...items: unknown[]) => {
    folder.writeFeed('Home', [feedItem(1), ...items]);
    await house.clock.advance(120_000);
    await app.tick();
    await app.settled();
  };
  return { id, ask, why, whyCard, shows };
}

test('/why, the preview and the sample go by a setting that chooses as by a filter', async () => {
  const { id, ask, why, shows } = await aHouseOf('featured:true');
  await shows(feedItem(2, { IsFeatured: 'maybe' }), feedItem(3));
  await shows(feedItem(2, { IsFeatured: true }), feedItem(3));
  expect(await why(2)).toMatch(/^### ✅ Posted [\s\S]*✅ \*\*featured\*\*: found true/);
  expect(await why(3)).toMatch(/❌ \*\*featured\*\*: found false/);
  const preview = await ask(`/subscription preview id:${id}`);
  expect(preview).toContain('1 announcement');
  expect(preview).toContain('Kettle 2');
  expect(await ask(`/subscription test id:${id}`)).toContain('Kettle 2');
});

test.each(['featured:true', 'filter:featured:true', 'filter:-featured:true'])(
  'what is not decided yet by %j is told as that, with the field that is awaited, and is in no preview',
  async (options) => {
    const { id, ask, why, whyCard, shows } = await aHouseOf(options);
    await shows(feedItem(2, { IsFeatured: 'maybe' }));
    expect(await why(2)).toMatch(
      /^### 🕒 Not decided yet, because some details aren’t known: \*\*featured\*\*\. It’s decided once three checks have shown the offer, at the latest\.\n/,
    );
    expect(await why(2)).not.toContain('Filter results');
    expect(customIdsOf(await whyCard(2))).toEqual([`post-now:${uuid(2)}:${id}`]);
    expect(await ask(`/subscription preview id:${id}`)).not.toContain('Kettle 2');
  },
);

test('a field that the filter doesn’t ask about is not awaited', async () => {
  const { why, shows } = await aHouseOf('filter:samovar');
  await shows(feedItem(2, { IsFeatured: 'maybe' }));
  expect(await why(2)).toMatch(/^### ❌ Not announced: it doesn’t match the filter\n/);
  expect(await why(2)).not.toContain('Not decided yet');
});

test.each([
  ['a setting', 'featured:true', '**Featured** offers alone', ['open']],
  ['neither', 'featured:true filter:samovar', '**Filter** `samovar` and **Featured** offers alone', ['filter', 'open']],
])(
  'what chooses besides the filter is named where it is not met, and a button leads there: %s',
  async (_, options, settings, steps) => {
    const { id, whyCard, shows } = await aHouseOf(options);
    await shows(feedItem(3));
    const card = await whyCard(3);
    expect(textOf(card).split('\n')[0]).toBe(
      `### ❌ Not announced: ruled out by the subscription’s settings (${settings})`,
    );
    expect(customIdsOf(card)).toEqual([
      ...steps.map((step) => `subscription:${step}:${id}`),
      `post-now:${uuid(3)}:${id}`,
    ]);
  },
);

test('where the filter alone is not met, its form alone is offered', async () => {
  const { id, whyCard, shows } = await aHouseOf('featured:true filter:samovar');
  await shows(feedItem(3, { IsFeatured: true }));
  const card = await whyCard(3);
  expect(textOf(card)).toMatch(/^### ❌ Not announced: it doesn’t match the filter\n/);
  expect(customIdsOf(card)).toEqual([`subscription:filter:${id}`, `post-now:${uuid(3)}:${id}`]);
});
