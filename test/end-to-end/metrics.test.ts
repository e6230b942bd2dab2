import { expect, test } from 'vitest';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { aHouse } from '../helpers/house.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { metricsOf } from '../helpers/metrics.ts';

/** The value of a sample, by its name and labels as they stand; undefined where there is none. */
function sampleOf(exposition: string, name: string): number | undefined {
  const line = exposition.split('\n').find((text) => text.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

test('a poll is one commit, and a post is one before the request and one after', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot({ METRICS_PORT: '0' });
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const commits = async () =>
    sampleOf(await metricsOf(house), 'dealbell_store_operation_seconds_count{operation="write"}') ?? 0;
  async function committedByTick(): Promise<number> {
    const before = await commits();
    await house.clock.advance(120_000);
    await app.tick();
    await app.settled();
    return (await commits()) - before;
  }
  await committedByTick();
  const quiet = await committedByTick();
  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3)]);
  const posting = await committedByTick();
  expect(house.announcements('deals')).toHaveLength(2);
  // The request to the catalog is saved before it leaves, and then the poll is.
  expect([quiet, posting - quiet]).toEqual([2, 4]);
});

test('the metrics tell what was announced, asked and answered, and hold no id', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot({ METRICS_PORT: '0' });
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await app.tick();
  const startDate = new Date(house.clock.now()).toISOString();
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { StartDate: startDate, Condition: 5, Color: 1 })]);
  await house.clock.advance(90_000);
  await app.tick();
  await app.settled();
  expect(house.announcements('deals')).toHaveLength(1);
  folder.writeFeed('Home', [
    feedItem(1, { Url: 'https://www.example.com/offers/odd' }),
    feedItem(2, { StartDate: startDate, Condition: 5, Color: 1 }),
  ]);
  await house.clock.advance(90_000);
  await app.tick();

  const text = await metricsOf(house);
  expect(sampleOf(text, `dealbell_build_info{version="0.0.0",node="${process.versions.node}"}`)).toBe(1);
  expect(sampleOf(text, 'dealbell_deliveries_total{outcome="posted"}')).toBe(1);
  expect(sampleOf(text, 'dealbell_announcement_delay_seconds_count{kind="new-offer"}')).toBe(1);
  expect(sampleOf(text, 'dealbell_announcement_delay_seconds_sum{kind="new-offer"}')).toBe(90);
  expect(sampleOf(text, 'dealbell_outbox_deliveries')).toBe(0);
  expect(sampleOf(text, 'dealbell_outbox_oldest_seconds')).toBe(0);
  expect(sampleOf(text, 'dealbell_reconciled_deliveries_total')).toBe(0);
  expect(sampleOf(text, 'dealbell_catalog_requests_total{interface="portal",status="200"}')).toBe(3);
  expect(sampleOf(text, 'dealbell_catalog_quota_left_requests{interface="portal"}')).toBe(997);
  expect(sampleOf(text, 'dealbell_catalog_circuit_open{interface="v2"}')).toBe(0);
  expect(sampleOf(text, 'dealbell_catalog_unreadable_fields{resource="feed:Home",field="Condition"}')).toBe(1);
  expect(sampleOf(text, 'dealbell_catalog_unknown_fields{resource="feed:Home"}')).toBe(1);
  expect(sampleOf(text, 'dealbell_catalog_contradicted_fields_total{resource="feed:Home",field="Url"}')).toBe(1);
  expect(sampleOf(text, 'dealbell_catalog_confirmed_fields_total{resource="feed:Home",field="Url"}')).toBe(0);
  for (const end of ['answer', 'asked', 'refuted']) {
    expect(sampleOf(text, `dealbell_doubts_total{end="${end}"}`)).toBe(0);
  }
  expect(sampleOf(text, 'dealbell_doubts_waiting')).toBe(1);
  expect(sampleOf(text, 'dealbell_discord_requests_total{status="200"}')).toBeGreaterThan(2);
  expect(sampleOf(text, 'dealbell_gateway_up{shard="0"}')).toBe(1);
  for (const dependency of ['discord', 'catalog', 'database']) {
    expect(sampleOf(text, `dealbell_dependency_up{dependency="${dependency}"}`)).toBe(1);
  }
  expect(sampleOf(text, 'dealbell_subscriptions{state="active"}')).toBe(1);
  expect(sampleOf(text, 'dealbell_interaction_duration_seconds_count{command="subscription add feed"}')).toBe(1);
  expect(sampleOf(text, 'dealbell_store_operation_seconds_count{operation="write"}')).toBeGreaterThan(2);
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  const { guildId, people } = house.discord;
  for (const id of [guildId, house.discord.channel('deals').id, people.ada.id]) expect(text).not.toContain(id);
});

test('what one answer claims is contradicted once, and confirmed when the next one says it again', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot({ METRICS_PORT: '0' });
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await app.tick();
  folder.writeFeed('Home', [feedItem(1, { Url: 'https://www.example.com/offers/moved' })]);
  const counted = [];
  for (const _ of [1, 2, 3]) {
    await house.clock.advance(90_000);
    await app.tick();
    const text = await metricsOf(house);
    const ofUrl = (metric: string) => sampleOf(text, `dealbell_catalog_${metric}{resource="feed:Home",field="Url"}`);
    counted.push([
      ofUrl('contradicted_fields_total'),
      ofUrl('confirmed_fields_total'),
      sampleOf(text, 'dealbell_doubts_total{end="answer"}'),
      sampleOf(text, 'dealbell_doubts_waiting'),
    ]);
  }
  expect(counted).toEqual([
    [1, 0, 0, 1],
    [1, 1, 1, 0],
    [1, 1, 1, 0],
  ]);
});

test("Discord's limits are counted by their scope", async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content });
  let isLimited = true;
  house.discord.faults.use(({ method, path }) => {
    if (!isLimited || method !== 'POST' || !path.endsWith('/messages')) return undefined;
    isLimited = false;
    return { kind: 'rate-limit', retryAfterMs: 1, scope: 'shared' };
  });
  const app = await house.startBot({ METRICS_PORT: '0' });
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:1');
  await app.tick();
  await app.settled();
  const text = await metricsOf(house);
  expect(sampleOf(text, 'dealbell_discord_rate_limits_total{scope="shared"}')).toBe(1);
});

test('a process that stands by serves its metrics, which say that it does not lead', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content });
  await house.startBot({ METRICS_PORT: '0' });
  // Its own clock stands still, so that it never takes over.
  const more = { isStandby: true, clock: new ManualClock() };
  house.startBot({ METRICS_PORT: '0' }, more).catch(() => undefined);
  const served = () => house.logLines.filter((line) => line.includes('serving metrics'));
  await expect.poll(() => served().length).toBe(2);
  const leading = await Promise.all(
    served().map(async (line) => {
      const { address } = JSON.parse(line) as { address: string };
      return sampleOf(await (await fetch(address)).text(), 'dealbell_leading');
    }),
  );
  expect(leading).toEqual([1, 0]);
});
