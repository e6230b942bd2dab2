import { expect, test } from 'vitest';
import { sampled } from '../helpers/sampled.ts';
import { chanceStory } from './chance.ts';
import { play } from './play.ts';
import { shortest, simplest } from './shrink.ts';
import type { Event } from './story.ts';

test('a few stories by chance end well, and each is the same whenever it is played', async () => {
  for (const seed of sampled([1, 2, 3], 2)) {
    const story = chanceStory(seed, 60);
    expect(chanceStory(seed, 60)).toEqual(story);
    const ending = await play(story);
    expect(ending.findings).toEqual([]);
    expect((await play(story)).trace).toEqual(ending.trace);
  }
});

const WISH = {
  feed: 'Home',
  leastDrop: 10,
  below: null,
  category: null,
  timing: 'at once',
  mostPerHour: 30,
} as const;

test('what a person in a channel sees of a story is told line by line', async () => {
  const story: Event[] = [
    { do: 'follow', channel: 0, wish: { ...WISH, kinds: ['new-offer', 'price-drop'] } },
    { do: 'poll', feed: 'Home', answer: 'whole' },
    {
      do: 'list',
      offer: 0,
      feeds: ['Home'],
      product: 0,
      price: 80,
      category: 'PC',
      isSoldOut: false,
      endsInMinutes: null,
    },
    { do: 'poll', feed: 'Home', answer: 'whole' },
    { do: 'kill', after: 0, isStored: false, downMinutes: 0 },
    { do: 'price', offer: 0, feeds: ['Home'], to: 40 },
    { do: 'poll', feed: 'Home', answer: 'whole' },
    { do: 'poll', feed: 'Home', answer: 'whole' },
  ];
  const { findings, trace, posts } = await play(story);
  expect(findings).toEqual([]);
  expect(posts).toBe(2);
  const told = trace.filter((line) => /killed|post:/.test(line)).map((line) => line.slice(11, 60));
  expect(told).toEqual([
    '    → #0 post: 🆕 **New offer** | ### [Kettle num',
    'the bot is killed at its write 1 from here on, wh',
    '(the bot was killed before it could store that)',
    'the bot was killed, and starts again',
    '    → #0 post: 📉 **Price drop** · **−50%** · was',
  ]);
});

test.each(['arrives, no answer', 'lost, no answer', 'later'] as const)(
  'a role that only a later answer decides about is rung once, and a post published, where the request for it: %s',
  async (outcome) => {
    const item = { offer: 0, product: 0, price: 80, category: 'HOME', isSoldOut: false, endsInMinutes: null };
    const hinder: Event = { do: 'next change', channel: 0, outcome };
    const poll: Event = { do: 'poll', feed: 'Home', answer: 'whole' };
    const wish = { kinds: ['new-offer'], rings: 'category:HOME', isPublished: true } as const;
    const { findings, trace } = await play([
      { do: 'follow', channel: 0, wish: { ...WISH, ...wish } },
      poll,
      { do: 'list', feeds: ['Home'], ...item },
      { do: 'odd', feed: 'Home', offer: 0, how: 'categories absent' },
      hinder,
      poll,
      { do: 'pass', minutes: 10 },
      hinder,
      poll,
      poll,
    ]);
    expect(findings).toEqual([]);
    const seen = trace.flatMap((line) => /→ #0 (post|publ.*|rings .*)$|→ #0 (post)/.exec(line)?.slice(1) ?? []);
    expect([...new Set(seen.filter((one) => one !== undefined))]).toEqual(['post', 'published', 'rings 91']);
  },
);

test('a list is shortened to what is needed, and each entry made as simple as it may be', async () => {
  const needs = async (list: readonly number[]) => list.includes(7) && list.some((entry) => entry > 40);
  const list = Array.from({ length: 50 }, (_, index) => index);
  expect(await shortest(list, needs)).toEqual([7, 49]);
  expect(await simplest([7, 49], (entry) => [1, entry - 5], needs)).toEqual([7, 44]);
});
