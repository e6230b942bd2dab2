import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import type { App } from '../../../src/app/app.ts';
import {
  linesOfRunningBot,
  openOperatorSocket,
  operatorSocketOf,
  type Waiting,
} from '../../../src/app/operator-socket.ts';
import { AUDIT, operateAudit } from '../../../src/features/audit/terminal/command.ts';
import type { AuditReply, ReadingProgress } from '../../../src/features/audit/terminal/protocol.ts';
import { FEATURES } from '../../../src/features/index.ts';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse, type House } from '../../helpers/house.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { backendAt } from '../../helpers/opened-state.ts';
import { argumentsOf } from '../../helpers/operator-arguments.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';

/** A bot that has posted six kettles in #deals, each by itself, two hours ago. */
async function aHouseWithPosts() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content, features: FEATURES });
  const STATE_URL = temporaryState();
  const start = () => house.startBot({ STATE_URL });
  const app = await start();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await house.tick(app);
  const items: Record<string, unknown>[] = [];
  for (const number of [1, 2, 3, 4, 5, 6]) {
    items.push(feedItem(number, { EndDate: null }));
    folder.writeFeed('Home', items);
    await house.clock.advance(120_000);
    await house.tick(app);
    await app.settled();
  }
  await house.clock.advance(2 * HOUR_MS);
  return { house, folder, app, start, STATE_URL };
}

/** Runs the operator's command. */
async function operate(
  stateUrl: string,
  args: string[],
  ask: ((question: string) => Promise<boolean>) | null = null,
  clock: Clock = systemClock,
) {
  const said: string[] = [];
  const progress: (string | null)[] = [];
  const status = await operateAudit(argumentsOf(AUDIT, ...args), {
    clock,
    say: (line) => said.push(line),
    showProgress: (line) => progress.push(line),
    ask,
    askBot: (...asked) => linesOfRunningBot(operatorSocketOf(stateUrl), ...asked),
  });
  return { status, text: said.join('\n'), progress };
}

/** What stands in #deals, by the kettles' numbers; oldest first. */
const kettles = (house: House) =>
  house.announcements('deals').map((message) => /Kettle (\d+)/.exec(textOf(message))?.[1]);

function asBot({ discord }: House, method: 'DELETE' | 'PATCH', message: PageMessage | undefined, body?: unknown) {
  return fetch(`${discord.api}/v10/channels/${message?.channel_id}/messages/${message?.id}`, {
    method,
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/**
 * Does all that an audit finds: post 1 is deleted, 2 stands there twice, 3 names another price, of 4 the ledger's row is gone,
 * of 5 every record and its message.
 */
async function plantAll(house: House, app: App, stateUrl: string) {
  const posts = house.announcements('deals');
  const [deleted, doubled, dearer, forgotten, untraced] = posts;
  await app.stop();
  const state = backendAt(stateUrl);
  const rows = await state.under(['ledger:', 'post:']);
  const lost = rows.filter(
    ({ key, value }) =>
      (key.startsWith('ledger:') && value.includes(`"${forgotten?.id}"`)) || value.includes(`"${untraced?.id}"`),
  );
  expect(lost).toHaveLength(3);
  await state.write(new Map(lost.map(({ key }) => [key, null])));
  await state.close();
  await asBot(house, 'DELETE', deleted);
  await asBot(house, 'DELETE', untraced);
  const copy = await house.post(doubled?.channel_id ?? '', { flags: 32_768, components: doubled?.components });
  const changed = JSON.parse(JSON.stringify(dearer?.components).replaceAll('$20.00', '$25.00')) as unknown;
  expect((await asBot(house, 'PATCH', dearer, { components: changed })).status).toBe(200);
  await house.clock.advance(2 * HOUR_MS);
  return { copy, dearer };
}

test('the audit finds, tells what a repair would do, and repairs it once', async () => {
  const { house, app, start, STATE_URL } = await aHouseWithPosts();
  const well = await operate(STATE_URL, []);
  expect(well).toMatchObject({ status: 0, text: 'Nothing was found in 1 channel.' });
  expect(well.progress).toEqual(['Reading #deals (1 of 1)', null]);

  const { copy, dearer } = await plantAll(house, app, STATE_URL);
  const again = await start();
  await house.tick(again);
  const found = await operate(STATE_URL, []);
  expect(found.status).toBe(2);
  for (const what of ['missing', 'twice', 'unposted', 'untrue', 'unrecorded']) {
    expect(found.text).toMatch(new RegExp(`^${what} +.*#deals +Kettle \\d`, 'm'));
  }
  expect(found.text).toContain(`https://discord.com/channels/${house.discord.guildId}/${copy.channel_id}/${copy.id}`);
  expect(found.text).toContain('5 findings in 1 channel.');
  expect(found.text).toContain(
    '"npm run audit -- --repair" repairs it: 1 posted, 1 brought up to date, 1 deleted, 1 recorded in the ledger.',
  );
  expect(found.text).toContain('Left as they are: 1 that somebody has deleted.');
  const before = kettles(house);
  expect(before).toEqual(['2', '3', '4', '6', '2']);

  const questions: string[] = [];
  const refusing = await operate(STATE_URL, ['--repair'], async (question) => {
    questions.push(question);
    return false;
  });
  expect(refusing).toMatchObject({ status: 2, text: expect.stringContaining('Nothing was changed.') });
  expect(questions).toEqual(['Repair this? [y/N] ']);
  await again.settled();
  expect(kettles(house)).toEqual(before);

  const repaired = await operate(STATE_URL, ['--repair'], async () => true);
  expect(repaired.text).toContain(
    "On its way: 1 posted, 1 brought up to date, 1 deleted, 1 recorded in the ledger, as the channels' limits allow.",
  );
  // What somebody has deleted is left.
  expect(repaired.status).toBe(2);
  await again.settled();
  expect(kettles(house)).toEqual(['2', '3', '4', '6', '5']);
  const nowThere = house.announcements('deals').find(({ id }) => id === dearer?.id);
  expect(textOf(nowThere ?? {})).toContain('$20.00');
  expect((await operate(STATE_URL, ['--repair', '--yes'])).text).toContain('1 finding in 1 channel.');

  const withDeleted = await operate(STATE_URL, ['--repair', '--deleted', '--yes']);
  expect(withDeleted).toMatchObject({ status: 0, text: expect.stringContaining('On its way: 1 posted') });
  await again.settled();
  expect(kettles(house)).toEqual(['2', '3', '4', '6', '5', '1']);
  await house.clock.advance(2 * HOUR_MS);
  expect(await operate(STATE_URL, [])).toMatchObject({ status: 0 });
});

test('programs get JSON, and posts wait while posting is paused', async () => {
  const { house, app, STATE_URL } = await aHouseWithPosts();
  const [first] = house.announcements('deals');
  const copy = await house.post(first?.channel_id ?? '', { flags: 32_768, components: first?.components });
  await house.asAda('deals', '/owner pause');
  const { status, text } = await operate(STATE_URL, ['--repair', '--yes', '--json']);
  expect(status).toBe(0);
  const finding = { what: 'twice', channelId: copy.channel_id, messageId: copy.id, deliveryId: expect.any(String) };
  expect(JSON.parse(text)).toEqual({
    channels: 1,
    unread: [],
    findings: [
      {
        ...finding,
        server: expect.any(String),
        channel: '#deals',
        deal: 'Kettle 1',
        link: `https://discord.com/channels/${house.discord.guildId}/${copy.channel_id}/${copy.id}`,
      },
    ],
    steps: [{ ...finding, step: 'delete' }],
    left: [],
    isPaused: true,
  });
  // What is queued is no finding any more.
  expect(JSON.parse((await operate(STATE_URL, ['--json'])).text)).toMatchObject({ findings: [] });
  await app.settled();
  expect(kettles(house)).toContain('1');
  await house.asAda('deals', '/owner resume');
  await app.settled();
  expect(kettles(house)).toEqual(['1', '2', '3', '4', '5', '6']);
});

test('a channel that could not be read is named, and makes the audit no clean one', async () => {
  const { house, STATE_URL } = await aHouseWithPosts();
  const { id } = house.discord.channel('deals');
  house.discord.setPermissions(id, { deny: ['readMessageHistory'] });
  expect(await operate(STATE_URL, [])).toMatchObject({
    status: 1,
    text: 'Nothing was found in 0 channels.\nCould not be read: #deals. "npm run check-setup" says what is missing there.',
  });
});

test('before its start is through, the bot makes no audit; where none runs, it says to start it', async () => {
  const STATE_URL = temporaryState();
  await expect(operate(STATE_URL, [])).rejects.toThrow('No running Dealbell uses this state on this machine. Start it');
  const house = await aHouse({ content: () => aCatalogFolder().content, features: FEATURES });
  house.discord.faults.use(({ path }) => (path === '/gateway/bot' ? { kind: 'drop', accepted: false } : undefined));
  await house.startBot({ STATE_URL });
  await expect(operate(STATE_URL, [])).rejects.toThrow('Dealbell is starting. Nothing was changed: try again.');
});

test.each([
  [['--repair'], 'Nobody can be asked here. Add --yes to repair what is found. Nothing was changed.'],
  [['--deleted'], '--deleted goes with --repair only.'],
  [['--yes'], '--yes goes with --repair only.'],
  [['now'], `"now" isn't an option. Use --help for the list.`],
])('of %j it says what is wrong, before it asks anybody', async (args, problem) => {
  await expect(operate(temporaryState(), args)).rejects.toThrow(problem);
});

test('a question and JSON do not go together', async () => {
  await expect(operate(temporaryState(), ['--repair', '--json'], async () => true)).rejects.toThrow('Add --yes');
});

/** Somebody who answers at the socket of a state in place of a bot. */
async function aStandIn(audit: (waiting: Waiting) => Promise<AuditReply>): Promise<string> {
  const stateUrl = temporaryState();
  onTestFinished(
    await openOperatorSocket(operatorSocketOf(stateUrl), { run: (_job, _asked, waiting) => audit(waiting) }),
  );
  return stateUrl;
}

test('it says how far it is, and how long the rest takes', async () => {
  const clock = new ManualClock();
  const stateUrl = await aStandIn(async ({ tell }) => {
    for (const number of [1, 2, 3]) {
      const reading: ReadingProgress = { channel: `#c${number}`, number, of: 200 };
      tell({ result: 'reading', ...reading });
      // The command reads the line by then.
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(1_000);
    }
    return { result: 'audited', channels: 200, unread: [], findings: [] };
  });
  const { progress } = await operate(stateUrl, [], null, clock);
  expect(progress[0]).toBe('Reading #c1 (1 of 200)');
  expect(progress[1]).toMatch(/^Reading #c2 \(2 of 200, about \d+ (s|min) left\)$/);
  expect(progress.at(-1)).toBeNull();
});

test('foreign text sends nothing to the terminal, and is cut', async () => {
  const finding = { what: 'copy', channelId: '1', deliveryId: null, messageId: '2', link: null } as const;
  const audited: AuditReply = {
    result: 'audited',
    channels: 1,
    unread: [],
    findings: [{ ...finding, server: 'House\u001B[2J', channel: '#deals', deal: `Kettle\n${'x'.repeat(100)}` }],
  };
  const { text } = await operate(await aStandIn(async () => audited), []);
  expect(text).toMatch(/^copy +House \[2J #deals +Kettle x{32}…$/m);
  expect(text).not.toContain('\u001B');
});

test('an error that nobody expected is said to be in the log', async () => {
  const stateUrl = await aStandIn(() => Promise.reject(new Error('a defect')));
  await expect(operate(stateUrl, [])).rejects.toThrow('Something went wrong: the log says what.');
});

test('a bot that ends before it is through can be asked again', async () => {
  const stateUrl = temporaryState();
  mkdirSync(dirname(operatorSocketOf(stateUrl)), { mode: 0o700 });
  const dying = createServer((_, response) => {
    response.write('{"result":"reading","channel":"#deals","number":1,"of":2}\n', () => response.destroy());
  }).listen(operatorSocketOf(stateUrl));
  onTestFinished(() => void dying.close());
  await once(dying, 'listening');
  await expect(operate(stateUrl, [])).rejects.toThrow('Run this again: nothing is done twice.');
});

test('an audit that nobody waits for any more ends', async () => {
  let hasBegun: (() => void) | undefined;
  const begun = new Promise<void>((resolve) => {
    hasBegun = resolve;
  });
  let hasEnded: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    hasEnded = resolve;
  });
  const stateUrl = await aStandIn(async ({ signal }) => {
    hasBegun?.();
    await once(signal, 'abort');
    hasEnded?.();
    return { result: 'refused', problems: [] };
  });
  const client = connect(operatorSocketOf(stateUrl));
  const body = '{"repair":null}';
  client.write(
    `POST /audit HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await begun;
  client.destroy();
  await ended;
});
