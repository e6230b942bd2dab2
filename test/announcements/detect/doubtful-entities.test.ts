import { describe, expect, test } from 'vitest';
import { APART_MS } from '../../../src/deals/belief.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { aBot, at, DEALCAST, EVENT, type Json, MONKEYCHAT, newsOf, POLL } from '../../helpers/entity-bot.ts';
import { NOW_MS, uuid } from '../../helpers/things.ts';

describe('what takes the place of something like it', () => {
  test('a dealcast with the same address that starts later is news once two answers show it', async () => {
    const later = { ...DEALCAST, StartDate: at(NOW_MS - 1) };
    expect(await newsOf('dealcasts', [DEALCAST], [later], [later], [later])).toEqual([[], [expect.anything()], []]);
    expect(await newsOf('dealcasts', [DEALCAST], [later, DEALCAST], [later]), 'both at once').toEqual([
      [expect.anything()],
      [],
    ]);
  });

  test('a dealcast that loses its start or an address for good is no news, nor when it has them again', async () => {
    const bare = { ...DEALCAST, StartDate: null, BlogUrl: null };
    expect(await newsOf('dealcasts', [DEALCAST], [bare], [bare], [bare], [DEALCAST])).toEqual([[], [], [], []]);
  });

  test('another poll in the same discussion is news once two answers show it', async () => {
    const next = { ...POLL, Questions: [{ Text: 'Milk?', Responses: [{ Text: 'Yes' }] }] };
    expect(await newsOf('polls', [POLL], [next], [next], [next])).toEqual([[], [expect.anything()], []]);
  });

  test('another exchange with the same link is news once two answers show it', async () => {
    const next = { ...MONKEYCHAT, Id: 'm2', Text: 'Others talk' };
    expect(await newsOf('monkeychats', [MONKEYCHAT], [next], [next], [next])).toEqual([[], [expect.anything()], []]);
  });

  test('what is unlike all that was there is news at once', async () => {
    const polls = [POLL, { Questions: [{ Text: 'Milk?', Responses: [{ Text: 'Yes' }] }] }];
    expect(await newsOf('polls', polls.slice(0, 1), polls.slice(1))).toEqual([[expect.anything()]]);
  });
});

describe('the first answer about something new', () => {
  const event = (changes: Json) => ({ ...EVENT, Offers: [], ...changes });
  const over = event({ EndDate: at(NOW_MS - 1) });
  const later = event({ StartDate: at(NOW_MS + 9 * APART_MS) });

  test.each<[string, Json[], number[]]>([
    ['says that it is over, wrongly', [over, event({}), event({}), event({})], [0, 0, 1, 0]],
    ['says that it is over', [over, over, over, event({})], [0, 0, 0, 0]],
    ['can’t be told its site', [event({ Site: 7 }), event({}), event({})], [0, 1, 0]],
    ['can never be told its site', [event({ Site: 7 }), event({ Site: 7 }), event({ Site: 7 })], [0, 0, 1]],
    ['says that it begins later, and another one nothing', [later, event({ StartDate: null }), later], [0, 0, 0]],
  ])('%s', async (_, answers, news) => {
    const found = await newsOf('events', [], ...answers.map((one) => [one]));
    expect(found.map((subjects) => subjects.length)).toEqual(news);
  });

  test('that could not be read when its resource was read for the first time is no news later', async () => {
    const unread = { ...EVENT, Title: null };
    expect(await newsOf('events', [unread], [unread], [EVENT], [EVENT])).toEqual([[], [], []]);
    expect(await newsOf('events', [], [unread], [EVENT]), 'later it is').toEqual([[], [uuid(1)]]);
  });

  test('that is about to begin is listed nowhere', async () => {
    const bot = await aBot('events');
    expect((await bot.look([later])).listed).toEqual([]);
  });
});

describe('something known that a field cannot be read of', () => {
  const unclear = { ...EVENT, Site: 7 };
  const unread = { ...EVENT, StartDate: null };

  test('is listed after a restart as before it', async () => {
    const bot = await aBot('events');
    await bot.look([EVENT]);
    bot.restart();
    expect((await bot.look([unclear])).listed).toHaveLength(1);
  });

  test('is listed, and no news later, where it was there when its resource was read for the first time', async () => {
    const bot = await aBot('events');
    expect((await bot.look([unclear], true)).listed).toHaveLength(1);
    for (const answer of [unclear, unread, EVENT]) expect((await bot.look([answer])).news).toEqual([]);
  });
});

describe('an event', () => {
  test('that is back after it was gone is live again after two answers', async () => {
    const bot = await aBot('events');
    const ends: unknown[] = [];
    for (const answer of [[EVENT], [], [], [EVENT], [], [EVENT], [EVENT]]) {
      const { listed = [] } = await bot.look(answer);
      ends.push(listed.map(({ item }) => 'endDateMs' in item && item.endDateMs === NOW_MS + 9 * HOUR_MS));
    }
    expect(ends).toEqual([[true], [true], [false], [false], [false], [false], [true]]);
  });

  test('whose offer flips between sold out and not is edited once while it flips', async () => {
    const bot = await aBot('events');
    const [offer] = EVENT.Offers;
    const soldOut = { ...EVENT, Offers: [{ ...offer, SoldOut: true }] };
    const forSale = { ...EVENT, Offers: [offer] };
    await bot.look([forSale]);
    let edits = 0;
    for (const answer of [soldOut, forSale, soldOut, forSale, soldOut])
      edits += (await bot.look([answer])).updates.length;
    expect(edits).toBe(1);
    await bot.look([forSale]);
    expect((await bot.look([forSale])).updates).toHaveLength(1);
  });
});
