import { expect, test } from 'vitest';
import { type Entry, readableLine } from '../src/log.ts';

/** The time as this machine's clock shows it. */
const time = new Date(2026, 10, 22, 10, 20, 30).getTime();
const err = { message: 'The disk is full.' };

test.each<[string, Omit<Entry, 'time'>, string]>([
  [
    'an error of local Discord says what was asked of it, and why it has no answer',
    {
      level: 50,
      part: 'local-discord',
      msg: 'A request could not be answered',
      method: 'POST',
      url: '/channels/:channelId/messages',
      err,
    },
    'ERROR local Discord: A request could not be answered (POST /channels/:channelId/messages), The disk is full.',
  ],
  [
    'an error of the catalog',
    { level: 50, part: 'catalog-service', msg: 'A request could not be answered', method: 'GET', url: '/feed', err },
    'ERROR simulated catalog: A request could not be answered (GET /feed), The disk is full.',
  ],
  [
    'a warning of the demo itself',
    { level: 40, msg: 'stopping took too long and was cut short' },
    'WARN  stopping took too long and was cut short',
  ],
  ['what would steer a terminal', { level: 30, msg: 'x\u001b[2J\ny' }, 'x [2J y'],
])('%s', (_, entry, text) => {
  expect(readableLine({ time, ...entry })).toBe(`10:20:30 ${text}`);
});
