import { expect, test } from 'vitest';
import { decodeAnyAction, encodeAction } from '../../../src/discord/custom-id.ts';
import { act, TABLE } from '../../../src/features/subscription-files/actions.ts';
import { uuid } from '../../helpers/things.ts';

test('buttons of an import stay as they were sent, and other texts are none', () => {
  const action = act({ do: 'import', step: 'apply', importId: uuid(1), digest: 'AbCd_-0123456789' });
  const customId = `import:apply:${uuid(1)}:AbCd_-0123456789`;
  expect(encodeAction(action)).toBe(customId);
  expect(decodeAnyAction(customId, [TABLE])).toEqual(action);
  for (const other of ['import:apply:x:', 'import:burn:x:y']) expect(decodeAnyAction(other, [TABLE])).toBeNull();
});
