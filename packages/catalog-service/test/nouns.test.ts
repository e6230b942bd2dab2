import { expect, test } from 'vitest';
import { CATEGORIES } from '../src/simulator/categories.ts';
import { inSentence, withArticle } from '../src/simulator/nouns.ts';

test.each([
  ['Espresso Machine', 'an espresso machine'],
  ['LED Floor Lamp', 'an LED floor lamp'],
  ['Electric Bike', 'an electric bike'],
  ['4K Smart TV', 'a 4K smart TV'],
  ['27" Monitor', 'a 27" monitor'],
  ['Mesh Wi-Fi System', 'a mesh Wi-Fi system'],
  ['Bluetooth Speaker', 'a Bluetooth speaker'],
  ['Wireless Headphones', 'a pair of wireless headphones'],
  ['Work Gloves', 'a pair of work gloves'],
])('%s is "%s" in a sentence', (noun, phrase) => {
  expect(withArticle(noun)).toBe(phrase);
});

test('no product of the store loses a word in a sentence', () => {
  for (const { noun } of CATEGORIES.flatMap(({ kinds }) => [...kinds])) {
    expect(inSentence(noun).toLowerCase()).toBe(noun.toLowerCase());
  }
});
