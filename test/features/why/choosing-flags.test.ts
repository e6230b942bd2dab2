import { expect, test } from 'vitest';
import { whyAndPreview } from '../../../src/features/why/index.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { onlyFeatured } from '../../helpers/only-featured.ts';
import { uuid } from '../../helpers/things.ts';

test('/why, the preview and the sample go by a setting that chooses as by a filter', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ features: [whyAndPreview, onlyFeatured], content: () => folder.content });
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0 featured:true');
  const at = { personId: house.discord.people.ada.id, channelId: house.discord.channel('deals').id };
  const [offered] = await house.discord.autocomplete({ ...at, text: '/why subscription:', focused: 'subscription' });
  const ask = async (command: string) => textOf(await house.asAda('deals', command));
  const why = (number: number) => ask(`/why offer:${uuid(number)} subscription:${offered?.value}`);
  const shows = async (...items: unknown[]) => {
    folder.writeFeed('Home', [feedItem(1), ...items]);
    await house.clock.advance(120_000);
    await app.tick();
    await app.settled();
  };
  await shows(feedItem(2, { IsFeatured: 'maybe' }), feedItem(3));
  expect(await why(2)).toContain('Filters that need them are decided after three checks');
  expect(await why(3)).toMatch(
    /^### ❌ Not announced: it doesn’t match the filter\n[\s\S]*❌ \*\*featured\*\*: found false/,
  );
  await shows(feedItem(2, { IsFeatured: true }), feedItem(3));
  expect(await why(2)).toMatch(/^### ✅ Posted [\s\S]*✅ \*\*featured\*\*: found true/);
  const preview = await ask(`/subscription preview id:${offered?.value}`);
  expect(preview).toContain('1 announcement');
  expect(preview).toContain('Kettle 2');
  expect(await ask(`/subscription test id:${offered?.value}`)).toContain('Kettle 2');
});
