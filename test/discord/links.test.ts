import { expect, test } from 'vitest';
import { extractReferences } from '../../src/discord/links.ts';
import { uuid } from '../helpers/things.ts';

test('the links of a message stand in its text, its embeds and its components', () => {
  const message = {
    content: 'Look: [this](https://www.example.com/offers/kettle-1), and <https://www.example.com/offers/kettle-2>!',
    embeds: [{ title: 'A kettle', url: 'https://www.example.com/offers/kettle-3' }],
    components: [
      {
        type: 17,
        components: [
          { type: 10, content: '## [Kettle](<https://www.example.com/offers/kettle-4>)' },
          { type: 1, components: [{ type: 2, style: 5, url: 'https://www.example.com/offers/kettle-5' }] },
        ],
      },
    ],
  };
  expect(extractReferences(message).links).toEqual(
    [1, 2, 3, 4, 5].map((number) => `https://www.example.com/offers/kettle-${number}`),
  );
});

test('an address ends where its sentence does', () => {
  expect(
    extractReferences({ content: 'See https://www.example.com/offers/a. And https://www.example.com/offers/a?' }).links,
  ).toEqual(['https://www.example.com/offers/a']);
});

test('the buttons of our own cards say what they are about', () => {
  const components = [
    {
      type: 1,
      components: [
        { type: 2, custom_id: `offer:${uuid(1)}:x` },
        { type: 2, custom_id: 'other' },
      ],
    },
  ];
  expect(extractReferences({ components }).actions).toEqual([{ do: 'offer', offerId: uuid(1), deliveryId: 'x' }]);
});

test('a message without links has none', () => {
  expect(extractReferences({ content: 'ftp://example.com javascript:alert(1) www.example.com', embeds: [] })).toEqual({
    links: [],
    actions: [],
  });
});
