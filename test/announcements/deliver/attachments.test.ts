import { expect, test } from 'vitest';
import type { PostAttachment } from '../../../src/announcements/deliver/parts.ts';
import { attachedPicture, type Card } from '../../../src/discord/cards/parts.ts';
import { aPostOffice } from '../../helpers/post-office.ts';
import { anOffer, uuid } from '../../helpers/things.ts';

const THING = `offer:${uuid(1)}` as const;
const OFFER = anOffer(1);

/** A picture for offers that cost this; null for any. */
function aPicture(name: string, price: number | null = null): PostAttachment {
  return {
    isOf: ({ item }) => price === null || ('salePrice' in item && item.salePrice?.minimum === price),
    addTo: ({ components, files = [] }): Card => ({
      components: components.map((part) =>
        'components' in part ? { ...part, components: [...part.components, attachedPicture(name, 'A picture')] } : part,
      ),
      files: [...files, { name, content: Buffer.from(name) }],
    }),
  };
}

async function anOfficeThatAttaches(...attachments: PostAttachment[]) {
  const asked: string[] = [];
  const office = await aPostOffice({
    async attachmentsOf(announcement, { channelId }) {
      asked.push(`${announcement.kind} ${channelId}`);
      return attachments;
    },
  });
  const run = await office.run();
  const channelId = office.channelId('deals');
  const files = () => office.posts(channelId).map((post) => post.attachments.map(({ filename }) => filename));
  return { run, channelId, files, asked, office };
}

test('a post carries what is attached of what it shows, all of it in its order', async () => {
  const { run, channelId, files, asked } = await anOfficeThatAttaches(
    aPicture('one.png'),
    aPicture('other.png', -1),
    aPicture('two.png'),
  );
  await run.enqueue(await run.subscribe({ channelId }), [OFFER]);
  await run.settle();
  expect(files()).toEqual([['one.png', 'two.png']]);
  expect(asked).toEqual([`new-offer ${channelId}`]);
});

test('an edit brings it as it is by then, and a deal that is over has none', async () => {
  const { run, channelId, files } = await anOfficeThatAttaches(aPicture('one.png', OFFER.salePrice?.minimum ?? 0));
  await run.enqueue(await run.subscribe({ channelId }), [OFFER]);
  await run.settle();
  async function edited(item: typeof OFFER) {
    await run.store.transact((changes) => run.deliverer.refresh(changes, [{ key: THING, item }]));
    await run.settle();
    return files();
  }
  expect(await edited(anOffer(1, { salePrice: { minimum: 1, maximum: 1 } }))).toEqual([[]]);
  expect(await edited(OFFER)).toEqual([['one.png']]);
  expect(await edited(anOffer(1, { isSoldOut: true }))).toEqual([[]]);
});

test('an appearance without attachments leaves them out, and then nobody is asked for one', async () => {
  const { run, channelId, files, asked } = await anOfficeThatAttaches(aPicture('one.png'));
  await run.enqueue(await run.subscribe({ channelId, appearance: { hasChart: false } }), [OFFER]);
  await run.settle();
  expect(files()).toEqual([[]]);
  expect(asked).toEqual([]);
});
