import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { StoreError } from '../../../src/shared/errors.ts';
import { inMemory } from '../../../src/store/table/records.ts';
import { type Kind, kind, State } from '../../../src/store/table/state.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { type Backend, stateIn } from '../../helpers/opened-state.ts';

interface Opened {
  backend: Backend;
  /** The same state, opened anew. */
  reopen: () => Backend;
  /** Breaks the connection between the backend and where the rows are, for good. */
  breakOff: () => Promise<void>;
  /** Makes the place where the rows are refuse every write. */
  refuseWrites: () => Promise<unknown>;
}

const THING: Kind<unknown> = { name: 'thing', read: (row) => row ?? undefined };
const NUMBER: Kind<number> = { name: 'number', read: (row) => (typeof row === 'number' ? row : undefined) };
const SHAPED = kind<{ a: number }>('shaped', { a: z.number() });

/** A backend that tells of its writes, and begins each one only when it may. */
function gated(backend: Backend) {
  const writes: string[][] = [];
  let gate = Promise.resolve();
  let open = (): void => undefined;
  return {
    /** The keys of each write so far. */
    writes,
    /** From now on, writes wait. */
    hold() {
      gate = new Promise<void>((resolve) => {
        open = resolve;
      });
    },
    release: () => open(),
    /** Lets the writes that wait fail. */
    fail() {
      gate = Promise.reject(new StoreError('The disk is full.'));
      gate.catch(() => undefined);
    },
    mend() {
      gate = Promise.resolve();
    },
    backend: {
      ...backend,
      async write(rows) {
        writes.push([...rows.keys()]);
        await gate;
        return backend.write(rows);
      },
    } satisfies Backend,
  };
}

/** A backend whose rows are read by way of `through`. */
function readThrough(
  backend: Backend,
  through: (keys: string[], read: () => Promise<unknown[]>) => Promise<unknown[]>,
): Backend {
  const { keyv } = backend;
  const getMany = (keys: string[]) => through(keys, async () => (await keyv.getMany?.(keys)) ?? []);
  return { ...backend, keyv: Object.assign(Object.create(keyv) as Backend['keyv'], { getMany }) };
}

const rowOf = (value: unknown) => JSON.stringify({ value });

type Row = Awaited<ReturnType<Backend['page']>>[number];

async function allRows(backend: Backend): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await backend.page(rows.at(-1)?.key ?? '', '\u{10FFFF}');
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

async function listed<T>(state: State, kind: Kind<T>, prefix?: string): Promise<[string, T][]> {
  const records: [string, T][] = [];
  for await (const entry of state.entries(kind, prefix)) records.push(entry);
  return records;
}

/** Stores numbers by their keys. */
const setAll = (state: State, numbers: Readonly<Record<string, number>>) =>
  state.commit((changes) => {
    for (const [key, number] of Object.entries(numbers)) changes.set(NUMBER, key, number);
  });

/**
 * The duties of every backend, and of the state in it, whatever is behind it.
 * @param isThere false where what is behind it is missing, so that its tests are skipped
 */
export function backendConformance(name: string, open: () => Promise<Opened>, isThere = true): void {
  async function openOnce() {
    const opened = await open();
    onTestFinished(() => opened.backend.close());
    const reopen = () => {
      const backend = opened.reopen();
      onTestFinished(() => backend.close());
      return backend;
    };
    return { ...opened, reopen, state: stateIn(opened.backend) };
  }

  describe.runIf(isThere)(`${name}: records`, () => {
    test('what was written is there in this run and the next, and what was not is not', async () => {
      const { state, reopen } = await openOnce();
      await setAll(state, { x: 1, gone: 1 });
      const result = await state.commit((changes) => {
        changes.set(NUMBER, 'x', 2);
        changes.set(THING, 'y', { text: 'new' });
        changes.delete(NUMBER, 'gone');
        changes.delete(NUMBER, 'missing');
        return 'result';
      });
      expect(result).toBe('result');
      for (const run of [state, stateIn(reopen())]) {
        expect(await run.get(NUMBER, 'x')).toBe(2);
        expect(await run.get(THING, 'y')).toEqual({ text: 'new' });
        expect(await run.get(NUMBER, 'gone')).toBeUndefined();
        expect(await run.get(NUMBER, 'missing')).toBeUndefined();
      }
    });

    test('of many that are asked for, those that there are are answered in that order', async () => {
      const { state } = await openOnce();
      await setAll(state, { a: 1, b: 2 });
      const found = await state.among(NUMBER, ['b', 'missing', 'a', 'b']);
      expect([...found]).toEqual([
        ['b', 2],
        ['a', 1],
      ]);
      expect(await state.among(NUMBER, [])).toEqual(new Map());
    });

    test('records that are asked for while others are being read are read together, and none is older than the question', async () => {
      const { backend } = await openOnce();
      const reads: string[][] = [];
      const state = stateIn(
        readThrough(backend, (keys, read) => {
          reads.push(keys);
          return read();
        }),
      );
      await setAll(state, { a: 1, b: 2 });
      const first = state.get(NUMBER, 'a');
      await expect.poll(() => reads).toEqual([['number:a']]);
      const others = [state.get(NUMBER, 'b'), state.among(NUMBER, ['c', 'a'])] as const;
      await setAll(state, { c: 3 });
      const later = state.among(NUMBER, ['c', 'b']);
      expect(await first).toBe(1);
      const [b, before] = await Promise.all(others);
      expect([b, before.get('a'), before.get('c')]).toEqual([2, 1, expect.toBeOneOf([undefined, 3])]);
      expect([...(await later).values()]).toEqual([3, 2]);
      for (let round = 0; round < 20; round += 1) {
        void state.get(NUMBER, 'a');
        await setAll(state, { a: round });
        expect(await state.get(NUMBER, 'a')).toBe(round);
      }
      expect(reads.length).toBeGreaterThan(20);
    });

    test('a read that fails rejects for all who asked, and those after it read anew', async () => {
      const { backend } = await openOnce();
      let failures = 2;
      const state = stateIn(
        readThrough(backend, (_keys, read) => {
          failures -= 1;
          return failures < 0 ? read() : Promise.reject(new Error('The disk failed.'));
        }),
      );
      await setAll(state, { a: 1 });
      const outcomes = await Promise.allSettled([
        state.get(NUMBER, 'a'),
        state.get(NUMBER, 'b'),
        state.among(NUMBER, ['a']),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      await expect(state.get(NUMBER, 'a')).rejects.toThrow(StoreError);
      expect(await state.get(NUMBER, 'a')).toBe(1);
    });

    test('keeps kinds of records apart', async () => {
      const { state } = await openOnce();
      const other: Kind<number> = { ...NUMBER, name: 'number-two' };
      await setAll(state, { k: 1, 'two:k': 2 });
      expect(await state.get(other, 'k')).toBeUndefined();
      await state.commit((changes) => changes.set(other, 'k', 3));
      expect(await listed(state, NUMBER)).toEqual([
        ['k', 1],
        ['two:k', 2],
      ]);
      expect(await listed(state, other)).toEqual([['k', 3]]);
    });

    test.each([5_000, 16_384, 20_000])(
      'writes %i rows in one commit, new and old, and deletes them',
      async (length) => {
        const { state, backend } = await openOnce();
        await setAll(state, { k1: -1 });
        const many = Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, index]));
        await setAll(state, many);
        expect(Object.fromEntries(await listed(state, NUMBER))).toEqual(many);
        await state.commit((changes) => {
          for (const key of Object.keys(many)) if (key !== 'k7') changes.delete(NUMBER, key);
        });
        expect(await allRows(backend)).toEqual([{ key: 'number:k7', value: rowOf(7) }]);
      },
    );

    test('keeps every character, in keys and in values', async () => {
      const { state, reopen } = await openOnce();
      const text = '\u0000 "quotes" \'\' \\ \u{1F600} \n {"json":true} %_?$1';
      const key = text.slice(1);
      await state.commit((changes) => changes.set(THING, key, text));
      for (const run of [state, stateIn(reopen())]) {
        expect(await run.get(THING, key)).toBe(text);
        expect(await run.get(THING, key)).toEqual(text);
        expect(await listed(run, THING)).toEqual([[key, text]]);
        expect(await run.under(THING, [key.slice(0, 15)])).toEqual([[key, text]]);
      }
      await state.commit((changes) => changes.delete(THING, key));
      expect(await state.get(THING, key)).toBeUndefined();
    });

    test('keeps a text that begins with a colon, wherever it stands', async () => {
      const { state, reopen } = await openOnce();
      const things = [':a', '::', ':base64:YQ==', { ':k': ':v' }, [':', 'x', ':'], { a: [{ b: ':c' }] }, '",":'];
      await state.commit((changes) => {
        for (const [index, thing] of things.entries()) changes.set(THING, `:${index}`, thing);
      });
      const keys = things.map((_, index) => `:${index}`);
      for (const run of [state, stateIn(reopen())]) {
        expect([...(await run.among(THING, keys)).values()]).toEqual(things);
        expect(await listed(run, THING)).toEqual(things.map((thing, index) => [`:${index}`, thing]));
        expect(await run.under(THING, [':'])).toHaveLength(things.length);
      }
    });

    test('lists records by key, all or those whose keys begin alike', async () => {
      const { state } = await openOnce();
      await setAll(state, { '2/x': 4, '1/\u{1F600}': 3, '1/b': 2, '1': 0, '1/a': 1, '1/B': 5, '10': 6 });
      const under = [
        ['1/B', 5],
        ['1/a', 1],
        ['1/b', 2],
        ['1/\u{1F600}', 3],
      ];
      expect(await listed(state, NUMBER, '1/')).toEqual(under);
      expect(await state.under(NUMBER, ['1/'])).toEqual(under);
      expect(await listed(state, NUMBER)).toEqual([['1', 0], ...under, ['10', 6], ['2/x', 4]]);
      expect(await state.under(NUMBER, ['2/', '3/', '1/', '2/'])).toEqual([...under, ['2/x', 4]]);
      for (const none of [['%'], ['1_'], []]) expect(await state.under(NUMBER, none)).toEqual([]);
    });

    test('lists those under many prefixes among many rows', async () => {
      const { state } = await openOnce();
      const keys = Array.from({ length: 6_000 }, (_, index) => `${String(index % 3_000).padStart(4, '0')}/${index}`);
      await setAll(state, Object.fromEntries(keys.map((key, index) => [key, index])));
      const prefixes = Array.from({ length: 1_000 }, (_, index) => `${String(index * 3).padStart(4, '0')}/`);
      const found = await state.under(NUMBER, prefixes.toReversed());
      expect(found.map(([key]) => key)).toEqual(keys.filter((_, index) => (index % 3_000) % 3 === 0).toSorted());
    });

    test('leaves nothing out of a listing when rows go meanwhile', async () => {
      const { state } = await openOnce();
      const keys = Array.from({ length: 1_200 }, (_, index) => `k${String(index).padStart(4, '0')}`);
      await setAll(state, Object.fromEntries(keys.map((key, index) => [key, index])));
      const seen: string[] = [];
      for await (const [key] of state.entries(NUMBER)) {
        seen.push(key);
        if (seen.length % 10 === 1) await state.commit((changes) => changes.delete(NUMBER, key));
      }
      expect(seen).toEqual(keys);
    });

    test('a listing whose connection breaks rejects: what it has told is not taken for all', async () => {
      const { state, breakOff } = await openOnce();
      await setAll(state, Object.fromEntries(Array.from({ length: 5_104 }, (_, index) => [`k${index}`, index])));
      const listing = state.entries(NUMBER);
      await listing.next();
      await breakOff();
      async function readOn(): Promise<void> {
        for (;;) if ((await listing.next()).done) return;
      }
      await expect(readOn()).rejects.toThrow(StoreError);
      await expect(state.under(NUMBER, ['k1'])).rejects.toThrow(StoreError);
    });

    test('a damaged row is told of once, counts as absent, and stays as it is', async () => {
      const { backend } = await openOnce();
      const lines: string[] = [];
      const state = new State(backend, { log: createTestLog((line) => lines.push(line)) });
      const bad = ['', 'null', 'no JSON', '[]', '5', '{}', '{"value":null}', rowOf(5), rowOf([]), rowOf({ a: '1' })];
      const rows = new Map(bad.map((text, index) => [`shaped:bad${index}`, text]));
      await backend.write(new Map([...rows, ['shaped:good', rowOf({ a: 1, more: true })]]));
      const keys = bad.map((_, index) => `bad${index}`);
      for (let time = 0; time < 2; time += 1) {
        expect(await listed(state, SHAPED)).toEqual([['good', { a: 1, more: true }]]);
        expect(await state.under(SHAPED, ['bad', 'good'])).toEqual([['good', { a: 1, more: true }]]);
        expect([...(await state.among(SHAPED, [...keys, 'good']))]).toEqual([['good', { a: 1, more: true }]]);
        for (const key of keys) expect(await state.get(SHAPED, key)).toBeUndefined();
      }
      const told = lines.map((line) => (JSON.parse(line) as { row: string }).row);
      expect(told.toSorted()).toEqual([...rows.keys()].toSorted());
      expect(new Map((await backend.under(['shaped:bad'])).map(({ key, value }) => [key, value]))).toEqual(rows);
    });

    test.each([0, 1, 499, 500, 501, 1_000])(
      'of %i outdated rows among others all go, and nothing else',
      async (count) => {
        const { state } = await openOnce();
        const keys = Array.from({ length: count + 3 }, (_, index) => `k${String(index).padStart(4, '0')}`);
        await setAll(state, Object.fromEntries(keys.map((key, index) => [key, index])));
        await state.sweep(NUMBER, (index) => index > 0 && index <= count);
        expect((await listed(state, NUMBER)).map(([key]) => key)).toEqual([keys[0], ...keys.slice(-2)]);
      },
    );

    test('records go once they have been kept for longer than their kind says, and others stay', async () => {
      const { state } = await openOnce();
      const kept: Kind<number> = { ...NUMBER, name: 'kept', kept: { ms: 10, since: (atMs) => atMs } };
      await state.commit((changes) => {
        for (const atMs of [89, 90, 200]) changes.set(kept, String(atMs), atMs);
        changes.set(NUMBER, 'old', 0);
      });
      await state.sweepOld(kept, 100);
      await state.sweepOld(NUMBER, 100);
      expect((await listed(state, kept)).map(([key]) => key)).toEqual(['200', '90']);
      expect(await state.get(NUMBER, 'old')).toBe(0);
    });
  });

  describe.runIf(isThere)(`${name}: commits`, () => {
    /** A state whose writes can be held, and a kind of record in memory. */
    async function openGated() {
      const opened = await openOnce();
      const gate = gated(opened.backend);
      const state = stateIn(gate.backend);
      return { ...opened, gate, state, numbers: await inMemory(state, NUMBER) };
    }

    test('all of a commit is stored, or none, where the place refuses it', async () => {
      const { state, reopen, refuseWrites } = await openOnce();
      const numbers = await inMemory(state, NUMBER);
      await state.commit((changes) => numbers.set(changes, 'k', 1));
      await refuseWrites();
      const refused = [
        state.commit((changes) => numbers.set(changes, 'k', 2)),
        state.commit((changes) => numbers.set(changes, 'new', 2)),
        state.commit((changes) => numbers.delete(changes, 'k')),
      ];
      for (const commit of refused) await expect(commit).rejects.toThrow(StoreError);
      expect(numbers.entries()).toEqual([['k', 1]]);
      for (const run of [state, stateIn(reopen())]) expect(await listed(run, NUMBER)).toEqual([['k', 1]]);
    });

    test('a record that can not be written keeps the rest of its commit from being written, and nothing after it', async () => {
      const { state, backend } = await openOnce();
      const circle: unknown[] = [];
      circle.push(circle);
      const failing = state.commit((changes) => {
        changes.set(NUMBER, 'a', 1);
        changes.set(THING, 'b', circle);
      });
      await expect(failing).rejects.toThrow(StoreError);
      expect(await allRows(backend)).toEqual([]);
      await setAll(state, { a: 2 });
      expect(await state.get(NUMBER, 'a')).toBe(2);
    });

    test('commits take effect in the order of calls, and those that come during a write are written together', async () => {
      const { gate, state, numbers } = await openGated();
      gate.hold();
      const done: string[] = [];
      const commits = ['a', 'b', 'c', 'd'].map((key, index) =>
        state
          .commit((changes) => {
            numbers.set(changes, key, index);
            changes.afterwards(() => done.push(`${key} took effect`));
          })
          .then(() => done.push(`${key} resolved`)),
      );
      await expect.poll(() => gate.writes).toEqual([['number:a']]);
      expect(numbers.keys()).toEqual([]);
      gate.release();
      await Promise.all(commits);
      expect(gate.writes).toEqual([['number:a'], ['number:b', 'number:c', 'number:d']]);
      expect(numbers.entries()).toEqual(['a', 'b', 'c', 'd'].map((key, index) => [key, index]));
      const effects = done.filter((line) => line.endsWith('effect'));
      expect(effects).toEqual(['a', 'b', 'c', 'd'].map((key) => `${key} took effect`));
      for (const key of ['a', 'b', 'c', 'd']) {
        expect(done.indexOf(`${key} took effect`)).toBeLessThan(done.indexOf(`${key} resolved`));
      }
    });

    test('a row that two commits change is decided by the later one when the earlier one is stored', async () => {
      const { gate, state, numbers } = await openGated();
      gate.hold();
      const inTheWay = setAll(state, { other: 0 });
      const add = (key: string, more: number) =>
        state.commit((changes) => numbers.set(changes, key, (numbers.get(key) ?? 0) + more));
      const commits = [inTheWay, add('k', 1), add('l', 5), add('k', 10), add('k', 100)];
      gate.release();
      await Promise.all(commits);
      expect(numbers.entries()).toEqual([
        ['other', 0],
        ['k', 111],
        ['l', 5],
      ]);
      expect(await listed(state, NUMBER)).toEqual([
        ['k', 111],
        ['l', 5],
        ['other', 0],
      ]);
      expect(gate.writes).toEqual([['number:other'], ['number:k', 'number:l'], ['number:k'], ['number:k']]);
    });

    test('a change of a record that an earlier commit makes or deletes sees that, though it has not been stored yet', async () => {
      const { gate, state, numbers } = await openGated();
      await state.commit((changes) => numbers.set(changes, 'old', 1));
      gate.hold();
      const commits = [
        setAll(state, { other: 0 }),
        state.commit((changes) => numbers.set(changes, 'new', 1)),
        state.commit((changes) => numbers.change(changes, 'new', (number) => number + 1)),
        state.commit((changes) => numbers.delete(changes, 'old')),
        state.commit((changes) => numbers.change(changes, 'old', (number) => number + 1)),
      ];
      gate.release();
      await Promise.all(commits);
      expect(numbers.entries()).toEqual([
        ['other', 0],
        ['new', 2],
      ]);
    });

    test('within a commit, a later change of a record sees the earlier one', async () => {
      const { state } = await openOnce();
      const numbers = await inMemory(state, NUMBER);
      await state.commit((changes) => {
        numbers.set(changes, 'k', 1);
        numbers.change(changes, 'k', (number) => number + 1);
        numbers.set(changes, 'gone', 1);
        numbers.delete(changes, 'gone');
        numbers.change(changes, 'gone', (number) => number + 1);
        expect(changes.get(NUMBER, 'k')).toBe(2);
        expect(changes.get(NUMBER, 'gone')).toBeNull();
        expect(changes.get(NUMBER, 'other')).toBeUndefined();
      });
      expect(numbers.entries()).toEqual([['k', 2]]);
      expect(await listed(state, NUMBER)).toEqual([['k', 2]]);
    });

    test('a commit that reads is alone: it sees all earlier ones, and later ones see it', async () => {
      const { gate, state, numbers } = await openGated();
      gate.hold();
      const commits = [
        setAll(state, { a: 1 }),
        setAll(state, { b: 1 }),
        state.transact(async (changes) => {
          const found = await listed(state, NUMBER);
          numbers.set(changes, 'count', found.length);
          await state.get(NUMBER, 'a');
          return found;
        }),
        state.commit((changes) => numbers.set(changes, 'copy', numbers.get('count') ?? -1)),
        setAll(state, { c: 1 }),
      ];
      gate.release();
      const [, , found] = await Promise.all(commits);
      expect(found).toEqual([
        ['a', 1],
        ['b', 1],
      ]);
      expect(numbers.get('copy')).toBe(2);
      expect(gate.writes).toEqual([['number:a'], ['number:b'], ['number:count'], ['number:copy', 'number:c']]);
    });

    test('a write that fails rejects all that were to be written with it, and nothing has changed', async () => {
      const { gate, state, numbers, reopen } = await openGated();
      await state.commit((changes) => numbers.set(changes, 'k', 1));
      gate.fail();
      const effects: string[] = [];
      const commits = ['a', 'b', 'c'].map((key) =>
        state.commit((changes) => {
          numbers.set(changes, key, 2);
          changes.afterwards(() => effects.push(key));
        }),
      );
      const reading = state.transact(async (changes) => numbers.set(changes, 'k', 3));
      for (const commit of [...commits, reading]) await expect(commit).rejects.toThrow('The disk is full.');
      expect(effects).toEqual([]);
      expect(numbers.entries()).toEqual([['k', 1]]);
      expect(await listed(stateIn(reopen()), NUMBER)).toEqual([['k', 1]]);
      gate.mend();
      await state.commit((changes) => numbers.change(changes, 'k', (number) => number + 1));
      expect(await listed(stateIn(reopen()), NUMBER)).toEqual([['k', 2]]);
    });

    test('what a commit throws is its own affair: nothing of it is stored, and others are', async () => {
      const { gate, state, numbers } = await openGated();
      gate.hold();
      const refuse = (): never => {
        throw new Error('There is one already.');
      };
      const commits = [
        setAll(state, { a: 1 }),
        setAll(state, { b: 1 }),
        state.commit((changes) => {
          numbers.set(changes, 'bad', 1);
          refuse();
        }),
        state.transact(async (changes) => {
          numbers.set(changes, 'bad', 1);
          refuse();
        }),
        setAll(state, { c: 1 }),
      ];
      const outcomes = Promise.allSettled(commits);
      gate.release();
      expect((await outcomes).map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
      ]);
      await expect(commits[2]).rejects.toThrow('There is one already.');
      expect((await listed(state, NUMBER)).map(([key]) => key)).toEqual(['a', 'b', 'c']);
      expect(numbers.keys()).toEqual(['a', 'b', 'c']);
    });

    test('a commit that changes nothing writes nothing, and what is to happen afterwards does', async () => {
      const { gate, state } = await openGated();
      let isDone = false;
      const result = await state.commit((changes) => {
        changes.afterwards(() => {
          isDone = true;
        });
        return 5;
      });
      expect([result, isDone, gate.writes]).toEqual([5, true, []]);
    });

    test('what fails after a commit is stored is its own affair, and those behind it go on', async () => {
      const { state } = await openOnce();
      const failing = state.commit((changes) => {
        changes.set(NUMBER, 'a', 1);
        changes.afterwards(() => {
          throw new Error('a listener failed');
        });
      });
      const next = state.commit((changes) => changes.set(NUMBER, 'b', 2));
      await expect(failing).rejects.toThrow('a listener failed');
      await next;
      await state.commit((changes) => changes.set(NUMBER, 'c', 3));
      expect((await listed(state, NUMBER)).map(([key]) => key)).toEqual(['a', 'b', 'c']);
    });

    test('a commit is done at whatever moment it comes after the last one', async () => {
      const { state } = await openOnce();
      for (let turns = 0; turns < 20; turns += 1) {
        const last = setAll(state, { [`last${turns}`]: turns });
        // At its settling and in each of the next turns, in which the writing may be about to end.
        await new Promise<void>((resolve, reject) => {
          void last.then(async () => {
            for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
            setAll(state, { [`next${turns}`]: turns }).then(resolve, reject);
          });
        });
        await setAll(state, { [`another${turns}`]: turns });
      }
      await state.settled();
      expect(await listed(state, NUMBER)).toHaveLength(60);
    });

    test('a state is settled when all that was asked for is written', async () => {
      const { gate, state } = await openGated();
      gate.hold();
      const commits = [setAll(state, { a: 1 }), setAll(state, { b: 1 })];
      let isSettled = false;
      const settled = state.settled().then(() => {
        isSettled = true;
      });
      await expect.poll(() => gate.writes).toHaveLength(1);
      expect(isSettled).toBe(false);
      gate.release();
      await settled;
      expect(gate.writes).toHaveLength(2);
      await Promise.all(commits);
      await state.settled();
    });

    test('each read and write is timed, whether or not it succeeds', async () => {
      const { backend } = await openOnce();
      const gate = gated(backend);
      const operations: string[] = [];
      const onOperation = (operation: string, seconds: number) => {
        expect(seconds).toBeGreaterThanOrEqual(0);
        operations.push(operation);
      };
      const state = new State(gate.backend, { log: createTestLog(() => undefined), onOperation });
      await setAll(state, { a: 1 });
      await state.get(NUMBER, 'a');
      await state.among(NUMBER, ['a']);
      await state.under(NUMBER, ['a']);
      gate.fail();
      await expect(setAll(state, { a: 2 })).rejects.toThrow(StoreError);
      expect(operations).toEqual(['write', 'read', 'read', 'read', 'write']);
    });
  });

  describe.runIf(isThere)(`${name}: the lease`, () => {
    const lease = (holder: string) => JSON.stringify({ holder });

    test('is written where it is as it was seen, and nowhere else', async () => {
      const { backend, reopen } = await openOnce();
      const other = reopen();
      expect(await backend.lease.read()).toBeUndefined();
      expect(await backend.lease.replace(undefined, lease('a'))).toBe(true);
      expect(await other.lease.replace(undefined, lease('b'))).toBe(false);
      expect(await other.lease.replace(lease('c'), lease('b'))).toBe(false);
      expect(await other.lease.read()).toBe(lease('a'));
      expect(await other.lease.replace(lease('a'), lease('b'))).toBe(true);
      expect(await backend.lease.read()).toBe(lease('b'));
    });

    test('is got by one of many who write it at once', async () => {
      const { backend, reopen } = await openOnce();
      const all = [backend, reopen(), reopen(), reopen()];
      const written = await Promise.all(all.map((one, index) => one.lease.replace(undefined, `${index}`)));
      expect(written.filter(Boolean)).toHaveLength(1);
      expect(await backend.lease.read()).toBe(String(written.indexOf(true)));
    });

    test('is no record, and records are as they were when it changes', async () => {
      const { backend, state } = await openOnce();
      await setAll(state, { a: 1 });
      await backend.lease.replace(undefined, lease('a'));
      expect(await listed(state, NUMBER)).toEqual([['a', 1]]);
    });

    test('whoever it does not name writes nothing, and reads all the same', async () => {
      const { backend, state, reopen } = await openOnce();
      const other = reopen();
      await setAll(state, { k: 1 });
      await backend.lease.replace(undefined, lease('a'));
      backend.lease.fence('a');
      await setAll(state, { k: 2 });
      await other.lease.replace(lease('a'), lease('b'));
      const commits = [
        () => setAll(state, { k: 3 }),
        () => setAll(state, { new: 3 }),
        () => state.commit((changes) => changes.delete(NUMBER, 'k')),
      ];
      for (const commit of commits) {
        await expect(commit()).rejects.toThrow('another process has taken the state over');
      }
      expect(await state.among(NUMBER, ['k', 'new'])).toEqual(new Map([['k', 2]]));
      // What has no fence is written: it is the other's.
      await setAll(stateIn(other), { k: 4 });
      await other.lease.replace(lease('b'), lease('a'));
      await setAll(state, { new: 5 });
      expect([...(await state.among(NUMBER, ['k', 'new'])).values()]).toEqual([4, 5]);
    });

    test('from the moment at which another takes it, no write goes through, whatever is on its way', async () => {
      const { backend, reopen } = await openOnce();
      const [other, ...writers] = [reopen(), reopen(), reopen(), reopen()] as [Backend, ...Backend[]];
      await backend.lease.replace(undefined, lease('a'));
      for (let round = 0; round < 10; round += 1) {
        for (const writer of writers) writer.lease.fence('a');
        let isTaken = false;
        const writing = writers.map(async (writer, index) => {
          for (let count = 0; ; count += 1) {
            const key = `number:${round}/${index}/${count}`;
            // Large, so that a write takes a while.
            const rows = new Map(Array.from({ length: 50 }, (_, row) => [`${key}/${row}`, rowOf(count)]));
            const isWritten = await writer.write(rows).then(
              () => true,
              () => false,
            );
            if (!isWritten || isTaken) return isWritten;
          }
        });
        const isWriting = async () => (await other.under([`number:${round}/`])).length > 100;
        await expect.poll(isWriting, { timeout: 10_000 }).toBe(true);
        expect(await other.lease.replace(lease('a'), lease('b'))).toBe(true);
        const atTakeover = await other.under([`number:${round}/`]);
        isTaken = true;
        await Promise.all(writing);
        expect(await other.under([`number:${round}/`])).toEqual(atTakeover);
        await other.lease.replace(lease('b'), lease('a'));
      }
    });
  });
}
