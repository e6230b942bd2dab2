import { expect, test } from 'vitest';
import { HELP, parseArguments } from '../../src/local-discord/arguments.ts';
import { ConfigError } from '../../src/shared/errors.ts';

test('everything has a default', () => {
  expect(parseArguments([])).toEqual({
    help: false,
    port: 4200,
    host: '127.0.0.1',
    stateUrl: 'sqlite://data/local-discord.sqlite',
  });
});

test('options are read in both spellings', () => {
  const options = parseArguments(['--port', '0', '--host=localhost', '--state', 'sqlite:///tmp/a', '--help']);
  expect(options).toEqual({ help: true, port: 0, host: 'localhost', stateUrl: 'sqlite:///tmp/a' });
  for (const name of ['--port', '--host', '--state', '--help']) expect(HELP).toContain(name);
});

test('every problem is named at once', () => {
  const parse = () =>
    parseArguments(['--what', 'else', '--port', '70000', '--help=no', '--state=file', '--host', '--port']);
  expect(parse).toThrow(ConfigError);
  try {
    parse();
  } catch (error) {
    expect(error).toMatchObject({
      problems: [
        "--what isn't an option. Use --help for the list.",
        `"else" isn't an option. Use --help for the list.`,
        '--help takes no value.',
        '--host needs a value.',
        '--port is "70000"; use a number from 0 to 65535.',
        '--state is "file"; use sqlite:// and a path.',
      ],
    });
  }
  expect.assertions(2);
});
