import { describe, expect, test } from 'vitest';
import type { Answer, Entity } from './catalog.ts';
import { type NewsKind, readPost } from './reading.ts';
import { type Want, World } from './world.ts';

const START_MS = Date.parse('2026-11-22T12:00:00Z');
const URL = 'https://home.example.com/offers/a';

const SYMBOLS: Partial<Record<NewsKind, string>> = { new: '🆕', drop: '📉', back: '📦', ends: '⏰' };
const said = (text: string) => readPost({ components: [{ type: 17, components: [{ type: 10, content: text }] }] });
const OVER = said(`### ~~[A](${URL})~~\n🚫 **Sold out**`);

/** A world in which one channel follows Home, which showed the offer twice for $80; an answer a minute. */
function aWorld(first: Partial<Entity> | null = {}, changes: Partial<Want<Entity>> = {}) {
  const world = new World<Entity>();
  let minute = 0;
  const now = () => ({ trueMs: START_MS + minute * 60_000, botMs: START_MS + minute * 60_000 });
  const want: Want<Entity> = {
    channel: 'deals',
    follows: { resource: 'Home' },
    kinds: ['new', 'drop', 'back'],
    leastDrop: 10,
    hasExamples: false,
    wants: () => true,
    dueAtMs: (botMs) => botMs,
    ...changes,
  };
  world.follow(want);
  const offer = (entity: Partial<Entity>): Entity => {
    const plain = { first: 'new', product: null, isSoldOut: false, endsAtMs: Infinity, price: 80 } as const;
    return { id: 'a', url: URL, ...plain, ...entity };
  };
  /** It is in all feeds all the time, so that none of them is ever empty. */
  const company = { ...offer({}), id: 'b', url: `${URL}/b` };
  /** An answer of a feed, which shows the offer so; null where it lacks it. */
  function says(resource: string, entity: Partial<Entity> | null, answer: Partial<Answer<Entity>> = {}): void {
    minute += 1;
    world.serve({ resource, entities: entity ? [company, offer(entity)] : [company], ...answer }, now());
  }
  if (first) for (const resource of ['Home', 'Tools', 'Home', 'Tools']) says(resource, first);
  return {
    world,
    now,
    says,
    pass: (minutes: number) => {
      minute += minutes;
    },
    /** The offer says so of itself when the bot asks it; null where it can't be bought any more. */
    asks: (entity: Partial<Entity> | null) => world.ask(new Map([['a', entity && offer(entity)]]), now()),
    post: (kind: NewsKind) =>
      world.channel('deals').post(said(`${SYMBOLS[kind]} **News**\n### [A](${URL})`), now().trueMs),
    found: () => world.findings().map(({ is, why }) => `${is} ${why.split(' ')[0]}`),
  };
}

describe('one answer may add, and takes nothing away', () => {
  test.each<[string, Partial<Entity> | null, string[]]>([
    ['a price within five times', { price: 40 }, ['lost drop']],
    ['a price that astonishes', { price: 4 }, []],
    ['a price that is none', { price: Number.NaN }, []],
    ['a price that can not be read', { price: 40, unreadable: new Set(['price']) }, []],
    ['an end that has passed', { endsAtMs: START_MS }, []],
    ['nothing', null, []],
  ])('%s', (_, entity, found) => {
    const { world, now, says, found: wrong } = aWorld();
    says('Home', entity);
    world.show('deals', OVER, now());
    expect(wrong()).toEqual(['untrue said', ...found]);
  });

  test.each<[string, Partial<Entity>]>([
    ['again', { price: 4 }],
    ['none in between', { price: Number.NaN }],
  ])('a second answer makes it believed: %s', (_, entity) => {
    const { says, found } = aWorld();
    for (let answer = 0; answer < 2; answer += 1) says('Home', entity);
    says('Home', { price: 4 });
    if (Number.isNaN(entity.price)) expect(found(), '$4 astonishes beside $80').toEqual([]);
    else expect(found()).toEqual(['lost drop']);
  });

  test('80, none, 40 is a drop from 80, also where none is believed', () => {
    const { says, found, post } = aWorld();
    for (const price of [Number.NaN, Number.NaN, 40]) says('Home', { price });
    expect(found()).toEqual(['lost drop']);
    post('drop');
    expect(found()).toEqual([]);
  });
});

describe('a feed is a witness', () => {
  test('that it repeats what is older than the belief is no news', () => {
    const { says, found, post } = aWorld();
    says('Home', { price: 40 });
    post('drop');
    for (const feed of ['Tools', 'Home', 'Tools', 'Home']) says(feed, { price: feed === 'Tools' ? 80 : 40 });
    expect(found()).toEqual([]);
    post('drop');
    expect(found()).toEqual(['twice drop']);
  });

  test('back in stock is believed by its next answer, or by another feed', () => {
    for (const second of ['Home', 'Tools']) {
      const { says, found } = aWorld({ isSoldOut: true });
      says('Home', {});
      expect(found()).toEqual([]);
      says(second, {});
      expect(found(), second).toEqual(['lost back']);
    }
  });

  test('it has dropped an offer when two answers lack it, and what waits then waits until it is back', () => {
    const { world, now, says, found } = aWorld();
    says('Home', { price: 40 });
    for (const feed of ['Home', 'Tools', 'Home', 'Tools']) says(feed, null);
    expect(found(), 'held').toEqual([]);
    world.show('deals', OVER, now());
    for (let answer = 0; answer < 2; answer += 1) says('Home', { price: 40 });
    expect(found()).toEqual(['lost drop']);
    for (let answer = 0; answer < 2; answer += 1) says('Home', { price: 40, isSoldOut: true });
    expect(found(), 'over for good').toEqual([]);
  });

  test('an item without an identity stands for one offer, for two answers', () => {
    const { world, now, says, found } = aWorld();
    says('Tools', null);
    says('Tools', null);
    for (let answer = 0; answer < 2; answer += 1) says('Home', null, { nameless: 1 });
    world.show('deals', OVER, now());
    expect(found()).toEqual(['untrue said']);
    for (let answer = 0; answer < 2; answer += 1) says('Home', null, { nameless: 1 });
    world.stand('deals', said(`🆕 **New**\n### [A](${URL})`), now());
    expect(found(), 'now it is gone').toEqual(['untrue said', 'untrue not']);
  });
});

describe('the offer itself', () => {
  test('settles what one answer said', () => {
    const { says, asks, found } = aWorld({ isSoldOut: true });
    says('Home', {});
    expect(found()).toEqual([]);
    asks({});
    expect(found()).toEqual(['lost back']);
  });

  test('refutes nothing: three answers of the feed over ten minutes are believed, and so is the offer itself later', () => {
    const { says, asks, found, post, pass } = aWorld({ isSoldOut: true });
    says('Home', {});
    pass(1);
    asks({ isSoldOut: true });
    for (let answer = 0; answer < 2; answer += 1) says('Home', {});
    expect(found()).toEqual([]);
    pass(6);
    says('Home', {});
    expect(found()).toEqual(['lost back']);
    post('back');
    expect(found()).toEqual([]);
    const later = aWorld({ isSoldOut: true });
    later.says('Home', {});
    later.asks({ isSoldOut: true });
    later.pass(1);
    later.asks({});
    expect(later.found()).toEqual(['lost back']);
  });

  test('takes back what feeds say by its third answer over ten minutes', () => {
    const { says, asks, found, pass, world, now } = aWorld();
    for (let answer = 0; answer < 2; answer += 1) says('Home', { isSoldOut: true });
    const isBack = () => world.mayBe('a', { isSoldOut: false, price: 80, product: null });
    for (const minutes of [1, 4, 15]) {
      expect(isBack(), `before ${minutes} min`).toBe(false);
      asks({});
      pass(minutes);
    }
    expect(isBack(), 'not ten minutes after the first').toBe(false);
    asks({});
    expect(isBack()).toBe(true);
    expect(found()).toEqual(['lost back']);
    world.show('deals', OVER, now());
    expect(found()).toEqual(['untrue said', 'lost back']);
  });

  test('settles nothing that nobody else says, or that can not be read', () => {
    const { says, asks, found } = aWorld({ isSoldOut: true });
    asks({ isSoldOut: true, price: 40 });
    says('Home', {});
    asks({ unreadable: new Set(['isSoldOut']) });
    expect(found()).toEqual([]);
  });

  test('ends what a feed says to be over, and what no feed shows any more', () => {
    const ended = aWorld();
    ended.says('Home', { endsAtMs: START_MS });
    ended.pass(1);
    ended.asks(null);
    ended.world.show('deals', OVER, ended.now());
    const gone = aWorld();
    gone.says('Home', { price: 40 });
    for (const feed of ['Home', 'Tools', 'Home', 'Tools']) gone.says(feed, null);
    gone.asks(null);
    expect([...ended.found(), ...gone.found()]).toEqual([]);
  });
});

test('what astonishes takes two answers with time between them, whoever gives them', () => {
  const { says, asks, pass, world } = aWorld();
  const isBelieved = (price: number) => world.mayBe('a', { isSoldOut: false, price, product: null });
  says('Home', { price: 4 });
  asks({ price: 4 });
  expect([isBelieved(80), isBelieved(4)]).toEqual([true, false]);
  pass(1);
  asks({ price: 4 });
  expect([isBelieved(80), isBelieved(4)]).toEqual([false, true]);
});

describe('what the rules do not leave open', () => {
  test('the first statement of a feed only adds', () => {
    const { says, found, post } = aWorld(null);
    says('Home', null);
    says('Tools', { price: 80 });
    for (let answer = 0; answer < 2; answer += 1) says('Home', { price: 40 });
    expect(found()).toEqual(['lost new']);
    post('new');
    post('drop');
    expect(found()).toEqual(['not owed drop']);
  });

  test('going back to what was said for long is no news', () => {
    const { says, found, post } = aWorld();
    says('Home', { price: 40 });
    post('drop');
    for (const price of [3, 80]) says('Tools', { price });
    says('Home', { price: 40 });
    expect(found()).toEqual([]);
    post('drop');
    expect(found()).toEqual(['twice drop']);
  });

  test('stock that one answer alone called sold out is not back in stock', () => {
    const { says, found, post } = aWorld();
    for (const isSoldOut of [true, false, false]) says('Home', { isSoldOut });
    expect(found()).toEqual([]);
    post('back');
    expect(found()).toEqual(['not owed back']);
  });
});

test('what comes and goes is one story until six quiet hours have passed', () => {
  const { says, found, post, pass } = aWorld();
  const flip = () => {
    for (const isSoldOut of [true, true, false, false]) says('Home', { isSoldOut });
  };
  flip();
  post('back');
  for (let times = 0; times < 3; times += 1) flip();
  expect(found()).toEqual([]);
  pass(6 * 60);
  flip();
  expect(found()).toEqual(['lost back']);
  post('back');
  post('back');
  expect(found()).toEqual(['twice back']);
});

test('what was over before it was told is owed again when it is so again', () => {
  const { says, found, post } = aWorld({ isSoldOut: true });
  const be = (entity: Partial<Entity>) => {
    for (let answers = 0; answers < 2; answers += 1) says('Home', entity);
  };
  be({});
  expect(found()).toEqual(['lost back']);
  be({ isSoldOut: true });
  expect(found(), 'over').toEqual([]);
  be({});
  expect(found()).toEqual(['lost back']);
  post('back');
  be({ isSoldOut: true });
  be({});
  expect(found(), 'one story').toEqual([]);
});

test('who asks for what is not known yet is told once it is, or after three answers with what there is', () => {
  const asks = { wants: ({ price }: Entity) => price < 50, asks: new Set(['price']) };
  const unknown = { unreadable: new Set(['price']) };
  const decided = aWorld(null, asks);
  decided.says('Home', null);
  decided.says('Home', unknown);
  expect(decided.found()).toEqual([]);
  decided.says('Home', { price: 40 });
  expect(decided.found()).toEqual(['lost new']);
  const others = aWorld(null);
  others.says('Home', null);
  others.says('Home', unknown);
  expect(others.found(), 'who does not ask for it is told at once').toEqual(['lost new']);
  const never = aWorld(null, { wants: ({ price }) => Number.isNaN(price), asks: asks.asks });
  never.says('Home', null);
  for (let answer = 0; answer < 3; answer += 1) never.says('Home', unknown);
  expect(never.found()).toEqual([]);
  never.says('Home', unknown);
  expect(never.found()).toEqual(['lost new']);
});

test.each([
  ['while another feed shows it, may hold it at once', true, []],
  ['that all have dropped, does not hold it yet', false, ['not owed ends']],
])(
  'a feed that has dropped an offer and shows it again, %s: its followers are told when it ends soon',
  (_, isElsewhere, wrong) => {
    const endsAtMs = START_MS + 4 * 3_600_000;
    const { world, says, pass, now, post, found } = aWorld({ endsAtMs }, { kinds: ['ends'] });
    for (const _ of [1, 2]) {
      says('Home', null);
      says('Tools', isElsewhere ? { endsAtMs } : null);
    }
    says('Home', { endsAtMs });
    pass(60);
    world.pass(now());
    post('ends');
    expect(found()).toEqual(wrong);
  },
);
