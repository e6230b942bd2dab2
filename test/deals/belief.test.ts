import { describe, expect, test } from 'vitest';
import {
  APART_MS,
  type Belief,
  type FieldRules,
  hear,
  ITSELF,
  type Statement,
  settle,
} from '../../src/deals/belief.ts';

/** A thing with a field that needs two answers, and one that believes each one. */
interface Lamp {
  color: string;
  watts: number;
}

const isSame = (one: unknown, other: unknown) => one === other;
const RULES: FieldRules<Lamp> = {
  color: { isSame, isBelievedAtOnce: () => false },
  watts: { isSame, isBelievedAtOnce: () => true },
};
const LAMP: Lamp = { color: 'red', watts: 5 };
const START: Belief<Lamp> = { value: LAMP, dissents: {}, seenOnce: [] };
const NOBODY: ReadonlySet<string> = new Set();

/** What a witness says at a moment; what it does not say is as the lamp was at the beginning. */
type Said = readonly [witness: string, says: Partial<Lamp>, others?: Partial<Statement<Lamp>>];

/** The beliefs after each statement. Statements come a second apart, from three witnesses. */
function heard(said: readonly Said[], from = START): Belief<Lamp>[] {
  let belief = from;
  return said.map(([witness, says, others], second) => {
    const value = { ...LAMP, ...says };
    const witnesses = ['home', 'tools', 'wine'];
    belief = hear(
      belief,
      { witness, value, unreadable: NOBODY, isFirst: false, witnesses, nowMs: second * 1000, ...others },
      RULES,
    );
    return belief;
  });
}

const colors = (...said: Said[]) => heard(said).map(({ value }) => value.color);
const watts = (...said: Said[]) => heard(said).map(({ value }) => value.watts);

describe('a change that needs a second answer', () => {
  test('is believed when the same witness says it again', () => {
    expect(colors(['home', { color: 'blue' }], ['home', { color: 'blue' }])).toEqual(['red', 'blue']);
  });

  test('is believed when another witness says the same', () => {
    expect(colors(['home', { color: 'blue' }], ['tools', { color: 'blue' }])).toEqual(['red', 'blue']);
  });

  test('is forgotten when the witness takes it back', () => {
    const [, back, again] = heard([
      ['home', { color: 'blue' }],
      ['home', {}],
      ['home', { color: 'blue' }],
    ]);
    expect(back).toEqual(START);
    expect(again?.value.color).toBe('red');
  });

  test('counts anew when the witness says something else', () => {
    const [first, second, third] = heard([
      ['home', { color: 'blue' }],
      ['home', { color: 'green' }],
      ['home', { color: 'green' }],
    ]);
    expect(first?.dissents).toEqual({ home: { color: { says: 'blue', sinceMs: 0 } } });
    expect(second?.dissents).toEqual({ home: { color: { says: 'green', sinceMs: 1000 } } });
    expect(third?.value.color).toBe('green');
  });

  test('is not believed of witnesses that contradict each other', () => {
    expect(colors(['home', { color: 'blue' }], ['tools', { color: 'green' }], ['wine', {}])).toEqual([
      'red',
      'red',
      'red',
    ]);
  });

  test('waits while the witness says the rest as before', () => {
    const [once] = heard([['home', { color: 'blue', watts: 9 }]]);
    expect(once?.value).toEqual({ color: 'red', watts: 9 });
  });
});

describe('repeating what is older than the belief', () => {
  const blue: Said = ['home', { color: 'blue' }];

  test('overturns nothing, however often', () => {
    expect(colors(blue, blue, ['tools', {}], ['wine', {}], ['tools', {}], ['wine', {}]).slice(1)).toEqual(
      Array(5).fill('blue'),
    );
    expect(watts(['home', { watts: 9 }], ['tools', {}], ['tools', {}], ['wine', {}])).toEqual([9, 9, 9, 9]);
  });

  test('is no news: what is heard is the same belief', () => {
    const [, believed, repeated] = heard([blue, blue, ['tools', {}]]);
    expect(repeated).toBe(believed);
  });

  test('ends when the witness comes to agree', () => {
    const beliefs = heard([blue, blue, ['tools', {}], ['tools', { color: 'blue' }]]);
    expect(beliefs[2]?.dissents).toMatchObject({ tools: { color: { isOlder: true } }, wine: {} });
    expect(Object.keys(beliefs[3]?.dissents ?? {})).toEqual(['wine']);
  });

  test('overturns it once another witness has said the same anew', () => {
    expect(colors(blue, blue, ['tools', {}], ['home', {}], ['tools', {}])).toEqual([
      'red',
      'blue',
      'blue',
      'blue',
      'red',
    ]);
  });

  test('seconds nothing: a witness that says the same anew needs to say it twice', () => {
    expect(colors(blue, blue, ['home', {}], ['home', {}])).toEqual(['red', 'blue', 'blue', 'red']);
  });

  test('is what the others had said when the belief changed, where they agreed with it before', () => {
    const [believed] = heard([['home', { watts: 9 }]]);
    const older = { watts: { says: 5, sinceMs: 0, isOlder: true } };
    expect(believed?.dissents).toEqual({ tools: older, wine: older });
  });

  test('is what another had just begun to say, too', () => {
    const [, , believed] = heard([
      ['tools', { color: 'green' }],
      ['home', { color: 'blue' }],
      ['home', { color: 'blue' }],
    ]);
    expect(believed?.dissents['tools']).toEqual({ color: { says: 'green', sinceMs: 0, isOlder: true } });
  });
});

describe('a change that is believed at once', () => {
  test('was seen once until a second answer shows it, of whichever witness', () => {
    for (const second of ['home', 'tools']) {
      const beliefs = heard([
        ['home', { watts: 9 }],
        [second, { watts: 9 }],
      ]);
      expect(beliefs.map(({ seenOnce }) => seenOnce)).toEqual([['watts'], []]);
    }
  });

  test('stays seen once while nobody but others’ old statements are heard', () => {
    const beliefs = heard([
      ['home', { watts: 9 }],
      ['tools', {}],
      ['home', { watts: 7 }],
    ]);
    expect(beliefs.map(({ value, seenOnce }) => [value.watts, seenOnce])).toEqual([
      [9, ['watts']],
      [9, ['watts']],
      [7, ['watts']],
    ]);
  });

  test('was not seen once where a second answer had to confirm it', () => {
    const [, believed] = heard([
      ['home', { color: 'blue' }],
      ['home', { color: 'blue' }],
    ]);
    expect(believed?.seenOnce).toEqual([]);
  });

  test('needs a second answer of a witness that has only just come back', () => {
    const tentative = { isTentative: () => true };
    const beliefs = heard([
      ['home', { watts: 9 }, tentative],
      ['home', { watts: 9 }],
    ]);
    expect(beliefs.map(({ value, seenOnce }) => [value.watts, seenOnce])).toEqual([
      [5, []],
      [9, []],
    ]);
  });
});

describe('the first statement of a witness', () => {
  const first = { isFirst: true };

  test('changes nothing, however often it is repeated: nobody saw it change', () => {
    expect(watts(['home', { watts: 9 }, first], ['home', { watts: 9 }], ['home', { watts: 9 }])).toEqual([5, 5, 5]);
  });

  test('is changed by the next one that differs', () => {
    expect(watts(['home', { watts: 9 }, first], ['home', { watts: 8 }])).toEqual([5, 8]);
  });

  test('adds what was none', () => {
    const rules: FieldRules<{ color: string | null }> = { color: { isSame, isBelievedAtOnce: () => true } };
    const belief = { value: { color: null }, dissents: {}, seenOnce: [] };
    const statement = { witness: 'home', unreadable: NOBODY, witnesses: ['home'], isFirst: true, nowMs: 0 };
    expect(hear(belief, { ...statement, value: { color: 'blue' } }, rules).value).toEqual({ color: 'blue' });
  });
});

describe('the entity itself', () => {
  const MINUTE_MS = 60_000;
  const blue = { color: 'blue' };
  const witnesses = ['home', 'tools'];

  type Told = readonly [minute: number, who: 'home' | 'tools' | 'lamp', color: string];
  /** The belief after what home or tools says, or the lamp itself, at some minutes. */
  function told(...all: readonly Told[]): Belief<Lamp> {
    return all.reduce<Belief<Lamp>>((belief, [minute, who, color]) => {
      const nowMs = minute * MINUTE_MS;
      if (who === 'lamp') return settle(belief, { says: { color }, witnesses, nowMs }, RULES);
      const said = { witness: who, value: { ...LAMP, color }, unreadable: NOBODY, isFirst: false, witnesses, nowMs };
      return hear(belief, said, RULES);
    }, START);
  }
  const color = (...all: readonly Told[]) => told(...all).value.color;
  const denied: readonly Told[] = [
    [0, 'home', 'blue'],
    [0, 'lamp', 'red'],
  ];

  test('is a second witness of what another says anew', () => {
    expect(color([0, 'home', 'blue'], [0, 'lamp', 'blue'])).toBe('blue');
  });

  test('refutes nothing by saying what is believed: it, or another witness, may say otherwise later', () => {
    expect(color(...denied)).toBe('red');
    expect(color(...denied, [1, 'lamp', 'blue'])).toBe('blue');
    expect(color(...denied, [1, 'tools', 'blue'])).toBe('blue');
    expect(color(...denied, [0.9, 'tools', 'blue']), 'not within a minute').toBe('red');
  });

  test('is overruled by three answers over ten minutes, and by no fewer', () => {
    expect(color(...denied, [1, 'home', 'blue'], [9.9, 'home', 'blue'])).toBe('red');
    expect(color(...denied, [60, 'home', 'blue'])).toBe('red');
    expect(color(...denied, [1, 'home', 'blue'], [10, 'home', 'blue'])).toBe('blue');
    expect(color(...denied, [1, 'home', 'blue'], [9, 'lamp', 'red'], [10, 'home', 'blue'])).toBe('blue');
    expect(color(...denied, [5, 'home', 'green'], [10, 'home', 'blue'], [11, 'home', 'blue']), 'not in between').toBe(
      'blue',
    );
  });

  test('of what a denied witness repeats, three answers are counted, and nothing more is kept', () => {
    const counted = told(...denied, [1, 'home', 'blue'], [2, 'home', 'blue']);
    expect(counted.dissents).toEqual({ home: { color: { says: 'blue', sinceMs: 0, answers: 3 } } });
    const said = { witness: 'home', value: { ...LAMP, ...blue }, unreadable: NOBODY, isFirst: false, witnesses };
    expect(hear(counted, { ...said, nowMs: 3 * MINUTE_MS }, RULES)).toBe(counted);
  });

  describe('saying what only old statements say', () => {
    /** Home has changed from red to blue, and tools has not. */
    const older: readonly Told[] = [
      [0, 'home', 'blue'],
      [1, 'home', 'blue'],
    ];

    test('is believed once it has said so in three answers over ten minutes', () => {
      expect(color(...older, [12, 'lamp', 'red'], [13, 'lamp', 'red'], [16, 'lamp', 'red'])).toBe('blue');
      const said: readonly Told[] = [
        [12, 'lamp', 'red'],
        [13, 'lamp', 'red'],
        [22, 'lamp', 'red'],
      ];
      expect(color(...older, ...said)).toBe('red');
      expect(color(...older, ...said, [23, 'home', 'blue'], [40, 'home', 'blue'], [60, 'home', 'blue'])).toBe('red');
    });

    test('begins anew when it has said something else, or another has', () => {
      const [first, second] = [
        [12, 'lamp', 'red'],
        [13, 'lamp', 'red'],
      ] as const;
      expect(color(...older, first, second, [14, 'lamp', 'blue'], [30, 'lamp', 'red'])).toBe('blue');
      expect(color(...older, first, second, [14, 'lamp', 'green'], [30, 'lamp', 'red'])).toBe('blue');
      const changed = [
        [14, 'home', 'green'],
        [15, 'home', 'green'],
      ] as const;
      expect(color(...older, first, second, ...changed, [30, 'lamp', 'red'])).toBe('green');
    });

    test('makes no feed’s answer a second one', () => {
      const belief = told(...older, [12, 'lamp', 'red']);
      expect(belief.dissents[ITSELF]?.['color']).toMatchObject({ says: 'red', answers: 1 });
      expect(color(...older, [12, 'lamp', 'red'], [13, 'home', 'red'])).toBe('blue');
    });
  });

  test('saying what nobody else says is ignored, and nothing is copied', () => {
    const belief = told(...denied);
    expect(settle(belief, { says: { color: 'green' }, witnesses, nowMs: MINUTE_MS }, RULES)).toBe(belief);
    expect(settle(START, { says: { color: 'red' }, witnesses, nowMs: 0 }, RULES)).toBe(START);
  });

  test('confirms what one answer alone has shown', () => {
    const once = heard([['home', { watts: 9 }]]).at(-1) as Belief<Lamp>;
    expect(settle(once, { says: { watts: 9 }, witnesses, nowMs: 0 }, RULES).seenOnce).toEqual([]);
  });
});

test('of a field of which nothing is known, the first statement is believed', () => {
  const [believed] = heard([['home', { color: 'blue' }, { unknown: new Set(['color']) }]]);
  expect(believed).toMatchObject({ value: { color: 'blue' }, seenOnce: ['color'] });
});

test('what could not be read says nothing, whatever its value', () => {
  const unreadable = new Set(['color', 'watts']);
  const said: Said = ['home', { color: '', watts: 0 }, { unreadable }];
  const [first, second] = heard([said, said]);
  expect([first, second]).toEqual([START, START]);
  expect(second).toBe(START);
});

test('what can be read is heard, though a statement waits whose repetition could not be read', () => {
  const half: Said = ['home', { color: '', watts: 9 }, { unreadable: new Set(['color']) }];
  expect(colors(['home', { color: 'blue' }], half, ['home', { color: 'blue' }])).toEqual(['red', 'red', 'blue']);
});

test('agreeing changes nothing, and nothing is copied', () => {
  const [first] = heard([['home', {}]]);
  expect(first).toBe(START);
});

test('a field without a rule is not compared', () => {
  const thing = { id: 1, color: 'red' };
  const rules: FieldRules<typeof thing> = { color: { isSame, isBelievedAtOnce: () => true } };
  const statement = { witness: 'home', unreadable: NOBODY, isFirst: false, witnesses: ['home'], nowMs: 0 };
  const belief = { value: thing, dissents: {}, seenOnce: [] };
  expect(hear(belief, { ...statement, value: { id: 2, color: 'red' } }, rules)).toBe(belief);
  expect(hear(belief, { ...statement, value: { id: 2, color: 'blue' } }, rules).value).toEqual({
    id: 1,
    color: 'blue',
  });
});

describe('a change that astonishes', () => {
  const rules: FieldRules<Lamp> = {
    watts: { isSame, isBelievedAtOnce: () => false, isAstonishing: (was, says) => says > 5 * was },
  };
  const says = (belief: Belief<Lamp>, witness: string, number: number, nowMs: number) =>
    hear(
      belief,
      {
        witness,
        value: { ...LAMP, watts: number },
        unreadable: NOBODY,
        isFirst: false,
        witnesses: ['home', 'tools'],
        nowMs,
      },
      rules,
    );

  test.each(['home', 'tools'])('takes two answers with time between them, also where %s gives the second', (second) => {
    const once = says(START, 'home', 99, 0);
    expect(says(once, second, 99, APART_MS - 1).value.watts).toBe(5);
    const soon = says(once, second, 99, APART_MS - 1);
    expect(says(soon, second, 99, APART_MS).value.watts).toBe(99);
  });

  test('is not believed because the thing itself says so at the same moment, and is a minute later', () => {
    const once = says(START, 'home', 99, 0);
    const by = { says: { watts: 99 }, witnesses: ['home', 'tools'] };
    const soon = settle(once, { ...by, nowMs: APART_MS - 1 }, rules);
    expect(soon.value.watts).toBe(5);
    expect(settle(soon, { ...by, nowMs: APART_MS }, rules).value.watts).toBe(99);
    expect(says(soon, 'home', 99, APART_MS).value.watts).toBe(99);
  });

  test('is believed with the next answer after a clock was set back by hours', () => {
    const once = says(START, 'home', 99, 24 * 60 * APART_MS);
    expect(says(once, 'home', 99, 0).value.watts).toBe(99);
  });

  test('that does not astonish needs no time', () => {
    expect(says(says(START, 'home', 9, 0), 'tools', 9, 0).value.watts).toBe(9);
  });
});

test('a rule is asked with what is believed, what is said, and when', () => {
  const asked: unknown[] = [];
  const rules: FieldRules<Lamp> = { watts: { isSame, isBelievedAtOnce: (...all) => asked.push(all) > 0 } };
  const statement = { witness: 'home', unreadable: NOBODY, isFirst: false, witnesses: ['home'], nowMs: 77 };
  hear(START, { ...statement, value: { color: 'blue', watts: 9 } }, rules);
  expect(asked).toEqual([[5, 9, 77]]);
});
