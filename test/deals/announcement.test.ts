import { expect, test } from 'vitest';
import { dealcastSubject } from '../../src/deals/dealcast.ts';
import { type Poll, pollSubject, votesOf } from '../../src/deals/poll.ts';
import { aDealcast, NOW_MS } from '../helpers/things.ts';

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
