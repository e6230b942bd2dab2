import fc from 'fast-check';
import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { calendarOf } from '../../../src/features/events-list/calendar-file.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { anEvent, anEventOffer, NOW_MS, uuid } from '../../helpers/things.ts';

const ENGLISH = translatorFor('en-US');

/** The events of a calendar, as a library for calendars reads them. */
function eventsIn(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[]);
  expect([calendar.name, calendar.getFirstPropertyValue('version')]).toEqual(['vcalendar', '2.0']);
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const { uid, summary, description, startDate, component: read } = new ICAL.Event(component);
    const end = read.getFirstPropertyValue('dtend');
    return {
      uid,
      summary,
      description,
      startMs: startDate.toJSDate().getTime(),
      endMs: end instanceof ICAL.Time ? end.toJSDate().getTime() : null,
      url: read.getFirstPropertyValue('url'),
    };
  });
}

test('an event has its times, its link and the prices of its offers, under an id that stays', () => {
  const url = 'https://www.example.com/events/1';
  const offers = [anEventOffer(5), anEventOffer(6, { title: 'Kettle; 2 l, “red”\\', soldOut: true })];
  const event = anEvent(1, { url, offers });
  const [shown, ...others] = eventsIn(calendarOf([event], ENGLISH, NOW_MS));
  expect(others).toEqual([]);
  expect(shown).toEqual({
    uid: `${uuid(1)}@dealbell`,
    summary: 'Event 1 (Daily)',
    description: 'home.example.com\nBlender 5 · $30.00\nKettle; 2 l, “red”\\ · Sold out',
    startMs: NOW_MS - HOUR_MS,
    endMs: NOW_MS + HOUR_MS,
    url,
  });
  const later = eventsIn(calendarOf([{ ...event, title: 'Renamed' }], ENGLISH, NOW_MS + 1));
  expect(later[0]?.uid).toBe(shown?.uid);
});

test('a strict reader takes it: every line ends as it has to, and nothing is sent on anybody’s behalf', () => {
  const text = calendarOf([anEvent(1)], ENGLISH, NOW_MS);
  expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
  // A method needs an organizer.
  expect(text).not.toContain('METHOD:');
});

test('what was made later has the higher sequence, by which applications know that something moved', () => {
  const told = (nowMs: number) => {
    const text = calendarOf([anEvent(1)], ENGLISH, nowMs);
    return [Number(/^SEQUENCE:(\d+)/m.exec(text)?.[1]), /^LAST-MODIFIED:(\w+)/m.exec(text)?.[1]] as const;
  };
  const [[before, at], [after]] = [told(NOW_MS), told(NOW_MS + 60_000)];
  expect([after - before, after < 2 ** 31]).toEqual([1, true]);
  expect(at).toBe(`${new Date(NOW_MS).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`);
});

test('an event without a start is left out, and an end that cannot be is none', () => {
  const events = [
    anEvent(1, { startDateMs: null }),
    anEvent(2, { endDateMs: null }),
    anEvent(3, { endDateMs: NOW_MS - HOUR_MS }),
    anEvent(4, { startDateMs: -1 }),
    anEvent(5, { startDateMs: Date.UTC(9999, 0) }),
    anEvent(6, { startDateMs: Date.UTC(9999, 0) - 1, endDateMs: null }),
  ];
  const shown = eventsIn(calendarOf(events, ENGLISH, NOW_MS));
  expect(shown.map(({ uid, endMs }) => [uid, endMs])).toEqual(
    [2, 3, 6].map((number) => [`${uuid(number)}@dealbell`, null]),
  );
});

test('an address that is none of the web’s is no link', () => {
  const [shown] = eventsIn(calendarOf([anEvent(1, { url: 'javascript:alert(1)' })], ENGLISH, NOW_MS));
  expect(shown?.url).toBeNull();
});

test('whatever the catalog calls things, no line is longer than 75 bytes, and no text makes properties of its own', () => {
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 300 }),
    fc.constantFrom('\r\nBEGIN:VEVENT\r\nUID:x', 'a\nDTSTART:1', '😀'.repeat(100), '\u0000\u0085\u2028', '\ud800'),
  );
  fc.assert(
    fc.property(hostile, hostile, (title, offer) => {
      const event = anEvent(1, { title, offers: [anEventOffer(5, { title: offer })] });
      const text = calendarOf([event], ENGLISH, NOW_MS);
      for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      const shown = eventsIn(text);
      expect(shown.map(({ uid, startMs }) => [uid, startMs])).toEqual([[`${uuid(1)}@dealbell`, NOW_MS - HOUR_MS]]);
    }),
  );
});
