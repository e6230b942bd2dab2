import { expect, test } from 'vitest';
import {
  ANNOUNCEMENT_KINDS,
  type Announcement,
  onePerThing,
  startOf,
  thingOf,
} from '../../../src/bot/deals/announcement.ts';
import { dealcastSubject } from '../../../src/bot/deals/dealcast.ts';
import { type Poll, pollSubject, votesOf } from '../../../src/bot/deals/poll.ts';
import { KINDS_OF, newSubscription, resourceOf, type Source } from '../../../src/bot/deals/subscription.ts';
import { aDealcast, anOffer, HOUR_MS, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';

test('a thing has one name in every kind of announcement that tells of it', () => {
  expect(ANNOUNCEMENT_KINDS.map((kind) => thingOf({ kind, subject: 'x' }))).toEqual([
    'offer:x',
    'offer:x',
    'offer:x',
    'offer:x',
    'offer:x',
    'event:x',
    'dealcast:x',
    'poll:x',
    'monkeychat:x',
  ]);
});

test('of several announcements of a thing the last stands, at the place of the first', () => {
  const restocked: Announcement = { kind: 'restocked', subject: uuid(1), occurrence: 'again', item: anOffer(1) };
  const other = newOfferOf(anOffer(2));
  expect(onePerThing([newOfferOf(anOffer(1)), other, restocked])).toEqual([restocked, other]);
});

test('a dealcast is named by the best of its addresses and its start', () => {
  const full = { blogUrl: '/a', discussionUrl: '/b', youTubeUrl: '/c', mp4Url: '/d', title: 'e' };
  const names = (['blogUrl', 'discussionUrl', 'youTubeUrl', 'mp4Url', 'title'] as const).map((last, index, all) => {
    const missing = Object.fromEntries(all.slice(0, index).map((name) => [name, null]));
    const one = dealcastSubject(aDealcast(1, { ...full, ...missing }));
    const others = Object.fromEntries(all.slice(index + 1).map((name) => [name, `other ${name}`]));
    expect(dealcastSubject(aDealcast(1, { ...full, ...others, ...missing })), `${last} is enough`).toBe(one);
    return one;
  });
  expect(new Set(names).size).toBe(5);
  expect(names[0]).toMatch(/^[\w-]{16}$/);
  expect(dealcastSubject(aDealcast(1, { ...full, startDateMs: NOW_MS }))).not.toBe(names[0]);
});

test('a poll is named by what it asks and where, and by its address only where it asks nothing', () => {
  const poll = (text: string, answers: string[], changes: Partial<Poll> = {}): Poll => ({
    site: 's',
    discussionUrl: '/a',
    questions: [{ text, responses: answers.map((answer, index) => ({ text: answer, voteCount: index })) }],
    ...changes,
  });
  const name = pollSubject(poll('Which?', ['A', 'B']));
  const voted = poll('Which?', ['A', 'B'], { discussionUrl: '/b' });
  for (const response of voted.questions[0]?.responses ?? []) response.voteCount += 7;
  expect(pollSubject(voted)).toBe(name);
  expect(pollSubject(poll('Who?', ['A', 'B']))).not.toBe(name);
  expect(pollSubject(poll('Which?', ['A', 'C']))).not.toBe(name);
  expect(pollSubject(poll('Which?', ['A', 'B'], { site: 't' }))).not.toBe(name);
  const silent = { site: 's', questions: [] };
  expect(pollSubject({ ...silent, discussionUrl: '/a' })).not.toBe(pollSubject({ ...silent, discussionUrl: '/b' }));
});

test('the votes of a question are those of all of its answers', () => {
  const responses = [3, 4].map((voteCount) => ({ text: '', voteCount }));
  expect(votesOf({ text: '', responses })).toBe(7);
  expect(votesOf({ text: '', responses: [] })).toBe(0);
});

test.each<[Source, string, string[]]>([
  [{ kind: 'feed', feed: 'Home' }, 'feed:Home', ['new-offer', 'relisted', 'price-drop', 'restocked']],
  [{ kind: 'events', sites: ['home'], types: [] }, 'events', ['event-started']],
  [{ kind: 'dealcasts' }, 'dealcasts', ['new-dealcast']],
  [{ kind: 'polls' }, 'polls', ['new-poll']],
  [{ kind: 'monkeychats' }, 'monkeychats', ['new-monkeychat']],
])('what %j brings is told with the kinds that are usual for it', (source, resource, kinds) => {
  expect(resourceOf(source)).toBe(resource);
  const wish = { id: 'a', guildId: '1', channelId: '2', source, createdBy: '3', createdAtMs: NOW_MS, catchUp: 4 };
  const made = newSubscription(wish);
  expect(made).toEqual({
    version: 2,
    target: 'channel',
    kinds,
    filter: '',
    priceDropPercent: 10,
    timing: { mode: 'at-once', dailyAtMinute: 540, timeZone: 'UTC', quiet: null },
    mostPerHour: 30,
    mentionRoleId: null,
    isPublished: false,
    tagIds: [],
    problem: null,
    pausedBy: null,
    ...wish,
  });
  expect(KINDS_OF[source.kind].all).toEqual(expect.arrayContaining(kinds));
});

test('a thing starts when it says so, if it has a start at all', () => {
  expect(startOf(newOfferOf(anOffer(1, { startDateMs: NOW_MS - 2 * HOUR_MS })))).toBe(NOW_MS - 2 * HOUR_MS);
  expect(startOf(newOfferOf(anOffer(1, { startDateMs: null })))).toBeNull();
  const poll = { discussionUrl: null, site: null, questions: [] };
  expect(startOf({ kind: 'new-poll', subject: 'p', occurrence: '', item: poll })).toBeNull();
});
