import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import type { App } from '../../../src/app/app.ts';
import { FEATURES } from '../../../src/features/index.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import {
  aCatalogFolder,
  dealcast,
  event,
  eventOffer,
  feedItem,
  monkeychat,
  poll,
} from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse, type House } from '../../helpers/house.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { backendAt } from '../../helpers/opened-state.ts';
import { aSchedule } from '../../helpers/schedule.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';

const RESULT = 'the channels were compared with the ledger';

const logged = ({ logLines }: House, text: string) =>
  logLines.filter((line) => line.includes(text)).map((line) => JSON.parse(line) as Record<string, unknown>);
const findings = (house: House) =>
  logged(house, 'the audit found something').map(({ what, message }) => [what, message ?? null]);

/** Changes a message as the bot's own user, whatever the bot would do. */
function asBot({ discord }: House, method: 'DELETE' | 'PATCH', message: PageMessage | undefined, body?: unknown) {
  return fetch(`${discord.api}/v10/channels/${message?.channel_id}/messages/${message?.id}`, {
    method,
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The components without buttons and menus. */
const withoutButtons = (components: unknown): unknown =>
  Array.isArray(components)
    ? components.filter((one: { type: number }) => one.type !== 1).map(withoutButtons)
    : typeof components === 'object' && components !== null
      ? Object.fromEntries(
          Object.entries(components).map(([name, value]) => [
            name,
            name === 'components' ? withoutButtons(value) : value,
          ]),
        )
      : components;

test('what a filter still waits for is not owed', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content, features: FEATURES });
  const scheduled = aSchedule();
  const app = await house.startBot({}, scheduled);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0 filter:-featured:true');
  await app.tick();
  await house.clock.advance(90_000);
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { IsFeatured: 'maybe' }), feedItem(3)]);
  await app.tick();
  await app.settled();
  expect(house.announcements('deals')).toHaveLength(1);
  await house.clock.advance(2 * HOUR_MS);
  await scheduled.jobs.get('audit')?.run();
  expect(logged(house, RESULT).at(-1)).toMatchObject({ owed: 1, there: 1, missing: 0 });
  expect(findings(house)).toEqual([]);
});

test('an audit finds what was deleted and what stands there twice, and tells it to those who manage the server', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content, features: FEATURES });
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
  expect(audit?.expression).toBe('43 */4 * * *');

  // A post younger than an hour is left alone.
  await audit?.run();
  expect(logged(house, RESULT).at(-1)).toMatchObject({
    owed: 0,
    there: 0,
    twice: 0,
    missing: 0,
    channels: 2,
    unread: 0,
  });
  await clock.advance(24 * HOUR_MS);
  await audit?.run();
  const well = { owed: 6, there: 6, twice: 0, missing: 0, untrue: 0, channels: 2, unread: 0 };
  expect(logged(house, RESULT).at(-1)).toMatchObject(well);
  expect(findings(house)).toEqual([]);

  const [deleted, doubled] = posts;
  await asBot(house, 'DELETE', deleted);
  // The same card stands there once more, as if Dealbell had posted it again.
  const copy = await house.post(doubled?.channel_id ?? '', { flags: 32_768, components: doubled?.components });
  const told = textOf(await house.asAda('deals', '/owner audit'));
  expect(told).toContain('5 of 6 posts');
  expect(told).toContain('`npm run audit -- --repair` repairs it');
  const found = { owed: 6, there: 5, twice: 1, missing: 1, untrue: 0 };
  expect(logged(house, RESULT).at(-1)).toMatchObject({ ...found, channels: 2 });
  expect(findings(house)).toEqual([
    ['missing', deleted?.id],
    ['twice', copy.id],
  ]);
  expect(logged(house, 'the audit found something')[0]).toMatchObject({
    channel: deleted?.channel_id,
    link: `https://discord.com/channels/${discord.guildId}/${deleted?.channel_id}/${deleted?.id}`,
  });

  const [line] = logged(house, 'serving metrics') as { address: string }[];
  const exposition = await (await fetch(line?.address ?? '')).text();
  for (const [result, count] of Object.entries(found)) {
    expect(exposition).toContain(`dealbell_audit_deliveries{result="${result}"} ${count}`);
  }
  expect(exposition).toContain(`dealbell_last_audit_timestamp_seconds ${clock.now() / 1000}`);
  expect(textOf(await house.asAda('deals', '/status'))).toContain(
    '5 of 6 there, 1 twice, 1 missing, 0 outdated · 2 of 2 channels checked this week',
  );
  expect(textOf(await house.asBen('deals', '/status'))).not.toContain('missing');

  discord.setPermissions(forum.id, { deny: ['readMessageHistory'] });
  await house.asAda('deals', '/owner audit');
  expect(logged(house, RESULT).at(-1)).toMatchObject({ owed: 3, there: 2, twice: 1, missing: 1, unread: 1 });
  expect(textOf(await house.asAda('deals', '/status'))).toContain('1 of 2 channels checked this week');
});

test('an audit finds what has no trace, what the ledger has lost, another price and a copy without ids', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content, features: FEATURES });
  const { clock } = house;
  const STATE_URL = temporaryState();
  const first = await house.startBot({ STATE_URL });
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await house.tick(first);
  const items: Record<string, unknown>[] = [];
  for (const number of [1, 2, 3, 4, 5]) {
    items.push(feedItem(number, { EndDate: null }));
    folder.writeFeed('Home', items);
    await clock.advance(120_000);
    await house.tick(first);
    await first.settled();
  }
  const [untraced, forgotten, dearer, copied, cheaper] = house.announcements('deals');
  await clock.advance(2 * HOUR_MS);
  items[4] = feedItem(5, { EndDate: null, SalePrice: { Minimum: 15, Maximum: 15 } });
  folder.writeFeed('Home', items);
  await house.tick(first);
  await first.settled();
  expect(textOf(house.announcements('deals').find(({ id }) => id === cheaper?.id) ?? {})).toContain('$15.00');
  await house.asAda('deals', '/owner audit');
  expect(findings(house)).toEqual([]);
  await first.stop();

  // The records of the first two are lost, as after a defect.
  const state = backendAt(STATE_URL);
  const rows = await state.under(['ledger:', 'post:']);
  const lost = rows.filter(({ value }) => [untraced?.id, forgotten?.id].some((id) => value.includes(`"${id}"`)));
  expect(lost).toHaveLength(4);
  await state.write(new Map(lost.map(({ key }) => [key, null])));
  await state.close();
  await asBot(house, 'DELETE', untraced);
  const changed = JSON.parse(JSON.stringify(dearer?.components).replaceAll('$20.00', '$25.00')) as unknown;
  expect((await asBot(house, 'PATCH', dearer, { components: changed })).status).toBe(200);
  const copy = await house.post(copied?.channel_id ?? '', {
    flags: 32_768,
    components: withoutButtons(copied?.components),
  });
  await clock.advance(2 * HOUR_MS);

  await house.startBot({ STATE_URL });
  await house.asAda('deals', '/owner audit');
  expect(findings(house)).toEqual([
    ['copy', copy.id],
    ['unposted', null],
    ['untrue', dearer?.id],
    ['unrecorded', forgotten?.id],
  ]);
  expect(textOf(await house.asAda('deals', '/status'))).toContain('1 twice, 1 missing, 2 outdated');
});

test('an audit finds events, dealcasts, polls and monkeychats that have no trace, and only those that were news', async () => {
  const folder = aCatalogFolder();
  folder.writeEvents([event(1)]);
  folder.writeDealcasts([dealcast(1)]);
  folder.writePolls([poll(1)]);
  folder.writeMonkeychats([monkeychat(1)]);
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const house = await aHouse({ clock, content: () => folder.content, features: FEATURES });
  const STATE_URL = temporaryState();
  const first = await house.startBot({ STATE_URL });
  for (const source of ['events', 'dealcasts', 'polls', 'monkeychats']) {
    await house.asAda('deals', `/subscription add ${source} catch-up:0`);
  }
  // What somebody filters may have been different when it was posted.
  await house.asAda('deals', '/subscription add events filter:"title ~ nothing" catch-up:0');
  await house.tick(first);
  const selling = (left: number) => event(2, { Offers: [eventOffer(1, { PercentageRemaining: left })] });
  folder.writeEvents([event(1), selling(60)]);
  folder.writeDealcasts([dealcast(2), dealcast(1)]);
  folder.writePolls([poll(2)]);
  folder.writeMonkeychats([monkeychat(2)]);
  const readAll = async (app: App) => {
    for (let polls = 0; polls < 3; polls += 1) {
      await clock.advance(600_000);
      await house.tick(app);
      await app.settled();
    }
  };
  await readAll(first);
  const posts = house.announcements('deals');
  expect(posts).toHaveLength(4);
  // What is left of an offer changes without an edit.
  folder.writeEvents([event(1), selling(40)]);
  await readAll(first);
  await clock.advance(2 * HOUR_MS);
  await house.asAda('deals', '/owner audit');
  expect(findings(house)).toEqual([]);
  await first.stop();
  const state = backendAt(STATE_URL);
  const rows = await state.under(['ledger:', 'post:']);
  await state.write(new Map(rows.map(({ key }) => [key, null])));
  await state.close();
  for (const post of posts) await asBot(house, 'DELETE', post);

  const again = await house.startBot({ STATE_URL });
  await readAll(again);
  await house.asAda('deals', '/owner audit');
  expect(findings(house)).toEqual(Array.from({ length: 4 }, () => ['unposted', null]));
});
