import { expect, test } from 'vitest';
import type { Offer } from '../../src/deals/offer.ts';
import { createOfferBook } from '../../src/offers/offer-book.ts';
import { anOffer, NOW_MS } from '../helpers/things.ts';

function bookOf(feeds: Record<string, Offer[]>) {
  return createOfferBook({
    feeds: {
      get: async (name) => ({
        value: { marketingName: name, offers: feeds[name] ?? [], isCutOff: false },
        fetchedAtMs: NOW_MS,
        isStale: false,
        malformed: 0,
      }),
    },
  });
}

test('finds an offer by a link to it, on whichever host, once its feed has been read', async () => {
  const kettle = anOffer(1);
  const book = bookOf({ Home: [kettle] });
  const link = 'https://home.example.com/offers/Kettle-1/?ref=mail';
  expect(book.findByLink(link)).toBeNull();
  await book.feed('Home', { lane: 'interactive' });
  expect(book.findByLink(link)).toBe(kettle);
  expect(book.findByLink('https://www.example.com/')).toBeNull();
  expect(book.findByLink('no link')).toBeNull();
});

test('forgets what a feed holds no more', async () => {
  const feeds = { Home: [anOffer(1)] };
  const book = bookOf(feeds);
  await book.feed('Home', { lane: 'interactive' });
  feeds.Home = [];
  await book.feed('Home', { lane: 'interactive' });
  expect(book.findByLink('https://www.example.com/offers/kettle-1')).toBeNull();
});
