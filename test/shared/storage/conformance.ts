import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../../src/shared/errors.ts';
import type { Backend } from '../../../src/shared/storage/backend.ts';

interface Opened {
  backend: Backend;
  /** The same state, opened anew. */
  reopen: () => Backend;
  /** Breaks the connection between the backend and where the rows are, for good. */
  breakOff: () => Promise<void>;
  /** Makes the place where the rows of a table are refuse its writes. */
  refuseWrites: (table: string) => Promise<unknown>;
}

/**
 * The duties of every storage backend, whatever is behind it.
 * @param isThere false where what is behind it is missing, so that its tests are skipped
 */
export function backendConformance(name: string, open: () => Promise<Opened>, isThere = true): void {
  async function openOnce(): Promise<Opened> {
    const opened = await open();
    onTestFinished(() => opened.backend.close());
    return opened;
  }

  describe.runIf(isThere)(name, () => {
    test('gives back what was written, and undefined for what was not', async () => {
      const table = (await openOnce()).backend.table<{ a: number }>('things');
      await table.set('x', { a: 1 });
      await table.set('x', { a: 2 });
      expect(await table.get('x')).toEqual({ a: 2 });
      expect(await table.get('y')).toBeUndefined();
    });

    test('answers many in the order asked for', async () => {
      const table = (await openOnce()).backend.table<number>('things');
      await table.setMany([
        ['a', 1],
        ['b', 2],
      ]);
      expect(await table.getMany(['b', 'missing', 'a', 'b'])).toEqual([2, undefined, 1, 2]);
      expect(await table.getMany([])).toEqual([]);
    });

    test.each([5000, 16_383, 16_384, 20_000])('writes %i at once, new and old', async (length) => {
      const table = (await openOnce()).backend.table<string>('things');
      await table.set('k1', 'old');
      const many = Array.from({ length }, (_, index) => [`k${index}`, `v${index}`] as const);
      await table.setMany(many);
      const seen = new Map<string, string>();
      for await (const [key, value] of table.entries()) seen.set(key, value);
      expect(seen).toEqual(new Map(many));
    });

    test('keeps every character', async () => {
      const table = (await openOnce()).backend.table<string>('things');
      const text = '\u0000 "quotes" \\ \u{1F600} \n {"json":true}';
      const key = text.slice(1);
      await table.set(key, text);
      await table.setMany([[`many ${key}`, text]]);
      expect(await table.getMany([key, `many ${key}`])).toEqual([text, text]);
    });

    test('keeps a text that begins with a colon, wherever it stands', async () => {
      const table = (await openOnce()).backend.table<unknown>('things');
      const things = [':a', '::', ':base64:YQ==', { ':k': ':v' }, [':', 'x', ':'], { a: [{ b: ':c' }] }, '",":'];
      await table.setMany(things.map((thing, index) => [String(index), thing]));
      await table.set('alone', ':one');
      expect(await table.getMany(things.map((_, index) => String(index)))).toEqual(things);
      expect(await table.get('alone')).toBe(':one');
    });

    test('writes and deletes rows together', async () => {
      const { backend, reopen } = await openOnce();
      const table = backend.table<unknown>('things');
      await table.setMany([
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ]);
      await backend.change('things', {
        set: [
          ['b', ':two'],
          ['d', { ':': [':'] }],
        ],
        deleted: ['a', 'missing'],
      });
      const again = reopen();
      onTestFinished(() => again.close());
      for (const one of [table, again.table<unknown>('things')]) {
        expect(await one.getMany(['a', 'b', 'c', 'd'])).toEqual([undefined, ':two', 3, { ':': [':'] }]);
      }
    });

    test('of rows that are written together, all stay as they were where one fails', async () => {
      const { backend } = await openOnce();
      const table = backend.table<unknown>('things');
      await table.set('a', 1);
      const circle: unknown[] = [];
      circle.push(circle);
      const failing = backend.change('things', {
        set: [
          ['a', 2],
          ['b', circle],
        ],
        deleted: [],
      });
      await expect(failing).rejects.toThrow();
      expect(await table.getMany(['a', 'b'])).toEqual([1, undefined]);
    });

    test('deletes one and many, and minds no absence', async () => {
      const table = (await openOnce()).backend.table<number>('things');
      await table.setMany([
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ]);
      await table.delete('a');
      await table.deleteMany(['b', 'missing']);
      await table.deleteMany([]);
      await table.delete('missing');
      expect(await table.getMany(['a', 'b', 'c'])).toEqual([undefined, undefined, 3]);
    });

    test('leaves nothing out of a listing when rows go meanwhile', async () => {
      const table = (await openOnce()).backend.table<number>('things');
      const keys = Array.from({ length: 1200 }, (_, index) => `k${String(index).padStart(4, '0')}`);
      await table.setMany(keys.map((key, index) => [key, index]));
      const seen: string[] = [];
      for await (const [key] of table.entries()) {
        seen.push(key);
        await table.delete(key);
      }
      expect(seen).toEqual(keys);
    });

    test('a listing whose connection breaks rejects: what it has told is not taken for all', async () => {
      const { backend, breakOff } = await openOnce();
      const table = backend.table<number>('things');
      await table.setMany(Array.from({ length: 5104 }, (_, index) => [`k${index}`, index]));
      const listing = table.entries()[Symbol.asyncIterator]();
      await listing.next();
      await breakOff();
      async function readOn(): Promise<void> {
        for (;;) if ((await listing.next()).done) return;
      }
      await expect(readOn()).rejects.toThrow(StoreError);
    });

    test('a write that is refused rejects, and changes nothing', async () => {
      const { backend, refuseWrites } = await openOnce();
      const table = backend.table<number>('things');
      await table.set('k', 1);
      await refuseWrites('things');
      const writes = [() => table.set('k', 2), () => table.setMany([['new', 2]]), () => table.deleteMany(['k'])];
      for (const write of writes) await expect(write()).rejects.toThrow(StoreError);
      expect(await table.getMany(['k', 'new'])).toEqual([1, undefined]);
    });

    test('gives and takes rows as they are stored, but not the lease', async () => {
      const { backend, reopen } = await openOnce();
      await backend.table<number>('one').set('k', 1);
      await backend.lease.replace(undefined, '{"holder":"a"}');
      await backend.raw.write('two', [
        { key: 'b', value: '{"value":2}' },
        { key: 'a', value: 'no JSON' },
      ]);
      const other = reopen();
      onTestFinished(() => other.close());
      expect((await other.raw.tables()).toSorted()).toEqual(['one', 'two']);
      expect(await Readable.from(other.raw.rows('two')).toArray()).toEqual([
        { key: 'a', value: 'no JSON' },
        { key: 'b', value: '{"value":2}' },
      ]);
      expect(await other.table<number>('two').get('b')).toBe(2);
    });

    test('a row written twice at once holds what came last', async () => {
      const table = (await openOnce()).backend.table<number>('things');
      await table.setMany([
        ['k', 1],
        ['other', 1],
        ['k', 2],
      ]);
      expect(await table.getMany(['k', 'other'])).toEqual([2, 1]);
    });

    test('lists the rows whose keys begin alike, by key', async () => {
      const table = (await openOnce()).backend.table<number>('things');
      await table.setMany([
        ['offer:2/x', 4],
        ['offer:1/\u{1F600}', 3],
        ['offer:1/b', 2],
        ['offer:1', 0],
        ['offer:1/a', 1],
      ]);
      expect(await table.entriesWith('offer:1/')).toEqual([
        ['offer:1/a', 1],
        ['offer:1/b', 2],
        ['offer:1/\u{1F600}', 3],
      ]);
      expect(await table.entriesWith('offer:%')).toEqual([]);
    });

    test('keeps kinds of records apart', async () => {
      const { backend } = await openOnce();
      await backend.table<number>('one').set('k', 1);
      expect(await backend.table<number>('two').get('k')).toBeUndefined();
    });

    test('forgets a row when its time is up', async () => {
      const table = (await openOnce()).backend.table<number>('things');
      await table.set('over', 1, -1);
      await table.setMany([['also over', 1]], -1);
      await table.set('lasting', 1, 3_600_000);
      const listed: string[] = [];
      for await (const [key] of table.entries()) listed.push(key);
      expect(listed).toEqual(['lasting']);
      expect(await table.getMany(['over', 'also over', 'lasting'])).toEqual([undefined, undefined, 1]);
    });

    test('writes the lease where it is as it was seen, and nowhere else', async () => {
      const { backend, reopen } = await openOnce();
      const other = reopen();
      onTestFinished(() => other.close());
      expect(await backend.lease.read()).toBeUndefined();
      expect(await backend.lease.replace(undefined, '{"holder":"a"}')).toBe(true);
      expect(await other.lease.replace(undefined, '{"holder":"b"}')).toBe(false);
      expect(await other.lease.replace('{"holder":"c"}', '{"holder":"b"}')).toBe(false);
      expect(await other.lease.read()).toBe('{"holder":"a"}');
      expect(await other.lease.replace('{"holder":"a"}', '{"holder":"b"}')).toBe(true);
      expect(await backend.lease.read()).toBe('{"holder":"b"}');
    });

    test('writes nothing for whom the lease does not name, and reads all the same', async () => {
      const { backend, reopen } = await openOnce();
      const other = reopen();
      onTestFinished(() => other.close());
      const before = backend.table<number>('before');
      await before.set('k', 1);
      await backend.lease.replace(undefined, '{"holder":"a"}');
      await backend.lease.fence('a');
      const after = backend.table<number>('after');
      await before.set('k', 2);
      await after.setMany([['k', 2]]);
      await other.lease.replace('{"holder":"a"}', '{"holder":"b"}');
      for (const table of [before, after]) {
        const writes = [
          () => table.set('k', 3),
          () => table.set('new', 3),
          () => table.setMany([['k', 3]]),
          () => table.delete('k'),
          () => table.deleteMany(['k']),
        ];
        for (const write of writes) await expect(write()).rejects.toThrow(StoreError);
        expect(await table.getMany(['k', 'new'])).toEqual([2, undefined]);
      }
      await other.lease.replace('{"holder":"b"}', '{"holder":"a"}');
      await before.set('k', 4);
      expect(await before.get('k')).toBe(4);
    });

    test('of many who write the lease at once, one does', async () => {
      const { backend, reopen } = await openOnce();
      const others = [reopen(), reopen(), reopen()];
      for (const other of others) onTestFinished(() => other.close());
      const written = await Promise.all(
        [backend, ...others].map(({ lease }, index) => lease.replace(undefined, `${index}`)),
      );
      expect(written.filter(Boolean)).toHaveLength(1);
      expect(await backend.lease.read()).toBe(String(written.indexOf(true)));
    });

    test('goes on from what a former run left', async () => {
      const { backend, reopen } = await openOnce();
      await backend.table<number>('things').set('k', 7);
      const again = reopen();
      onTestFinished(() => again.close());
      expect(await again.table<number>('things').get('k')).toBe(7);
    });
  });
}
