import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Core } from '../../../src/app/feature.ts';
import { owner } from '../../../src/features/owner/index.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import type { House } from '../../helpers/house.ts';
import { aHouseOfDeals } from '../../helpers/panel.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { translatorFor } from '../../helpers/translator.ts';

const titles = (house: House) =>
  house.announcements('deals').flatMap((message) => textOf(message).match(/Kettle \d+/g) ?? []);

test('the owner pauses posting: it is in /status, survives a restart, and what came meanwhile is posted by its rules', async () => {
  const { house, app, folder } = await aHouseOfDeals({}, [owner]);
  const asOwner = async (job: string) => textOf(await house.asAda('deals', `/owner ${job}`));
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  expect(await asOwner('resume')).toBe('Posting isn’t paused.');
  expect(await asOwner('pause')).toContain('Posting is paused in all servers and stays paused after a restart.');
  await house.clock.advance(2 * MINUTE_MS);
  folder.writeFeed(
    'Home',
    [1, 2, 3, 7].map((number) => feedItem(number)),
  );
  await app.tick();
  await app.settled();
  expect(titles(house)).toEqual([]);
  const paused = /⏸ The bot’s owner paused all posting <t:\d+:R>\. Nothing is lost\./;
  expect(textOf(await house.asBen('deals', '/status'))).toMatch(paused);
  expect(await asOwner('status')).toMatch(paused);
  expect(await house.health(app)).toMatchObject({
    status: 'ok',
    reason: expect.stringContaining('paused all posting'),
  });

  await app.stop();
  const again = await house.startBot();
  await house.clock.advance(40 * MINUTE_MS);
  folder.writeFeed(
    'Home',
    [1, 2, 3, 7, 8, 9].map((number) => feedItem(number)),
  );
  await again.tick();
  await again.settled();
  expect(titles(house)).toEqual([]);
  expect(await asOwner('status')).toContain('3 waiting');
  const added = textOf(await house.asAda('deals', '/subscription add feed feed:Tools catch-up:0'));
  expect(added).toContain('The bot’s owner paused all posting. Posts follow once it’s resumed.');

  // An offer that has waited for more than half an hour is late; the others are posted as ever.
  expect(await asOwner('resume')).toContain('Resumed. 3 posts were waiting.');
  await again.settled();
  expect(titles(house).toSorted()).toEqual(['Kettle 7', 'Kettle 8', 'Kettle 9']);
  expect(textOf(await house.asBen('deals', '/status'))).not.toContain('⏸');
  expect(await asOwner('status')).toContain('🟢 Posting.');
  await again.tick();
  await again.settled();
  expect(titles(house)).toHaveLength(3);
});

test('others are refused with a sentence, and Discord is asked each time', async () => {
  const { house } = await aHouseOfDeals({}, [owner]);
  await expect(house.asBen('deals', '/owner status')).rejects.toThrow('needs Administrator');
  const { ben } = house.discord.people;
  // A server can show the command to anybody; who may use it is up to the application.
  const { message } = await house.discord.runCommand({
    personId: ben.id,
    channelId: house.discord.directChannel(ben.id).id,
    text: '/owner pause',
  });
  expect(message && textOf(message)).toBe('Only the owner of this application, or its team, can use this.');
  house.discord.faults.failNext(({ path }) => path.endsWith('/applications/@me'), {
    kind: 'refused',
    error: 'missingPermissions',
  });
  expect(textOf(await house.asAda('deals', '/owner pause'))).toBe(
    'Discord didn’t say who owns this application. Try again.',
  );
  expect(textOf(await house.asAda('deals', '/owner resume'))).toBe('Posting isn’t paused.');
});

test('a backup is made at once, and it is still known after a restart', async () => {
  const backups = temporaryFolder();
  const { house, app } = await aHouseOfDeals({ BACKUP_FOLDER: backups }, [owner]);
  const asOwner = async (job: string) => textOf(await house.asAda('deals', `/owner ${job}`));
  expect(await asOwner('status')).toContain('No backup yet');
  const [, name = ''] = /Backed up to `(dealbell-.+\.sqlite)`\./.exec(await asOwner('backup')) ?? [];
  expect(existsSync(join(backups, name))).toBe(true);
  expect(readdirSync(backups)).toEqual([name]);
  await app.stop();
  await house.startBot({ BACKUP_FOLDER: backups });
  expect(await asOwner('status')).toMatch(/Last backup <t:\d+:R>/);
});

test('who runs the bot is needed once posting has been paused for a day', () => {
  let [sinceMs, nowMs]: [number | null, number] = [null, DAY_MS + 1_000];
  const core = { store: { postingPause: { sinceMs: () => sinceMs } }, clock: { now: () => nowMs } };
  const [need] = owner.start?.(core as unknown as Core).needs ?? [];
  const en = translatorFor('en-US');
  expect(need?.means(en)).toBeNull();
  sinceMs = 1_000;
  expect(need?.means(en)).toContain('since <t:1:f>');
  nowMs -= 1;
  expect(need?.means(en)).toBeNull();
  expect([need?.name, need?.title(en)]).toEqual(['pause', 'Posting has been paused for a day']);
});
