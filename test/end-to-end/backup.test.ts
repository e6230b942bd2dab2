import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { aHouse } from '../helpers/house.ts';
import { backendAt } from '../helpers/opened-state.ts';
import { aSchedule } from '../helpers/schedule.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

test('backups are made when BACKUP_CRON says so, and only as many are kept as BACKUP_KEEP says', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content });
  const place = join(temporaryFolder(), 'backups');
  const scheduled = aSchedule();
  const settings = { BACKUP_CRON: '30 3 * * *', BACKUP_KEEP: '2', BACKUP_FOLDER: place, METRICS_PORT: '0' };
  const app = await house.startBot(settings, scheduled);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  expect(scheduled.jobs.get('backup')?.expression).toBe('30 3 * * *');
  for (let night = 0; night < 3; night += 1) {
    await house.clock.advance(86_400_000);
    await scheduled.jobs.get('backup')?.run();
  }
  const names = readdirSync(place).sort();
  expect(names).toHaveLength(2);
  const { id } = (await house.asAda('deals', '/help')).author;
  for (const name of names) expect(name, "the bot's own").toMatch(new RegExp(`^dealbell-${id}-2026-`));
  expect(house.logLines.filter((line) => line.includes('a backup was made'))).toHaveLength(3);
  const copy = backendAt(`sqlite://${join(place, names[1] ?? '')}`);
  expect(await copy.under(['subscription:'])).toHaveLength(1);
  await copy.close();

  const { address } = JSON.parse(house.logLines.find((line) => line.includes('serving metrics')) ?? '{}') as {
    address: string;
  };
  const exposition = await (await fetch(address)).text();
  const madeAt = Math.floor(house.clock.now() / 1000);
  expect(exposition).toContain(`dealbell_last_backup_timestamp_seconds ${madeAt}`);
  await app.stop();
  expect(scheduled.jobs.size).toBe(0);
  // The next run knows of it.
  await house.startBot(settings, scheduled);
  const second = house.logLines.filter((line) => line.includes('serving metrics')).at(-1) ?? '{}';
  const again = await (await fetch((JSON.parse(second) as { address: string }).address)).text();
  expect(again).toMatch(new RegExp(`dealbell_last_backup_timestamp_seconds ${madeAt}`));
});

test('without BACKUP_CRON none are made', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content });
  const scheduled = aSchedule();
  await house.startBot({}, scheduled);
  expect([...scheduled.jobs.keys()].toSorted()).toEqual(['poll', 'sweep']);
});

test('the programs that the documents name exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const pages = ['README.md', 'docs/install.md', 'docs/operating.md', 'docs/subscriptions-as-code.md']
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const named = [...pages.matchAll(/npm run (?:--silent )?([\w-]+)/g)].map(([, name = '']) => name);
  expect(named).toEqual(expect.arrayContaining(['backup', 'restore']));
  for (const name of named) expect(Object.keys(scripts), name).toContain(name);
});
