import { ExternalScheduledEventCreateRequestSchema } from 'discord-api-spec/zod';
import { expect, onTestFinished, test } from 'vitest';
import type { DealEvent } from '../../../src/deals/event.ts';
import { createPictureRenderer } from '../../../src/discord/pictures/renderer.ts';
import { calendarEntry } from '../../../src/features/events-list/entry.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { HOSTILE_TEXTS } from '../../helpers/hostile-texts.ts';
import { expectLinearCost } from '../../helpers/text-cost.ts';
import { anEvent, anEventOffer, anItem } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const MARK = 'Ab3-_x9QwErT';
const entryOf = (changes: Partial<DealEvent>, hasKnownEnd = true, locale = 'en-US') =>
  calendarEntry(anEvent(1, changes), { mark: MARK, hasKnownEnd }, translatorFor(locale));
const offerAt = (number: number, salePrice: number, soldOut = false) =>
  anEventOffer(number, { soldOut, items: [anItem(number, { salePrice })] });

test('an entry has the title, the type, the site, the offers that can be bought, the link and the mark', () => {
  const offers = [offerAt(1, 30), offerAt(2, 9.99, true), offerAt(3, 12)];
  expect(entryOf({ type: 'DealOff', title: 'Deal-off', subtitle: 'All night', offers })).toMatchObject({
    name: 'Deal-off',
    description: [
      'Deal-off · home.example.com',
      'All night',
      '• Blender 1 · $30.00',
      '• Blender 3 · $12.00',
      '',
      `🔔 ${MARK}`,
    ].join('\n'),
    location: 'https://www.example.com/offers/blender-1',
  });
});

test('five offers are named, the others counted; where all are sold out, each says so', () => {
  const many = Array.from({ length: 8 }, (_, index) => offerAt(index, 10 + index));
  const lines = entryOf({ offers: many }).description.split('\n');
  expect(lines.slice(5)).toEqual(['• Blender 4 · $14.00', 'and 3 more offers', '', `🔔 ${MARK}`]);
  const gone = entryOf({ offers: [offerAt(1, 10, true)] });
  expect(gone.description).toContain('• Blender 1 · Sold out');
  expect(gone.cover).not.toContain('$10.00');
});

test('the picture says the lowest price of what can be bought, and one that is sold out does not count', () => {
  expect(entryOf({ offers: [offerAt(1, 30), offerAt(2, 9.99, true)] }).cover).toContain('from $30.00');
  expect(entryOf({ offers: [] }).cover).not.toContain('from');
});

test('that the end is not known is said in the language of the server', () => {
  expect(entryOf({}, false).description).toContain('It isn’t known yet when this ends.');
  expect(entryOf({}, false, 'de').description).toContain('Wann es endet, ist noch nicht bekannt.');
  expect(entryOf({}, true).description).not.toContain('known');
});

test('stock alone changes nothing', () => {
  const left = (percentageRemaining: number) => entryOf({ offers: [anEventOffer(1, { percentageRemaining })] });
  expect(left(90)).toEqual(left(5));
});

test.each<[string, Partial<DealEvent>, string]>([
  ['its own link first', { url: 'https://www.example.com/deal-off' }, 'https://www.example.com/deal-off'],
  [
    'the host of a link that is too long',
    { url: `https://www.example.com/${'a'.repeat(80)}`, offers: [] },
    'www.example.com',
  ],
  ['the site without a link', { url: 'javascript:alert(1)', offers: [] }, 'home.example.com'],
  ['a word without either', { url: null, site: null, offers: [] }, 'Online'],
])('the place is %s', (_, changes, place) => {
  expect(entryOf(changes).location).toBe(place);
});

test('what the catalog writes formats, links and mentions nothing', () => {
  const title = '**x** [a](https://evil.example) <@1> @everyone ||s|| `c` ~~d~~ __u__ # h \u202Egnp\\ <t:1:R> <#2>';
  const { name, description } = entryOf({ title, subtitle: title, site: title, offers: [anEventOffer(1, { title })] });
  for (const text of [name, description.replace(MARK, '')]) {
    expect(text).not.toMatch(/[*_~|`\\<>[\]@#\u202E]|:\/\//);
  }
  expect(name.startsWith('∗∗x∗∗ ⟦a⟧(https∶//evil.example) ‹＠1› ＠everyone')).toBe(true);
});

test('a title without a letter becomes the type', () => {
  expect(entryOf({ title: ' \u200B\n ', type: 'Moofi' }).name).toBe('Moofi');
  expect(entryOf({ title: '', type: '' }).name).toBe('…');
});

test.each(Object.keys(HOSTILE_TEXTS))('texts of 40,000 %s fit, and are drawn', async (kind) => {
  const text = HOSTILE_TEXTS[kind]?.(40_000) ?? '';
  const offers = Array.from({ length: 20 }, (_, index) => anEventOffer(index, { title: text }));
  const { cover, location, ...entry } = entryOf({ title: text, subtitle: text, site: text, type: text, offers }, false);
  const asked = ExternalScheduledEventCreateRequestSchema.safeParse({
    ...entry,
    entity_type: 3,
    privacy_level: 2,
    entity_metadata: { location },
    scheduled_start_time: '2026-11-21T12:00:00Z',
    scheduled_end_time: '2026-11-21T13:00:00Z',
  });
  expect(asked.error?.issues).toBeUndefined();
  expect(entry.description.endsWith(`\n🔔 ${MARK}`)).toBe(true);
  expect(cover.length).toBeLessThan(3_000);
});

test('the picture is one, whatever the title is written with', async () => {
  const renderer = createPictureRenderer(systemClock);
  onTestFinished(() => renderer.stop());
  for (const title of [
    'Deal-off',
    '電気ケトル',
    '🎉🎉',
    'a'.repeat(99),
    '<svg>&"\'',
    '\u0000\uFFFE\uD83D x',
    'Wörter über Wörter, '.repeat(5),
  ]) {
    const png = await renderer.render(entryOf({ title }).cover);
    expect(png.subarray(1, 4).toString(), title).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([800, 320]);
  }
  expect(entryOf({ title: '電気ケトル' }).cover, 'no letter of it is in the font').not.toContain('電');
});

test('the cost of an entry grows with the length of the text, whatever it is', () => {
  expectLinearCost((text) =>
    entryOf({ title: text, subtitle: text, site: text, type: text, offers: [anEventOffer(1, { title: text })] }),
  );
});
