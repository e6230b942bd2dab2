import { expect, test } from 'vitest';
import { ownAddress } from '../../src/page/own-address.ts';

test.each([
  ['http://127.0.0.1:8080/photos/lamp-10.svg', '/photos/lamp-10.svg'],
  ['http://localhost/attachments/1/2/a.png?x=1', '/attachments/1/2/a.png?x=1'],
  ['http://[::1]:8080/photos/lamp-10.svg', '/photos/lamp-10.svg'],
])("%s is this page's own, wherever the page came from", (url, own) => {
  expect(ownAddress(url, true)).toBe(own);
});

test.each([
  'https://shop.example.com/photos/lamp.jpg',
  'http://127.0.0.1:9000/other/lamp.svg',
  'http://127.0.0.1.example.com/photos/lamp.svg',
])('%s stays as it is', (url) => {
  expect(ownAddress(url, true)).toBe(url);
});

test('pictures of a catalog beside this server stay where they are, files of this server do not', () => {
  const picture = 'http://127.0.0.1:4100/photos/lamp-10.svg';
  expect(ownAddress(picture, false)).toBe(picture);
  expect(ownAddress('http://127.0.0.1:8080/attachments/1/2/a.png', false)).toBe('/attachments/1/2/a.png');
});
