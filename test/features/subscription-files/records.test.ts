import { copyFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RECORDS } from '../../../src/features/subscription-files/records.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { openedRecords, openedState } from '../../helpers/opened-state.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { NOW_MS } from '../../helpers/things.ts';

test('a prepared import is found in its server, until another one replaces it or it is forgotten', async () => {
  const { state } = openedState();
  const { imports } = await openedRecords(state, undefined, [RECORDS]);
  const prepared = (id: string) => ({ id, text: '{}', preparedAtMs: NOW_MS });
  await imports.save('1', prepared('a'));
  expect(await imports.get('1')).toEqual(prepared('a'));
  expect(await imports.get('2')).toBeUndefined();
  await imports.save('1', prepared('b'));
  await (await openedRecords(state, undefined, [RECORDS])).sweep(NOW_MS + 7 * DAY_MS);
  expect(await imports.get('1')).toEqual(prepared('b'));
  await (await openedRecords(state, undefined, [RECORDS])).sweep(NOW_MS + 7 * DAY_MS + 1);
  expect(await imports.get('1')).toBeUndefined();
  await imports.save('1', prepared('c'));
  await imports.remove('1');
  expect(await imports.get('1')).toBeUndefined();
});

test('one that version 0.1.0 has prepared is found', async () => {
  const url = temporaryState();
  copyFileSync('test/store/states/version-1.sqlite', url.slice('sqlite://'.length));
  const { imports } = await openedRecords(openedState(url).state, undefined, [RECORDS]);
  expect(await imports.get('1')).toMatchObject({ text: '{}' });
});
