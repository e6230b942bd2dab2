import { GatewayIntentBits, GuildScheduledEventEntityType, GuildScheduledEventStatus } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, type Started, startDiscord } from './helpers.ts';

const EVENTS = `/guilds/${IDS.guild}/scheduled-events`;
const HOUR = 3_600_000;
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(20)]);
const DATA = `data:image/png;base64,${PNG.toString('base64')}`;

/** A request for an event from the clock's next hour on, for an hour. */
function newEvent({ clock }: Pick<Started, 'clock'>, more: Record<string, unknown> = {}) {
  return {
    name: 'Deal-off',
    privacy_level: 2,
    entity_type: 3,
    scheduled_start_time: new Date(clock.now() + HOUR).toISOString(),
    scheduled_end_time: new Date(clock.now() + 2 * HOUR).toISOString(),
    entity_metadata: { location: 'https://example.com/event' },
    ...more,
  };
}

/** Has the bot create an event. Returns its path. */
async function made(started: Started, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await call(started.discord, 'POST', EVENTS, newEvent(started, more));
  expect([status, body['code']]).toEqual([200, undefined]);
  return `${EVENTS}/${String(body['id'])}`;
}

const statusOf = async ({ discord }: Started, path: string) => (await call(discord, 'GET', path)).body['status'];

test('the bot creates an event, changes it and ends it, and it stays over a restart', async () => {
  const { discord, clock, stateUrl } = await startDiscord();
  const client = await loginClient(discord);
  const guild = await client.guilds.fetch(IDS.guild);
  const startsAt = clock.now() + HOUR;
  const event = await guild.scheduledEvents.create({
    name: 'Deal-off',
    description: 'Forty deals, one after another.',
    privacyLevel: 2,
    entityType: GuildScheduledEventEntityType.External,
    scheduledStartTime: startsAt,
    scheduledEndTime: startsAt + HOUR,
    entityMetadata: { location: 'https://example.com/event' },
    image: DATA,
    reason: 'It was announced',
  });
  expect(event).toMatchObject({
    status: GuildScheduledEventStatus.Scheduled,
    creatorId: IDS.application,
    channelId: null,
    description: 'Forty deals, one after another.',
    scheduledStartTimestamp: startsAt,
    scheduledEndTimestamp: startsAt + HOUR,
    entityMetadata: { location: 'https://example.com/event' },
  });
  const picture = await fetch(`${discord.url}/guild-events/${event.id}/${event.image}.png?size=512`);
  expect([picture.headers.get('content-type'), Buffer.from(await picture.arrayBuffer())]).toEqual(['image/png', PNG]);

  const edited = await event.edit({ name: 'Reckoning', scheduledEndTime: startsAt + 2 * HOUR, image: null });
  expect(edited).toMatchObject({ name: 'Reckoning', scheduledEndTimestamp: startsAt + 2 * HOUR, image: null });
  await event.setStatus(GuildScheduledEventStatus.Active);
  await client.destroy();
  await discord.stop();

  const again = await startDiscord({ stateUrl, clock });
  expect(again.discord.events()).toMatchObject([{ id: event.id, name: 'Reckoning', status: 2 }]);
  const path = `${EVENTS}/${event.id}`;
  expect((await call(again.discord, 'PATCH', path, { status: 3 })).body).toMatchObject({ status: 3 });
  expect((await call(again.discord, 'GET', EVENTS)).body, 'what is over is not listed').toEqual([]);
  expect((await call(again.discord, 'PATCH', path, { name: 'x' })).body).toMatchObject({ code: 180_000 });
  expect((await call(again.discord, 'DELETE', path)).status).toBe(204);
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    expect(await call(again.discord, method, path), method).toMatchObject({ status: 404, body: { code: 10_070 } });
  }
});

test('an event begins and ends by itself, on time', async () => {
  const started = await startDiscord();
  const path = await made(started);
  await started.clock.advance(HOUR - 1);
  expect(await statusOf(started, path)).toBe(1);
  await started.clock.advance(1);
  expect(await statusOf(started, path)).toBe(2);
  await started.clock.advance(HOUR - 1);
  expect(await statusOf(started, path)).toBe(2);
  await started.clock.advance(1);
  expect(await statusOf(started, path)).toBe(3);
  expect(started.discord.events()).toEqual([]);
});

test('events are listed by when they begin, with how many are interested where that is asked for', async () => {
  const started = await startDiscord();
  const { clock } = started;
  const later = await made(started, { scheduled_start_time: new Date(clock.now() + 1.5 * HOUR).toISOString() });
  const sooner = await made(started);
  const list = async (query: string) =>
    (await call(started.discord, 'GET', `${EVENTS}${query}`)).body as unknown as Record<string, unknown>[];
  expect((await list('')).map(({ id }) => `${EVENTS}/${String(id)}`)).toEqual([sooner, later]);
  const [listed] = await list('');
  expect(listed).not.toHaveProperty('user_count');
  expect(listed).not.toHaveProperty('interested');
  expect(await list('?with_user_count=true')).toMatchObject([{ user_count: 0 }, { user_count: 0 }]);
  expect((await call(started.discord, 'GET', `${sooner}?with_user_count=true`)).body).toMatchObject({ user_count: 0 });
});

describe('refuses', () => {
  const field = (...path: string[]) => path;
  test.each<[string, Record<string, unknown>, string[]]>([
    ['no name', { name: undefined }, field('name')],
    ['an empty name', { name: '' }, field('name')],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, field('name')],
    ['a description of 1,001 characters', { description: 'x'.repeat(1001) }, field('description')],
    ['no place', { entity_metadata: undefined }, field('entity_metadata')],
    ['an empty place', { entity_metadata: { location: '' } }, field('entity_metadata', 'location')],
    [
      'a place of 101 characters',
      { entity_metadata: { location: 'x'.repeat(101) } },
      field('entity_metadata', 'location'),
    ],
    ['no end', { scheduled_end_time: undefined }, field('scheduled_end_time')],
    ['an end that is no time', { scheduled_end_time: 'soon' }, field('scheduled_end_time')],
    ['a start in the past', { scheduled_start_time: '2026-11-21T12:00:00Z' }, field('scheduled_start_time')],
    ['an end at the start', { scheduled_end_time: '2026-11-21T13:00:00Z' }, field('scheduled_end_time')],
    ['another privacy level', { privacy_level: 1 }, field('privacy_level')],
    ['an event in a voice channel', { entity_type: 2, channel_id: '1' }, field('entity_type')],
    ['a channel for an event elsewhere', { channel_id: IDS.deals }, field('channel_id')],
    ['a picture that is none', { image: 'nothing' }, field('image')],
    ['an event that recurs', { recurrence_rule: {} }, field('recurrence_rule')],
  ])('%s', async (_, more, path) => {
    const started = await startDiscord();
    const refused = await call(started.discord, 'POST', EVENTS, newEvent(started, more));
    expect(refused).toMatchObject({ status: 400, body: { code: 50_035 } });
    expect(refused.body['errors']).toHaveProperty(path);
    expect(started.discord.events()).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['an empty name', { name: '' }, 'name'],
    ['no end', { scheduled_end_time: null }, 'scheduled_end_time'],
    ['an end before the start', { scheduled_end_time: '2026-11-21T13:00:00Z' }, 'scheduled_end_time'],
    ['a start after the end', { scheduled_start_time: '2026-11-21T14:00:00Z' }, 'scheduled_end_time'],
    ['a start in the past', { scheduled_start_time: '2026-11-21T12:00:00Z' }, 'scheduled_start_time'],
    ['completing what has not begun', { status: 3 }, 'status'],
  ])('as a change: %s', async (_, change, key) => {
    const started = await startDiscord();
    const path = await made(started);
    const refused = await call(started.discord, 'PATCH', path, change);
    expect(refused).toMatchObject({ status: 400, body: { code: 50_035 } });
    expect(refused.body['errors']).toHaveProperty(key);
  });

  test('the statuses that cannot follow each other', async () => {
    const started = await startDiscord();
    const [active, canceled] = [await made(started), await made(started)];
    const become = async (path: string, status: number) => {
      const { body } = await call(started.discord, 'PATCH', path, { status });
      return body['code'] ?? body['status'];
    };
    expect(await become(active, 2)).toBe(2);
    expect([await become(active, 1), await become(active, 4)]).toEqual([50_035, 50_035]);
    expect(await become(active, 3)).toBe(3);
    expect(await become(active, 2)).toBe(180_000);
    expect(await become(canceled, 4)).toBe(4);
    expect(await become(canceled, 1)).toBe(180_000);
  });

  test('the 101st event that is not over', async () => {
    const started = await startDiscord();
    const paths: string[] = [];
    for (let number = 1; number <= 100; number += 1) paths.push(await made(started));
    const one = () => call(started.discord, 'POST', EVENTS, newEvent(started));
    expect(await one()).toMatchObject({ status: 400, body: { code: 30_038 } });
    expect((await call(started.discord, 'PATCH', paths[0] ?? '', { status: 4 })).status).toBe(200);
    expect((await one()).status).toBe(200);
    expect((await one()).status).toBe(400);
  });

  test('what the bot lacks the permission for: Create Events for its own, Manage Events for others’', async () => {
    const started = await startDiscord();
    const { discord } = started;
    const path = await made(started);
    const codes = async () => {
      const answers = [
        await call(discord, 'POST', EVENTS, newEvent(started)),
        await call(discord, 'PATCH', path, { name: 'x' }),
      ];
      return answers.map(({ body }) => body['code']);
    };
    discord.editRole(IDS.botRole, { permissions: ['viewChannel'] });
    expect(await codes()).toEqual([50_013, 50_013]);
    expect((await call(discord, 'DELETE', path)).body).toMatchObject({ code: 50_013 });
    expect((await call(discord, 'GET', path)).status, 'everybody may look').toBe(200);
    discord.editRole(IDS.botRole, { permissions: ['manageEvents'] });
    expect(await codes(), 'it may change events, and not create any').toEqual([50_013, undefined]);
    expect((await call(discord, 'GET', '/guilds/1/scheduled-events')).body).toMatchObject({ code: 10_004 });
  });
});

test('only who asks for it is told of events', async () => {
  const started = await startDiscord();
  const follow = async (intents: GatewayIntentBits[]) => {
    const client = await loginClient(started.discord, intents);
    const seen: string[] = [];
    client.on('guildScheduledEventCreate', ({ name }) => seen.push(`created ${name}`));
    client.on('guildScheduledEventUpdate', (_, { name, status }) => seen.push(`updated ${name} ${status}`));
    client.on('guildScheduledEventDelete', ({ name }) => seen.push(`deleted ${name}`));
    return { client, seen };
  };
  const [asked, other] = [
    await follow([GatewayIntentBits.Guilds, GatewayIntentBits.GuildScheduledEvents]),
    await follow([GatewayIntentBits.Guilds]),
  ];
  const path = await made(started);
  await call(started.discord, 'PATCH', path, { name: 'Reckoning', status: 2 });
  const gone = new Promise<void>((resolve) => {
    asked.client.once('guildScheduledEventDelete', () => resolve());
  });
  await call(started.discord, 'DELETE', path);
  await gone;
  expect(asked.seen).toEqual(['created Deal-off', 'updated Reckoning 2', 'deleted Reckoning']);
  expect(other.seen).toEqual([]);
});

test('a bot that logs in knows the events that are not over', async () => {
  const started = await startDiscord();
  const [kept, ended] = [await made(started, { image: DATA }), await made(started)];
  await call(started.discord, 'PATCH', ended, { status: 4 });
  const client = await loginClient(started.discord);
  const known = client.guilds.cache.get(IDS.guild)?.scheduledEvents.cache;
  expect(known?.map(({ id }) => `${EVENTS}/${id}`)).toEqual([kept]);
});

test('the events of another server are its own', async () => {
  const started = await startDiscord();
  const guildId = started.discord.createGuild('Bazaar');
  const path = `/guilds/${guildId}/scheduled-events`;
  expect((await call(started.discord, 'POST', path, newEvent(started))).status).toBe(200);
  expect(started.discord.events(guildId)).toHaveLength(1);
  expect(started.discord.events()).toEqual([]);
  await started.discord.stop();
  expect((await startDiscord({ stateUrl: started.stateUrl })).discord.events()).toEqual([]);
});
