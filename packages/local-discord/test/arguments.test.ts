import { expect, test } from 'vitest';
import { HELP, OptionError, parseArguments } from '../src/arguments.ts';

test('everything has a default', () => {
  expect(parseArguments([])).toEqual({
    help: false,
    port: 4200,
    host: '127.0.0.1',
    stateUrl: 'sqlite://data/local-discord.sqlite',
    othersPublish: 0,
  });
});

test('options are read in both spellings', () => {
  const others = ['--others-publish', '10'];
  const options = parseArguments([
    '--port',
    '0',
    '--host=localhost',
    '--state',
    'sqlite:///tmp/a',
    '--help',
    ...others,
  ]);
  expect(options).toEqual({
    help: true,
    port: 0,
    host: 'localhost',
    stateUrl: 'sqlite:///tmp/a',
    othersPublish: 10,
  });
  for (const name of ['--port', '--host', '--state', '--others-publish', '--help']) expect(HELP).toContain(name);
});

test('every bad value is named at once', () => {
  const parse = () => parseArguments(['--port', '70000', '--state=file', '--host=', '--others-publish=11']);
  expect(parse).toThrow(OptionError);
  expect(parse).toThrow(
    [
      '--port is "70000"; use a number from 0 to 65535.',
      '--host is ""; use a name or an address.',
      '--others-publish is "11"; use a number from 0 to 10.',
      '--state is "file"; use sqlite:// and a path.',
    ].join('\n'),
  );
});

test.each([
  [['--what'], '--what'],
  [['else'], "'else'"],
  [['--help=no'], '--help'],
  [['--host', '--port'], '--host'],
])('%j is refused, naming %s', (args, name) => {
  expect(() => parseArguments(args)).toThrow(name);
});
