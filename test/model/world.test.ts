import { describe, expect, test } from 'vitest';
import type { Answer, Entity } from './catalog.ts';
import type { Debt, Span } from './channel.ts';
import { type NewsKind, readPost } from './reading.ts';
import { type Want, World } from './world.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-11-22T12:00:00Z');

const urlOf = (id: string) => `https://home.example.com/offers/${id}`;
const at = (hours: number) => ({ trueMs: START_MS + hours * HOUR_MS, botMs: START_MS + hours * HOUR_MS });

function offer(id: string, changes: Partial<Entity> = {}): Entity {
  const plain = { first: 'new', product: null, isSoldOut: false, endsAtMs: Infinity, price: 100 } as const;
  return { id, url: urlOf(id), ...plain, ...changes };
}

/** What a post with these texts tells. */
const says = (...texts: string[]) =>
  readPost({ components: [{ type: 17, components: texts.map((content) => ({ type: 10, content })) }] });
const SYMBOLS: Record<NewsKind, string> = {
  new: '🆕',
  drop: '📉',
  back: '📦',
  low: '🏆',
  ends: '⏰',
  reached: '🎯',
  event: '🎪',
  dealcast: '🎬',
};
const aPost = (id: string, kind: NewsKind = 'new') => says(`${SYMBOLS[kind]} **News**\n### [A ${id}](${urlOf(id)})`);
const aRollUp = (count: number, ...ids: string[]) =>
  says(`**A, B**\n-# ${count} deals in Home`, ids.map((id) => `🆕 $5 · [A ${id}](${urlOf(id)})`).join('\n'));

/** A world in which one channel wants everything of a feed, which was empty at first. */
function aWorld(changes: Partial<Want<Entity>> = {}, spanOf?: (debt: Debt) => Span) {
  const world = new World<Entity>(spanOf);
  world.follow({
    channel: 'deals',
    follows: { resource: 'Home' },
    kinds: ['new', 'drop', 'back', 'low', 'ends'],
    leastDrop: 10,
    hasExamples: false,
    wants: () => true,
    dueAtMs: (botMs) => botMs,
    ...changes,
  });
  function serve(hours: number, entities: readonly Entity[], answer: Partial<Answer<Entity>> = {}): void {
    world.serve({ resource: 'Home', entities, ...answer }, at(hours));
  }
  serve(0, []);
  return {
    world,
    serve,
    post: (hours: number, posted: ReturnType<typeof readPost>) => world.channel('deals').post(posted, at(hours).trueMs),
    /** The findings, in short. */
    found: () => world.findings().map(({ is, url }) => `${is} ${url?.split('/').at(-1) ?? '-'}`),
  };
}

describe('the model notices', () => {
  test('a post that is lost', () => {
    const { serve, post, found } = aWorld();
    serve(1, [offer('a'), offer('b')]);
    expect(found()).toEqual(['lost a', 'lost b']);
    post(1, aPost('a'));
    expect(found()).toEqual(['lost b']);
  });

  test('a post that is there twice, by itself or in a combined post', () => {
    const { serve, post, found } = aWorld();
    serve(1, [offer('a'), offer('b')]);
    post(1, aPost('a'));
    post(2, aRollUp(2, 'a', 'b'));
    expect(found()).toEqual(['twice a']);
    post(3, aPost('b'));
    expect(found()).toEqual(['twice a', 'twice b']);
  });

  test('a post that nobody is owed: unwanted, of another kind, of the first answer, or before its answer', () => {
    const { serve, post, found } = aWorld({ wants: ({ id }) => id !== 'unwanted' });
    serve(2, [offer('unwanted'), offer('b')]);
    post(2, aPost('unwanted'));
    post(1, aPost('b'));
    post(2, aPost('b'));
    post(3, aPost('b', 'drop'));
    expect(found()).toEqual(['not owed unwanted', 'not owed b', 'not owed b']);
    const first = aWorld();
    first.world.leave('deals');
    first.post(1, aPost('a'));
    expect(first.found()).toEqual(['not owed a']);
  });

  test('a message that says of what is live that it is over', () => {
    const { world, serve, post, found } = aWorld();
    serve(1, [offer('a'), offer('b', { endsAtMs: at(2).botMs })]);
    for (const id of ['a', 'b']) post(1, aPost(id));
    const over = (id: string) => says(`### ~~[A ${id}](${urlOf(id)})~~\n🏁 **Ended after an hour** · 2 minutes ago`);
    for (const id of ['a', 'b']) world.show('deals', over(id), at(2));
    expect(found()).toEqual(['untrue a']);
    // It takes two answers without it to say so, and two that show it to take it back.
    serve(3, []);
    world.show('deals', over('a'), at(3));
    expect(found()).toEqual(['untrue a', 'untrue a']);
    serve(4, []);
    world.show('deals', over('a'), at(4));
    serve(5, [offer('a')]);
    world.show('deals', over('a'), at(5));
    expect(found()).toEqual(['untrue a', 'untrue a']);
    serve(6, [offer('a')]);
    world.show('deals', says(`### [A](${urlOf('a')})\n🚫 **Sold out**`), at(6));
    expect(found()).toEqual(['untrue a', 'untrue a', 'untrue a']);
  });

  test('a combined post with a wrong number: fewer than are owed, more than are owed, other than its list', () => {
    const { world, serve, post, found } = aWorld();
    serve(
      1,
      ['a', 'b', 'c'].map((id) => offer(id)),
    );
    post(1, aRollUp(2, 'a'));
    expect(found(), 'b stands for those that are not named').toEqual(['lost c']);
    post(1, aRollUp(3, 'c'));
    expect(found()).toEqual(['not owed -']);
    const urls = (...ids: string[]) => new Set(ids.map(urlOf));
    world.list('deals', aRollUp(2, 'a'), urls('a', 'b'));
    expect(found()).toEqual(['not owed -']);
    world.list('deals', aRollUp(2, 'a'), urls('a', 'b', 'c'));
    world.list('deals', aRollUp(2, 'a'), urls('b', 'c'));
    expect(found()).toEqual(['untrue -', 'untrue -', 'not owed -']);
  });

  test('a post that comes too late, and one that has not come by its last moment', () => {
    const spanOf = ({ foundAtMs, isOptional }: Debt) => {
      return { fromMs: foundAtMs, untilMs: foundAtMs + HOUR_MS, isOptional, wrongByMs: 0 };
    };
    const { world, serve, post, found } = aWorld({}, spanOf);
    serve(1, [offer('a'), offer('b')]);
    expect(world.findings(at(1.9).trueMs)).toEqual([]);
    post(2, aPost('a'));
    post(2.1, aPost('b'));
    expect(found()).toEqual(['late b']);
    serve(3, [offer('a'), offer('b'), offer('c')]);
    expect(world.findings(at(3.9).trueMs)).toHaveLength(1);
    expect(world.findings(at(4).trueMs)).toHaveLength(2);
  });
});

describe('what is news', () => {
  test('of what was there before: a tenth less, being back, an end within three hours, each once', () => {
    const { world, serve, post, found } = aWorld();
    const endsAtMs = at(12).botMs;
    serve(1, [offer('a', { endsAtMs })]);
    post(1, aPost('a'));
    serve(2, [offer('a', { endsAtMs, price: 91 })]);
    expect(found()).toEqual([]);
    serve(3, [offer('a', { endsAtMs, price: 81 })]);
    post(3, aPost('a', 'drop'));
    for (const hours of [4, 5]) serve(hours, [offer('a', { endsAtMs, price: 81, isSoldOut: true })]);
    for (const hours of [6, 7]) serve(hours, [offer('a', { endsAtMs, price: 81 })]);
    post(7, aPost('a', 'back'));
    for (const hours of [8.9, 9, 10]) world.pass(at(hours));
    post(9, aPost('a', 'ends'));
    expect(found()).toEqual([]);
    expect(world.counts()).toMatchObject({ debts: 4, told: 4 });
  });

  test('an end that is near, although the offer itself tells in the same moment that it is sold out: it is asked last of all', () => {
    const { world, serve, post, found } = aWorld({ kinds: ['ends'] });
    const endsAtMs = at(12).botMs;
    serve(1, [offer('a', { endsAtMs })]);
    // A feed that shows it for the first time contradicts the other, and overturns nothing.
    const soldOut = { ...offer('a', { endsAtMs }), isSoldOut: true };
    world.serve({ resource: 'Tools', entities: [soldOut] }, at(8.9));
    world.ask(new Map([['a', soldOut]]), at(9));
    world.pass(at(9));
    post(9, aPost('a', 'ends'));
    expect(found()).toEqual([]);
  });

  test('one post, where a feed that surely shows it has a follower who waits, and another one that may show it has none', () => {
    const spanOf = ({ foundAtMs, dueAtMs, isOptional }: Debt) => {
      return { fromMs: dueAtMs, untilMs: Math.max(foundAtMs, dueAtMs) + HOUR_MS, isOptional, wrongByMs: 0 };
    };
    for (const [postedAt, findings] of [
      [9, []],
      [13, []],
      [13.5, ['late a']],
    ] as const) {
      const { world, serve, post, found } = aWorld({ kinds: ['ends'], dueAtMs: (ms) => ms + 3 * HOUR_MS }, spanOf);
      const wanted = { channel: 'deals', kinds: ['ends'] as const, leastDrop: 0, hasExamples: false };
      world.follow({ ...wanted, follows: { resource: 'Tools' }, wants: () => true, dueAtMs: (botMs) => botMs });
      world.serve({ resource: 'Tools', entities: [] }, at(0));
      const one = offer('a', { endsAtMs: at(12).botMs });
      serve(1, [one]);
      world.serve({ resource: 'Tools', entities: [one] }, at(1));
      world.serve({ resource: 'Tools', entities: [] }, at(2));
      world.pass(at(9));
      post(postedAt, aPost('a', 'ends'));
      expect(found()).toEqual(findings);
    }
  });

  test('what waits for one follower comes as soon as another one, of a feed that shows it later, wants it', () => {
    const spanOf = ({ foundAtMs, dueAtMs, isOptional }: Debt) => {
      return { fromMs: dueAtMs, untilMs: Math.max(foundAtMs, dueAtMs) + HOUR_MS, isOptional, wrongByMs: 0 };
    };
    for (const [postedAt, findings] of [
      [1.5, ['not owed a', 'lost a']],
      [2, []],
      [3, []],
      [3.5, ['late a']],
    ] as const) {
      const { world, serve, post, found } = aWorld({ dueAtMs: (ms) => ms + 8 * HOUR_MS }, spanOf);
      const wanted = { channel: 'deals', kinds: ['new'] as const, leastDrop: 0, hasExamples: false };
      world.follow({ ...wanted, follows: { resource: 'Tools' }, wants: () => true, dueAtMs: (botMs) => botMs });
      world.serve({ resource: 'Tools', entities: [] }, at(0));
      serve(1, [offer('a')]);
      if (postedAt < 2) post(postedAt, aPost('a'));
      world.serve({ resource: 'Tools', entities: [offer('a')] }, at(2));
      if (postedAt >= 2) post(postedAt, aPost('a'));
      expect(found()).toEqual(findings);
    }
  });

  test('what had ended by a clock that was ahead may be told of from the next answer on', () => {
    const spanOf = ({ foundAtMs, dueAtMs, isOptional }: Debt) => {
      return { fromMs: dueAtMs, untilMs: Math.max(foundAtMs, dueAtMs) + 2 * HOUR_MS, isOptional, wrongByMs: 0 };
    };
    for (const [postedAt, findings] of [
      [7, []],
      [7.5, ['late a']],
    ] as const) {
      const { world, serve, post, found } = aWorld({}, spanOf);
      serve(1, [offer('a', { endsAtMs: at(20).botMs })]);
      world.pass({ trueMs: at(2).trueMs, botMs: at(21).botMs });
      world.pass(at(3));
      serve(5, [offer('a', { endsAtMs: at(20).botMs })]);
      post(postedAt, aPost('a'));
      expect(found()).toEqual(findings);
    }
  });

  test.each([
    [1, []],
    [3, ['not owed a']],
  ])(
    'what seems to have ended when it is new, and has not after all, where no more than two answers said so: %i',
    (answers, findings) => {
      const { serve, post, found } = aWorld();
      const shown = [...Array<number>(answers).fill(0.5), 9, 9];
      for (const [index, hours] of shown.entries()) serve(1 + index, [offer('a', { endsAtMs: at(hours).botMs })]);
      post(shown.length, aPost('a'));
      expect(found()).toEqual(findings);
    },
  );

  test('a product is followed under whatever id, and a price that it never had is a low after three days', () => {
    const { world, serve, found } = aWorld({ kinds: [] });
    const kinds = ['low', 'new'] as const;
    const product = 'kettle';
    world.follow({
      channel: '@ben',
      follows: { product },
      kinds,
      leastDrop: 0,
      hasExamples: false,
      wants: () => true,
      dueAtMs: (botMs) => botMs,
    });
    serve(1, [offer('a', { product })]);
    serve(2, [offer('a', { product, price: 50 })]);
    expect(found(), 'too early for a low').toEqual(['lost a']);
    serve(72, [offer('a', { product, price: 60 })]);
    serve(74, [offer('a', { product, price: 60 }), offer('b', { product, price: 49 })]);
    expect(found()).toEqual(['lost a', 'lost b']);
    expect(world.counts().ofProducts).toBe(2);
  });

  test('what is posted ahead of a second answer is right where the offer itself may have told it within an hour, once', () => {
    const minute = 1 / 60;
    for (const [servedAt, first] of [
      [null, ['not owed a', 'lost a']],
      [3 - 61 * minute, ['not owed a', 'lost a']],
      [3 - 60 * minute, []],
      [3 + minute, ['not owed a', 'lost a']],
    ] as const) {
      const { world, serve, post, found } = aWorld();
      for (const hours of [1, 1.5]) serve(hours, [offer('a', { isSoldOut: true })]);
      serve(1.8, [offer('a')]);
      if (servedAt !== null) world.served(['a'], at(servedAt));
      post(3, aPost('a', 'back'));
      serve(4, [offer('a')]);
      expect(found(), `${servedAt}`).toEqual(first);
      if (first.length > 0) continue;
      post(4 + minute, aPost('a', 'back'));
      expect(found()).toEqual(['twice a']);
    }
  });

  test('all that one answer brings of an entity is one post; what is not told yet comes with later news of it', () => {
    const { serve, post, found } = aWorld();
    for (const hours of [1, 1.5]) serve(hours, [offer('a', { isSoldOut: true })]);
    serve(2, [offer('a')]);
    serve(2.5, [offer('a', { price: 50 })]);
    post(2.5, aPost('a', 'back'));
    expect(found()).toEqual([]);
    for (const [index, price] of [40, 30].entries()) serve(3 + index / 10, [offer('a', { price })]);
    post(3.1, aPost('a', 'drop'));
    expect(found()).toEqual([]);
    post(3.1, aPost('a', 'drop'));
    expect(found(), 'a post of its own is right, too').toEqual([]);
    post(3.1, aPost('a', 'drop'));
    expect(found()).toEqual(['twice a']);
  });

  test('what was not in the last answer may be told or not; an answer that is cut off or unreadable proves nothing', () => {
    const { world, serve, found } = aWorld({ kinds: ['drop'] });
    world.serve({ resource: 'Tools', entities: [offer('a')] }, at(1));
    serve(1, [offer('a'), offer('b'), offer('c')]);
    serve(2, [offer('c')], { unreadable: new Set(['b']) });
    serve(3, [offer('c')], { isCutOff: true });
    // Another feed shows that it is cheaper: whether this one still holds it is not known.
    world.serve({ resource: 'Tools', entities: [offer('a', { price: 50 })] }, at(4));
    expect(found()).toEqual([]);
    serve(5, [offer('a', { price: 40 }), offer('b', { price: 40 }), offer('c')]);
    expect(found()).toEqual(['lost a', 'lost b']);
  });
});

test.each([
  [5, []],
  [6, ['late a']],
])(
  'who waits for a state is told with the next digest after it was so again, as it was over at the last one: at %i h',
  (postedAt, findings) => {
    const digestMs = (ms: number) => (Math.floor((ms - START_MS) / HOUR_MS) + 1) * HOUR_MS + START_MS;
    const spanOf = ({ foundAtMs, dueAtMs, isOptional }: Debt) => {
      return { fromMs: dueAtMs, untilMs: Math.max(foundAtMs, dueAtMs) + HOUR_MS / 6, isOptional, wrongByMs: 0 };
    };
    const product = 'kettle';
    const { serve, post, found } = aWorld({ follows: { product }, awaitsState: true, dueAtMs: digestMs }, spanOf);
    const stock = (hours: number, isSoldOut: boolean) => {
      for (const atHours of [hours, hours + 0.05]) serve(atHours, [offer('a', { product, isSoldOut })]);
    };
    stock(1, false);
    stock(2, true);
    stock(3.1, false);
    stock(3.8, true);
    stock(4.4, false);
    post(postedAt, aPost('a', 'reached'));
    expect(found()).toEqual(findings);
  },
);

describe('what is owed no more', () => {
  test('what has ended, is sold out, or costs as much again', () => {
    const { world, serve, found } = aWorld();
    serve(1, [offer('a', { endsAtMs: at(9).botMs }), offer('b'), offer('c')]);
    expect(world.findings(at(8).trueMs)).toEqual([]);
    serve(2, [offer('a', { endsAtMs: at(9).botMs }), offer('b', { isSoldOut: true }), offer('c')]);
    expect(found(), 'one answer that calls it sold out lets it wait').toEqual(['lost c']);
    const risen = aWorld({ kinds: ['drop'] });
    for (const [hours, price] of [100, 50, 99, 100].entries()) {
      risen.serve(hours + 1, [offer('a', { price })]);
      expect(risen.found()).toEqual(price < 100 ? ['lost a'] : []);
    }
  });

  test('what was owed to a channel that is excused or gone; what comes later is owed to the former', () => {
    const { world, serve, post, found } = aWorld();
    serve(1, [offer('a'), offer('b')]);
    world.channel('deals').excuse();
    post(2, aPost('b'));
    serve(2, [offer('a'), offer('b'), offer('c')]);
    expect(found()).toEqual(['lost c']);
    world.leave('deals');
    serve(3, [offer('a'), offer('d')]);
    expect(found()).toEqual([]);
  });

  test('what was there when somebody began to follow: that may be an example, once', () => {
    const { world, serve, post, found } = aWorld();
    serve(1, [offer('a')]);
    world.leave('deals');
    const wanted = { leastDrop: 10, wants: () => true, dueAtMs: (botMs: number) => botMs };
    world.follow({ channel: 'new', follows: { resource: 'Home' }, kinds: ['new'], hasExamples: true, ...wanted });
    serve(2, [offer('a'), offer('b')]);
    expect(found()).toEqual([]);
    world.channel('new').post(aPost('b'), at(2).trueMs);
    expect(found()).toEqual([]);
    world.channel('new').post(aPost('b'), at(2).trueMs);
    post(2, aPost('b'));
    expect(found()).toEqual(['not owed b', 'twice b']);
  });
});

test('a post by name takes what it names from those that a combined post tells of by number', () => {
  const { serve, post, found } = aWorld();
  serve(
    1,
    ['a', 'b', 'c'].map((id) => offer(id)),
  );
  post(1, aRollUp(2, 'a'));
  post(1, aPost('b'));
  expect(found(), 'so the number stood for c').toEqual([]);
  serve(2, [offer('a'), offer('b'), offer('c'), offer('d')]);
  expect(found(), 'and never for what came later').toEqual(['lost d']);
});

test('a number leaves out what was missing when it was posted', () => {
  const { world, serve, post } = aWorld();
  const [missing, a, b] = ['missing', 'a', 'b'].map((id) => offer(id, { endsAtMs: at(10).trueMs }));
  if (!missing || !a || !b) throw new Error('no offers');
  serve(1, [missing, a, b]);
  serve(2, [a, b]);
  post(2, aRollUp(2, 'a'));
  const standings = world.channel('deals').standings(at(3).trueMs);
  expect(standings.map(({ debt, is }) => [debt.url, is])).toEqual([
    [urlOf('missing'), 'held'],
    [urlOf('b'), 'told'],
  ]);
});

test('two offers that share an address are two', () => {
  const { serve, post, found } = aWorld();
  serve(1, [offer('a'), offer('b'), offer('other', { url: urlOf('b') })]);
  post(1, aPost('b'));
  expect(found()).toEqual(['lost a', 'lost b']);
  post(1, aRollUp(2, 'a'));
  expect(found()).toEqual([]);
});
