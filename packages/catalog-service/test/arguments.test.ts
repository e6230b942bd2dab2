import { describe, expect, test } from 'vitest';
import { HELP, parseArguments } from '../src/arguments.ts';

/** The message about a wrong command line; empty where it is right. */
function problemsOf(...args: string[]): string {
  try {
    parseArguments(args);
  } catch (error) {
    return String(error);
  }
  return '';
}

describe('the options of the catalog', () => {
  test('are all optional', () => {
    expect(parseArguments([])).toEqual({
      help: false,
      host: '127.0.0.1',
      port: 4100,
      keys: ['local'],
      seed: 'dealbell',
      offers: 12_400,
      pace: 'store',
      speed: 1,
      data: null,
      fresh: false,
      limits: { rate: 1, burst: 10, quota: 1000 },
      faults: null,
    });
  });

  test('are taken as they are given; --key can be repeated', () => {
    const args =
      '--host 0.0.0.0 --port=0 --key a --key b --seed s --offers 5 --pace demo --speed 60 --data d --fresh --rate 0.5 --burst 2 --quota 3 --faults 500=0.1,drip=0.2';
    expect(parseArguments(args.split(' '))).toEqual({
      help: false,
      host: '0.0.0.0',
      port: 0,
      keys: ['a', 'b'],
      seed: 's',
      offers: 5,
      pace: 'demo',
      speed: 60,
      data: 'd',
      fresh: true,
      limits: { rate: 0.5, burst: 2, quota: 3 },
      faults: { seed: 's', rates: { 500: 0.1, drip: 0.2 } },
    });
  });

  test('all faults at once', () => {
    const rates = parseArguments(['--faults', 'all=0.05,reset=0']).faults?.rates;
    expect(rates).toMatchObject({ latency: 0.05, malformed: 0.05, 504: 0.05, reset: 0 });
  });

  test.each([
    [['--port', '70000'], '--port'],
    [['--port', '-1'], '--port'],
    [['--port'], '--port'],
    [['--offers', '1.5'], '--offers'],
    [['--speed', '0'], '--speed'],
    [['--pace', 'slow'], '--pace'],
    [['--rate', 'fast'], '--rate'],
    [['--burst', '0'], '--burst'],
    [['--quota', '0'], '--quota'],
    [['--fresh'], '--data'],
    [['--fresh=yes', '--data', 'd'], '--fresh'],
    [['--nothing'], '--nothing'],
    [['-x'], '-x'],
    [['file'], "'file'"],
    [['--faults', 'flood=0.1'], '"flood"'],
    [['--faults', '500=2'], '"500"'],
    [['--faults', '500'], '"500"'],
    [['--faults', 'all=0.5'], '--faults'],
  ])('%j is a problem that names %s', (args, name) => {
    expect(problemsOf(...args)).toContain(name);
  });

  test('an option that misses its value does not take the next option for it', () => {
    expect(problemsOf('--host', '--port', '4100')).toContain('--host');
    expect(problemsOf('--key', '--seed')).toContain('--key');
    expect(parseArguments(['--seed=--fresh']).seed).toBe('--fresh');
  });

  test('all bad values are told in one go', () => {
    expect(problemsOf('--port', 'x', '--rate', 'x', '--fresh').split('\n')).toHaveLength(3);
  });

  test('the help names every option', () => {
    const options = Object.keys(parseArguments([])).flatMap(
      (name) => ({ keys: ['key'], limits: ['rate', 'burst', 'quota'], help: [] })[name] ?? [name],
    );
    for (const option of options) expect(HELP).toContain(`--${option} `);
  });
});
