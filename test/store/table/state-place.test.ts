import { expect, test } from 'vitest';
import { StoreError } from '../../../src/shared/errors.ts';
import {
  isOnServer,
  isStateUrl,
  placeOf,
  postgresPlace,
  requireFileState,
} from '../../../src/store/table/state-place.ts';

test.each([
  ['sqlite://data/dealbell.sqlite', 'data/dealbell.sqlite', false],
  ['sqlite:///data/dealbell.sqlite', '/data/dealbell.sqlite', false],
  ['sqlite://a', 'a', false],
  ['postgres://dealbell@localhost/dealbell', 'localhost/dealbell', true],
  ['postgresql://dealbell@db.example:6543/deals?schema=other', 'db.example:6543/deals, schema other', true],
])('%s is a state in %s', (url, place, isServer) => {
  expect(isStateUrl(url)).toBe(true);
  expect(placeOf(url)).toBe(place);
  expect(isOnServer(url)).toBe(isServer);
});

test.each([
  '',
  'sqlite://',
  'sqlite://:memory:',
  'data/dealbell.sqlite',
  'file sqlite://data/dealbell.sqlite',
  'redis://localhost',
  'my postgres://localhost/dealbell',
  'postgres://',
  'postgres:///dealbell',
  'postgres://localhost',
  'postgres://localhost/',
  'postgres://localhost/a/b',
  'postgres://local host/a',
  'postgres://localhost/dealbell?schema=',
  'postgres://localhost/dealbell?schema=Upper',
  'postgres://localhost/dealbell?schema=1st',
  'postgres://localhost/dealbell?schema=a;b',
  `postgres://localhost/dealbell?schema=${'a'.repeat(64)}`,
])('"%s" is no address of a state', (url) => {
  expect(isStateUrl(url)).toBe(false);
});

test('the library gets an address without the schema, with everything else', () => {
  const url = new URL('postgres://dealbell@localhost:5432/dealbell?sslmode=verify-full&schema=a_1');
  url.password = 'p%40ss';
  expect(postgresPlace(url.href)).toEqual({
    url: url.href.replace('&schema=a_1', ''),
    schema: 'a_1',
    label: 'localhost:5432/dealbell, schema a_1',
  });
  expect(postgresPlace(`postgres://localhost/dealbell?schema=${'a'.repeat(63)}`).schema).toHaveLength(63);
  expect(postgresPlace('postgres://localhost/my%20deals')).toMatchObject({
    schema: 'dealbell',
    label: 'localhost/my deals',
  });
});

test.each(['postgres://:secret-word@', 'https://secret-word@localhost/dealbell', 'secret-word'])(
  'an address that is none is refused in words that do not repeat it',
  (url) => {
    const refuse = () => postgresPlace(url);
    expect(refuse).toThrow(StoreError);
    expect(refuse).toThrow(
      'The address of a PostgreSQL state is postgres://user@host:5432/database, and ?schema=name.',
    );
  },
);

test('what needs a file is refused for a database, with what to use instead', () => {
  expect(() => requireFileState('postgres://localhost/dealbell')).toThrow(
    "localhost/dealbell isn't a file. Use pg_dump and pg_restore for backups of a PostgreSQL database.",
  );
  expect(() => requireFileState('sqlite://data/dealbell.sqlite')).not.toThrow();
});
