import { expect, test } from 'vitest';
import type { AppearanceLayer } from '../../../src/deals/appearance.ts';
import { chartOn, type PostChart } from '../../../src/features/charts/with-chart.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aPostOffice } from '../../helpers/post-office.ts';
import { postsOf } from '../../helpers/records.ts';
import { anOffer, NOW_MS, uuid } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const THING = `offer:${uuid(1)}` as const;
const OFFER = anOffer(1);
const PRICE = OFFER.salePrice?.minimum ?? 0;
const CHART: PostChart = {
  picture: Buffer.from('a picture'),
  sinceMs: NOW_MS - 40 * DAY_MS,
  untilMs: NOW_MS,
  prices: { minimum: PRICE, maximum: 99 },
  price: PRICE,
};

async function anOfficeWithCharts(first: PostChart | null = CHART, server: AppearanceLayer = {}) {
  const asked: string[] = [];
  const chart = { now: first };
  const office = await aPostOffice({
    server,
    async attachmentsOf(announcement, { channelId }) {
      asked.push(`${announcement.kind} ${channelId}`);
      return chart.now === null ? [] : [chartOn(chart.now, translatorFor('en-US'))];
    },
  });
  return { office, asked, chart };
}

const filesOf = (messages: readonly { attachments: readonly { filename: string }[] }[]) =>
  messages.map(({ attachments }) => attachments.map(({ filename }) => filename));

test('a post carries its chart, in a channel and in a forum; a combined post has none', async () => {
  const { office } = await anOfficeWithCharts();
  const run = await office.run();
  const channelId = office.channelId('deals');
  await run.enqueue(await run.subscribe({ channelId }), [OFFER]);
  const forumId = office.channelId('forum');
  await run.enqueue(await run.subscribe({ id: 'f', channelId: forumId, target: 'forum' }), [OFFER]);
  await run.settle();
  const thread = (await postsOf(run.store, THING)).find((post) => post.channelId === forumId)?.messageChannelId ?? '';
  expect(filesOf(office.posts(channelId))).toEqual([['prices.png']]);
  expect(filesOf(office.posts(thread))).toEqual([['prices.png']]);
  await run.enqueue(
    await run.subscribe({ id: 't', channelId: office.channelId('announcements') }),
    [anOffer(2), anOffer(3)],
    true,
  );
  await run.settle();
  expect(filesOf(office.posts(office.channelId('announcements')))).toEqual([[]]);
});

test('where nothing has changed, the post stays as it is; an edit brings the chart as it is by then', async () => {
  const { office, chart } = await anOfficeWithCharts();
  const run = await office.run();
  const channelId = office.channelId('deals');
  await run.enqueue(await run.subscribe({ channelId }), [OFFER]);
  await run.settle();
  async function edited(item: typeof OFFER) {
    await run.store.transact((changes) => run.deliverer.refresh(changes, [{ key: THING, item }]));
    await run.settle();
    const [post] = office.posts(channelId);
    if (!post) throw new Error('The post is gone.');
    return post;
  }
  expect((await edited(OFFER)).edited_timestamp).toBeNull();
  const [first] = office.posts(channelId).flatMap(({ attachments }) => attachments);

  const price = PRICE - 1;
  chart.now = { ...CHART, picture: Buffer.from('another picture'), price, untilMs: NOW_MS + DAY_MS };
  const cheaper = await edited(anOffer(1, { salePrice: { minimum: price, maximum: price } }));
  expect(filesOf([cheaper])).toEqual([['prices.png']]);
  expect(cheaper.attachments[0]?.id).not.toBe(first?.id);
  expect(textOf(cheaper)).toContain(translatorFor('en-US').date(NOW_MS + DAY_MS));

  // One of another price than the card's is untrue there.
  const dearer = await edited(OFFER);
  expect(filesOf([dearer])).toEqual([[]]);
  expect(JSON.stringify(dearer.components)).not.toContain('prices.png');
  chart.now = CHART;
  const over = await edited(anOffer(1, { isSoldOut: true }));
  expect(filesOf([over])).toEqual([[]]);
});

test.each<[string, AppearanceLayer, AppearanceLayer]>([
  ["the server's appearance", { hasChart: false }, {}],
  ["the subscription's appearance", {}, { hasChart: false }],
])('%s can leave it out, and then nothing is drawn', async (_, server, appearance) => {
  const { office, asked } = await anOfficeWithCharts(CHART, server);
  const run = await office.run();
  const channelId = office.channelId('deals');
  await run.enqueue(await run.subscribe({ channelId, appearance }), [OFFER]);
  await run.settle();
  expect(filesOf(office.posts(channelId))).toEqual([[]]);
  expect(asked).toEqual([]);
});

test('a chart of another price than the card tells is left out', async () => {
  const { office } = await anOfficeWithCharts({ ...CHART, price: PRICE + 1 });
  const run = await office.run();
  const channelId = office.channelId('deals');
  await run.enqueue(await run.subscribe({ channelId }), [OFFER]);
  await run.settle();
  expect(filesOf(office.posts(channelId))).toEqual([[]]);
});

test('a post that was found after a crash has its chart, and is there once', async () => {
  const { office } = await anOfficeWithCharts();
  const channelId = office.channelId('deals');
  const first = await office.run();
  await first.enqueue(await first.subscribe({ channelId }), [OFFER]);
  const before = office.copyState();
  await first.settle();
  await first.stop();
  const again = await office.run(undefined, before);
  await again.settle();
  expect(filesOf(office.posts(channelId))).toEqual([['prices.png']]);
});
