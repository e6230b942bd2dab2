import { expect, test } from 'vitest';
import type { Conditions } from '../../../src/app/feature.ts';
import { OwnerAlerts } from '../../../src/features/alerts/alerts.ts';
import { RECORDS } from '../../../src/features/alerts/records.ts';
import { createLog } from '../../../src/shared/log.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { openedRecords, openedState } from '../../helpers/opened-state.ts';
import { translatorFor } from '../../helpers/translator.ts';

const en = translatorFor('en-US');
const WELL: Conditions = {
  pollsFailBecause: null,
  quotaResetsAtMs: null,
  unknownFeeds: [],
  unreadable: [],
  backupFailure: null,
  refusedMessages: [],
  stateProblem: null,
};

/** The texts of the alerts under these conditions once they have lasted for long. */
async function alertsUnder(conditions: Partial<Conditions>): Promise<string[]> {
  const { state } = openedState();
  const { alerts: store } = await openedRecords(state, undefined, [RECORDS]);
  const clock = new ManualClock();
  const sent: string[] = [];
  const alerts = new OwnerAlerts({
    needs: () => [],
    conditions: () => ({ ...WELL, ...conditions }),
    store,
    translator: () => en,
    messages: {
      async send(card) {
        sent.push(textOf(card));
        return null;
      },
    },
    clock,
    log: createLog('silent'),
  });
  await alerts.tick();
  await clock.advance(HOUR_MS);
  await alerts.tick();
  return sent;
}

test.each<[Partial<Conditions>, string]>([
  [{ pollsFailBecause: 'The catalog timed out.' }, 'The catalog timed out. New deals'],
  [{ quotaResetsAtMs: 86_400_000 }, 'Until it resets <t:86400:f>'],
  [{ unknownFeeds: ['Tools', 'Home'] }, 'Unknown: Tools, Home.'],
  [{ unreadable: ['Condition (Tools)'] }, 'Unreadable: Condition \\(Tools\\).'],
  [{ refusedMessages: ['Kettle *1*', 'B', 'C', 'D'] }, 'Kettle \\*1\\* · B · C · …: Discord keeps'],
  [{ backupFailure: 'No room.' }, 'No room. Check the folder'],
  [{ stateProblem: 'disk-full' }, 'The disk is full.'],
])('%j is told with what it means', async (ill, means) => {
  expect(await alertsUnder(ill)).toEqual([expect.stringContaining(means)]);
});

test('nothing is told while all is well', async () => {
  expect(await alertsUnder({})).toEqual([]);
});

test('foreign text in an alert formats nothing', async () => {
  const [text] = await alertsUnder({ unknownFeeds: ['**x** @everyone'] });
  expect(text).toContain('x');
  expect(text).not.toContain('**x**');
});

test('killed between the message and its record, the bot sends the same again, by which Discord knows it', async () => {
  const { state } = openedState();
  const { alerts } = await openedRecords(state, undefined, [RECORDS]);
  const clock = new ManualClock();
  const nonces: string[] = [];
  const begin = (save: typeof alerts.save) =>
    new OwnerAlerts({
      needs: () => [],
      conditions: () => ({ ...WELL, backupFailure: 'No room.' }),
      store: { ...alerts, save },
      translator: () => en,
      messages: {
        async send(card, nonce) {
          expect(textOf(card)).toContain('Backups fail');
          nonces.push(nonce);
          return null;
        },
      },
      clock,
      log: createLog('silent'),
    });
  await begin(alerts.save).tick();
  await clock.advance(600_000);
  const killed = begin(() => Promise.reject(new Error('killed')));
  await expect(killed.tick()).rejects.toThrow('killed');
  await begin(alerts.save).tick();
  await begin(alerts.save).tick();
  expect(nonces).toHaveLength(2);
  expect(new Set(nonces).size).toBe(1);
  expect(nonces[0]?.length).toBeLessThanOrEqual(25);
});

test('one message that Discord refuses or does not answer holds up no other, and is tried again in its own time', async () => {
  const { state } = openedState();
  const { alerts: store } = await openedRecords(state, undefined, [RECORDS]);
  const clock = new ManualClock();
  const facts = { ...WELL, backupFailure: 'No room.', stateProblem: 'disk-full', quotaResetsAtMs: 1_000 } as const;
  const sent: string[] = [];
  const lines: string[] = [];
  const refusals = [
    ['Backups fail', { error: new Error('Cannot send messages to this user'), isRefused: true }],
    ['can’t save anything', { error: new Error('no answer'), isRefused: false }],
  ] as const;
  const alerts = new OwnerAlerts({
    needs: () => [],
    conditions: () => facts,
    store,
    translator: () => en,
    messages: {
      async send(card) {
        const [title = ''] = textOf(card).split('\n');
        sent.push(title);
        return refusals.find(([words]) => title.includes(words))?.[1] ?? null;
      },
    },
    clock,
    log: createLog('info', { write: (line) => lines.push(line) }),
  });
  /** How many of each were sent since the last call, after so much time. */
  async function after(ms: number) {
    sent.length = 0;
    await clock.advance(ms);
    await alerts.tick();
    return ['Backups', 'save', 'quota'].map((word) => sent.filter((title) => title.includes(word)).length);
  }
  await alerts.tick();
  expect(await after(10 * 60_000)).toEqual([1, 1, 1]);
  expect(lines.filter((line) => line.includes('Cannot send messages to this user'))).toHaveLength(1);
  expect(await after(5 * 60_000 - 1)).toEqual([0, 0, 0]);
  expect(await after(1)).toEqual([0, 1, 0]);
  expect(await after(55 * 60_000 - 1)).toEqual([0, 1, 0]);
  expect(await after(1)).toEqual([1, 0, 0]);
});

test('what features need a person for is told by their own words; what one kept that is gone stays as it was', async () => {
  const { state } = openedState();
  const { alerts: store } = await openedRecords(state, undefined, [RECORDS]);
  await store.save('gone', { sinceMs: 1, isTold: true });
  const clock = new ManualClock();
  const sent: string[] = [];
  let means: string | null = 'Nobody was greeted.';
  const alerts = new OwnerAlerts({
    conditions: () => WELL,
    needs: () => [{ name: 'greetings', title: () => 'Greetings fail', means: () => means }],
    store,
    translator: () => en,
    messages: {
      async send(card) {
        sent.push(textOf(card));
        return null;
      },
    },
    clock,
    log: createLog('silent'),
  });
  await alerts.tick();
  await clock.advance(600_000);
  await alerts.tick();
  means = null;
  await alerts.tick();
  await alerts.tick();
  expect(sent).toEqual([
    expect.stringMatching(/^⚠ \*\*Greetings fail\*\*\nNobody was greeted\.\n-# Since <t:/),
    expect.stringMatching(/^✅ \*\*Over: Greetings fail\*\*\n-# It began <t:/),
  ]);
  expect(store.entries()).toEqual([['gone', { sinceMs: 1, isTold: true }]]);
});
