import { expect, test } from 'vitest';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { aSchedule } from '../helpers/schedule.ts';

const HOUR_MS = 3_600_000;

test('the nightly audit finds what was deleted and what stands there twice, and tells it to those who manage the server', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content });
  const { clock, discord } = house;
  const scheduled = aSchedule();
  const app = await house.startBot({ METRICS_PORT: '0' }, scheduled);
  const forum = discord.createChannel('offers', 'forum');
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 channel:${forum.id}`);
  await app.tick();
  await clock.advance(90_000);
  folder.writeFeed(
    'Home',
    [1, 2, 3, 4].map((number) => feedItem(number)),
  );
  await app.tick();
  await app.settled();
  const posts = house.announcements('deals');
  expect(posts).toHaveLength(3);
  const audit = scheduled.jobs.get('audit');
  const figuresIn = (text: string) =>
    house.logLines.filter((line) => line.includes(text)).map((line) => JSON.parse(line) as object);
  const RESULT = 'the channels were compared with the ledger';

  // A post younger than an hour is left alone.
  await audit?.run();
  expect(figuresIn(RESULT).at(-1)).toMatchObject({ owed: 0, there: 0, twice: 0, missing: 0, channels: 2, unread: 0 });
  await clock.advance(2 * HOUR_MS);
  await audit?.run();
  expect(figuresIn(RESULT).at(-1)).toMatchObject({ owed: 6, there: 6, twice: 0, missing: 0, channels: 2, unread: 0 });
  expect(figuresIn('a channel differs')).toEqual([]);

  const [deleted, doubled] = posts;
  await fetch(`${discord.api}/v10/channels/${deleted?.channel_id}/messages/${deleted?.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bot ${discord.token}` },
  });
  // The same card stands there once more, as if Dealbell had posted it again.
  await house.post(doubled?.channel_id ?? '', { flags: 32_768, components: doubled?.components });
  await audit?.run();
  const found = { owed: 6, there: 5, twice: 1, missing: 1 };
  expect(figuresIn(RESULT).at(-1)).toMatchObject({ ...found, channels: 2 });
  expect(figuresIn('a channel differs')).toMatchObject([{ channel: deleted?.channel_id, owed: 3, there: 2 }]);

  const [line] = figuresIn('serving metrics') as { address: string }[];
  const exposition = await (await fetch(line?.address ?? '')).text();
  for (const [result, count] of Object.entries(found)) {
    expect(exposition).toContain(`dealbell_audit_deliveries{result="${result}"} ${count}`);
  }
  expect(exposition).toContain(`dealbell_last_audit_timestamp_seconds ${clock.now() / 1000}`);
  expect(textOf(await house.asAda('deals', '/status'))).toContain('5 of 6 there, 1 twice, 1 missing');
  expect(textOf(await house.asBen('deals', '/status'))).not.toContain('missing');

  discord.setPermissions(forum.id, { deny: ['readMessageHistory'] });
  await audit?.run();
  expect(figuresIn(RESULT).at(-1)).toMatchObject({ owed: 3, there: 2, twice: 1, missing: 1, unread: 1 });
  // A post of a day and an hour ago is judged no more.
  await clock.advance(24 * HOUR_MS);
  await audit?.run();
  expect(figuresIn(RESULT).at(-1)).toMatchObject({ owed: 0, there: 0, missing: 0 });
});
