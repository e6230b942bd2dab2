import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { type Appearance, MOST_LINE, STYLES } from '../../../src/deals/appearance.ts';
import { dealcastSubject } from '../../../src/deals/dealcast.ts';
import { hasEnded, isOver } from '../../../src/deals/life.ts';
import { monkeychatSubject } from '../../../src/deals/monkeychat.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { pollSubject } from '../../../src/deals/poll.ts';
import {
  announcementCard,
  inRollUpOrder,
  plainCard,
  type RollUpContent,
  rollUpCard,
} from '../../../src/discord/cards/announcement-card.ts';
import { below, type Card } from '../../../src/discord/cards/parts.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { escapeLine } from '../../../src/discord/markdown.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import {
  generatedDealcast,
  generatedEvent,
  generatedMonkeychat,
  generatedOffer,
  generatedPoll,
  maybe,
  nasty,
} from '../../helpers/generated-things.ts';
import { sampled, sampleSize } from '../../helpers/sampled.ts';
import { NOW_MS, uuid } from '../../helpers/things.ts';
import { type NewsKind, readPost } from '../../model/reading.ts';

/** What people and catalogs write that looks like what the bot writes. */
const alike = fc.constantFrom(
  '## 16 deals in Home',
  '3 new deals',
  'Top 100',
  '1.000 Angebote und 2 Aktionen',
  '-# and 12 more',
  '### [Kettle](<https://www.example.com/other>)',
  '🆕 **New offer** · [Kettle](<https://www.example.com/other>)',
  '📉 −40 %',
  '🏁 **Ended after 3 hours**',
  '🚫 **Sold out**',
  '<@&1> · 9 deals',
);
/** The same as the catalog writes it: with formats, links and lines of their own. */
const alikeInHtml = fc.constantFrom(
  '<p>🏁 <b>Ended</b></p><p>📉 <b>Price drop</b> <a href="https://www.example.com/other">here</a></p>',
  '<h2>16 deals</h2><p>🚫 <b>Sold out</b></p><p><a href="https://www.example.com/other">here</a></p>',
);
const anyText = fc.oneof(nasty, alike);
const titles = anyText.map((text) => text.trim() || 'x');
const html = maybe(fc.oneof(nasty, alikeInHtml));
const starts = fc.constantFrom(null, NOW_MS - HOUR_MS);
const ends = fc.constantFrom(null, NOW_MS - 1, NOW_MS + HOUR_MS);
const times = { startDateMs: starts, endDateMs: ends };

/** A thing's news, as it is announced and as a reader has to take it: null where that is none of the kinds that are read. */
interface News {
  announcement: Announcement;
  kind: NewsKind | null;
  url: string | null;
  isOver: boolean;
}

const OFFER_NEWS = {
  'new-offer': 'new',
  relisted: 'new',
  'price-drop': 'drop',
  restocked: 'back',
  'ending-soon': 'ends',
  'all-time-low': 'low',
} as const satisfies Record<string, NewsKind>;

function offerNews(item: Offer, kind: keyof typeof OFFER_NEWS): Announcement {
  const about = { subject: item.id, occurrence: '', item };
  const price = { minimum: 1, maximum: 2 };
  switch (kind) {
    case 'relisted':
      return { ...about, kind, before: { offerId: uuid(9), salePrice: price, endedAtMs: NOW_MS } };
    case 'price-drop':
      return { ...about, kind, before: price };
    case 'all-time-low':
      return { ...about, kind, low: 2, sinceMs: NOW_MS - HOUR_MS };
    default:
      return { ...about, kind };
  }
}

const changed = <T extends object>(things: fc.Arbitrary<T>, changes: Record<string, fc.Arbitrary<unknown>>) =>
  fc.tuple(things, fc.record(changes)).map(([thing, some]) => ({ ...thing, ...some }) as T);

/** News of anything whose address is this one. */
function newsAt(url: string): fc.Arbitrary<News> {
  const offers = changed(generatedOffer, { ...times, title: titles, subtitle: maybe(anyText) });
  const events = changed(generatedEvent, { ...times, title: titles, subtitle: maybe(anyText), writeUp: html });
  const dealcasts = changed(generatedDealcast, { title: titles, teaser: html });
  return fc.oneof(
    fc
      .tuple(offers, fc.constantFrom(...(Object.keys(OFFER_NEWS) as (keyof typeof OFFER_NEWS)[])))
      .map(([offer, kind]) => {
        const item = { ...offer, url };
        return { announcement: offerNews(item, kind), kind: OFFER_NEWS[kind], url, isOver: isOver(item, NOW_MS) };
      }),
    events.map((event) => {
      const item = { ...event, url };
      const announcement: Announcement = { kind: 'event-started', subject: item.id, occurrence: '', item };
      return { announcement, kind: 'event' as const, url, isOver: hasEnded(item, NOW_MS) };
    }),
    dealcasts.map((dealcast) => {
      const item = { ...dealcast, youTubeUrl: url };
      const subject = dealcastSubject(item);
      const announcement: Announcement = { kind: 'new-dealcast', subject, occurrence: '', item };
      return { announcement, kind: 'dealcast' as const, url, isOver: false };
    }),
    generatedPoll.map((poll) => {
      const item = { ...poll, discussionUrl: url };
      const announcement: Announcement = { kind: 'new-poll', subject: pollSubject(item), occurrence: '', item };
      return { announcement, kind: null, url: null, isOver: false };
    }),
    generatedMonkeychat.map((item) => {
      const announcement: Announcement = {
        kind: 'new-monkeychat',
        subject: monkeychatSubject(item),
        occurrence: '',
        item,
      };
      return { announcement, kind: null, url: null, isOver: false };
    }),
  );
}

const looks: fc.Arbitrary<Pick<Appearance, 'style' | 'accent' | 'line'>> = fc.record({
  style: fc.constantFrom(...STYLES),
  accent: maybe(fc.nat(0xffffff)),
  line: fc.oneof(fc.constant(''), anyText).map((text) => text.slice(0, MOST_LINE)),
});
const languages = fc.constantFrom('en-US', 'de', 'fr', 'es-ES');
/** The line that calls roles, which the bot puts above the look's. */
const calls = fc.constantFrom('', '<@&1> <@&2>', '<@&1> · Kettle, 3 new deals +4\n<@&2> · Toaster');

const DELIVERY = 'd'.repeat(22);
const called = (line: string, card: Card): Card => (line === '' ? card : below(line, card));
const contextOf = (locale: string, look: Pick<Appearance, 'style' | 'accent' | 'line'>) => ({
  ...look,
  deliveryId: DELIVERY,
  matched: ['feed Top 100 · ssd'],
  translator: translatorFor(locale),
  nowMs: NOW_MS,
});
const urlOf = (name: string | number) => `https://www.example.com/${name}`;

test('whatever a post tells of, in any look and language, it is read as that', () => {
  fc.assert(
    fc.property(newsAt(urlOf('a')), looks, languages, calls, fc.boolean(), (news, look, locale, line, isPlain) => {
      const { announcement, kind, url } = news;
      const context = contextOf(locale, look);
      const whole = announcementCard(announcement, context);
      const card = isPlain ? plainCard(announcement, whole, context) : whole;
      const isOver = news.isOver && !isPlain;
      expect(readPost(called(line, card))).toEqual({
        news: kind !== null && url !== null && !isOver ? [{ url, kind }] : [],
        unlisted: 0,
        isOfOneSort: true,
        count: null,
        over: isOver ? [url] : [],
      });
    }),
    { numRuns: sampleSize(1_500, 200) },
  );
});

test('a combined post tells of all that it holds, whatever the look, the language, its feeds’ names and its reason', () => {
  const some = fc
    .integer({ min: 2, max: 30 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => newsAt(urlOf(index)))));
  const reasons = fc.constantFrom(null, 'hourly', 'daily', 'limit', 'late' as const);
  const limits = maybe(fc.record({ mostPerHour: fc.constantFrom(1, 1_000), nextPostAtMs: fc.constant(NOW_MS) }));
  const feeds = fc.array(fc.constantFrom('Home', 'Top 100', '3 for 2', '2 deals and 4 events'), { maxLength: 3 });
  fc.assert(
    fc.property(
      some,
      looks,
      languages,
      calls,
      reasons,
      limits,
      feeds,
      (all, look, locale, line, reason, limit, names) => {
        const announcements = inRollUpOrder(all.map(({ announcement }) => announcement));
        const isOfOffers = announcements.every(({ kind }) => kind in OFFER_NEWS);
        // Only a post of nothing but feeds names them.
        const content: RollUpContent = { announcements, reason, feeds: isOfOffers ? [...new Set(names)] : [] };
        const plain = rollUpCard({ ...content, deliveryId: DELIVERY, limit }, contextOf(locale, look));
        const above = escapeLine(look.line);
        const card = called(line, above === '' ? plain : below(above, plain));
        const post = readPost(card);
        const newsOf = new Map(all.map((one) => [one.announcement, one]));
        const known = announcements.map((announcement) => newsOf.get(announcement)).filter((one) => one?.kind);
        const read = post.news.map(({ url, kind }) => ({ url, kind }));
        const listed = known.slice(0, read.length).map((one) => one && { url: one.url, kind: one.kind });
        expect(read).toEqual(listed);
        // The first is always listed.
        expect(read.length).toBeGreaterThanOrEqual(announcements[0] === known[0]?.announcement ? 1 : 0);
        expect(post.count).toBe(announcements.length);
        expect(post.unlisted).toBe(announcements.length - read.length);
        expect(post.over).toEqual([]);
      },
    ),
    { numRuns: sampleSize(400, 80) },
  );
});

test.each(sampled(['en-US', 'de', 'fr', 'es-ES'], 2))('a combined post of thousands is counted right: %s', (locale) => {
  const [offer] = fc.sample(generatedOffer, { numRuns: 1, seed: 1 }) as [Offer];
  const announcements = Array.from({ length: 12_345 }, (_, index): Announcement => {
    const item = { id: uuid(index), title: 'Kettle', url: urlOf(index), endDateMs: null, isSoldOut: false };
    return offerNews({ ...offer, ...item }, 'new-offer');
  });
  for (const reason of [null, 'daily', 'limit'] as const) {
    const content = { announcements, reason, feeds: ['Top 100'], deliveryId: DELIVERY, limit: null };
    const { count, news, unlisted, isOfOneSort } = readPost(
      rollUpCard(content, contextOf(locale, { style: 'compact', accent: null, line: '' })),
    );
    expect([count, news.length + unlisted, isOfOneSort]).toEqual([12_345, 12_345, true]);
  }
});
