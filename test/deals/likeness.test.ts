import { describe, expect, test } from 'vitest';
import { type Dealcast, isLaterDealcast, mayBeSameDealcast } from '../../src/deals/dealcast.ts';
import { type DealEvent, isSameEvent } from '../../src/deals/event.ts';
import { isOtherMonkeychat, mayBeSameMonkeychat } from '../../src/deals/monkeychat.ts';
import { isOtherPoll, mayBeSamePoll, type Poll } from '../../src/deals/poll.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { aDealcast, anEvent, anEventOffer, NOW_MS, uuid } from '../helpers/things.ts';

const NO_ADDRESSES = { blogUrl: null, discussionUrl: null, youTubeUrl: null, mp4Url: null };

describe('two answers may mean the same dealcast', () => {
  test.each<[string, Partial<Dealcast>, Partial<Dealcast>, boolean]>([
    ['with one address in common', { blogUrl: '/a', mp4Url: '/v' }, { blogUrl: '/b', mp4Url: '/v' }, true],
    ['with other addresses', { blogUrl: '/a' }, { blogUrl: '/b' }, false],
    ['of which one has lost its address', { blogUrl: '/a' }, {}, true],
    ['with another title and no address', { blogUrl: '/a' }, { title: 'Another' }, false],
    ['with addresses of different kinds', { blogUrl: '/a' }, { youTubeUrl: '/a' }, true],
  ])('%s', (_, one, other, mayBeSameAs) => {
    const [these, those] = [one, other].map((changes) => aDealcast(1, { ...NO_ADDRESSES, ...changes }));
    if (!these || !those) throw new Error('There are two.');
    expect([mayBeSameDealcast(these, those), mayBeSameDealcast(those, these)]).toEqual([mayBeSameAs, mayBeSameAs]);
  });

  test('and it is another one when it starts later', () => {
    const startingAt = (startDateMs: number | null) => aDealcast(1, { startDateMs });
    expect(isLaterDealcast(startingAt(NOW_MS), startingAt(NOW_MS + 1))).toBe(true);
    expect(isLaterDealcast(startingAt(NOW_MS), startingAt(NOW_MS - HOUR_MS))).toBe(false);
    expect(isLaterDealcast(startingAt(null), startingAt(NOW_MS))).toBe(false);
    expect(isLaterDealcast(startingAt(NOW_MS), startingAt(null))).toBe(false);
  });
});

function aPoll(text: string, responses: string[], discussionUrl: string | null = null): Poll {
  return {
    discussionUrl,
    site: null,
    questions: [{ text, responses: responses.map((one) => ({ text: one, voteCount: 1 })) }],
  };
}

describe('two answers may mean the same poll', () => {
  const tea = aPoll('Tea?', ['Yes', 'No', 'Never'], '/1');
  test.each<[string, Poll, boolean, boolean]>([
    ['in the same discussion', aPoll('Milk?', ['Yes'], '/1'), true, true],
    ['in another discussion', aPoll('Tea?', ['Yes', 'No', 'Never'], '/2'), false, false],
    ['that lacks a response and its discussion', aPoll('Tea?', ['Yes', 'No']), true, false],
    ['with another question and the same responses', aPoll('Milk?', ['Yes', 'No', 'Never']), false, true],
    ['with the same question and other responses', aPoll('Tea?', ['Black', 'Green']), false, true],
    ['of which half is new', aPoll('Tea?', ['Yes', 'Maybe']), false, true],
    ['without questions', { ...tea, questions: [] }, true, false],
  ])('%s', (_, other, mayBeSameAs, isAnother) => {
    expect([mayBeSamePoll(tea, other), mayBeSamePoll(other, tea)]).toEqual([mayBeSameAs, mayBeSameAs]);
    expect([isOtherPoll(tea, other), isOtherPoll(other, tea)]).toEqual([isAnother, isAnother]);
  });

  test('by the text of a question that has no responses', () => {
    expect(mayBeSamePoll(aPoll('Tea?', []), aPoll('Tea?', []))).toBe(true);
  });
});

describe('two answers may mean the same exchange', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, boolean, boolean]>([
    ['by its link, where an id is missing', { id: 'a', url: '/x' }, { url: '/x' }, true, false],
    ['by its link, although the id differs', { id: 'a', url: '/x' }, { id: 'b', url: '/x' }, true, true],
    ['by its id, although the link differs', { id: 'a', url: '/x' }, { id: 'a', url: '/y' }, true, false],
    ['by its title', { title: 'Hi', url: '/x' }, { title: 'Hi', url: 7 }, true, true],
    ['by nothing', { id: 'a' }, { url: '/x' }, false, false],
    ['by text alone', { id: 'a', text: 'Hi' }, { id: 'b', text: 'Hi' }, false, true],
  ])('%s', (_, one, other, mayBeSameAs, isAnother) => {
    expect(mayBeSameMonkeychat({ raw: one }, { raw: other })).toBe(mayBeSameAs);
    expect(isOtherMonkeychat({ raw: one }, { raw: other })).toBe(isAnother);
  });
});

const SALE = anEvent(1, { title: 'Sale', startDateMs: 1, endDateMs: 9, offers: [anEventOffer(1), anEventOffer(2)] });

test.each<[string, Partial<DealEvent>, boolean]>([
  ['all but the id the same', {}, true],
  ['one of its offers, another text and address', { offers: [anEventOffer(2)], writeUp: 'New', url: null }, true],
  ['another title', { title: 'Sales' }, false],
  ['another site', { site: 'tools.example.com' }, false],
  ['another start', { startDateMs: 2 }, false],
  ['another end', { endDateMs: null }, false],
  ['other offers', { offers: [anEventOffer(3)] }, false],
  ['no offers', { offers: [] }, false],
])('an event with %s may be the same: %s', (_, changes, isSame) => {
  const other = { ...SALE, id: uuid(2), ...changes };
  expect([isSameEvent(SALE, other), isSameEvent(other, SALE)]).toEqual([isSame, isSame]);
});

test('events without offers are told by their title and times, and not without a start', () => {
  const empty = { ...SALE, offers: [] };
  expect(isSameEvent(empty, { ...empty, id: uuid(2) })).toBe(true);
  expect(isSameEvent({ ...SALE, startDateMs: null }, { ...SALE, startDateMs: null, id: uuid(2) })).toBe(false);
});
