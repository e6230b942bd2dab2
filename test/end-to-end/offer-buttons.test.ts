import { expect, test } from 'vitest';
import type { Feature } from '../../src/app/feature.ts';
import { actionsOf, field } from '../../src/discord/action-table.ts';
import { actionButton, noticeCard } from '../../src/discord/cards/parts.ts';
import { feedItem } from '../helpers/catalog-folder.ts';
import { buttonsOf, customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouseOfDeals } from '../helpers/panel.ts';
import { uuid } from '../helpers/things.ts';

const TABLE = { praise: { offerId: field.id }, blame: { offerId: field.id, announcementId: field.id } };
const act = actionsOf(TABLE);

/** A feature with a button on every card of an offer, and one on those that were opened from an announcement. */
const praise: Feature = {
  name: 'praise',
  handlers: [
    {
      table: TABLE,
      actions: { praise: { answer: 'private', run: async () => noticeCard('Praised.') } },
    },
  ],
  offerButtons: {
    ofOffer: ({ offerId, shownAs }) =>
      shownAs === 'whole' ? actionButton('Praise', act({ do: 'praise', offerId })) : null,
    ofAnnouncement: (opened) => actionButton('Blame', act({ do: 'blame', ...opened })),
  },
};

async function aPost(features: readonly Feature[]) {
  const { house, app, folder } = await aHouseOfDeals({}, features);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await app.tick();
  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3), feedItem(9)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  const [post] = house.announcements('deals');
  if (!post) throw new Error('Nothing was posted.');
  const details = customIdsOf(post)[0] ?? '';
  const { ada, ben } = house.discord.people;
  const opened = async (personId: string) => {
    const what = { personId, channelId: post.channel_id, messageId: post.id, customId: details, values: [] };
    const { message } = await house.discord.useComponent(what);
    if (!message) throw new Error('No details.');
    return message;
  };
  // The catalog is asked for the first alone.
  const [adas] = await Promise.all([opened(ada.id), house.gather()]);
  return { house, post, details, adas, bens: await opened(ben.id) };
}

const labelsOf = (card: Parameters<typeof buttonsOf>[0]) => buttonsOf(card).map(({ label }) => label);

test('posts and answers have the buttons of features, which their handlers answer', async () => {
  const { house, post, bens } = await aPost([praise]);
  expect(labelsOf(post).at(-1)).toBe('Praise');
  expect(labelsOf(bens)).toContain('Praise');
  expect(textOf(await house.click(post, `praise:${uuid(9)}`))).toBe('Praised.');
});

test('those of an announcement are for whoever may change what announced it, on cards that were opened from there', async () => {
  const { post, details, adas, bens } = await aPost([praise]);
  const [, , announcementId] = details.split(':');
  expect(labelsOf(post)).not.toContain('Blame');
  expect(customIdsOf(adas)).toContain(`blame:${uuid(9)}:${announcementId}`);
  expect(labelsOf(bens)).not.toContain('Blame');
  expect(customIdsOf(bens).filter((id) => id.endsWith(`:${announcementId}`))).toEqual([]);
});

test('without such buttons, no card carries the announcement', async () => {
  const { details, adas } = await aPost([]);
  const [, , announcementId] = details.split(':');
  expect(announcementId).toHaveLength(22);
  expect(customIdsOf(adas).filter((id) => id.endsWith(`:${announcementId}`))).toEqual([]);
});
