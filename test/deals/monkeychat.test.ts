import { expect, test } from 'vitest';
import { monkeychatParts, monkeychatSubject } from '../../src/deals/monkeychat.ts';

type Raw = Record<string, unknown>;

const subject = (raw: Raw) => monkeychatSubject({ raw });

test.each<[string, Raw, Raw]>([
  ['its id, whatever else it says', { id: 'a', text: 'Hi' }, { id: 'a', text: 'Bye', url: '/x' }],
  ['an id with a longer name', { ChatId: 7, url: '/x' }, { ChatId: 7, url: '/y' }],
  ['its key', { key: 'k', title: 'Hi' }, { key: 'k', title: 'Bye' }],
  ['its ids in any order', { id: 'a', forumId: 'b' }, { forumId: 'b', id: 'a' }],
  ['its link where it has no id', { url: '/x', title: 'Hi' }, { url: '/x', title: 'Bye' }],
  ['its link where its id is empty', { id: '', DiscussionUrl: '/x' }, { id: null, DiscussionUrl: '/x', title: 'Bye' }],
  ['its title where it has no link', { title: 'Hi', startDate: '1' }, { title: 'Hi', startDate: '2' }],
  ['its date where it has no title', { startDate: '1', views: {} }, { startDate: '1', views: [] }],
])('an exchange is named by %s', (_, one, other) => {
  expect(subject(one)).toBe(subject(other));
});

test.each<[string, Raw, Raw]>([
  ['ids', { id: 'a', url: '/x' }, { id: 'b', url: '/x' }],
  ['one of their ids', { id: 'a', forumId: 1 }, { id: 'a', forumId: 2 }],
  ['links', { url: '/x', title: 'Hi' }, { url: '/y', title: 'Hi' }],
  ['titles', { title: 'Hi', date: '1' }, { title: 'Ho', date: '1' }],
  ['names', { name: 'Hi', date: '1' }, { name: 'Ho', date: '1' }],
  ['subjects', { subject: 'Hi', date: '1' }, { subject: 'Ho', date: '1' }],
  ['dates', { startDate: '1' }, { startDate: '2' }],
  ['all that they hold', { said: ['Hi'] }, { said: ['Ho'] }],
  ['links, and a key that is none: it only contains one', { keyboard: 'q', url: '/x' }, { keyboard: 'q', url: '/y' }],
  ['links, and titles of something else', { url: '/x', subtitle: 'Hi' }, { url: '/y', subtitle: 'Hi' }],
])('two exchanges are told apart by their %s', (_, one, other) => {
  expect(subject(one)).not.toBe(subject(other));
});

test.each<[string, Raw, Raw]>([
  ['a word in which "title" stands', { titleCount: 1, date: 'a' }, { titleCount: 2, date: 'a' }],
  ['a word that ends in "title"', { subtitle: 'Hi', date: 'a' }, { subtitle: 'Ho', date: 'a' }],
  ['a word in which "id" stands', { idle: 1, date: 'a' }, { idle: 2, date: 'a' }],
  ['a word in which "url" stands', { urls: 1, date: 'a' }, { urls: 2, date: 'a' }],
  ['a word that ends in "key"', { monkey: 1, date: 'a' }, { monkey: 2, date: 'a' }],
  ['what is neither text nor a number', { id: { a: 1 }, date: 'a' }, { id: { a: 2 }, date: 'a' }],
  ['a word in which "date" stands', { date: 'a', dated: 1 }, { date: 'a', dated: 2 }],
])('%s names no exchange', (_, one, other) => {
  expect(subject(one)).toBe(subject(other));
});

const NOTHING = { title: null, text: null, site: null, url: null, photo: null, startDateMs: null, lines: [] };

test('of an exchange with nothing known in it nothing is shown', () => {
  expect(monkeychatParts({ raw: {} })).toEqual(NOTHING);
  expect(monkeychatParts({ raw: { title: '  ', text: 5, photo: [], lines: 'Hi', date: 'soon' } })).toEqual(NOTHING);
});

test.each<[Raw, object]>([
  [{ title: 'a' }, { title: 'a' }],
  [{ Name: 'a' }, { title: 'a' }],
  [{ subject: 'a' }, { title: 'a' }],
  [{ subject: 'c', name: 'b', title: 'a' }, { title: 'a' }],
  [{ name: 'b', title: null }, { title: 'b' }],
  [{ text: 'a' }, { text: 'a' }],
  [{ body: 'a' }, { text: 'a' }],
  [{ content: 'a' }, { text: 'a' }],
  [{ description: 'a' }, { text: 'a' }],
  [{ SITE: 'a' }, { site: 'a' }],
  [{ url: '/a' }, { url: '/a' }],
  [{ discussionUrl: '/a' }, { url: '/a' }],
  [{ link: '/a' }, { url: '/a' }],
  [{ photo: '/a' }, { photo: '/a' }],
  [{ image: { url: '/a' } }, { photo: '/a' }],
  [{ picture: { link: '/a' } }, { photo: '/a' }],
  [{ thumbnail: '/a' }, { photo: '/a' }],
  [{ startDate: '2026-10-06T12:00:00Z' }, { startDateMs: Date.UTC(2026, 9, 6, 12) }],
  [{ date: '2026-10-06T12:00:00Z' }, { startDateMs: Date.UTC(2026, 9, 6, 12) }],
  [{ postedOn: '2026-10-06T12:00:00Z' }, { startDateMs: Date.UTC(2026, 9, 6, 12) }],
])('of %j is shown %j', (raw, shown) => {
  expect(monkeychatParts({ raw })).toEqual({ ...NOTHING, ...shown });
});

test.each(['lines', 'messages', 'exchanges', 'chat'])('who says what is read from its %s', (name) => {
  const said = [
    'Hi',
    { character: 'A', text: 'Ho' },
    { name: 'B', body: 'Hm' },
    { speaker: 'C', content: 'Ha' },
    { from: 'D', description: 'He' },
    { from: 'E' },
    null,
    5,
  ];
  expect(monkeychatParts({ raw: { [name]: said } }).lines).toEqual([
    { character: null, text: 'Hi' },
    { character: 'A', text: 'Ho' },
    { character: 'B', text: 'Hm' },
    { character: 'C', text: 'Ha' },
    { character: 'D', text: 'He' },
  ]);
});
