import { DiscordAPIError } from 'discord.js';
import { expect, test } from 'vitest';
import { directFailureOf, failureOf } from '../../src/discord/outcome.ts';

const answer = (status: number, code: number) =>
  new DiscordAPIError({ code, message: 'Refused' }, code, status, 'POST', '/channels/1/messages', {});

test.each([
  ['who takes no messages, or has blocked the bot', 403, 50_007],
  ['who shares no server with the bot any more', 403, 50_278],
  ['whom Discord keeps from getting messages', 403, 20_026],
  ['whose account is gone', 404, 10_003],
])('a message to somebody %s may be taken again later', (_, status, code) => {
  expect(directFailureOf(answer(status, code))).toEqual({ kind: 'blocked', reason: 'messages-closed' });
});

test('any other failure is the same in direct messages as in channels', () => {
  for (const error of [
    answer(400, 50_035),
    answer(404, 10_008),
    answer(403, 199_999),
    answer(500, 0),
    new Error('reset'),
  ]) {
    expect(directFailureOf(error)).toEqual(failureOf(error));
  }
  expect(directFailureOf(answer(400, 50_035)).kind).toBe('refused');
  expect(directFailureOf(answer(404, 10_008)).kind).toBe('missing');
  for (const error of [answer(500, 0), answer(403, 199_999)]) expect(directFailureOf(error).kind).toBe('unknown');
});
