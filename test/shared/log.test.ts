import { expect, test } from 'vitest';
import { createLog } from '../../src/shared/log.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog('debug', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

test('fields that hold secrets are masked, also one level down', () => {
  const secret = 'not to be seen';
  const text = logged((log) =>
    log.info({ token: secret, key: secret, headers: { authorization: secret, 'x-api-key': secret } }, 'hello'),
  );
  expect(text).toContain('hello');
  expect(text).not.toContain(secret);
});

test('an error keeps its message and causes and loses the request that it carries', () => {
  const url = 'https://discord.example/interactions/1/not-to-be-seen/callback';
  const error = Object.assign(new Error('Unknown interaction', { cause: new Error('the deeper reason') }), {
    code: 10_062,
    url,
    requestBody: { json: { content: 'not-to-be-seen' } },
  });
  const text = logged((log) => log.warn({ err: error }, 'failed'));
  expect(text).toContain('Unknown interaction');
  expect(text).toContain('the deeper reason');
  expect(text).toContain('10062');
  expect(text).not.toContain('not-to-be-seen');
});

test('what is thrown and is no error is logged all the same', () => {
  expect(logged((log) => log.error({ err: 'a bare string' }, 'failed'))).toContain('a bare string');
});
