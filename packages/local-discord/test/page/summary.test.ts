import { expect, test } from 'vitest';
import { avatarOf, initialsOf } from '../../src/page/avatar.ts';
import { announcementOf } from '../../src/page/summary.ts';
import type { PageMessage } from '../../src/server/page-api.ts';
import { channel, message } from './page-data.ts';

const NOW = Date.parse('2026-03-05T12:00:00Z');
const server = { channels: [channel('100', { name: 'deals' })] };

test('a card is read as its words, without what is struck through', () => {
  const components = [
    {
      type: 17,
      components: [
        {
          type: 9,
          components: [
            { type: 10, content: '### [Espresso machine](https://a.example)' },
            { type: 10, content: `**$84.95** ~~$129.95~~ · ends <t:${NOW / 1000 + 7200}:R>` },
          ],
          accessory: { type: 11, media: { url: 'https://a.example/x.png' } },
        },
        { type: 14 },
      ],
    },
  ] as unknown as NonNullable<PageMessage['components']>;
  expect(announcementOf(message(1, { content: '', components }), server, NOW)).toBe(
    'Dealbell in deals: Espresso machine $84.95 · ends in 2 hours',
  );
});

test('a long message is cut', () => {
  expect(announcementOf(message(1, { content: 'word '.repeat(100) }), server, NOW).length).toBeLessThan(200);
});

test('initials are the first letters of two words, whole signs', () => {
  expect(['Ada', 'ben okafor', 'a_b-c', '👩‍🚀 moon', ''].map(initialsOf)).toEqual(['A', 'BO', 'AB', '👩‍🚀M', '']);
});

test('an avatar is a picture of its own that no name can break out of', () => {
  const uri = avatarOf({ id: '1', name: '<script> &', bot: false });
  expect(uri.startsWith('data:image/svg+xml,')).toBe(true);
  expect(decodeURIComponent(uri)).toContain('&lt;&amp;</text>');
  expect(uri).toBe(avatarOf({ id: '1', name: '<script> &', bot: false }));
});
