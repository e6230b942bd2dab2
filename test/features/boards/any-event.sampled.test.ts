import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MOST_LINE } from '../../../src/deals/appearance.ts';
import type { DealEvent } from '../../../src/deals/event.ts';
import { hasEnded } from '../../../src/deals/life.ts';
import type { AnnouncementContext } from '../../../src/discord/cards/announced.ts';
import { below, type Card } from '../../../src/discord/cards/parts.ts';
import { LOCALES } from '../../../src/discord/i18n/catalog.ts';
import { type Board, boardOf } from '../../../src/features/boards/board.ts';
import { boardCard } from '../../../src/features/boards/card.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { readEvents } from '../../catalog/reading.ts';
import { expectHarmless } from '../../helpers/discord-form.ts';
import { generatedEvent, maybe, nasty } from '../../helpers/generated-things.ts';
import { sampleSize } from '../../helpers/sampled.ts';
import { NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';
import { readBoard, readPost } from '../../model/reading.ts';

const DELIVERY = 'd'.repeat(22);

/** A board on which each of the event's offers is on now, sold out or gone, and other events are to come. */
function soldBoard(event: DealEvent): Board {
  const over = event.offers.map(({ id, title, url }, index) => ({
    id,
    title,
    url,
    price: { minimum: 1, maximum: 2 },
    afterMs: NOW_MS - 90_000 * (index + 1),
    untilMs: NOW_MS,
    isSoldOut: index % 2 === 0,
    wasAlmostGone: false,
  }));
  const onNow = event.offers.map((offer) => ({ ...offer, soldOut: false, sellsOutAtMs: NOW_MS + 3_600_000 }));
  return { onNow, over, soldOut: 1_234, fastestMs: 1, coming: [event, event, event, event] };
}

type Appearance = Pick<AnnouncementContext, 'style' | 'line' | 'accent'>;
/** What people and catalogs write that looks like what the bot writes. */
const alike = fc.constantFrom(
  '## 16 deals in Home',
  '-# and 12 more',
  '### [Kettle](<https://www.example.com/other>)',
  '🏁 **Ended after 3 hours**',
  '🚫 **Sold out**',
  '🎪 **Live board**',
);
const anyText = fc.oneof(nasty, alike);
const looks: fc.Arbitrary<Appearance> = fc.record({
  style: fc.constantFrom('compact', 'large'),
  accent: maybe(fc.nat(0xffffff)),
  line: fc.oneof(fc.constant(''), anyText).map((text) => text.slice(0, MOST_LINE)),
});

function contextOf(locale: string, look: Appearance): AnnouncementContext {
  const matched = ['feed Top 100 · ssd'];
  return { translator: translatorFor(locale), nowMs: NOW_MS, deliveryId: DELIVERY, matched, ...look };
}

function BOARDS(event: DealEvent, context: AnnouncementContext): Card[] {
  const board = soldBoard(event);
  const ended = { ...event, endDateMs: NOW_MS - 1 };
  return [
    boardCard({ event, board, updatedAtMs: NOW_MS, lagMs: 300_000 }, context),
    boardCard({ event: ended, board, updatedAtMs: null, lagMs: 300_000 }, context),
  ];
}

test('Discord takes the board of each generated event', () => {
  fc.assert(
    fc.property(generatedEvent, fc.constantFrom(...LOCALES), looks, (event, locale, look) => {
      for (const card of BOARDS(event, contextOf(locale, look))) expectHarmless(card);
    }),
    { numRuns: sampleSize(1_200, 150), seed: 20_261_006, endOnFailure: true },
  );
});

const RECORDED = new URL('../../../../shared/real-payloads/events.json', import.meta.url);

describe.skipIf(!existsSync(RECORDED)).each(LOCALES)('of everything recorded Discord takes, in %s,', (locale) => {
  test('the boards of events', async () => {
    const events = (await readEvents(JSON.parse(readFileSync(RECORDED, 'utf8')))).value;
    expect(events).not.toEqual([]);
    const context = contextOf(locale, { style: 'large', line: 'For everyone', accent: null });
    for (const event of events) for (const card of BOARDS(event, context)) expectHarmless(card);
  });
});

test('a live board is the event that it shows', () => {
  const changes = {
    startDateMs: fc.constantFrom(null, NOW_MS - HOUR_MS),
    endDateMs: fc.constantFrom(null, NOW_MS - 1, NOW_MS + HOUR_MS),
    title: anyText.map((text) => text.trim() || 'x'),
    subtitle: maybe(anyText),
  };
  const events = fc
    .tuple(generatedEvent, fc.record(changes))
    .map(([event, some]): DealEvent => ({ ...event, ...some }));
  /** The line that calls roles, which the bot puts above the look's. */
  const calls = fc.constantFrom('', '<@&1> <@&2>', '<@&1> · Kettle, 3 new deals +4\n<@&2> · Toaster');
  fc.assert(
    fc.property(events, looks, fc.constantFrom('en-US', 'de', 'fr', 'es-ES'), calls, (event, look, locale, line) => {
      const item = { ...event, url: 'https://www.example.com/a' };
      const board = boardOf(item, { sales: [], changedAtMs: NOW_MS }, []);
      const card = boardCard({ event: item, board, updatedAtMs: NOW_MS, lagMs: 300_000 }, contextOf(locale, look));
      const message = line === '' ? card : below(line, card);
      const { news, over, count } = readPost(message);
      const isEnded = hasEnded(item, NOW_MS);
      expect(readBoard(message).isOver).toBe(isEnded);
      expect({ news, over, count }).toEqual({
        news: isEnded ? [] : [{ url: item.url, kind: 'event' }],
        over: isEnded ? [item.url] : [],
        count: null,
      });
    }),
    { numRuns: sampleSize(500, 100) },
  );
});
