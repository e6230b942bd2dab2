import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { alerts } from '../../../src/features/alerts/index.ts';
import { MINUTE_MS } from '../../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse, type House } from '../../helpers/house.ts';
import { aSchedule } from '../../helpers/schedule.ts';
import { runSql } from '../../helpers/sql.ts';
import { temporaryFolder, temporaryState } from '../../helpers/temporary-folder.ts';

async function aWatchedHouse() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  return aHouse({ content: () => folder.content, features: [alerts] });
}

/** What the owner was told by direct message. */
const told = (house: House) =>
  house.discord.messages(house.discord.directChannel(house.discord.people.ada.id).id).map(textOf);

test('the owner is told once of what has lasted ten minutes, also after a restart, and once when it is over', async () => {
  const house = await aWatchedHouse();
  const scheduled = aSchedule();
  const job = (name: string) => scheduled.jobs.get(name)?.run() ?? Promise.reject(new Error(`no job ${name}`));
  const parent = temporaryFolder();
  const settings = { BACKUP_CRON: '30 3 * * *', BACKUP_FOLDER: join(parent, 'copies') };
  writeFileSync(settings.BACKUP_FOLDER, 'a file in the place of the folder');
  const app = await house.startBot(settings, scheduled);
  expect(scheduled.jobs.get('alerts')?.expression).toBe('* * * * *');
  await job('alerts');
  await expect(job('backup')).rejects.toThrow();
  await job('alerts');
  await house.clock.advance(10 * MINUTE_MS - 1);
  await job('alerts');
  expect(told(house)).toEqual([]);
  await house.clock.advance(1);
  await job('alerts');
  expect(told(house)).toHaveLength(1);
  expect(told(house)[0]).toMatch(
    /^⚠ \*\*Backups fail\*\*\n.+ Check the folder for backups and its free space\.\n-# Since <t:/,
  );
  await house.clock.advance(MINUTE_MS);
  await job('alerts');
  await app.stop();
  const again = await house.startBot({ ...settings, BACKUP_FOLDER: join(parent, 'other') }, scheduled);
  await expect(job('backup')).resolves.toBeUndefined();
  expect(told(house)).toHaveLength(1);
  await job('alerts');
  await job('alerts');
  expect(told(house)).toHaveLength(2);
  expect(told(house)[1]).toMatch(/^✅ \*\*Over: Backups fail\*\*\n-# It began <t:\d+:f>$/);
  await again.stop();
});

test('what is over before ten minutes have passed is not told', async () => {
  const house = await aWatchedHouse();
  const scheduled = aSchedule();
  const parent = temporaryFolder();
  const folder = join(parent, 'copies');
  await house.startBot({ BACKUP_CRON: '30 3 * * *', BACKUP_FOLDER: folder }, scheduled);
  writeFileSync(folder, '');
  await expect(scheduled.jobs.get('backup')?.run()).rejects.toThrow();
  await scheduled.jobs.get('alerts')?.run();
  await house.clock.advance(9 * MINUTE_MS);
  await scheduled.jobs.get('alerts')?.run();
  rmSync(folder);
  await scheduled.jobs.get('backup')?.run();
  await house.clock.advance(MINUTE_MS);
  await scheduled.jobs.get('alerts')?.run();
  expect(told(house)).toEqual([]);
});

test('ALERT_CHANNEL gets the messages instead, and one without an answer is tried again after five minutes', async () => {
  const house = await aWatchedHouse();
  const scheduled = aSchedule();
  const channel = house.discord.channel('deals');
  const settings = { BACKUP_CRON: '30 3 * * *', BACKUP_FOLDER: join(temporaryFolder(), 'copies') };
  writeFileSync(settings.BACKUP_FOLDER, 'a file in the place of the folder');
  await house.startBot({ ALERT_CHANNEL: channel.id, ...settings }, scheduled);
  const tick = () => scheduled.jobs.get('alerts')?.run();
  const shown = () => house.announcements('deals').map(textOf);
  await expect(scheduled.jobs.get('backup')?.run()).rejects.toThrow();
  await tick();
  await house.clock.advance(10 * MINUTE_MS);
  // discord.js tries a request three more times.
  house.discord.faults.failNext(
    ({ method, path }) => method === 'POST' && path.endsWith(`/${channel.id}/messages`),
    { kind: 'error', status: 503, accepted: false },
    4,
  );
  await tick();
  expect(shown()).toEqual([]);
  expect(house.logLines.filter((line) => line.includes('"alert":"began/backup"'))).toEqual([
    expect.stringContaining('Service Unavailable'),
  ]);
  await house.clock.advance(5 * MINUTE_MS - 1);
  await tick();
  expect(shown()).toEqual([]);
  await house.clock.advance(1);
  await tick();
  expect(shown()).toHaveLength(1);
  expect(shown()[0]).toContain('Backups fail');
  expect(told(house)).toEqual([]);
});

test('the owner is told once a day that a newer version has written the state, however often the bot is started', async () => {
  const house = await aWatchedHouse();
  const stateUrl = temporaryState();
  const app = await house.startBot({ STATE_URL: stateUrl });
  await app.stop();
  await runSql(
    stateUrl,
    `UPDATE state SET value = '{"value":{"version":99,"dealbell":"9.8.7","isSetUp":true}}' WHERE key = 'about:state'`,
  );
  const start = () =>
    expect(house.startBot({ STATE_URL: stateUrl })).rejects.toThrow(
      'This state was written by Dealbell 9.8.7 or newer',
    );
  for (let time = 0; time < 3; time += 1) await start();
  expect(told(house)).toEqual([
    expect.stringMatching(
      /^⚠ \*\*The state is from a newer version\*\*\nIt was written by Dealbell `9\.8\.7` or newer/,
    ),
  ]);
  expect(house.logLines.filter((line) => line.includes('the owner was told within the last day'))).toHaveLength(2);
  await house.clock.advance(24 * 60 * MINUTE_MS);
  await start();
  expect(told(house)).toHaveLength(2);

  house.discord.faults.use(() => ({ kind: 'drop', accepted: false }));
  await start();
  expect(house.logLines.some((line) => line.includes('"alert":"newer","err"'))).toBe(true);
});

test('the heartbeat is sent as its address wants it, a failure is logged once, and no line names the address', async () => {
  const house = await aWatchedHouse();
  const asked: string[] = [];
  let status = 200;
  const monitor = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`);
    response.writeHead(status).end('OK');
  });
  await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void monitor.close());
  const { port } = monitor.address() as AddressInfo;
  const scheduled = aSchedule();
  const app = await house.startBot({ HEARTBEAT_URL: `http://127.0.0.1:${port}/push/abc?status=up` }, scheduled);
  const beat = () => scheduled.jobs.get('heartbeat')?.run();
  await beat();
  expect(asked).toEqual(['GET /push/abc?status=up -']);
  status = 500;
  await beat();
  await beat();
  expect(house.logLines.filter((line) => line.includes('the heartbeat was not taken'))).toHaveLength(1);

  expect(house.logLines.join('\n')).not.toContain('push/abc');
  await app.stop();

  status = 200;
  const other = aSchedule();
  await house.startBot({ HEARTBEAT_URL: `http://:bearer-of-news@127.0.0.1:${port}/external?success=true` }, other);
  await other.jobs.get('heartbeat')?.run();
  expect(asked.at(-1)).toBe('POST /external?success=true Bearer bearer-of-news');
});
