import { describe, expect, test } from 'vitest';
import type { DemoPlace, PageMessage } from '../../local-discord/src/index.ts';
import { Counters } from '../src/counters.ts';
import { WANTED } from '../src/wanted.ts';
import { aPost } from './a-post.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
/** So long a post may take. */
const POSTED_WITHIN_MS = 20_000;
/** And so much longer for each other that is due at the same time. */
const LONGER_FOR_EACH_MS = 1_500;

const urlOf = (name: string) => `https://electronics.example.com/offers/${name}`;

/** An answer of the feed with these offers. */
function feed(
  ...offers: { name: string; price?: number; list?: number; isSoldOut?: boolean; endsInMs?: number }[]
): string {
  return JSON.stringify({
    Items: offers.map(({ name, price = 100, list = 200, isSoldOut = false, endsInMs = 3_600_000 }) => ({
      OfferId: name,
      Url: urlOf(name),
      EndDate: new Date(NOW_MS + endsInMs).toISOString(),
      IsSoldOut: isSoldOut,
      SalePrice: { Minimum: price, Maximum: price },
      ListPrice: { Minimum: list, Maximum: list },
    })),
  });
}

/** An answer with these dealcasts. */
function dealcasts(names: readonly string[]): string {
  const startsAt = new Date(NOW_MS).toISOString();
  return JSON.stringify(names.map((name) => ({ YouTubeUrl: urlOf(name), StartDate: startsAt })));
}

const anOffer = (name: string, badge = '🆕 **New offer**') =>
  aPost(`${badge}\n### [A ${name}](${urlOf(name)})\n## $9.99`);

/** Counters of a place of the demo. */
class PlaceCounters extends Counters {
  constructor(place: DemoPlace, standing: readonly PageMessage[] = []) {
    super(
      standing,
      WANTED.filter((wanted) => wanted.place === place),
    );
  }

  serveFeed(text: string, path = '/feed/Electronics'): void {
    this.serve(path, text, NOW_MS);
  }

  wait(calmMs: number): void {
    this.pass(calmMs, NOW_MS);
  }
}

/** Counters of #deals whose first answer, which owes nothing, was served. */
function watching(standing: readonly PageMessage[] = []): PlaceCounters {
  const counters = new PlaceCounters('deals', standing);
  counters.serveFeed(feed({ name: 'old' }));
  return counters;
}

test('what the first answer shows is owed to nobody, and may be posted once', () => {
  const counters = watching();
  counters.post(anOffer('old'));
  expect(new Set(Object.values(counters.counts()))).toEqual(new Set([0]));
  counters.post(anOffer('old'));
  expect(counters.counts().twice).toBe(1);
  expect(counters.twice()).toMatchObject([
    { url: expect.stringContaining('old'), why: expect.stringContaining('new at') },
  ]);
});

test('what has changed while the demo was not running may be told once, though something alike was told before', () => {
  const drop = anOffer('old', '📉 **Price drop**');
  const counters = watching([anOffer('old'), drop]);
  counters.post(drop);
  expect(counters.counts()).toMatchObject({ owed: 0, posted: 0, twice: 0 });
  counters.post(drop);
  expect(counters.counts().twice).toBe(1);
});

test('of what stood before the demo was started again, what is told anew without a change is one too many', () => {
  const counters = watching([anOffer('old')]);
  counters.post(anOffer('old'));
  expect(counters.counts().twice).toBe(1);
});

test('what changes after the demo was started again is owed, whatever stood before', () => {
  const counters = watching([anOffer('old'), anOffer('old', '📉 **Price drop**')]);
  for (const _ of [1, 2]) counters.serveFeed(feed({ name: 'old', price: 50 }));
  expect(counters.counts()).toMatchObject({ owed: 1, waiting: 1 });
  counters.post(anOffer('old', '📉 **Price drop**'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, twice: 0 });
});

test('a new offer waits for its post, is posted, and a second post is one too many', () => {
  const counters = watching();
  counters.serveFeed(feed({ name: 'old' }, { name: 'new' }));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0, waiting: 1, lost: 0 });
  counters.post(anOffer('new', '🔁 **Zurück**'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, waiting: 0, twice: 0 });
  counters.post(anOffer('new'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, twice: 1 });
});

test('an offer that is not posted in the time that the bot had is lost, to the millisecond, and found when it comes late', () => {
  const counters = watching();
  counters.serveFeed(feed({ name: 'old' }, { name: 'new' }));
  counters.wait(POSTED_WITHIN_MS - 1);
  // Something was in the bot's way, so its time begins anew.
  counters.wait(0);
  counters.wait(POSTED_WITHIN_MS - 1);
  expect(counters.counts()).toMatchObject({ waiting: 1, lost: 0 });
  counters.wait(1);
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0, waiting: 0, lost: 1 });
  counters.post(anOffer('new'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, lost: 0 });
});

test('an offer that is gone unposted stays lost where the bot had the time, and is held until its end where it had not', () => {
  const counters = watching();
  counters.serveFeed(feed({ name: 'old' }, { name: 'lost' }));
  counters.wait(POSTED_WITHIN_MS);
  counters.serveFeed(feed({ name: 'old' }, { name: 'short', endsInMs: 60_000 }));
  counters.serveFeed(feed({ name: 'old' }));
  counters.wait(1_000);
  // Nothing is posted of what the last answer lacks.
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0, waiting: 0, held: 1, lost: 1 });
  counters.serveFeed(feed({ name: 'old' }));
  counters.wait(POSTED_WITHIN_MS);
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0, waiting: 0, held: 1, lost: 1 });
  counters.pass(1_000, NOW_MS + 60_000);
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0, waiting: 0, held: 0, lost: 1 });
});

test('what was held is owed again when it is back, and has its whole time anew', () => {
  const counters = watching();
  const withNew = feed({ name: 'old' }, { name: 'new' });
  counters.serveFeed(withNew);
  counters.wait(POSTED_WITHIN_MS - 1);
  for (let answer = 0; answer < 2; answer += 1) counters.serveFeed(feed({ name: 'old' }));
  counters.wait(1_000);
  expect(counters.counts()).toMatchObject({ owed: 0, waiting: 0, held: 1, lost: 0 });
  for (let answer = 0; answer < 2; answer += 1) counters.serveFeed(withNew);
  counters.wait(POSTED_WITHIN_MS - 1);
  expect(counters.counts()).toMatchObject({ owed: 1, waiting: 1, held: 0, lost: 0 });
  counters.wait(1);
  expect(counters.counts()).toMatchObject({ owed: 1, waiting: 0, held: 0, lost: 1 });
});

describe('changes of an offer', () => {
  test('a drop of a tenth is owed a post, a smaller one is not', () => {
    const counters = watching();
    counters.serveFeed(feed({ name: 'old', price: 90.01 }));
    expect(counters.counts().owed).toBe(0);
    counters.serveFeed(feed({ name: 'old', price: 81 }));
    expect(counters.counts().owed).toBe(1);
    counters.post(anOffer('old', '📉 **Price drop** · −10%'));
    expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, twice: 0 });
  });

  test('each drop is owed a post of its own; two that were not posted yet are owed one', () => {
    const counters = watching();
    for (const price of [80, 60]) {
      counters.serveFeed(feed({ name: 'old', price }));
      counters.post(anOffer('old', '📉 **Price drop**'));
    }
    expect(counters.counts()).toMatchObject({ owed: 2, posted: 2, twice: 0 });
    for (const price of [40, 30]) counters.serveFeed(feed({ name: 'old', price }));
    expect(counters.counts()).toMatchObject({ owed: 3, waiting: 1 });
  });

  test('what comes back from being sold out is owed a post once two answers have shown each, and what is sold out at first sight is not', () => {
    const counters = watching();
    for (const [second, isSoldOut] of [true, true, false, false].entries()) {
      expect(counters.counts().owed).toBe(0);
      const offers = feed({ name: 'old', isSoldOut }, { name: 'gone', isSoldOut: true });
      counters.serve('/feed/Electronics', offers, NOW_MS + second * 1_000);
    }
    expect(counters.counts()).toMatchObject({ owed: 1, waiting: 1 });
    counters.post(anOffer('old', '📦 **Back in stock**'));
    expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, twice: 0 });
  });

  test('a post ahead of the second answer counts once where the offer itself was served before, and else is one too many', () => {
    for (const path of ['/getoffers', '/offers/old', null]) {
      const counters = watching();
      let second = 0;
      const serve = (served: string, text: string) => {
        second += 1;
        counters.serve(served, text, NOW_MS + second * 1_000);
      };
      counters.post(anOffer('old'));
      for (const isSoldOut of [true, true, false]) serve('/feed/Electronics', feed({ name: 'old', isSoldOut }));
      if (path === '/getoffers') serve(path, JSON.stringify([{ Id: 'old' }]));
      else if (path !== null) serve(path, JSON.stringify({ Id: 'old' }));
      for (let times = 0; times < 2; times += 1) counters.post(anOffer('old', '📦 **Back in stock**'));
      serve('/feed/Electronics', feed({ name: 'old' }));
      const counts = path === null ? { owed: 1, posted: 0, twice: 1 } : { owed: 1, posted: 1, twice: 1 };
      expect(counters.counts(), `${path}`).toMatchObject(counts);
    }
  });

  test('one odd answer that calls it sold out owes nothing', () => {
    const counters = watching();
    for (const [second, isSoldOut] of [true, false, false].entries()) {
      counters.serve('/feed/Electronics', feed({ name: 'old', isSoldOut }), NOW_MS + second * 1_000);
    }
    counters.wait(POSTED_WITHIN_MS);
    expect(counters.counts()).toMatchObject({ owed: 0, held: 0, lost: 0 });
  });
});

test('a combined post counts for all that it tells of, listed or not, in any language', () => {
  const counters = watching();
  counters.serveFeed(feed({ name: 'old' }, { name: 'a' }, { name: 'b' }, { name: 'c' }));
  counters.post(aPost('**A, B**\n-# 3 Angebote in Electronics', `🆕 **−40%** · $5 · [A b](${urlOf('b')})`));
  expect(counters.counts()).toMatchObject({ owed: 3, posted: 3, waiting: 0, twice: 0 });
});

test('what stood in the channel at the start is not posted again', () => {
  const counters = watching([anOffer('old')]);
  counters.post(anOffer('old'));
  expect(counters.counts().twice).toBe(1);
});

test('answers to commands are no announcements; edits of announcements are counted', () => {
  const counters = watching();
  counters.serveFeed(feed({ name: 'old' }, { name: 'new' }));
  const answer = { ...anOffer('new'), interaction_metadata: { id: '1' } } as unknown as PageMessage;
  counters.post(answer);
  counters.edit(answer);
  counters.edit(anOffer('new'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0, edits: 1 });
});

const HOUR_MS = 3_600_000;
const NEXT_HOUR_MS = NOW_MS + HOUR_MS;

test('for a digest nothing is owed before its hour, and what it lists or counts is posted', () => {
  const counters = new PlaceCounters('digest');
  const serve = (...offers: Parameters<typeof feed>) => counters.serveFeed(feed(...offers), '/feed/Home');
  const lasting = { endsInMs: 3 * HOUR_MS };
  serve();
  serve({ name: 'a', ...lasting }, { name: 'b', ...lasting }, { name: 'c', ...lasting });
  counters.pass(POSTED_WITHIN_MS, NEXT_HOUR_MS - 1);
  expect(counters.counts()).toMatchObject({ owed: 0, held: 3, lost: 0 });
  counters.pass(1_000, NEXT_HOUR_MS);
  expect(counters.counts()).toMatchObject({ owed: 3, held: 0, waiting: 3 });
  counters.post(aPost('**A, B**\n-# Hourly digest · 2 deals in Home', `🆕 **−40%** · $5 · [A b](${urlOf('b')})`));
  expect(counters.counts()).toMatchObject({ owed: 3, posted: 2, waiting: 1 });
  // Three were due at the same time.
  const withinMs = POSTED_WITHIN_MS + 2 * LONGER_FOR_EACH_MS;
  counters.pass(withinMs - 1_001, NEXT_HOUR_MS + withinMs);
  expect(counters.counts()).toMatchObject({ waiting: 1, lost: 0 });
  counters.pass(1, NEXT_HOUR_MS + withinMs);
  expect(counters.counts(), 'the third one is missing').toMatchObject({ owed: 3, posted: 2, lost: 1 });
});

test('what a digest would tell of is owed no more when its price has risen again, two answers call it sold out, or it has ended', () => {
  const counters = new PlaceCounters('digest');
  const serve = (...offers: Parameters<typeof feed>) => counters.serveFeed(feed(...offers), '/feed/Home');
  const minuteMs = 60_000;
  serve({ name: 'a', price: 100 });
  serve({ name: 'a', price: 50 }, { name: 'b' }, { name: 'c', endsInMs: minuteMs });
  expect(counters.counts().held).toBe(3);
  serve({ name: 'a', price: 100 }, { name: 'b', isSoldOut: true });
  counters.wait(1_000);
  expect(counters.counts(), 'only the price is over for good').toMatchObject({ owed: 0, held: 2, lost: 0 });
  serve({ name: 'a', price: 50 }, { name: 'b' });
  counters.wait(1_000);
  expect(counters.counts(), 'it is so again').toMatchObject({ owed: 0, held: 3, lost: 0 });
  serve({ name: 'a', price: 100 }, { name: 'b', isSoldOut: true });
  counters.wait(1_000);
  serve({ name: 'a', price: 100 }, { name: 'b', isSoldOut: true });
  counters.wait(1_000);
  expect(counters.counts(), 'what is only gone goes on waiting').toMatchObject({ owed: 0, held: 1, lost: 0 });
  counters.pass(1_000, NOW_MS + minuteMs);
  expect(counters.counts()).toMatchObject({ owed: 0, held: 0, lost: 0 });
});

test.each([
  ['2026-11-22T12:00:00Z', '2026-11-22T12:00:00Z'],
  ['2026-11-22T21:59:54Z', '2026-11-22T21:59:54Z'],
  ['2026-11-22T21:59:56Z', '2026-11-23T07:00:00Z'],
  ['2026-11-22T22:00:00Z', '2026-11-23T07:00:00Z'],
  ['2026-11-23T06:00:00Z', '2026-11-23T07:00:00Z'],
  ['2026-11-23T07:00:00Z', '2026-11-23T07:00:00Z'],
])('what is served at %s for #events may be posted at %s', (at, due) => {
  const events = WANTED.find(({ place, part }) => place === 'events' && part === undefined);
  expect(events?.dueAt(Date.parse(at))).toBe(Date.parse(due));
});

test('an event is owed when it has started, of the type and at the sites that were asked for', () => {
  const counters = new PlaceCounters('events');
  const event = (id: string, changes: object = {}) => ({
    Id: id,
    Type: 'DealPlus',
    Site: 'home.example.com',
    Url: urlOf(id),
    StartDate: new Date(NOW_MS).toISOString(),
    EndDate: new Date(NEXT_HOUR_MS).toISOString(),
    ...changes,
  });
  const serve = (nowMs: number, ...events: object[]) => counters.serve('/2/events.json', JSON.stringify(events), nowMs);
  serve(NOW_MS);
  const later = event('later', { StartDate: new Date(NOW_MS + 1).toISOString() });
  serve(NOW_MS, event('one'), later, event('wine', { Site: 'wine.example.com' }), event('daily', { Type: 'Daily' }));
  expect(counters.counts().owed).toBe(1);
  serve(NOW_MS + 1, event('one'), later);
  expect(counters.counts().owed).toBe(2);
  counters.post(aPost('<@&23>', `🎪 **Event started**\n### [One](<${urlOf('one')}>)`));
  counters.post(aPost('<@&23>', '**A, B**\n-# 2 events', `🎪 [Later](${urlOf('later')})`));
  expect(counters.counts()).toMatchObject({ owed: 2, posted: 2, twice: 0 });
});

test('a Deal-off is owed its board at once, which names it by an offer, and edits of that are no posts; another is one too many until its channel is gone', () => {
  const counters = new PlaceCounters('events');
  const dealOff = (...names: string[]) => ({
    Id: 'deal-off',
    Type: 'DealOff',
    Site: 'www.example.com',
    StartDate: new Date(NOW_MS).toISOString(),
    EndDate: null,
    Offers: names.map((name) => ({ Url: urlOf(name) })),
  });
  const serve = (...events: object[]) => counters.serve('/2/events.json', JSON.stringify(events), NOW_MS);
  serve();
  serve(dealOff('first'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 0 });
  const board = (name: string) => aPost(`🎪 **Live board** · Deal-off\n### [Deal-Off!](<${urlOf(name)}>)`);
  counters.post(board('first'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, twice: 0, edits: 0 });
  serve(dealOff('second'));
  counters.edit(board('second'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, twice: 0, edits: 1 });
  counters.cancel();
  serve(dealOff('second'));
  counters.post(board('second'));
  expect(counters.counts()).toMatchObject({ twice: 0, lost: 0 });
  counters.post(board('second'));
  expect(counters.counts().twice).toBe(1);
});

test('a dealcast is owed and posted among the offers of its channel', () => {
  const counters = watching();
  const serve = (...names: string[]) => counters.serve('/2/dealcasts.json', dealcasts(names), NOW_MS);
  serve('first');
  serve('first', 'second');
  counters.serveFeed(feed({ name: 'old' }, { name: 'new' }));
  expect(counters.counts()).toMatchObject({ owed: 2, posted: 0 });
  counters.post(aPost('**A, B**\n-# 2 posts', `🎬 [B](${urlOf('second')})\n🆕 $5 · [New](${urlOf('new')})`));
  expect(counters.counts()).toMatchObject({ owed: 2, posted: 2, twice: 0 });
});

test('a combined post of offers leaves what is owed of dealcasts to another one, and one of both takes both', () => {
  const counters = watching();
  const serve = (...names: string[]) => counters.serve('/2/dealcasts.json', dealcasts(names), NOW_MS);
  serve();
  serve('cast');
  counters.serveFeed(feed({ name: 'old' }, { name: 'a' }, { name: 'b' }));
  const line = `🆕 $5 · [A](${urlOf('a')})`;
  counters.post(aPost('**A, B**\n-# 2 deals in Electronics · catching up', line));
  expect(counters.counts()).toMatchObject({ owed: 3, posted: 2, waiting: 1 });
  counters.post(aPost('**A, B**\n-# 1 dealcast', `🎬 [C](${urlOf('cast')})`));
  expect(counters.counts()).toMatchObject({ owed: 3, posted: 3, twice: 0 });
  serve('cast', 'other');
  counters.serveFeed(feed({ name: 'old' }, { name: 'a' }, { name: 'b' }, { name: 'c' }));
  counters.post(aPost('**A, B**\n-# 1,001 offres et 1 vidéo', `🆕 $5 · [C](${urlOf('c')})`));
  expect(counters.counts()).toMatchObject({ owed: 5, posted: 5, waiting: 0 });
});

test('a combined post may leave out what was about to end', () => {
  const counters = watching();
  const all = [{ name: 'old' }, { name: 'ending', endsInMs: 1 }, { name: 'a' }, { name: 'b' }];
  counters.serveFeed(feed(...all));
  counters.post(aPost('**A, B**\n-# 2 deals in Electronics', `🆕 $5 · [A](${urlOf('a')})`));
  expect(counters.counts()).toMatchObject({ owed: 3, posted: 2, waiting: 1 });
  counters.serve('/feed/Electronics', feed(...all), NOW_MS + 1);
  counters.pass(1_000, NOW_MS + 1);
  expect(counters.counts()).toMatchObject({ owed: 2, posted: 2, waiting: 0, lost: 0 });
});

test.each([
  ['forum', '/feed/Gourmet', { price: 60.5, list: 100 }, { price: 60, list: 100 }],
  ['thread', '/feed/Shirts', { price: 15, list: 20 }, { price: 14.99, list: 20 }],
] as const)(
  'in the %s only what its filter takes is owed, and what a drop brings under it',
  (place, path, over, under) => {
    const counters = new PlaceCounters(place);
    const serve = (...offers: { name: string; price: number; list: number }[]) =>
      counters.serveFeed(feed(...offers), path);
    serve();
    serve({ name: 'a', ...over }, { name: 'b', ...under });
    expect(counters.counts().owed).toBe(1);
    serve({ name: 'a', ...over, price: over.price * 0.8 }, { name: 'b', ...under });
    expect(counters.counts().owed).toBe(2);
  },
);

const AS_MADE = { isSkipped: false, hasOthers: false, isLimited: false } as const;
const SKIPPED = { ...AS_MADE, isSkipped: true } as const;

test('what does not come while a person has chosen to skip it is skipped and never lost, and what comes afterwards is owed again', () => {
  const counters = watching();
  counters.serveFeed(feed({ name: 'old' }, { name: 'before' }));
  counters.setUp(SKIPPED);
  counters.serveFeed(feed({ name: 'old' }, { name: 'before' }, { name: 'meanwhile' }));
  counters.wait(10 * POSTED_WITHIN_MS);
  expect(counters.counts()).toMatchObject({ owed: 0, waiting: 0, held: 0, skipped: 2, lost: 0 });
  counters.setUp(AS_MADE);
  const unpolled = [{ name: 'old' }, { name: 'before' }, { name: 'meanwhile' }, { name: 'unpolled' }];
  counters.serveFeed(feed(...unpolled));
  counters.serveFeed(feed(...unpolled, { name: 'after' }));
  counters.wait(POSTED_WITHIN_MS);
  expect(counters.counts()).toMatchObject({ owed: 1, skipped: 2, lost: 1 });
});

test('what a changed subscription still posts is posted, and not skipped', () => {
  const counters = watching();
  counters.setUp(SKIPPED);
  counters.serveFeed(feed({ name: 'old' }, { name: 'a' }, { name: 'b' }));
  counters.post(anOffer('a'));
  expect(counters.counts()).toMatchObject({ owed: 1, posted: 1, skipped: 1, twice: 0 });
  counters.post(anOffer('a'));
  expect(counters.counts().twice).toBe(1);
});

test('what ended while it was skipped stays skipped, and what was lost before stays lost', () => {
  const counters = watching();
  const all = feed({ name: 'old' }, { name: 'lost' });
  counters.serveFeed(all);
  counters.wait(POSTED_WITHIN_MS);
  counters.setUp(SKIPPED);
  counters.serveFeed(feed({ name: 'old' }, { name: 'lost' }, { name: 'skipped' }));
  counters.wait(1_000);
  expect(counters.counts()).toMatchObject({ owed: 1, skipped: 1, lost: 1 });
  counters.pass(1_000, NOW_MS + 3_600_000);
  expect(counters.counts()).toMatchObject({ owed: 1, skipped: 1, lost: 1 });
});

test('what waits because another subscription allows fewer posts an hour is not lost, and has its whole time once none does', () => {
  const counters = watching();
  counters.setUp({ ...AS_MADE, hasOthers: true, isLimited: true });
  counters.serveFeed(feed({ name: 'old' }));
  counters.serveFeed(feed({ name: 'old' }, { name: 'new' }));
  counters.wait(10 * POSTED_WITHIN_MS);
  expect(counters.counts()).toMatchObject({ owed: 1, waiting: 1, lost: 0 });
  counters.setUp({ ...AS_MADE, hasOthers: true });
  counters.wait(POSTED_WITHIN_MS - 1);
  expect(counters.counts()).toMatchObject({ waiting: 1, lost: 0 });
  counters.wait(1);
  expect(counters.counts()).toMatchObject({ waiting: 0, lost: 1 });
});

test('other subscriptions may tell of anything else, and twice of what is not followed here', () => {
  const counters = watching();
  counters.setUp({ ...AS_MADE, hasOthers: true });
  const elsewhere = aPost(`📉 **Price drop**\n### [A pan](https://home.example.com/offers/pan)\n## $5`);
  for (let posts = 0; posts < 2; posts += 1) counters.post(elsewhere);
  counters.serveFeed(feed({ name: 'old', price: 100 }));
  counters.post(anOffer('old'));
  for (const price of [97, 94]) {
    counters.serveFeed(feed({ name: 'old', price }));
    counters.post(anOffer('old', '📉 **Price drop**'));
  }
  expect(counters.counts()).toMatchObject({ owed: 0, twice: 0, lost: 0 });
  counters.post(anOffer('old', '📉 **Price drop**'));
  expect(counters.counts().twice).toBe(1);
});

test('to a channel that is gone nothing is owed, nor what came before its return', () => {
  const counters = watching();
  counters.serveFeed(feed({ name: 'old' }, { name: 'new' }));
  counters.cancel();
  counters.serveFeed(feed({ name: 'old' }, { name: 'new' }, { name: 'meanwhile' }));
  counters.wait(POSTED_WITHIN_MS);
  expect(counters.counts()).toMatchObject({ owed: 0, lost: 0 });
  counters.serveFeed(feed({ name: 'old' }, { name: 'after its return' }));
  expect(counters.counts()).toMatchObject({ owed: 1, lost: 0 });
});
