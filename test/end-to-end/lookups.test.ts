import { describe, expect, test } from 'vitest';
import type { PageMessage } from '../../src/local-discord/server/page-api.ts';
import { event, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { hasPostgres, runPostgres } from '../helpers/postgres.ts';
import { aShardedHouse, LOOK_MS, logged, UNNOTIFIED_MS, WITHIN_MS } from '../helpers/sharded-house.ts';

/** How often the leader publishes what it has in memory alone. */
const PUBLISH_MS = 1_000;
/** After this long, a followed feed is polled again. */
const LATER_MS = 20 * 60_000;

/** A house whose leader has polled, and whose other process answers lookups. The test's server is in a shard of that. */
async function aHouseWithCopy(items: readonly unknown[] = [feedItem(1)]) {
  const sharded = await aShardedHouse();
  const { folder, house, leader, standing } = sharded;
  await logged(standing.lines, 'answering lookups');
  folder.writeFeed('Home', items);
  folder.writeEvents([event(1)]);
  await house.asAda('deals', '/subscription add feed feed:Home');
  await house.asAda('deals', '/subscription add events');
  await leader.tick();
  await leader.settled();
  const answered = (lines: readonly string[]) => lines.filter((line) => line.includes('"answered"')).length;
  /** Resolves with an answer's message, and with who answered: the process that leads, or the other one. */
  async function ask(send: () => Promise<PageMessage>): Promise<{ message: PageMessage; text: string; by: string }> {
    const before = [answered(house.logLines), answered(standing.lines)];
    const message = await send();
    const now = () => [answered(house.logLines), answered(standing.lines)];
    await expect.poll(() => now().join(), { interval: 5 }).not.toBe(before.join());
    return { message, text: textOf(message), by: now()[0] === before[0] ? 'other' : 'leader' };
  }
  /** Lets time pass for both processes. */
  async function pass(ms: number): Promise<void> {
    await house.clock.advance(ms);
    await standing.clock.advance(ms);
  }
  const asBen = (command: string) => ask(() => house.asBen('deals', command));
  return {
    ...sharded,
    pass,
    ask,
    asBen,
    /** Resolves when the process that does not lead shows this in answer to a command of Ben's. */
    untilShown: (command: string, text: string) =>
      expect
        .poll(
          async () => {
            await pass(PUBLISH_MS);
            return asBen(command);
          },
          { timeout: WITHIN_MS, interval: 20 },
        )
        .toMatchObject({ text: expect.stringContaining(text), by: 'other' }),
  };
}

describe.runIf(hasPostgres)('lookups in a process that does not lead', () => {
  test('are answered by it, with what the other one has polled', { timeout: WITHIN_MS }, async () => {
    const { folder, house, leader, pass, asBen, untilShown } = await aHouseWithCopy();
    await untilShown('/feed feed:Home', 'Kettle 1');
    await untilShown('/events', 'Event 1');
    folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
    await pass(LATER_MS);
    await leader.tick();
    await untilShown('/feed feed:Home', 'Kettle 2');
    // The first ones have the feeds polled that nobody follows.
    await untilShown('/search words:kettle', 'Kettle 2');
    expect(await house.complete('/search words:kett', 'words')).toHaveLength(2);
    expect(await asBen('/help')).toMatchObject({ text: expect.stringContaining('</feed:'), by: 'other' });
  });

  test('are answered while nobody leads, their buttons too', { timeout: WITHIN_MS }, async () => {
    const { house, leader, ask, asBen, untilShown, standing } = await aHouseWithCopy(
      Array.from({ length: 30 }, (_, number) => feedItem(number + 1)),
    );
    await untilShown('/feed feed:Home', 'Kettle 30');
    await leader.stop();
    const list = await asBen('/feed feed:Home');
    expect(list).toMatchObject({ text: expect.stringContaining('Kettle 30'), by: 'other' });
    const next = customIdsOf(list.message).find((id) => id.includes('feed') && id.includes('2')) ?? '';
    const second = await ask(() => house.click(list.message, next));
    expect(second.by).toBe('other');
    expect(second.text).not.toContain('Kettle 30');
    expect(standing.lines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test('are left to the one that leads where they need the catalog', { timeout: WITHIN_MS }, async () => {
    const { house, ask, untilShown } = await aHouseWithCopy();
    await untilShown('/feed feed:Home', 'Kettle 1');
    const asked = ask(() => house.asBen('deals', '/offer offer:kettle'));
    await house.gather();
    expect(await asked).toMatchObject({ text: expect.stringContaining('Kettle 1'), by: 'leader' });
  });

  test('are left to the one that leads for a person whom it has to tell something beside the answer', {
    timeout: WITHIN_MS,
  }, async () => {
    const { house, asBen, pass, untilShown, environment } = await aHouseWithCopy();
    await untilShown('/feed feed:Home', 'Kettle 1');
    const { id } = house.discord.people.ben;
    const closed = { sinceMs: 1, retryAtMs: 1 };
    const person = { version: 1, id, channelId: '1', locale: 'de', timing: {}, mostPerHour: 1, usedAtMs: 1, closed };
    const row = JSON.stringify({ value: person });
    await runPostgres(environment.STATE_URL, `INSERT INTO people (key, value) VALUES ('${id}', '${row}')`);
    const whoAnswers = async () => {
      await pass(PUBLISH_MS);
      return (await asBen('/feed feed:Home')).by;
    };
    await expect.poll(whoAnswers, { timeout: WITHIN_MS }).toBe('leader');
  });

  test('where changes were missed, the copy is made anew; one of another version answers nothing', {
    timeout: WITHIN_MS,
  }, async () => {
    const { asBen, pass, untilShown, standing, environment } = await aHouseWithCopy();
    await untilShown('/feed feed:Home', 'Kettle 1');
    const gateway = `${new URL(environment.STATE_URL).searchParams.get('schema')}_gateway`;
    await runPostgres(environment.STATE_URL, `UPDATE ${gateway}.latest_change SET position = position + 1`);
    await standing.clock.advance(UNNOTIFIED_MS);
    await logged(standing.lines, 'answering lookups', 2);
    await untilShown('/feed feed:Home', 'Kettle 1');
    // Another version leads.
    await runPostgres(
      environment.STATE_URL,
      `UPDATE about SET value = replace(value, '"version":', '"version":9') WHERE key = 'state'`,
    );
    const isLeft = async () => {
      await pass(UNNOTIFIED_MS);
      return (await asBen('/feed feed:Home')).by;
    };
    await expect.poll(isLeft, { timeout: WITHIN_MS }).toBe('leader');
  });

  test('are answered while the process takes over, until its own client is ready', { timeout: WITHIN_MS }, async () => {
    const { house, leader, other, waiting, standing, asBen, untilShown } = await aHouseWithCopy();
    await untilShown('/feed feed:Home', 'Kettle 1');
    let isAway = true;
    house.discord.faults.use(({ path }) =>
      isAway && path === '/gateway/bot' ? { kind: 'drop', accepted: false } : undefined,
    );
    await leader.stop();
    const status = async () => {
      await standing.clock.advance(LOOK_MS);
      return other.health().status;
    };
    await expect.poll(status, { timeout: WITHIN_MS, interval: 20 }).not.toBe('standby');
    const shown = { text: expect.stringContaining('Kettle 1'), by: 'other' };
    expect(await asBen('/feed feed:Home')).toMatchObject(shown);
    isAway = false;
    const isRunning = async () => {
      // The pause before the next login passes.
      await standing.clock.advance(1_000);
      return other.plan() !== null;
    };
    await expect.poll(isRunning, { timeout: WITHIN_MS, interval: 20 }).toBe(true);
    await waiting;
    expect(await asBen('/feed feed:Home')).toMatchObject(shown);
    expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('Home');
  });
});
