import { expect, test } from 'vitest';
import { RETRY } from '../../src/announcements/deliver/channel.ts';
import { PROBE_EVERY_MS } from '../../src/store/table/failures.ts';
import { aCatalogFolder, event, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aDisk } from '../helpers/full-disk.ts';
import { aHouse } from '../helpers/house.ts';

/** Far more than fits into the pages that a state has before it. */
const MANY = 200;
/** More subscriptions than fit into the free room of these pages. */
const MOST_THAT_FIT = 20;

test('a full disk is said at once, once, where people look; commands that read go on; it ends by itself', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  folder.writeEvents([event(1)]);
  const house = await aHouse({ content: () => folder.content });
  const disk = aDisk(house.environment['STATE_URL'] ?? '');
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await app.tick();
  await house.asBen('deals', '/events');
  const { clock, logLines } = house;
  const linesOf = (text: string) => logLines.filter((line) => line.includes(text));
  expect((await house.health(app)).status).toBe('ok');

  await disk.fill();
  const ids = Array.from({ length: MANY }, (_, index) => index + 2);
  folder.writeFeed(
    'Home',
    ids.map((id) => feedItem(id)),
  );
  for (let look = 0; look < 3; look += 1) {
    await clock.advance(120_000);
    await app.tick();
  }
  const { status, reason } = await house.health(app);
  expect(status).toBe('unwell');
  expect(reason).toContain('The disk is full. Nothing new is posted until there is free space.');
  expect(reason).not.toContain('/');
  const shown = textOf(await house.asBen('deals', '/status'));
  expect(shown).toContain('🟠 There are problems');
  expect(shown).toContain('🔴 The disk is full.');
  expect(linesOf('the state is not writable: the disk is full')).toHaveLength(1);

  const filter = Array.from({ length: 40 }, (_, word) => `vacuum${word}`).join(' OR ');
  const answers: string[] = [];
  // A small write may still fit into an existing page.
  while (answers.length < MOST_THAT_FIT && !answers.at(-1)?.includes('The disk is full.')) {
    const command = `/subscription add feed feed:Home catch-up:0 filter:"${filter} OR x${answers.length}"`;
    answers.push(textOf(await house.asAda('deals', command)));
  }
  expect(answers.at(-1)).toContain('The disk is full. Nothing new is posted until the bot’s operator frees up space.');
  expect(answers.join()).not.toContain('went wrong');

  for (const command of ['/feed feed:Home', '/search words:kettle', '/events', '/help']) {
    expect(textOf(await house.asBen('deals', command)), command).not.toContain('went wrong');
  }
  expect(textOf(await house.asBen('deals', '/feed feed:Home'))).toContain('Kettle 1');
  expect(textOf(await house.asBen('deals', '/events'))).toContain('Event');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('Home');

  await clock.advance(PROBE_EVERY_MS);
  // The attempt has failed, and the next one waits for its time.
  await clock.untilSleeping((ms) => ms === PROBE_EVERY_MS);
  expect((await house.health(app)).reason).toContain('The disk is full');
  await disk.makeRoom();
  await clock.untilSleeping((ms) => ms === PROBE_EVERY_MS);
  await clock.advance(PROBE_EVERY_MS);
  await expect.poll(async () => (await house.health(app)).reason ?? '').not.toContain('disk');
  expect(linesOf('the state is writable again')).toHaveLength(1);
  await clock.advance(RETRY.longestMs);
  await app.tick();
  await house.discord.waitFor(() => house.announcements('deals').length > 0);
  expect((await house.health(app)).status).toBe('ok');
  expect(textOf(await house.asBen('deals', '/status'))).not.toContain('disk');
});
