import { expect, test } from 'vitest';
import { isAnnouncement, linksIn, readBoard, readPost } from './reading.ts';

const says = (...texts: string[]) => ({
  components: [{ type: 17, components: texts.map((content) => ({ content })) }],
});
/** The same below the roles that are called, and below a line. */
const saysBelow = (above: readonly string[], ...texts: string[]) => ({
  components: [...above.map((content) => ({ type: 10, content })), ...says(...texts).components],
});
const urlOf = (name: string) => `https://www.example.com/${name}`;

test('a post of one entity says why by its symbol, and where by its first link, whatever stands above', () => {
  const one = saysBelow(
    ['<@&1>', '3 new deals'],
    `🆕 **Neu** · $5\n### [A \\[kettle\\]](<${urlOf('a')}>)`,
    `[More](${urlOf('more')})`,
  );
  expect(readPost(one)).toMatchObject({ news: [{ url: urlOf('a'), kind: 'new' }], unlisted: 0, count: null, over: [] });
  const over = says(`### ~~[A](${urlOf('a')})~~\n🏁 **Terminó tras 3 horas**`);
  expect(readPost(over)).toMatchObject({ news: [], over: [urlOf('a')] });
  expect(readPost(says('The bot may not post here.'))).toMatchObject({ news: [], over: [] });
});

test('a combined post names some, says how many there are in any language, and of how many sorts', () => {
  const lines = `📉 **−40%** · $5 · [A](${urlOf('a')})\n🎬 [B](${urlOf('b')})`;
  const news = [
    { url: urlOf('a'), kind: 'drop' },
    { url: urlOf('b'), kind: 'dealcast' },
  ];
  const both = says('**B, A +1.000**\n-# 1,001 offres et 1 vidéo · rattrapage', lines, '-# und 1.000 weitere');
  expect(readPost(both)).toEqual({ news, unlisted: 1_000, isOfOneSort: false, count: 1_002, over: [] });
  expect(readPost(says('**A 2, B**\n-# Hourly digest · 2 deals in Home', lines))).toMatchObject({
    unlisted: 0,
    isOfOneSort: true,
  });
  expect(linksIn(both)).toEqual([urlOf('a'), urlOf('b')]);
});

test('a live board shows what is left of each item in any language, strikes out what is gone, and says that it is over', () => {
  const item = (name: string, left: string) =>
    `**[${name}](<${urlOf(name)}>)**\n## 30 € ~~60 €~~ −50 %\n▰▰▱▱▱▱▱▱▱▱ ${left} übrig · ausverkauft <t:1:R>`;
  const gone = `~~[c](<${urlOf('c')}>)~~ · 12 €`;
  const board = says(`🎪 **Live-Tafel**\n### [Sale](<${urlOf('a')}>)`, item('a', '23 %'), item('b', '5%'), gone);
  expect(readBoard(board)).toEqual({
    title: 'Sale',
    onSale: new Map([
      ['a', 23],
      ['b', 5],
    ]),
    gone: new Set(['c']),
    isOver: false,
  });
  expect(readBoard(says(`### ~~[Sale](<${urlOf('a')}>)~~`)).title).toBe('Sale');
  expect(readBoard(says('### ~~Sale~~\n🏁 **Terminó**', gone))).toEqual({
    title: 'Sale',
    onSale: new Map(),
    gone: new Set(['c']),
    isOver: true,
  });
});

test('what a command answers, a person or Discord itself writes, or one person alone sees, announces nothing', () => {
  const author = { bot: true };
  expect(isAnnouncement({ author })).toBe(true);
  expect(isAnnouncement({ author: {} })).toBe(false);
  expect(isAnnouncement({ author, type: 6 })).toBe(false);
  expect(isAnnouncement({ author, interaction_metadata: { id: '1' } })).toBe(false);
  expect(isAnnouncement({ author, visible_to: '1' })).toBe(false);
});
