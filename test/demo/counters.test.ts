import { describe, expect, test } from 'vitest';
import { Counters } from '../../src/demo/counters.ts';
import type { PageMessage } from '../../src/local-discord/server/page-api.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
/** So long a post may take. */
const POSTED_WITHIN_MS = 20_000;

const urlOf = (name: string) => `https://electronics.example.com/offers/${name}`;

/** An answer of the feed with these offers. */
function feed(...offers: { name: string; price?: number; isSoldOut?: boolean; endsInMs?: number }[]): string {
  return JSON.stringify({
    Items: offers.map(({ name, price = 100, isSoldOut = false, endsInMs = 3_600_000 }) => ({
      OfferId: name,
      Url: urlOf(name),
      EndDate: new Date(NOW_MS + endsInMs).toISOString(),
      IsSoldOut: isSoldOut,
      SalePrice: { Minimum: price, Maximum: price },
    })),
  });
}

/** A post of the bot with these texts. */
function aPost(...texts: string[]): PageMessage {
  const components = [{ type: 17, components: texts.map((content) => ({ type: 10, content })) }];
  return { author: { bot: true }, visible_to: null, components } as unknown as PageMessage;
}

const anOffer = (name: string, badge = '🆕 **New offer**') =>
  aPost(`${badge}\n### [A ${name}](${urlOf(name)})\n## $9.99`);

/** Counters whose first answer, which owes nothing, was served. */
function watching(standing: readonly PageMessage[] = []): Counters {
  const counters = new Counters(standing);
  counters.serve(feed({ name: 'old' }), NOW_MS);
  return counters;
}

test('what the first answer shows is owed to nobody, and may be posted once', () => {
  const counters = watching();
  counters.post(anOffer('old'));
  expect(counters.counts()).toEqual({ owed: 0, posted: 0, waiting: 0, twice: 0, lost: 0, edits: 0 });
  counters.post(anOffer('old'));
  expect(counters.counts().twice).toBe(1);
});

test('a new offer waits for its post, is posted, and a second post is one too many', () => {
  const counters = watching();
  counters.serve(feed({ name: 'old' }, { name: 'new' }), NOW_MS);
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0, waiting: 1, lost: 0 });
  counters.post(anOffer('new', '🔁 **Zurück**'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, waiting: 0, twice: 0 });
  counters.post(anOffer('new'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, twice: 1 });
});

test('an offer that is not posted in the time that the bot had is lost, to the millisecond, and found when it comes late', () => {
  const counters = watching();
  counters.serve(feed({ name: 'old' }, { name: 'new' }), NOW_MS);
  counters.pass(POSTED_WITHIN_MS - 1);
  // Something was in the bot's way, so its time begins anew.
  counters.pass(0);
  counters.pass(POSTED_WITHIN_MS - 1);
  expect(counters.counts()).toMatchObject({ waiting: 1, lost: 0 });
  counters.pass(1);
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0, waiting: 0, lost: 1 });
  counters.post(anOffer('new'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, lost: 0 });
});

test('an offer that ends unposted stays lost where the bot had the time, and is owed no more where it had not', () => {
  const counters = watching();
  counters.serve(feed({ name: 'old' }, { name: 'lost' }), NOW_MS);
  counters.pass(POSTED_WITHIN_MS);
  counters.serve(feed({ name: 'old' }, { name: 'short' }), NOW_MS);
  counters.serve(feed({ name: 'old' }), NOW_MS);
  counters.pass(1_000);
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0, waiting: 0, lost: 1 });
});

describe('changes of an offer', () => {
  test('a drop of a tenth is owed a post, a smaller one is not', () => {
    const counters = watching();
    counters.serve(feed({ name: 'old', price: 90.01 }), NOW_MS);
    expect(counters.counts().owed).toBe(0);
    counters.serve(feed({ name: 'old', price: 81 }), NOW_MS);
    expect(counters.counts().owed).toBe(1);
    counters.post(anOffer('old', '📉 **Price drop** · −10%'));
    expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, twice: 0 });
  });

  test('each drop is owed a post of its own; two that were not posted yet are owed one', () => {
    const counters = watching();
    for (const price of [80, 60]) {
      counters.serve(feed({ name: 'old', price }), NOW_MS);
      counters.post(anOffer('old', '📉 **Price drop**'));
    }
    expect(counters.counts()).toMatchObject({ owed: 2, posted: 2, twice: 0 });
    for (const price of [40, 30]) counters.serve(feed({ name: 'old', price }), NOW_MS);
    expect(counters.counts()).toMatchObject({ owed: 3, waiting: 1 });
  });

  test('what comes back from being sold out is owed a post, and what is sold out at first sight is not', () => {
    const counters = watching();
    counters.serve(feed({ name: 'old', isSoldOut: true }, { name: 'gone', isSoldOut: true }), NOW_MS);
    expect(counters.counts().owed).toBe(0);
    counters.serve(feed({ name: 'old' }, { name: 'gone', isSoldOut: true }), NOW_MS);
    counters.post(anOffer('old', '📦 **Back in stock**'));
    expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, twice: 0 });
  });
});

test('a combined post counts for all that it tells of, listed or not, in any language', () => {
  const counters = watching();
  counters.serve(feed({ name: 'old' }, { name: 'a' }, { name: 'b' }, { name: 'c' }), NOW_MS);
  counters.post(aPost('## 3 Angebote in Electronics', `🆕 **−40%** · $5 · [A b](${urlOf('b')})`));
  expect(counters.counts()).toMatchObject({ owed: 3, posted: 3, waiting: 0, twice: 0 });
});

test('what stood in the channel at the start is not posted again', () => {
  const counters = watching([anOffer('old')]);
  counters.post(anOffer('old'));
  expect(counters.counts().twice).toBe(1);
});

test('answers to commands are no announcements; edits of announcements are counted', () => {
  const counters = watching();
  counters.serve(feed({ name: 'old' }, { name: 'new' }), NOW_MS);
  const answer = { ...anOffer('new'), interaction_metadata: { id: '1' } } as unknown as PageMessage;
  counters.post(answer);
  counters.edit(answer);
  counters.edit(anOffer('new'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0, edits: 1 });
});
