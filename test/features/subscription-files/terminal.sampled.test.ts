import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config.ts';
import type { OperatorSurroundings } from '../../../src/app/feature.ts';
import { operatorSocketOf } from '../../../src/app/operator-socket.ts';
import { SETTINGS } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { SUBSCRIPTIONS } from '../../../src/features/subscription-files/terminal/command.ts';
import { StateInUseError } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { openStore } from '../../../src/store/store.ts';
import { HEARTBEAT_MS } from '../../../src/store/table/lease.ts';
import { builtProgram } from '../../helpers/built-program.ts';
import { betweenLooks, lookUntilOver } from '../../helpers/lease-looks.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { argumentsOf } from '../../helpers/operator-arguments.ts';
import { isInFull } from '../../helpers/sampled.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aKnownOffer, aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';

const PROGRAM = builtProgram('src/app/operator/operator.ts');
const GUILD = '100000000000000001';
const CHANNEL = '200000000000000001';
const clock = new ManualClock(new Date(NOW_MS + HOUR_MS).toISOString());

const subscribed = (id: string, changes: Partial<Subscription> = {}) =>
  aSubscription(id, { guildId: GUILD, channelId: CHANNEL, source: { kind: 'feed', feed: 'Home' }, ...changes });

/** A state with these subscriptions, as a stopped bot leaves it, and a folder for files. */
async function aState(...subscriptions: Subscription[]) {
  const url = temporaryState();
  const store = await openStore(url, clock);
  await store.commit((changes) => store.markSetUp(changes));
  for (const one of subscriptions) await store.subscriptions.save(one);
  await store.close();
  const folder = dirname(url.slice('sqlite://'.length));
  return { url, path: (name: string) => join(folder, name) };
}

async function stored(url: string): Promise<Subscription[]> {
  const store = await openStore(url, clock);
  const all = store.subscriptions.all();
  await store.close();
  return all;
}

/** Runs a job in this process, without a bot. */
function run(url: string, args: string[], say: (line: string) => void, ask: OperatorSurroundings['ask'] = null) {
  return SUBSCRIPTIONS.run(argumentsOf(SUBSCRIPTIONS, ...args), {
    config: parseConfig({ STATE_URL: url }),
    settings: SETTINGS,
    records: [],
    clock,
    dealbell: '0',
    say,
    showProgress: () => undefined,
    ask,
    isBotListening: async () => false,
    socket: operatorSocketOf(url),
    askBot: () => {
      throw new Error('No bot listens.');
    },
  });
}

/** Resolves with what a job said. */
async function operate(url: string, args: string[], ask: OperatorSurroundings['ask'] = null): Promise<string> {
  const lines: string[] = [];
  await run(url, args, (line) => lines.push(line), ask);
  return lines.join('\n');
}

test('what is exported is planned without a change; an edited file is applied once, exactly as planned', async () => {
  const { url, path } = await aState(
    subscribed('a'),
    subscribed('b', { source: { kind: 'polls' }, kinds: ['new-poll'] }),
  );
  const store = await openStore(url, clock);
  await store.commit((changes) =>
    store.resources.set(changes, 'feed:Home', {
      firstSeenMs: NOW_MS - HOUR_MS,
      polledAtMs: NOW_MS,
      isFollowed: true,
      isCutOff: false,
      marketingName: null,
    }),
  );
  await store.commit((changes) => {
    store.offers.set(changes, uuid(1), aKnownOffer(1));
    store.offers.set(changes, uuid(2), aKnownOffer(2, { title: 'Samsung SSD' }));
  });
  await store.close();

  const file = path('deals.yaml');
  expect(await operate(url, ['export', file])).toBe(`Exported to ${file}.`);
  expect(await operate(url, ['plan', file])).toBe('Nothing to do: 2 unchanged.');
  await expect(operate(url, ['export', file])).rejects.toThrow('exists already');

  const text = readFileSync(file, 'utf8');
  const [head = '', , polls = ''] = text.split(/^ {6}- /m);
  writeFileSync(
    file,
    `${head}      - id: a\n        channel: '${CHANNEL}'\n        source: feed\n        feed: Home\n        filter: ssd\n`,
  );
  expect(polls).toContain('source: polls');
  const planned = `  ~ change  Home feed in channel ${CHANNEL} of server ${GUILD} (a)
      filter: not set → "ssd"
  - remove  Polls in channel ${CHANNEL} of server ${GUILD} (b)
0 to add, 1 to change, 1 to remove, 0 unchanged.
The last seven days would have posted:
  channel ${CHANNEL}: 2 before, 1 after (-1), as far as is known`;
  expect(await operate(url, ['plan', file])).toBe(planned);
  const before = await stored(url);
  expect(before.map(({ id }) => id)).toEqual(['a', 'b']);

  const questions: string[] = [];
  const answering = (answer: boolean) => async (question: string) => {
    questions.push(question);
    return answer;
  };
  await expect(operate(url, ['apply', file])).rejects.toThrow('Add --yes');
  expect(await operate(url, ['apply', file], answering(false))).toBe(`${planned}\nNothing was changed.`);
  expect(await stored(url)).toEqual(before);
  expect(await operate(url, ['apply', file], answering(true))).toBe(
    `${planned}\nApplied. The next start posts accordingly.`,
  );
  expect(questions).toHaveLength(2);
  expect(await stored(url)).toMatchObject([{ id: 'a', filter: 'ssd' }]);
  expect(await operate(url, ['apply', file, '--yes'])).toBe('Nothing to do: 1 unchanged.');
});

test('a state that a Dealbell uses is exported and planned, and not changed', async () => {
  const { url, path } = await aState(subscribed('a'));
  const signal = new AbortController().signal;
  const log = createLog('silent');
  const owner = { dealbell: '0', clock: new ManualClock(), log, signal, onLost: () => undefined };
  const running = await openStore(url, owner.clock, owner);
  await operate(url, ['export', path('deals.json')]);
  const applying = operate(url, ['apply', path('deals.json'), '--yes']).catch((error: unknown) => error);
  await betweenLooks(clock);
  await owner.clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
  await owner.clock.advance(HEARTBEAT_MS);
  // The heartbeat is written.
  await owner.clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
  const refused = await lookUntilOver(clock, applying);
  expect(refused).toBeInstanceOf(StateInUseError);
  expect(refused).toMatchObject({
    message: expect.stringContaining('Or use /subscription import in Discord.'),
  });
  await running.close();
});

test('without a state there is nothing to export, and applying a file makes one', async () => {
  const { path } = await aState();
  const url = `sqlite://${path('new/state.sqlite')}`;
  await expect(operate(url, ['export'])).rejects.toThrow('There is no state');
  expect(existsSync(path('new'))).toBe(false);
  const file = path('deals.json');
  writeFileSync(
    file,
    JSON.stringify({
      version: 1,
      servers: [{ id: GUILD, subscriptions: [{ channel: CHANNEL, source: 'dealcasts', 'catch-up': 2 }] }],
    }),
  );
  expect(await operate(url, ['apply', file, '--yes'])).toContain('1 to add');
  expect(await stored(url)).toMatchObject([
    { source: { kind: 'dealcasts' }, catchUp: 2, createdBy: '', target: 'channel' },
  ]);
  expect(await operate(url, ['apply', file, '--yes'])).toBe('Nothing to do: 1 unchanged.');
});

test('wrong arguments and a wrong file are told in sentences', async () => {
  const { url, path } = await aState();
  await expect(operate(url, [])).rejects.toThrow('Say what to do: export, plan, apply or convert.');
  await expect(operate(url, ['constructor'])).rejects.toThrow('"constructor" is none of export, plan, apply, convert.');
  await expect(operate(url, ['plan'])).rejects.toThrow('Name the file: npm run subscriptions -- plan <file>.');
  await expect(operate(url, ['plan', 'a', 'b'])).rejects.toThrow('Two arguments are enough: plan a b.');
  await expect(operate(url, ['plan', '--now', 'a'])).rejects.toThrow("--now isn't an option. Use --help for the list.");
  await expect(operate(url, ['plan', 'a', '--yes'])).rejects.toThrow('--yes goes with apply only.');
  await expect(operate(url, ['apply', 'a', '--json'])).rejects.toThrow('--json goes with plan only.');
  await expect(operate(url, ['plan', path('missing.yaml')])).rejects.toThrow(
    'missing.yaml does not exist. Check the path.',
  );
  writeFileSync(path('bad.yaml'), 'version: 1\nservers:\n- id: 12\n');
  await expect(operate(url, ['plan', path('bad.yaml')])).rejects.toThrow(
    `${path('bad.yaml')} can't be used:
  - servers[0].id: Expected an id in quotes, like "123456789012345678".
  - servers[0].subscriptions: Expected a list.`,
  );
});

const BOTH = [
  { id: 'a', channel: CHANNEL, source: 'feed', feed: 'Home', filter: 'ssd' },
  { channel: CHANNEL, source: 'polls' },
];
const fileOf = (subscriptions: object[]) => JSON.stringify({ version: 1, servers: [{ id: GUILD, subscriptions }] });

test('a plan for programs is one JSON object, and its exit status tells whether something changes', async () => {
  const { url, path } = await aState(subscribed('a'));
  const lines: string[] = [];
  const statusOf = (...args: string[]) => run(url, args, (line) => lines.push(line));
  await operate(url, ['export', path('deals.json')]);
  expect(await statusOf('plan', '--json', path('deals.json'))).toBe(0);
  expect(JSON.parse(lines.join())).toEqual({ added: [], changed: [], removed: [], unchanged: 1, lastSevenDays: [] });
  lines.length = 0;
  writeFileSync(path('new.json'), fileOf(BOTH));
  expect(await statusOf('plan', path('new.json'), '--json')).toBe(2);
  expect(JSON.parse(lines.join())).toEqual({
    added: [{ server: GUILD, channel: CHANNEL, source: 'polls' }],
    changed: [{ server: GUILD, id: 'a', channel: CHANNEL, settings: { filter: { before: null, after: 'ssd' } } }],
    removed: [],
    unchanged: 0,
    lastSevenDays: [{ channel: CHANNEL, before: 0, after: 0, isPartial: true }],
  });
  expect(await statusOf('plan', path('new.json')), 'for people, a plan is no failure').toBe(0);
});

test.runIf(isInFull)('as a program, it prints the export and ends with status 1 where a file is wrong', async () => {
  const { url, path } = await aState(subscribed('a'));
  async function runProgram(...args: string[]) {
    const env = { PATH: process.env['PATH'], STATE_URL: url };
    const child = spawn(process.execPath, [PROGRAM.path, 'subscriptions', ...args], { cwd: PROGRAM.folder, env });
    const output: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => output.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => output.push(chunk));
    const [status] = (await once(child, 'close')) as [number];
    return { status, output: output.join('') };
  }
  expect(await runProgram('export')).toEqual({
    status: 0,
    output: `version: 1\nservers:\n  - id: '${GUILD}'\n    subscriptions:\n      - id: a\n        channel: '${CHANNEL}'\n        source: feed\n        feed: Home\n`,
  });
  writeFileSync(path('bad.json'), '{');
  expect(await runProgram('plan', path('bad.json'))).toMatchObject({ status: 1 });
  expect(await runProgram('sync')).toMatchObject({ status: 2 });
  expect(await runProgram('plan', '--json'), 'there, 2 says something else').toMatchObject({ status: 1 });
  writeFileSync(path('new.json'), fileOf(BOTH));
  expect(await runProgram('plan', '--json', path('new.json'))).toMatchObject({ status: 2 });
});
